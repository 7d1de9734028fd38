import AppExtension
import LinuxSystem

/// The state of a service watch. During the watch, a provider's process is kept running even without requests, so that
/// the provider can observe changes at its remote service.
struct ServiceWatch {
    /// Whether the process is to be kept running. This has an effect only if the provider watches its service.
    var isWanted = false
    /// The pause before the process is started again.
    var pause = Self.firstPause
    /// The timer for the next start; `nil` if no start is planned.
    var entry: Deadlines.Entry?

    static let firstPause = Duration.seconds(1)
    static let longestPause = Duration.seconds(600)
    /// If a process ran for at least this time, the pause before its next start is reset.
    static let longRun = Duration.seconds(300)
}

extension ProviderProcess {
    /// Sets whether the process is kept running. If so, it is started now, and restarted after each end with growing
    /// pauses. The process has the same limits as other processes, and is no longer started after too many crashes.
    /// This function has an effect only if the provider watches its service (`PurveyWatchesService`).
    package func setWatching(_ isWatching: Bool) {
        serviceWatch.isWanted = isWatching
        serviceWatch.pause = ServiceWatch.firstPause
        if let entry = serviceWatch.entry.take() { Deadlines.shared.cancel(entry) }
        watchService()
    }

    /// Starts the process if it is to be kept running and does not run.
    func watchService() {
        guard serviceWatch.isWanted, isAtRest else { return }
        Task {
            let (library, identifier) = (library, extensionIdentifier)
            let watches = await HandlerThreads.shared.value { (try? library.find(identifier))?.watchesService == true }
            guard watches, serviceWatch.isWanted, isAtRest else { return }
            // If the start fails, another start is planned.
            if (try? await instance()) == nil { planService() }
        }
    }

    /// Plans the next start of the process, which has ended after running for the given time.
    func serviceEnded(after run: Duration) {
        if run >= ServiceWatch.longRun { serviceWatch.pause = ServiceWatch.firstPause }
        planService()
    }

    private func planService() {
        guard serviceWatch.isWanted, serviceWatch.entry == nil else { return }
        serviceWatch.entry = Deadlines.shared.run(after: serviceWatch.pause) { [weak self] in
            guard let self else { return }
            Task { await self.startService() }
        }
        serviceWatch.pause = min(serviceWatch.pause * 2, ServiceWatch.longestPause)
    }

    private func startService() {
        serviceWatch.entry = nil
        watchService()
    }
}

import AppExtension
import LinuxSystem

/// The state of a service watch. During a watch, a provider's process keeps running without requests, so that the
/// provider can observe changes at its service.
struct ServiceWatch {
    /// Whether the process should be kept running, if the provider watches its service.
    var isWanted = false
    /// The pause before the next start.
    var pause = Self.firstPause
    /// The planned start.
    var entry: Deadlines.Entry?

    static let firstPause = Duration.seconds(1)
    static let longestPause = Duration.seconds(600)
    /// The run time of a process after which its end resets the pause, because the process was not faulty from its
    /// beginning.
    static let longRun = Duration.seconds(300)
}

extension ProviderProcess {
    /// Determines whether the process of a provider that watches its service (`PurveyWatchesService`) is kept running.
    /// If so, the process is started now, and again after each end, with growing pauses. It has the same limits as
    /// other processes, and is not started any more after too many crashes. For other providers, this function has no
    /// effect.
    package func setWatching(_ isWatching: Bool) {
        serviceWatch.isWanted = isWatching
        serviceWatch.pause = ServiceWatch.firstPause
        if let entry = serviceWatch.entry.take() { Deadlines.shared.cancel(entry) }
        watchService()
    }

    /// Starts the process, if it should be kept running and does not run.
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

    /// Plans the next start after the end of a process.
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

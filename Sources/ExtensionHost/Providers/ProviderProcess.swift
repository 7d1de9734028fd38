import AppExtension
import Conduit
import FileProviderWire
import Foundation
import Glibc
import LinuxSystem

/// Manages the process of a domain's provider. The process is started by the first request, ended when it is idle, and
/// started again by the next request. The process of a provider that watches its service is kept running; see
/// ``setWatching(_:)``.
///
/// Requests wait while the process starts. Each request completes in bounded time: the process is ended if it sends no
/// message for too long, or uses too much memory. The process also ends when the daemon ends.
package actor ProviderProcess {
    var domain: ProviderDomain
    let extensionIdentifier: String
    let library: ExtensionLibrary
    let data: String
    let kept: [String]
    let options: ProviderProcessOptions
    let coordination: ExtensionService.Coordination?
    let service: Service
    private let wake: @Sendable () -> Void
    private let moved: @Sendable () -> Void
    let handed: @Sendable (HandedFolder) -> Void

    enum State {
        case none
        case starting
        case running(ProviderInstance)
        /// A process was asked to end and is still running. No other process is started before its end, because both
        /// would use the same files.
        case ending
        /// The domain is being set up in a process that serves no other requests.
        case settingUp
        case disabled(ProviderError)
        case closed
    }

    var state = State.none
    /// The processes that have not ended yet. There can be several, for example during a set-up.
    var living: [ProviderInstance] = []
    /// The requests that wait for a start or an end of the process. A request that is resumed with `nil` examines the
    /// state again.
    var waiting: [CheckedContinuation<Result<ProviderInstance, ProviderError>?, Never>] = []
    /// The number of consecutive unexpected ends of the process.
    var crashes = 0
    var lastUse = ContinuousClock.now
    private var idleEntry: Deadlines.Entry?
    /// The service watch, during which the process is kept running.
    var serviceWatch = ServiceWatch()
    /// The watch of the provider's directories while no process runs, because the last process was ended as idle.
    var sleepWatch: SleepWatch?
    /// The watch of the path of the local directory that the provider serves. It is created at the first request.
    private var placeWatch: DirectoryWatch?
    /// The number of times that another directory, or a new mount, has appeared at the path of the local directory.
    var placeChanges = 0

    /// Creates the manager of a provider's process, without starting it.
    ///
    /// - Parameters:
    ///   - extensionIdentifier: The identifier of the provider's extension.
    ///   - data: The directory of Purvey's data for this user.
    ///   - kept: Directories, in addition to `data`, that no provider may access, such as the directories of mounts.
    ///   - service: The handlers of the messages that the process sends, usually notices.
    ///   - wake: Called at the first event in a watched directory after the process was ended as idle. The process is
    ///     not started by the event.
    ///   - moved: Called when another directory, or a new mount, has appeared at the path of the local directory that
    ///     the provider serves. The process has been asked to end, because it cannot access the new directory.
    ///   - handed: Called with the record of the local directory that the provider serves, if the domain had no record.
    package init(
        domain: ProviderDomain, extensionIdentifier: String, data: String, apartFrom kept: [String] = [],
        options: ProviderProcessOptions = .init(), coordination: ExtensionService.Coordination? = nil,
        service: Service = Service(), wake: @escaping @Sendable () -> Void = {},
        moved: @escaping @Sendable () -> Void = {}, handed: @escaping @Sendable (HandedFolder) -> Void = { _ in }
    ) {
        self.domain = domain
        self.extensionIdentifier = extensionIdentifier
        self.data = data
        self.kept = kept + [data]
        self.options = options
        self.coordination = coordination
        self.service = service
        self.wake = wake
        self.moved = moved
        self.handed = handed
        library = ExtensionLibrary(data: data)
    }

    /// The error domain of failures that the end of the process caused, and that the provider did not report. The error
    /// codes are the raw values of ``ExtensionEnding/Reason``.
    package static let failureDomain = ExtensionService.domain

    /// The ID of the running process; `nil` if no process runs.
    package var processID: pid_t? {
        if case .running(let instance) = state { return instance.processID }
        return nil
    }

    /// The kind of a request, which determines its time limit.
    package enum Length: Sendable {
        case answer
        case transfer
        /// A request that has no time limit after its first progress report. The report shows that the provider serves
        /// the request.
        case service
    }

    /// Sends the provider a request. Starts the provider's process if necessary. If the calling task is cancelled, the
    /// request is cancelled.
    ///
    /// - Parameters:
    ///   - mayDie: Whether the reply is dispensable. If so, an end of the process during the request does not count as
    ///     a crash.
    ///   - progress: Called when the provider reports progress, with the completed and the total number of units.
    package func call<C: ProviderCall>(
        _ request: C, _ length: Length = .answer, mayDie: Bool = false,
        progress: (@Sendable (Int64, Int64) -> Void)? = nil
    ) async throws(ProviderError) -> C.Value {
        let instance = try await instance()
        if mayDie { instance.beginDispensableCall() }
        defer { if mayDie { instance.endDispensableCall() } }
        return try await call(request, length, of: instance, progress: progress)
    }

    /// The error that requests get because the process crashed too often and is no longer started; `nil` if the process
    /// may be started.
    package var disabling: ProviderError? {
        if case .disabled(let failure) = state { return failure }
        return nil
    }

    /// Allows the process to be started again after too many crashes.
    package func reset() {
        crashes = 0
        if case .disabled = state { state = .none }
        watchService()
    }

    /// Whether the process runs and does not answer within the given time, for example because it was stopped. The
    /// request needs no code of the provider, so a provider that is busy or waits is not silent.
    package func isSilent(for patience: Duration) async -> Bool {
        guard case .running(let instance) = state else { return false }
        let request = Task { try await instance.connection.call(ProviderServesPartsCall()) }
        let watch = SilenceWatch(patience) { request.cancel() }
        defer { watch.stop() }
        do {
            _ = try await request.value
            return false
        } catch {
            return request.isCancelled
        }
    }

    /// Ends the process if it does not answer within the given time. Returns when the process has answered or ended.
    /// The end does not count as a crash.
    package func endIfSilent(for patience: Duration) async {
        guard case .running(let instance) = state, await isSilent(for: patience) else { return }
        instance.kill()
        _ = await instance.ending()
    }

    /// Whether no process runs and a process may be started.
    var isAtRest: Bool {
        if case .none = state { true } else { false }
    }

    /// Ends a process that runs an older build of the extension. The next request starts the build that is now
    /// installed. The old process can still reply to requests that it has received, for at most ``patienceWithOld``.
    package func renew() {
        reset()
        guard case .running(let instance) = state else { return }
        state = .ending
        Task {
            let latest = ContinuousClock.now + Self.patienceWithOld
            while !instance.isIdle, ContinuousClock.now < latest { try? await Task.sleep(for: .milliseconds(20)) }
            instance.askToEnd()
        }
    }

    static let patienceWithOld: Duration = .seconds(10)

    /// Ends the process permanently: no other process is started afterwards. Returns when the process has ended.
    package func close() async {
        state = .closed
        setWatching(false)
        sleepWatch = nil
        placeWatch = nil
        resume(with: nil)
        if let idleEntry { Deadlines.shared.cancel(idleEntry) }
        idleEntry = nil
        for instance in living { instance.askToEnd() }
        for instance in living { _ = await instance.ending() }
    }

    // MARK: Replacement of the handed directory

    func watchPlace() {
        guard placeWatch == nil, let path = domain.path else { return }
        // If the watch fails, a new directory is not detected. The process serves the former directory until the
        // process is ended as idle, and the next process serves the new directory.
        placeWatch = try? DirectoryWatch(path) { [weak self] in
            guard let self else { return }
            Task { await self.placeChanged() }
        }
    }

    /// Ends the process because another directory, or a new mount, has appeared at the path of the local directory. The
    /// confinement was set when the process was started, and does not permit access to the new directory.
    private func placeChanged() {
        placeChanges += 1
        switch state {
        case .closed: return
        case .running(let instance):
            state = .ending
            instance.askToEnd()
        case .starting, .settingUp:
            // The process may have been handed the former directory.
            for instance in living { instance.askToEnd() }
        case .none, .ending, .disabled: break
        }
        moved()
    }

    // MARK: Requests

    func call<C: ProviderCall>(
        _ request: C, _ length: Length, of instance: ProviderInstance, isGreeting: Bool = false,
        progress: (@Sendable (Int64, Int64) -> Void)?
    ) async throws(ProviderError) -> C.Value {
        let limit = (length == .transfer ? options.transferTime : instance.answerTime) + options.patience
        let watch = SilenceWatch(limit) { instance.end(after: limit) }
        instance.beginCall()
        let result: Result<C.Reply, ConduitError>
        do throws(ConduitError) {
            result = .success(
                try await instance.connection.call(request) { completed, total in
                    if length == .service { watch.stop() } else { watch.hear() }
                    progress?(completed, total)
                })
        } catch {
            result = .failure(error)
        }
        watch.stop()
        instance.endCall(answered: !isGreeting && (try? result.get()) != nil)
        lastUse = .now
        switch result {
        case .success(let reply):
            do throws(ProviderError) { return try reply.get() } catch { throw instance.explained(error) }
        case .failure(.disconnected):
            // The reason is known only from the process's end.
            throw await failure(of: instance)
        case .failure(let error): throw ProviderError(error)
        }
    }

    private func failure(of instance: ProviderInstance) async -> ProviderError {
        let ending = await instance.ending()
        return ProviderError(
            .processEnded, message: ending.sentence, domain: Self.failureDomain, code: ending.reason.rawValue)
    }

    // MARK: The end of the process

    func hasEnded(_ instance: ProviderInstance, _ ending: ExtensionEnding) {
        if !instance.isAskedToEnd, !instance.isExcused {
            let hasServed = instance.hasAnswered || .now - instance.began >= ServiceWatch.longRun
            crashes = hasServed ? 1 : crashes + 1
        }
        let isCurrent =
            switch state {
            case .running(let current): current === instance
            case .starting, .ending: true
            case .none, .settingUp, .disabled, .closed: false
            }
        if isCurrent {
            if crashes >= options.crashLimit {
                state = .disabled(
                    ProviderError(
                        .disabled,
                        message: "the extension ended \(crashes) times in a row and is not started any more: "
                            + ending.sentence,
                        domain: Self.failureDomain, code: ending.reason.rawValue))
                resume(with: nil)
            } else if case .starting = state {
                // The caller that is starting the process learns of the end, because its greeting fails.
            } else {
                if instance.isAskedToEnd { sleepWatch = instance.watches.watched.flatMap { try? SleepWatch($0, wake) } }
                state = .none
                resume(with: nil)
            }
        }
        living.removeAll { $0 === instance }
        instance.finish(ending)
        serviceEnded(after: .now - instance.began)
    }

    func watchIdleness() {
        let idle = ContinuousClock.now - lastUse
        idleEntry = Deadlines.shared.run(after: max(.milliseconds(1), options.idleTime - idle)) { [weak self] in
            guard let self else { return }
            Task { await self.lookForIdleness() }
        }
    }

    private func lookForIdleness() {
        guard case .running(let instance) = state else { return }
        if !instance.isIdle || serviceWatch.isWanted && instance.watchesService { lastUse = .now }
        guard ContinuousClock.now - lastUse >= options.idleTime else { return watchIdleness() }
        state = .ending
        instance.askToEnd()
    }
}

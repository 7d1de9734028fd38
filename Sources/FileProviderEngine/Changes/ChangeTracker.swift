import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Requests the provider's changes, at most one request at a time for each container, and refreshes directories.
///
/// It calls ``SignIn``, ``ItemReconciler``, ``Enumerator`` and ``Evictor``, and sends events to other components
/// (``EngineEvents``). Used only on the engine's thread (see ``EngineContext``).
final class ChangeTracker {
    private let context: EngineContext
    private let signIn: SignIn
    private let enumerator: Enumerator
    private let feed: ChangeFeed
    private let domainState: DomainStateRequests
    let refreshes: DirectoryRefreshes
    let workingSet: WorkingSet

    /// The tasks of the running change requests, by container.
    private var tasks: [ExactText: Task<Void, Never>] = [:]
    /// The number of consecutive failed change requests, by container.
    private var failures: [ExactText: Int] = [:]
    /// The scheduled retries of failed change requests, by container.
    private var retries: [ExactText: Cancellable] = [:]
    /// The directories whose refresh caused a running change request, by container.
    private var refreshed: [ExactText: ItemNumber] = [:]

    init(
        _ context: EngineContext, _ signIn: SignIn, _ reconciler: ItemReconciler, _ enumerator: Enumerator,
        _ evictor: Evictor
    ) {
        self.context = context
        self.signIn = signIn
        self.enumerator = enumerator
        domainState = DomainStateRequests(context)
        refreshes = DirectoryRefreshes(context, enumerator)
        feed = ChangeFeed(context, reconciler, refreshes)
        workingSet = WorkingSet(context, signIn, reconciler, evictor, feed, refreshes)
    }

    /// The containers with a running change request, and whether another request is to follow; see
    /// ``ChangeFeed/running``.
    var running: [ExactText: Bool] { feed.running }
    /// The containers whose change request failed and is scheduled to be repeated.
    var backingOff: [String] { retries.keys.map(\.string) }

    /// Requests the changes of the given container. All signals that arrive during a request cause one further request.
    ///
    /// - Parameter folder: The directory whose refresh caused the request; `nil` for a signal or a retry.
    func signalled(
        container: String, isRefresh folder: ItemNumber? = nil, _ engine: isolated any EngineEvents
    ) {
        guard !context.isClosed else { return }
        let key = ExactText(container)
        if let folder { refreshed[key] = folder }
        retries.removeValue(forKey: key)?.cancel()
        if feed.running[key] != nil {
            feed.running[key] = true
            return
        }
        feed.running[key] = false
        let epoch = signIn.epoch
        tasks[key] = Task {
            let result = await changes(in: container, engine)
            ended(container, result, sentIn: epoch, engine)
        }
    }

    /// Repeats all failed change requests at once, for example after the user signed in, and requests the changes of
    /// the working set.
    func retry(_ engine: isolated any EngineEvents) {
        failures = [:]
        context.clearRequestFailure()
        context.clearBackgroundFailure()
        for container in backingOff { signalled(container: container, engine) }
        signalled(container: ProviderItem.workingSetIdentifier, engine)
        refreshes.refreshOutdated(engine)
    }

    /// Cancels all requests, because the engine is closed.
    func cancel() {
        for task in tasks.values { task.cancel() }
        for retry in retries.values { retry.cancel() }
        retries = [:]
        refreshes.cancel()
    }

    private static let firstPause = 1.0
    private static let longestPause = 300.0

    private func ended(
        _ container: String, _ result: Result<Void, ProviderError>, sentIn epoch: Int,
        _ engine: isolated any EngineEvents
    ) {
        let key = ExactText(container)
        tasks[key] = nil
        let isWantedAgain = feed.running.removeValue(forKey: key) ?? false
        if let folder = refreshed.removeValue(forKey: key) { refreshes.refreshed(folder, engine) }
        guard !context.isClosed else { return }
        switch result {
        case .success:
            failures[key] = nil
            if context.requestFailure != nil { context.configuration.states?.noteDomain() }
            context.clearRequestFailure()
            engine.changesWereReceived()
            engine.changesAreFollowed()
            if isWantedAgain { signalled(container: container, engine) }
        case .failure(let failure):
            signIn.noteFailure(failure, sentIn: epoch)
            guard !isWantedAgain, !signIn.isOutdated(failure, sentIn: epoch) else {
                return signalled(container: container, engine)
            }
            // Failures that need the user are retried by ``retry(_:)``; the others are retried after a delay.
            guard failure.isWorthAnotherAttempt || failure.kind == .noSpace else {
                failures[key] = nil
                return
            }
            let count = failures[key, default: 0]
            failures[key] = count + 1
            let longest = failure.kind == .noSpace ? EngineContext.longestWaitForSpace : Self.longestPause
            let pause = min(Self.firstPause * Double(1 << min(count, 16)), longest)
            retries[key] = context.clock.run(after: pause) { [weak engine] in
                engine?.perform { $0.changes.signalled(container: container, $0) }
            }
        }
    }

    private func changes(
        in container: String, _ engine: isolated any EngineEvents
    ) async -> Result<Void, ProviderError> {
        do throws(ProviderError) {
            if container == ProviderItem.workingSetIdentifier {
                try await workingSet.requestChanges(engine)
                await domainState.request()
                // The working set is listed after its anchor was requested, so that changes during the listing are
                // among the changes since that anchor.
                try await workingSet.enumerateOnce(engine)
            } else {
                try await requestChanges(ofDirectory: container, engine)
            }
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    private func requestChanges(
        ofDirectory identifier: String, _ engine: isolated any EngineEvents
    ) async throws(ProviderError) {
        // The trash is listed by ``Trash``, and a failure of that listing is not a failure of this request.
        if identifier == ProviderItem.trashIdentifier { return engine.trashMayHaveChanged() }
        let row = try onRecord { () throws(IndexError) in try context.index.item(identifier: identifier) }
        // A directory that was never listed has no items in the index that could be outdated.
        guard let row, row.item.kind == .folder, row.listing != .never else { return }
        if let anchor = try context.anchor(of: identifier) {
            do throws(ProviderError) {
                return try await feed.follow(identifier, from: anchor, engine)
            } catch {
                guard error.kind == .expired || error.kind == .unsupported else { throw error }
            }
        }
        // A running listing may have requested the changed items before they changed. In this case, the directory is
        // listed again afterwards.
        guard !enumerator.noteChange(in: row.number) else { return }
        enumerator.start(row.number, isRefresh: true, engine)
    }
}

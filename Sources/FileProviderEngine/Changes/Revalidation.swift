import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Revalidates items whose existence at the provider is uncertain. Each is requested again until the provider returns
/// it or reports ``ProviderError/Kind/noSuchItem``. An inconclusive reply changes nothing.
///
/// The items are requested in rounds. A round ends when no item is due, or after too many failures.
///
/// It is a part of ``ItemReconciler``. It calls ``SignIn`` and ``IdentifierTracker``, and sends events to other
/// components (``EngineEvents``).
final class Revalidation {
    private let context: EngineContext
    private let signIn: SignIn
    private let tracker: IdentifierTracker
    private var queue = RevalidationQueue()
    private var task: Task<Void, Never>?
    /// The timer for the next round.
    private var timer: Cancellable?
    /// The number of consecutive rounds in which requests failed and none succeeded.
    private var failedRounds = 0

    init(_ context: EngineContext, _ signIn: SignIn, _ tracker: IdentifierTracker) {
        self.context = context
        self.signIn = signIn
        self.tracker = tracker
    }

    /// Whether a round of requests is running.
    var isRunning: Bool { task != nil }
    /// The items that wait for their revalidation.
    var waiting: Set<ExactText> { queue.identifiers }

    // MARK: Requests

    /// The status of an item at the provider.
    private enum Status {
        case exists(ProviderItem)
        case deleted
        /// The request failed, or the reply is inconclusive.
        case unknown(ProviderError)
    }

    private func status(of identifier: String, _ engine: isolated any EngineEvents) async -> Status {
        do throws(ProviderError) {
            let item = try await context.provider.item(identifier)
            guard item.identifier.hasSameBytes(as: identifier) else {
                throw ProviderError(.badAnswer, message: "The provider's reply is about another item.")
            }
            return .exists(item)
        } catch {
            guard error.kind == .noSuchItem else { return .unknown(error) }
            // While the item is being moved, it may already have another identifier.
            return tracker.isMoving(identifier)
                ? .unknown(ProviderError(.transient, message: "The item is being moved.")) : .deleted
        }
    }

    /// The maximum number of items that are revalidated at once, because each costs a request. The remaining items
    /// count as removed if all requested items are gone.
    static let limit = 64
    /// The number of inconclusive replies after which the remaining requests are postponed, because each request may
    /// take a long time to fail.
    private static let mostFailures = 3

    /// Requests the given items, whose status is uncertain, one after the other. Requests at most ``limit`` items. If
    /// all of these are gone, the remaining items count as gone, too.
    func statuses(
        of identifiers: [String], _ engine: isolated any EngineEvents
    ) async throws(ProviderError) -> ItemStatuses {
        var statuses = ItemStatuses()
        var asked = 0
        for identifier in identifiers.prefix(Self.limit) where statuses.unknown.count < Self.mostFailures {
            asked += 1
            switch await status(of: identifier, engine) {
            case .exists(let item): statuses.found.append(item)
            case .deleted: statuses.gone.insert(identifier)
            case .unknown(let failure):
                if Task.isCancelled { throw failure }
                statuses.unknown.insert(identifier)
            }
            guard !context.isClosed else { throw .closed }
        }
        let others = identifiers.dropFirst(asked)
        if statuses.found.isEmpty, statuses.unknown.isEmpty {
            statuses.gone.formUnion(Set(texts: others))
        } else {
            statuses.notRequested.formUnion(Set(texts: others))
        }
        return statuses
    }

    // MARK: The queue

    /// Schedules the revalidation of the given items, and records them in the index.
    ///
    /// - Parameter hasFailed: Whether the last request for the items was inconclusive.
    func schedule(
        _ identifiers: Set<ExactText>, hasFailed: Bool = false, _ engine: isolated any EngineEvents
    ) throws(ProviderError) {
        // The listing of its directory finds an item whose identifier is unknown.
        let new = identifiers.filter { !queue.contains($0.string) && !IndexedItem.isReserved($0.string) }
        guard !new.isEmpty, !context.isClosed else { return }
        try context.write { writer throws(IndexError) in try writer.noteRevalidations(new.strings) }
        add(new, failures: hasFailed ? 1 : 0, engine)
    }

    /// Schedules the revalidation of those items whose request had an inconclusive reply, and of those that were not
    /// requested.
    func schedule(_ statuses: ItemStatuses, _ engine: isolated any EngineEvents) throws(ProviderError) {
        try schedule(statuses.unknown, hasFailed: true, engine)
        try schedule(statuses.notRequested, engine)
    }

    /// Schedules the revalidation of the given items even if the index cannot record them. An item that is not recorded
    /// is not revalidated after a restart of the engine.
    func scheduleInAnyCase(_ identifiers: Set<ExactText>, _ engine: isolated any EngineEvents) {
        do throws(ProviderError) {
            try schedule(identifiers, engine)
        } catch {
            context.recordBackgroundError(error)
            add(identifiers, failures: 0, engine)
        }
    }

    private func add(_ identifiers: Set<ExactText>, failures: Int, _ engine: isolated any EngineEvents) {
        for identifier in identifiers.sorted() {
            queue.add(
                RevalidationQueue.Entry(identifier: identifier.string, failures: failures),
                at: failures == 0 ? nil : context.clock.now + Self.delay(afterFailures: failures))
        }
        startIfDue(engine)
    }

    /// Schedules the revalidations that the previous engine did not complete.
    func recover(_ engine: isolated any EngineEvents) throws(IndexError) {
        for identifier in try context.index.revalidations() {
            queue.add(RevalidationQueue.Entry(identifier: identifier, failures: 0))
        }
        startIfDue(engine)
    }

    /// Starts all postponed revalidations at once.
    func retry(_ engine: isolated any EngineEvents) {
        queue.makeAllDue()
        failedRounds = 0
        timer?.cancel()
        timer = nil
        startIfDue(engine)
    }

    /// Cancels the revalidation, because the engine is closed.
    func cancel() {
        task?.cancel()
        timer?.cancel()
    }

    private static let firstPause = 2.0
    private static let longestPause = 3600.0
    /// The maximum delay in seconds between two rounds after failures, so that items that have not failed yet do not
    /// wait longer.
    private static let longestPauseOfRounds = 60.0

    /// Returns the delay in seconds until the next request, after the given number of consecutive failures.
    private static func delay(afterFailures failures: Int) -> Double {
        min(firstPause * Double(1 << min(failures, 16)), longestPause)
    }

    // MARK: Rounds

    private func startIfDue(_ engine: isolated any EngineEvents) {
        guard !context.isClosed, task == nil else { return }
        guard let time = queue.nextTime else { return }
        // After a failed round, all items wait for the timer, even those that are due.
        if failedRounds > 0, timer != nil { return }
        guard time <= context.clock.now else {
            let rest = time - context.clock.now
            // An item that has not failed yet must not wait as long as items that have failed often.
            return start(after: failedRounds > 0 ? min(rest, Self.longestPauseOfRounds) : rest, engine)
        }
        timer?.cancel()
        timer = nil
        task = Task {
            let isBad = await round(engine)
            task = nil
            guard !context.isClosed else { return }
            failedRounds = isBad ? failedRounds + 1 : 0
            guard isBad else { return startIfDue(engine) }
            start(after: min(Self.delay(afterFailures: failedRounds), Self.longestPauseOfRounds), engine)
        }
    }

    private func start(after seconds: Double, _ engine: isolated any EngineEvents) {
        timer?.cancel()
        timer = context.clock.run(after: max(0, seconds)) { [weak engine] in
            engine?.perform { $0.reconciler.revalidation.timerFired($0) }
        }
    }

    func timerFired(_ engine: isolated any EngineEvents) {
        timer = nil
        startIfDue(engine)
    }

    /// Runs one round: requests the items that are due, one after the other.
    ///
    /// - Returns: Whether the round was stopped, because too many requests failed and none succeeded.
    private func round(_ engine: isolated any EngineEvents) async -> Bool {
        var (failures, successes) = (0, 0)
        while failures < Self.mostFailures, var entry = queue.take(at: context.clock.now), !context.isClosed {
            let identifier = entry.identifier
            let request = context.replies.beginRequest()
            let epoch = signIn.epoch
            do throws(ProviderError) {
                let status = await status(of: identifier, engine)
                guard !context.isClosed else { return false }
                // A report that arrived meanwhile may be newer than this reply.
                if context.replies.isStale(for: identifier, since: request) {
                    queue.add(entry)
                    continue
                }
                EngineStep.revalidationAnswered.reach()
                switch status {
                case .exists(let item):
                    try await engine.itemWasRevalidated(item, answering: request)
                case .deleted:
                    try engine.itemsAreGone(
                        Set(texts: try tracker.believed(gone: [identifier], engine)))
                case .unknown(let failure): throw failure
                }
                guard !context.isClosed else { return false }
                EngineStep.revalidationApplied.reach()
                // The item may have been scheduled anew.
                if !queue.contains(identifier) {
                    try context.write { writer throws(IndexError) in try writer.forgetRevalidation(identifier) }
                }
                context.replies.noteReport(of: [identifier])
                successes += 1
            } catch {
                if context.isClosed || Task.isCancelled { return false }
                failures += 1
                entry.failures += 1
                queue.add(entry, at: context.clock.now + Self.delay(afterFailures: entry.failures))
                if error.kind == .notAuthenticated { signIn.noteNeeded(error, sentIn: epoch) }
            }
        }
        return failures >= Self.mostFailures && successes == 0
    }
}

/// The statuses at the provider of items whose existence was uncertain.
struct ItemStatuses {
    var found: [ProviderItem] = []
    var gone: Set<ExactText> = []
    /// Items for which the reply was inconclusive.
    var unknown: Set<ExactText> = []
    var notRequested: Set<ExactText> = []

    /// Whether each item was found or is gone.
    var isComplete: Bool { unknown.isEmpty && notRequested.isEmpty }
}

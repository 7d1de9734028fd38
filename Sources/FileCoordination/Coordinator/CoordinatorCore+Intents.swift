import Foundation
import LinuxSystem

extension CoordinatorCore {
    /// Uses items when it is their turn, on a queue.
    func coordinate(
        _ intents: SharedIntents, purpose: String, queue: OperationQueue,
        _ accessor: @escaping @Sendable ((any Error)?) -> Void
    ) {
        claim(intents.items, purpose: purpose, in: .none, attempts: 16) { [self] result in
            // What is left to do may block, and has to be done on that queue: the thread that brings the news must not.
            queue.addOperation {
                do {
                    let (ticket, urls) = try result.get()
                    try self.access(intents.items, ticket, urls) { urls in
                        intents.move(to: urls)
                        accessor(nil)
                    }
                } catch {
                    accessor(error)
                }
            }
        }
    }

    /// Uses items when it is their turn, in a task.
    func coordinate<Result: Sendable>(
        _ intents: SharedIntents, purpose: String, at place: CallPlace, accessor: () async throws -> Result
    ) async throws -> Result {
        if Task.isCancelled { throw CocoaError(.userCancelled) }
        let items = intents.items
        let caller = WaitingTask(process, place)
        let (ticket, urls) = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                claim(items, purpose: purpose, in: .ofTask, attempts: 16, for: caller) {
                    continuation.resume(with: $0)
                }
            }
        } onCancel: {
            caller.cancel()
        }
        defer { NamedCallSites.forget(ticket.number) }
        let snapshots: UploadSnapshots?
        do {
            try Task.checkCancellation()
            snapshots = items.contains(where: \.isForUploading) ? try await Self.snapshots(items, urls) : nil
        } catch {
            process.release(ticket)
            throw error is CancellationError ? CocoaError(.userCancelled) : error
        }
        intents.move(to: snapshots?.urls ?? urls)
        defer { withExtendedLifetime(snapshots) {} }
        let watches = ticket.request.accesses.enumerated().compactMap { ItemWatch($1, number: $0) }
        begin(ticket, watches)
        defer { end(ticket, watches) }
        return try await TaskClaims.holding(ticket.number, accessor)
    }

    private static func snapshots(_ items: [ClaimedItem], _ urls: [URL]) async throws -> UploadSnapshots {
        try await withCheckedThrowingContinuation { continuation in
            HandlerThreads.shared.run {
                continuation.resume(with: Result { try UploadSnapshots(items, urls) })
            }
        }
    }

    /// Claims items without blocking. The completion runs on any thread and must not block.
    private func claim(
        _ items: [ClaimedItem], purpose: String, in surroundings: ClaimSurroundings, attempts: Int,
        for caller: WaitingTask? = nil,
        _ completion: @escaping @Sendable (Result<(ClaimTicket, [URL]), any Error>) -> Void
    ) {
        do {
            let (ticket, places) = try makeClaim(items, purpose: purpose, in: surroundings)
            caller?.wait(for: ticket)
            let hasToWait = ticket.outcome == nil
            ticket.onFinish { [self] in
                var attempts = attempts
                do {
                    if let urls = try granted(items, ticket, places, hasWaited: hasToWait, &attempts) {
                        completion(.success((ticket, urls)))
                    } else {
                        // Making a claim looks at the file system.
                        let left = attempts
                        HandlerThreads.shared.run {
                            NamedCallSites.forget(ticket.number)
                            self.claim(
                                items, purpose: purpose, in: surroundings, attempts: left, for: caller, completion)
                        }
                    }
                } catch {
                    NamedCallSites.forget(ticket.number)
                    completion(.failure(error))
                }
            }
        } catch {
            completion(.failure(error))
        }
    }
}

extension NSFileCoordinator {
    /// Reads and writes items in a task, without blocking a thread: as ``coordinate(with:queue:byAccessor:)``, for accessors
    /// that are `async`. An addition of ours.
    ///
    /// A call that would wait for an accessor that the same task is in, or for a presenter that the task prepares, fails with an
    /// error that names both places. Cancelling the task makes the call fail with `CocoaError.userCancelled`, also if that
    /// happens before.
    public func coordinate<Result: Sendable>(
        with intents: [NSFileAccessIntent], fileID: StaticString = #fileID, line: UInt = #line,
        function: StaticString = #function, byAccessor accessor: () async throws -> Result
    ) async throws -> Result {
        try await core.coordinate(
            SharedIntents(intents), purpose: purposeIdentifier,
            at: CallPlace(fileID: fileID, line: line, function: function), accessor: accessor)
    }
}

/// A task that waits for a claim, for one after the other if paths come to lead elsewhere. It may be cancelled at any time.
private final class WaitingTask: Sendable {
    private struct State {
        var ticket: ClaimTicket?
        var isCancelled = false
    }

    private let process: ProcessCoordination
    private let place: CallPlace
    // Innermost.
    private let state = Lock(State())

    init(_ process: ProcessCoordination, _ place: CallPlace) {
        self.process = process
        self.place = place
    }

    func wait(for ticket: ClaimTicket) {
        NamedCallSites.remember(ticket.number, place)
        let isCancelled = state.withLock { state in
            state.ticket = ticket
            return state.isCancelled
        }
        if isCancelled { process.withdraw(ticket) }
    }

    func cancel() {
        let ticket = state.withLock { state in
            state.isCancelled = true
            return state.ticket
        }
        if let ticket { process.withdraw(ticket) }
    }
}

/// The end of what ``NSFileCoordinator/prepare(forReadingItemsAt:options:writingItemsAt:options:error:byAccessor:)`` has
/// prepared, which comes once.
final class BatchEnd: Sendable {
    private let process: ProcessCoordination
    private let ticket: ClaimTicket

    init(_ process: ProcessCoordination, _ ticket: ClaimTicket) {
        self.process = process
        self.ticket = ticket
    }

    deinit { come() }

    // Releasing a second time does nothing.
    func come() { process.release(ticket) }
}

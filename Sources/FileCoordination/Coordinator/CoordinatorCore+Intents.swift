import Foundation
import LinuxSystem

extension CoordinatorCore {
    /// Runs an accessor on a queue as soon as the items of the intents may be used.
    func coordinate(
        _ intents: SharedIntents, purpose: String, queue: OperationQueue,
        _ accessor: @escaping @Sendable ((any Error)?) -> Void
    ) {
        claim(
            intents.items, purpose: purpose, in: .none, attempts: Self.attempts, at: .here(),
            finish: { queue.addOperation(TurnOperation($0, orElse: $1)) }
        ) { [self] result in
            do {
                let (ticket, urls) = try result.get()
                try access(intents.items, ticket, urls) { urls in
                    intents.move(to: urls)
                    accessor(nil)
                }
            } catch {
                accessor(error)
            }
        }
    }

    /// Runs an accessor in the calling task when the items of the intents may be used. File system calls run on other
    /// threads. Tasks share a few threads, and a file system that this process implements may need one of them in order
    /// to reply.
    func coordinate<Result: Sendable>(
        _ intents: SharedIntents, purpose: String, at site: CallSite, accessor: () async throws -> Result
    ) async throws -> Result {
        if Task.isCancelled { throw CocoaError(.userCancelled) }
        let items = intents.items
        let caller = WaitingTask(process)
        let surroundings = ClaimSurroundings.ofTask
        let (ticket, urls) = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let onThread: @Sendable (@escaping @Sendable () -> Void) -> Void = { job in
                    if HandlerThreads.isCurrent { job() } else { HandlerThreads.shared.run(job) }
                }
                onThread { [self] in
                    claim(
                        items, purpose: purpose, in: surroundings, attempts: Self.attempts, at: site, for: caller,
                        finish: { job, _ in onThread(job) }
                    ) { continuation.resume(with: $0) }
                }
            }
        } onCancel: {
            caller.cancel()
        }
        let snapshots: UploadSnapshots?
        let watches: [ItemWatch]
        let accesses = ticket.request.accesses
        do {
            try Task.checkCancellation()
            snapshots =
                items.contains(where: \.isForUploading)
                ? try await Self.onThread { try UploadSnapshots(items, urls, accesses) } : nil
            watches =
                accesses.contains(where: \.writes)
                ? try await Self.onThread { accesses.enumerated().compactMap { ItemWatch($1, number: $0) } } : []
        } catch {
            process.release(ticket)
            throw error is CancellationError ? CocoaError(.userCancelled) : error
        }
        intents.move(to: snapshots?.urls ?? urls)
        defer { withExtendedLifetime(snapshots) {} }
        // Other processes may use the original while the copy is read.
        if snapshots != nil, items.allSatisfy(\.isForUploading) {
            process.release(ticket)
            return try await accessor()
        }
        begin(ticket, watches)
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await TaskClaims.holding(ticket.number, accessor))
        } catch {
            result = .failure(error)
        }
        if watches.isEmpty {
            end(ticket, watches)
        } else {
            try await Self.onThread { [self] in end(ticket, watches) }
        }
        return try result.get()
    }

    private static func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value
    {
        try await withCheckedThrowingContinuation { continuation in
            HandlerThreads.shared.run { continuation.resume(with: Result { try body() }) }
        }
    }

    /// Claims items without blocking. The items' paths are resolved before the claim is made. If the claim had to wait,
    /// the paths are resolved once more after the grant. This must not happen on the thread that delivers grants,
    /// because a file system that this process implements may itself wait for a grant.
    ///
    /// - Parameters:
    ///   - finish: Called with two functions. Runs the first function, immediately or later, on a thread that may
    ///     block. If this is not possible, runs the second function, on any thread.
    ///   - completion: Called by the first function that `finish` gets.
    private func claim(
        _ items: [ClaimedItem], purpose: String, in surroundings: ClaimSurroundings, attempts: Int, at site: CallSite,
        for caller: WaitingTask? = nil,
        finish: @escaping @Sendable (@escaping @Sendable () -> Void, @escaping @Sendable () -> Void) -> Void,
        _ completion: @escaping @Sendable (Result<(ClaimTicket, [URL]), any Error>) -> Void
    ) {
        do {
            let (ticket, places) = try makeClaim(items, purpose: purpose, in: surroundings, at: site)
            caller?.wait(for: ticket)
            ticket.onFinish { [self] in
                // Symbolicating the places of a deadlock may be slow, and must not delay a queue.
                if case .denied(let denial) = ticket.outcome {
                    return HandlerThreads.shared.run { [self] in
                        forget(ticket)
                        let error = denial.error(of: ticket, in: process)
                        finish({ completion(.failure(error)) }, {})
                    }
                }
                finish(
                    { [self] in
                        var attempts = attempts
                        do {
                            if let urls = try granted(items, ticket, places, &attempts) {
                                return completion(.success((ticket, urls)))
                            }
                            claim(
                                items, purpose: purpose, in: surroundings, attempts: attempts, at: site, for: caller,
                                finish: finish, completion)
                        } catch {
                            completion(.failure(error))
                        }
                    },
                    { [self] in
                        forget(ticket)
                        process.release(ticket)
                    })
            }
        } catch {
            finish({ completion(.failure(error)) }, {})
        }
    }
}

extension NSFileCoordinator {
    /// Reads and writes items in a task without blocking a thread. This function corresponds to
    /// ``coordinate(with:queue:byAccessor:)``. It is an addition to Apple's API.
    ///
    /// The call fails if it would deadlock: if it would wait for an accessor in which the same task runs, or for a
    /// presenter whose method, such as one that saves or relinquishes, the same task is carrying out. The error names
    /// the source locations of this call and of the one for which it would wait. If the task is cancelled before or
    /// during the call, the call fails with `CocoaError.userCancelled`.
    public func coordinate<Result: Sendable>(
        with intents: [NSFileAccessIntent], file: StaticString = #fileID, line: UInt = #line,
        function: StaticString = #function, byAccessor accessor: () async throws -> Result
    ) async throws -> Result {
        try await core.coordinate(
            SharedIntents(intents), purpose: purposeIdentifier,
            at: .source(file: file, line: line, function: function), accessor: accessor)
    }
}

/// A task that waits for a claim. If the items' paths have changed when the claim is granted, the claim is repeated,
/// and the task waits for the new claim. The task may be cancelled at any time.
private final class WaitingTask: Sendable {
    private struct State {
        var ticket: ClaimTicket?
        var isCancelled = false
    }

    private let process: ProcessCoordination
    // Leaf lock.
    private let state = Lock(State())

    init(_ process: ProcessCoordination) { self.process = process }

    func wait(for ticket: ClaimTicket) {
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

/// The end of the claim that
/// ``NSFileCoordinator/prepare(forReadingItemsAt:options:writingItemsAt:options:error:byAccessor:)`` makes. The first
/// call of ``come()`` ends the claim; later calls have no effect.
final class BatchEnd: Sendable {
    private let process: ProcessCoordination
    private let ticket: ClaimTicket

    init(_ process: ProcessCoordination, _ ticket: ClaimTicket) {
        self.process = process
        self.ticket = ticket
    }

    deinit { come() }

    // A second release does nothing.
    func come() { process.release(ticket) }
}

/// An operation that runs on a caller's queue after a claim was granted. If the caller cancels the operation, or
/// releases the queue, the operation does not run. The claim then ends, too.
final class TurnOperation: Operation, @unchecked Sendable {
    // Sendable: all mutable state is in the lock.
    private struct Jobs {
        let turn: @Sendable () -> Void
        let otherwise: @Sendable () -> Void
    }

    // Leaf lock. The thread that takes the jobs runs one of them.
    private let jobs: Lock<Jobs?>

    init(_ turn: @escaping @Sendable () -> Void, orElse otherwise: @escaping @Sendable () -> Void) {
        jobs = Lock(Jobs(turn: turn, otherwise: otherwise))
        super.init()
    }

    deinit { takeJobs()?.otherwise() }

    override func main() { takeJobs()?.turn() }

    /// Cancels the operation. This has no effect on an accessor that is running.
    override func cancel() {
        super.cancel()
        takeJobs()?.otherwise()
    }

    private func takeJobs() -> Jobs? {
        jobs.withLock { jobs in
            defer { jobs = nil }
            return jobs
        }
    }
}

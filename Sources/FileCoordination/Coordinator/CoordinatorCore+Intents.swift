import Foundation
import LinuxSystem

extension CoordinatorCore {
    /// Uses items when it is their turn, on a queue.
    func coordinate(
        _ intents: SharedIntents, purpose: String, queue: OperationQueue,
        _ accessor: @escaping @Sendable ((any Error)?) -> Void
    ) {
        claim(intents.items, purpose: purpose, attempts: 16, at: .here()) { [self] result in
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
        _ intents: SharedIntents, purpose: String, at site: CallSite, accessor: () async throws -> Result
    ) async throws -> Result {
        let items = intents.items
        let (ticket, urls) = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                claim(items, purpose: purpose, attempts: 16, at: site) { continuation.resume(with: $0) }
            }
        } onCancel: {
            cancel()
        }
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
        begin(watches)
        defer { end(ticket, watches) }
        return try await accessor()
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
        _ items: [ClaimedItem], purpose: String, attempts: Int, at site: CallSite,
        _ completion: @escaping @Sendable (Result<(ClaimTicket, [URL]), any Error>) -> Void
    ) {
        do {
            let (ticket, places) = try makeClaim(items, purpose: purpose, isWaitedFor: false, at: site)
            @Sendable func finish() {
                var attempts = attempts
                do {
                    if let urls = try granted(items, ticket, places, &attempts) {
                        completion(.success((ticket, urls)))
                    } else {
                        // Making a claim looks at the file system.
                        let left = attempts
                        HandlerThreads.shared.run {
                            self.claim(items, purpose: purpose, attempts: left, at: site, completion)
                        }
                    }
                } catch {
                    completion(.failure(error))
                }
            }
            ticket.onFinish {
                // Finding words for a refusal may take long.
                if case .denied = ticket.outcome { HandlerThreads.shared.run { finish() } } else { finish() }
            }
        } catch {
            completion(.failure(error))
        }
    }
}

extension NSFileCoordinator {
    /// Reads and writes items in a task, without blocking a thread: as ``coordinate(with:queue:byAccessor:)``, for accessors
    /// that are `async`. An addition of ours. Cancelling the task cancels what this coordinator waits for. File and line are
    /// those of the call, for messages about deadlocks.
    public func coordinate<Result: Sendable>(
        with intents: [NSFileAccessIntent], file: StaticString = #fileID, line: UInt = #line,
        byAccessor accessor: () async throws -> Result
    ) async throws -> Result {
        try await core.coordinate(
            SharedIntents(intents), purpose: purposeIdentifier, at: .source(file: file, line: line), accessor: accessor)
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

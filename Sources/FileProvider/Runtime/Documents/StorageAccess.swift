import FileCoordination
import Foundation
import Glibc
import LinuxSystem

/// Coordinated access to a file of a provider's document storage, so that the provider and other programs do not use
/// the file at the same time.
///
/// The claim has the provider's purpose identifier. Therefore it neither causes requests to the provider for the file,
/// nor waits for other claims of the provider.
///
/// A program that holds the file may itself wait for the provider, in a way that is not visible to this process.
/// Therefore the wait has a time limit.
package final class StorageAccess: @unchecked Sendable {
    // Sendable: the coordinator is not changed after it is made, and its class allows cancelling from any thread.
    private let coordinator = NSFileCoordinator(filePresenter: nil)
    private let patience: Duration

    /// The environment variable that sets the time limit, in seconds.
    package static let patienceKey = "PURVEY_TURN_TIME"

    /// Returns the time limit.
    ///
    /// - Parameter usual: the limit if the environment sets none.
    package static func patience(usually usual: Duration) -> Duration {
        guard let seconds = getenv(patienceKey).flatMap({ Double(String(cString: $0)) }), seconds.isFinite else {
            return usual
        }
        return .seconds(min(max(seconds, 0), 1e6))
    }

    /// Creates an access, without a claim yet.
    ///
    /// - Parameters:
    ///   - purpose: the provider's identifier.
    ///   - patience: the longest time to wait for a claim.
    package init(purpose: String, patience: Duration) {
        coordinator.purposeIdentifier = purpose
        self.patience = patience
    }

    /// Runs a function while no program writes to a file. Presenters are not asked to save, because the claim with
    /// which they save would cause a request to the provider.
    ///
    /// - Returns: `nil` if the claim was not granted in time. In this case the function was not run.
    package func read<Value>(_ url: URL, _ body: () throws -> Value) throws -> Value? {
        try take(.reading, url, body)
    }

    /// Runs a function that replaces a file, while no program uses it. Returns the same as ``read(_:_:)``.
    package func replace<Value>(_ url: URL, _ body: () throws -> Value) throws -> Value? {
        try take(.replacing, url, body)
    }

    /// Runs a function that removes a local copy, or a directory of copies, while no program uses it. Presenters may
    /// object. They are not notified of a removal, because the item stays. Returns the same as ``read(_:_:)``.
    package func evict<Value>(_ url: URL, _ body: () throws -> Value) throws -> Value? {
        try take(.evicting, url, body)
    }

    private enum Use {
        case reading
        case replacing
        case evicting
    }

    private func take<Value>(_ use: Use, _ url: URL, _ body: () throws -> Value) throws -> Value? {
        // Cancelling sends a message to the daemon, so it is done off the timer's thread. A function that has begun
        // is not cancelled.
        let limit = Deadlines.shared.run(after: patience) { [self] in
            HandlerThreads.shared.run { self.coordinator.cancel() }
        }
        defer { Deadlines.shared.cancel(limit) }
        var result: Result<Value, any Error>?
        // The error is not read, because every failure means that the claim was not granted.
        var failure: NSError?
        let accessor = { (_: URL) in result = Result { try body() } }
        switch use {
        case .reading:
            coordinator.coordinate(readingItemAt: url, options: .withoutChanges, error: &failure, byAccessor: accessor)
        case .replacing:
            coordinator.coordinate(writingItemAt: url, options: .forReplacing, error: &failure, byAccessor: accessor)
        case .evicting: coordinator.coordinate(evictingItemAt: url, error: &failure, byAccessor: accessor)
        }
        return try result?.get()
    }
}

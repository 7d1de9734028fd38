import FileCoordination
import Foundation
import Glibc
import LinuxSystem

/// Coordinated access to a file of a provider's document storage, so that the provider and other programs do not use
/// the file at the same time.
///
/// The claim has the provider's purpose identifier. Therefore it does not cause a request to the provider for the file,
/// and does not wait for other claims of the provider.
///
/// A program that has a claim for the file may itself wait for the provider, which this process cannot detect.
/// Therefore the wait for a claim has a time limit.
package final class StorageAccess: @unchecked Sendable {
    // Sendable: the coordinator is not changed after the initializer, and its class allows cancellation from any
    // thread.
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

    /// Creates an object without requesting a claim.
    ///
    /// - Parameters:
    ///   - purpose: the provider's identifier.
    ///   - patience: the longest time to wait for a claim.
    package init(purpose: String, patience: Duration) {
        coordinator.purposeIdentifier = purpose
        self.patience = patience
    }

    /// Runs a function while no program writes to a file. Presenters are not asked to save their changes, because a
    /// presenter's claim for saving would cause a request to the provider.
    ///
    /// - Returns: `nil` if the claim was not granted in time. In this case the function was not run.
    package func read<Value>(_ url: URL, _ body: () throws -> Value) throws -> Value? {
        try take(.reading, url, body)
    }

    /// Runs a function that replaces a file, while no program uses the file.
    ///
    /// - Returns: `nil` if the claim was not granted in time. In this case the function was not run.
    package func replace<Value>(_ url: URL, _ body: () throws -> Value) throws -> Value? {
        try take(.replacing, url, body)
    }

    /// Runs a function that removes a local copy, or a directory of copies, while no program uses it. Presenters may
    /// prevent the removal. They are not notified of a deletion, because the item continues to exist.
    ///
    /// - Returns: `nil` if the claim was not granted in time. In this case the function was not run.
    package func evict<Value>(_ url: URL, _ body: () throws -> Value) throws -> Value? {
        try take(.evicting, url, body)
    }

    private enum Use {
        case reading
        case replacing
        case evicting
    }

    private func take<Value>(_ use: Use, _ url: URL, _ body: () throws -> Value) throws -> Value? {
        // Cancellation sends a message to the daemon, so it must not run on the timer's thread. It does not affect a
        // function that has begun.
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

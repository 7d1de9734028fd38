import FileCoordination
import Foundation
import Glibc
import LinuxSystem

/// Uses a file of a provider's document storage in turn with the programs that use it there.
///
/// The claim has the provider's purpose: nobody asks the provider for the file because of it, and no other claim of the provider's
/// own waits for it.
///
/// Whoever has the file may itself wait for the provider, by something else that it does meanwhile. Nobody can see that from here, so
/// a turn is waited for only so long.
package final class StorageTurn: @unchecked Sendable {
    // Sendable: the coordinator is not changed after it was made, and its class has it cancelled from any thread.
    private let coordinator = NSFileCoordinator(filePresenter: nil)
    private let patience: Duration

    /// In the environment: for how many seconds a turn is waited for.
    package static let patienceKey = "PURVEY_TURN_TIME"

    /// How long a turn is waited for.
    ///
    /// - Parameter usual: where the environment does not say.
    package static func patience(usually usual: Duration) -> Duration {
        guard let seconds = getenv(patienceKey).flatMap({ Double(String(cString: $0)) }), seconds.isFinite else {
            return usual
        }
        return .seconds(min(max(seconds, 0), 1e6))
    }

    /// - Parameters:
    ///   - purpose: the provider's identifier.
    ///   - patience: how long the turn is waited for.
    package init(purpose: String, patience: Duration) {
        coordinator.purposeIdentifier = purpose
        self.patience = patience
    }

    /// Runs a function while no program writes a file. Presenters are not asked to save: they would in a claim for which the provider
    /// is asked.
    ///
    /// - Returns: `nil` when that could not be had; the function was not run then.
    package func read<Value>(_ url: URL, _ body: () throws -> Value) throws -> Value? {
        try take(.reading, url, body)
    }

    /// Runs a function that puts another file to a place, while no program uses it. Otherwise as ``read(_:_:)``.
    package func replace<Value>(_ url: URL, _ body: () throws -> Value) throws -> Value? {
        try take(.replacing, url, body)
    }

    /// Runs a function that removes a copy, or a folder of copies, while no program uses it. Presenters may object, and do not hear
    /// that anything was removed. Otherwise as ``read(_:_:)``.
    package func evict<Value>(_ url: URL, _ body: () throws -> Value) throws -> Value? {
        try take(.evicting, url, body)
    }

    private enum Use {
        case reading
        case replacing
        case evicting
    }

    private func take<Value>(_ use: Use, _ url: URL, _ body: () throws -> Value) throws -> Value? {
        // Cancelling tells the daemon, which those who wait for deadlines do not wait for. What has begun is not cancelled.
        let limit = Deadlines.shared.run(after: patience) { [self] in
            HandlerThreads.shared.run { self.coordinator.cancel() }
        }
        defer { Deadlines.shared.cancel(limit) }
        var result: Result<Value, any Error>?
        // Why there is no turn makes no difference.
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

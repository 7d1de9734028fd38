import Foundation
import LinuxSystem

/// A wait for an object of the coercing interface. Cancelling the waiting task cancels the load and ends the wait,
/// even if the load handler continues: it has no progress that could be cancelled.
package enum CancellableItem {
    /// The cancellation of the load that is being started. The load sets its function, even if it is started through
    /// a subclass.
    @TaskLocal package static var cancellation: PendingCancellation?

    nonisolated(nonsending) static func run(
        _ start: (@escaping NSItemProvider.CompletionHandler) -> Void
    ) async throws -> any NSSecureCoding {
        let (pending, load) = (PendingCancellation(), PendingCancellation())
        let value: ItemValue = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answer = OneShotCompletion<Result<ItemValue, any Error>> { continuation.resume(with: $0) }
                pending.hold {
                    load.cancel()
                    answer.complete(.failure(ItemProviderError.cancelled()))
                }
                $cancellation.withValue(load) {
                    start { item, error in
                        answer.complete(
                            item.map { .success(ItemValue($0)) } ?? .failure(error ?? ItemProviderError.emptyAnswer()))
                    }
                }
            }
        } onCancel: {
            pending.cancel()
        }
        return value.object
    }
}

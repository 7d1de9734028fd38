import Foundation
import LinuxSystem

/// Waits for an object of the coercing interface. When the task that waits is cancelled, so is the load, and the wait ends
/// whatever the load handler does: it has no progress, and cannot be told.
package enum CancellableItem {
    /// What the load that is being started is cancelled with. A load takes it, also when it is started by way of a subclass.
    @TaskLocal package static var cancellation: PendingCancellation?

    nonisolated(nonsending) static func run(
        _ start: (@escaping NSItemProvider.CompletionHandler) -> Void
    ) async throws -> any NSSecureCoding {
        let (pending, load) = (PendingCancellation(), PendingCancellation())
        let value: ItemValue = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answer = FirstAnswer<Result<ItemValue, any Error>> { continuation.resume(with: $0) }
                pending.hold {
                    load.cancel()
                    answer.give(.failure(ItemProviderError.cancelled()))
                }
                $cancellation.withValue(load) {
                    start { item, error in
                        answer.give(
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

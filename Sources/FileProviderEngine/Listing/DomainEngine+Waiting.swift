import FileProvider
import LinuxSystem

extension DomainEngine {
    /// Waits until the index has the portion of a directory's listing that is needed. Cancelling the task cancels the
    /// wait.
    package nonisolated func wait(for folder: ItemNumber, _ need: ListingNeed) async throws {
        let waiting = Lock<Waiting?>(nil)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let made = list(folder, needs: need) { continuation.resume(returning: $0) }
                waiting.withLock { $0 = made }
                // The task may have been cancelled before there was a wait to cancel.
                if Task.isCancelled { made.cancel() }
            }
        } onCancel: {
            waiting.withLock { $0 }?.cancel()
        }
        try result.get()
    }
}

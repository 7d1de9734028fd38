import FileProvider
import LinuxSystem

extension DomainEngine {
    /// Waits until the index has what is needed of a folder. Cancelling the task gives the wait up.
    package nonisolated func wait(for folder: ItemNumber, _ need: ListingNeed) async throws {
        let waiting = Lock<Waiting?>(nil)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let made = list(folder, needs: need) { continuation.resume(returning: $0) }
                waiting.withLock { $0 = made }
                // The task may have been cancelled before there was anything to give up.
                if Task.isCancelled { made.cancel() }
            }
        } onCancel: {
            waiting.withLock { $0 }?.cancel()
        }
        try result.get()
    }
}

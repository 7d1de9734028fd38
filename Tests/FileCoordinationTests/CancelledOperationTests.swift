import FileCoordination
import Foundation
import TestThreads
import Testing

/// Accessors that their queue never runs.
@Suite(.timeLimit(.minutes(10)), .ownThreads) struct CancelledOperationTests {
    let folder: CoordinationFolder

    init() throws { folder = try CoordinationFolder() }

    private func expectFree(_ file: URL) async throws {
        var hasWritten = false
        try await NSFileCoordinator(filePresenter: nil).coordinate(with: [.writingIntent(with: file)]) {
            hasWritten = true
        }
        #expect(hasWritten)
    }

    private func queueAccessor(_ file: URL, _ queue: OperationQueue) async {
        queue.isSuspended = true
        NSFileCoordinator(filePresenter: nil).coordinate(with: [.writingIntent(with: file)], queue: queue) { _ in
            Issue.record("the accessor ran")
        }
        await eventually { queue.operationCount == 1 }
    }

    @Test func anAccessorThatIsCancelledOnItsQueueHoldsNothing() async throws {
        let file = try folder.file("a.txt")
        let queue = OperationQueue()
        await queueAccessor(file, queue)
        queue.cancelAllOperations()
        try await expectFree(file)
        queue.isSuspended = false
        await eventually { queue.operationCount == 0 }
        try await expectFree(file)
    }

    @Test func aClaimThatIsGrantedToACancelledAccessorIsGivenFree() async throws {
        let file = try folder.file("a.txt")
        let queue = OperationQueue()
        queue.isSuspended = true
        try await NSFileCoordinator(filePresenter: nil).coordinate(with: [.writingIntent(with: file)]) {
            NSFileCoordinator(filePresenter: nil).coordinate(with: [.writingIntent(with: file)], queue: queue) { _ in
                Issue.record("the accessor ran")
            }
            #expect(queue.operationCount == 0)
        }
        await eventually { queue.operationCount == 1 }
        queue.cancelAllOperations()
        try await expectFree(file)
    }
}

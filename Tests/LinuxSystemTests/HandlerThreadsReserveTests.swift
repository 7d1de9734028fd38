import Dispatch
import LinuxSystem
import Synchronization
import TestThreads
import Testing

@Suite(.ownThreads) struct HandlerThreadsReserveTests {
    @Test func otherWorkRunsWhileHandlersBlock() async throws {
        let threads = HandlerThreads()
        let gate = DispatchSemaphore(value: 0)
        let count = HandlerThreads.handlerLimit + 50
        let started = Atomic<Int>(0)
        let ended = Atomic<Int>(0)
        for _ in 0..<count {
            threads.runHandler {
                started.add(1, ordering: .relaxed)
                gate.wait()
                ended.add(1, ordering: .relaxed)
            }
        }
        await withCheckedContinuation { continuation in
            threads.run {
                #expect(HandlerThreads.isCurrent)
                continuation.resume()
            }
        }
        #expect(started.load(ordering: .relaxed) <= HandlerThreads.handlerLimit)
        for _ in 0..<count { gate.signal() }
        while ended.load(ordering: .relaxed) < count { try await Task.sleep(for: .milliseconds(2)) }
        #expect(!HandlerThreads.isCurrent)
    }
}

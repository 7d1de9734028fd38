import LinuxSystem
import Testing

struct AsyncSemaphoreTests {
    /// The number of tasks that run, and the highest number so far.
    private final class Counts: Sendable {
        let values = Lock<(now: Int, most: Int)>((0, 0))
    }

    @Test func functionsRunInTheirOrderOncePermitsAreReturned() {
        let semaphore = AsyncSemaphore(permits: 2)
        let started = Lock<[Int]>([])
        for number in 0..<5 { semaphore.wait { started.withLock { $0.append(number) } } }
        #expect(started.withLock { $0 } == [0, 1])
        semaphore.signal()
        semaphore.signal()
        #expect(started.withLock { $0 } == [0, 1, 2, 3])
        for _ in 0..<3 { semaphore.signal() }
        #expect(started.withLock { $0 } == [0, 1, 2, 3, 4])
    }

    @Test func neverMoreTasksRunThanThereArePermits() async {
        let semaphore = AsyncSemaphore(permits: 3)
        let counts = Counts()
        await withTaskGroup { group in
            for _ in 0..<200 {
                group.addTask {
                    _ = await semaphore.withPermit {
                        counts.values.withLock {
                            $0.now += 1
                            $0.most = max($0.most, $0.now)
                        }
                        await Task.yield()
                        counts.values.withLock { $0.now -= 1 }
                    }
                }
            }
        }
        #expect(counts.values.withLock { $0.now } == 0)
        #expect((1...3).contains(counts.values.withLock { $0.most }))
    }

    @Test func aCancelledTaskDoesNotRunAndTakesNoPermit() async {
        let semaphore = AsyncSemaphore(permits: 1)
        semaphore.wait {}
        let cancelled = Task { await semaphore.withPermit { true } }
        cancelled.cancel()
        #expect(await cancelled.value == nil)
        let next = Task { await semaphore.withPermit { true } }
        semaphore.signal()
        #expect(await next.value == true)
        let ran = Lock(false)
        semaphore.wait { ran.withLock { $0 = true } }
        #expect(ran.withLock { $0 })
    }

    /// Cancellations and permits cross at every point of a task's way into the queue.
    @Test func noPermitIsLostToACancellation() async {
        let semaphore = AsyncSemaphore(permits: 1)
        for round in 0..<300 {
            let tasks = (0..<4).map { _ in Task { _ = await semaphore.withPermit { await Task.yield() } } }
            if round % 3 > 0 { await Task.yield() }
            tasks[1].cancel()
            tasks[3].cancel()
            for task in tasks { await task.value }
        }
        let ran = Lock(false)
        semaphore.wait { ran.withLock { $0 = true } }
        #expect(ran.withLock { $0 })
    }
}

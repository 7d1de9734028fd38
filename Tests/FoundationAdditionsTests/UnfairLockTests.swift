import Dispatch
import OSLog
import Testing

@Suite struct UnfairLockTests {
    @Test func threadsTakeTurns() {
        let lock = OSAllocatedUnfairLock(initialState: 0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<10_000 { lock.withLock { $0 += 1 } }
        }
        #expect(lock.withLock { $0 } == 80_000)
    }

    @Test func aLockOfAWordDoesTheSame() {
        nonisolated(unsafe) let lock = os_unfair_lock_t.allocate(capacity: 1)
        lock.initialize(to: os_unfair_lock())
        defer { lock.deallocate() }
        nonisolated(unsafe) var count = 0
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<10_000 {
                os_unfair_lock_lock(lock)
                count += 1
                os_unfair_lock_unlock(lock)
            }
        }
        #expect(count == 40_000 && lock.pointee._os_unfair_lock_opaque == 0)
    }

    @Test func aLockThatIsHeldIsNotAvailable() {
        let lock = OSAllocatedUnfairLock(initialState: 1)
        lock.withLockUnchecked { _ in
            #expect(lock.withLockIfAvailable { $0 } == nil)
            lock.precondition(.owner)
        }
        lock.precondition(.notOwner)
        #expect(lock.withLockIfAvailable { $0 } == 1)
        let gate = OSAllocatedUnfairLock()
        gate.lock()
        #expect(!gate.lockIfAvailable())
        gate.unlock()
        #expect(gate.lockIfAvailable())
        gate.unlock()
        #expect(gate.withLock { 3 } == 3 && gate.withLockIfAvailable { 4 } == 4)
    }

    @Test func anErrorGivesTheLockUp() {
        struct Failure: Error {}
        let lock = OSAllocatedUnfairLock(uncheckedState: 1)
        #expect(throws: Failure.self) { try lock.withLockUnchecked { _ in throw Failure() } }
        #expect(lock.withLockUnchecked { $0 } == 1)
    }

    @Test func aThreadThatTakesItsLockTwiceEndsTheProcess() async {
        await #expect(processExitsWith: .failure) {
            let lock = OSAllocatedUnfairLock()
            lock.lock()
            lock.lock()
        }
        await #expect(processExitsWith: .failure) { OSAllocatedUnfairLock().unlock() }
    }
}

import LinuxSystem
import Testing

struct ReceiverTests {
    @Test func onlyTheHandlerThatIsSetIsNotified() {
        let receiver = Receiver<Int>()
        let told = Lock<[Int]>([])
        receiver.tell(1)
        receiver.function = { event in told.withLock { $0.append(event) } }
        #expect(receiver.isSet)
        receiver.tell(2)
        receiver.function = nil
        receiver.tell(3)
        #expect(!receiver.isSet)
        #expect(told.withLock { $0 } == [2])
    }

    /// If each read of `isSet` wrapped the function once more, a later call would pass through all wrappers and
    /// overflow the stack.
    @Test func aFunctionThatWasLookedAtVeryOftenIsStillCalled() {
        let receiver = Receiver<Int>()
        let told = Lock(0)
        receiver.function = { event in told.withLock { $0 += event } }
        for _ in 0..<500_000 {
            _ = receiver.isSet
            _ = receiver.function
        }
        receiver.tell(5)
        receiver.function = nil
        #expect(told.withLock { $0 } == 5)
    }
}

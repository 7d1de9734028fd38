import Synchronization

/// The number of packets to receive from one connection before others get their turn.
///
/// In a dialogue, each wake-up brings one packet, or a few if a notice precedes a request. Trying to receive one more
/// costs a useless system call. In a flood, receiving many at a time saves a wait for each. Therefore the budget is the
/// number of packets of the last wake-up, and occasionally a larger number is tried.
///
/// Only the loop's thread uses it. The atomics only make it possible to store the budget in a shared object.
struct ReceiveBudget: ~Copyable {
    private let wakeUps = Atomic<UInt>(0)
    private let expected = Atomic<Int>(1)

    private static let flood = 32

    /// Returns the budget of a new wake-up.
    borrowing func next() -> Int {
        let wakeUp = wakeUps.wrappingAdd(1, ordering: .relaxed).newValue
        let expected = expected.load(ordering: .relaxed)
        if expected > 1 { return wakeUp.isMultiple(of: 4) ? min(2 * expected, Self.flood) : expected }
        return wakeUp.isMultiple(of: 16) ? 2 : 1
    }

    /// Records that fewer packets arrived than the budget allowed.
    borrowing func ranDry(after count: Int) {
        expected.store(max(1, count), ordering: .relaxed)
    }

    /// Records that the whole budget was used.
    borrowing func wasUsedUp(_ budget: Int) {
        if budget > 1 { expected.store(budget, ordering: .relaxed) }
    }
}

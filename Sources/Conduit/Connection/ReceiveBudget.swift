import Synchronization

/// How many packets of one connection to receive before others get their turn.
///
/// In a conversation each wake-up brings one packet, or a few where a notice precedes a question, and looking for one more
/// costs a system call for nothing. In a flood, receiving many at a time saves a wait for each. So as many are taken as there
/// were the last time, and once in a while more are looked for.
///
/// Only the loop's thread uses it; the atomics are what lets a shared object hold it.
struct ReceiveBudget: ~Copyable {
    private let wakeUps = Atomic<UInt>(0)
    private let expected = Atomic<Int>(1)

    private static let flood = 32

    /// The budget of the wake-up that begins.
    borrowing func next() -> Int {
        let wakeUp = wakeUps.wrappingAdd(1, ordering: .relaxed).newValue
        let expected = expected.load(ordering: .relaxed)
        if expected > 1 { return wakeUp.isMultiple(of: 4) ? min(2 * expected, Self.flood) : expected }
        return wakeUp.isMultiple(of: 16) ? 2 : 1
    }

    /// There were fewer packets than the budget allowed.
    borrowing func ranDry(after count: Int) {
        expected.store(max(1, count), ordering: .relaxed)
    }

    /// There were as many packets as the budget allowed.
    borrowing func wasUsedUp(_ budget: Int) {
        if budget > 1 { expected.store(budget, ordering: .relaxed) }
    }
}

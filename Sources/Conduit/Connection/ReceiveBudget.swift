import Synchronization

/// How many packets of one connection to receive before others get their turn.
///
/// In a conversation each wake-up brings one packet, and looking for a second costs a system call for nothing. In a
/// flood, receiving many at a time saves a wait for each. So once in a while a second is looked for, and as long as
/// there are more, many are taken.
///
/// Only the loop's thread uses it; the atomics are what lets a shared object hold it.
struct ReceiveBudget: ~Copyable {
    private let wakeUps = Atomic<UInt>(0)
    private let isFlooded = Atomic<Bool>(false)

    private static let flood = 32

    /// The budget of the wake-up that begins.
    borrowing func next() -> Int {
        if isFlooded.load(ordering: .relaxed) { return Self.flood }
        let wakeUp = wakeUps.wrappingAdd(1, ordering: .relaxed).newValue
        return wakeUp.isMultiple(of: 16) ? 2 : 1
    }

    /// There were fewer packets than the budget allowed.
    borrowing func ranDry() {
        isFlooded.store(false, ordering: .relaxed)
    }

    /// There were as many packets as the budget allowed.
    borrowing func wasUsedUp(_ budget: Int) {
        if budget > 1 { isFlooded.store(true, ordering: .relaxed) }
    }
}

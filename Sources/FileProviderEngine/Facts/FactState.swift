import FileProvider

/// The engine's state of user metadata that is being sent to the provider. The journal holds the part that must
/// survive a crash.
struct FactState {
    /// The items to send user metadata of, by due time.
    var queue = TimeQueue()
    var running: [ItemNumber: Task<Void, Never>] = [:]
    /// Items that were removed while their user metadata was being sent. It is looked at once more.
    var again: Set<ItemNumber> = []
    /// The number of consecutive failures per item.
    var attempts: [ItemNumber: Int] = [:]
    /// Removals to the trash that wait until user metadata of the removed items is sent.
    var trashing: Set<ItemNumber> = []
    /// Whether the provider accepts attributes; `nil` until it was asked.
    var takesAttributes: Bool?
    /// Items for which the reply to a change of attributes was lost.
    var uncertain: Set<ItemNumber> = []
    /// The timer for the next look at the queue.
    var wake: (time: Double, waiting: Waiting)?

    /// Returns the number of items whose user metadata is held back for a moment, to be sent with later changes.
    func pausedCount(at now: Double) -> Int {
        queue.count(after: now) { attempts[$0] == nil && running[$0] == nil }
    }

    /// The number of failures after which a removal to the trash does not wait any longer.
    private static let mostAttempts = 3

    /// Whether user metadata of an item is being sent, or will be soon.
    func isUnderWay(_ number: ItemNumber) -> Bool {
        (running[number] != nil || queue.time(of: number) != nil) && attempts[number, default: 0] < Self.mostAttempts
    }

    /// The maximum number of concurrent requests.
    static let width = 2
}

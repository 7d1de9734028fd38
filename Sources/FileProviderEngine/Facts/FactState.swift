import FileProvider

/// What the engine knows of facts that are on their way to the provider. What has to survive a crash is in the journal.
struct FactState {
    /// What is to be sent, and when.
    var queue = TimeQueue()
    var running: [ItemNumber: Task<Void, Never>] = [:]
    /// Items that were removed while their facts were sent. Their facts are looked at once more.
    var again: Set<ItemNumber> = []
    /// Failures in a row.
    var attempts: [ItemNumber: Int] = [:]
    /// Removals to the trash that wait for facts of what is removed.
    var trashing: Set<ItemNumber> = []
    /// Whether the provider takes attributes; `nil` until it was asked.
    var takesAttributes: Bool?
    /// Whose attributes the provider may have changed without an answer that was got.
    var uncertain: Set<ItemNumber> = []
    /// The clock's call for the next look.
    var wake: (time: Double, waiting: Waiting)?

    /// Returns the number of items whose facts are held back for a moment, to be sent with later ones.
    func pausedCount(at now: Double) -> Int {
        queue.count(after: now) { attempts[$0] == nil && running[$0] == nil }
    }

    /// The number of failures after which a removal to the trash does not wait any longer.
    private static let mostAttempts = 3

    /// Whether facts of an item are being sent, or will be soon.
    func isUnderWay(_ number: ItemNumber) -> Bool {
        (running[number] != nil || queue.time(of: number) != nil) && attempts[number, default: 0] < Self.mostAttempts
    }

    /// Requests at the same time.
    static let width = 2
}

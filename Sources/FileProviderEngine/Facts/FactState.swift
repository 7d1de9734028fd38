import FileProvider

/// What the engine knows of facts that are on their way to the provider. What has to survive a crash is in the journal.
struct FactState {
    /// What is to be sent, and when.
    var queue = TimeQueue()
    var running: [ItemNumber: Task<Void, Never>] = [:]
    /// Failures in a row.
    var attempts: [ItemNumber: Int] = [:]
    /// Whether the provider takes attributes; `nil` until it was asked.
    var takesAttributes: Bool?
    /// Whose attributes the provider may have changed without an answer that was got.
    var uncertain: Set<ItemNumber> = []
    /// The clock's call for the next look.
    var wake: (time: Double, waiting: Waiting)?

    /// Requests at the same time.
    static let width = 2
}

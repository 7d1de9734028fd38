import ItemStore
import ItemValues

/// The state in memory of user metadata that is to be sent to the provider. The journal holds the part of the state
/// that must survive a crash.
struct MetadataSendQueue {
    /// The items whose user metadata is to be sent, ordered by the time at which it is due.
    var queue = TimeQueue()
    var running: [ItemNumber: Task<Void, Never>] = [:]
    /// The items that were removed while their user metadata was being sent. Afterwards, it is sent once more.
    var again: Set<ItemNumber> = []
    /// The number of consecutive failures for each item.
    var attempts: [ItemNumber: Int] = [:]
    /// The items whose move to the trash waits until user metadata is sent.
    var trashing: Set<ItemNumber> = []
    /// The timer for the next check of the queue, and the time at which it fires, in seconds since 1970.
    var wake: (time: Double, waiting: Cancellable)?

    /// Returns the number of items whose user metadata is not due yet. It is delayed so that it can be sent together
    /// with later changes.
    func pausedCount(at now: Double) -> Int {
        queue.count(after: now) { attempts[$0] == nil && running[$0] == nil }
    }

    /// The number of consecutive failures after which an item's move to the trash no longer waits.
    private static let mostAttempts = 3

    /// Whether the move of the given item to the trash has to wait, because its user metadata is being sent or is
    /// queued. `false` after several failures.
    func isUnderWay(_ number: ItemNumber) -> Bool {
        (running[number] != nil || queue.time(of: number) != nil) && attempts[number, default: 0] < Self.mostAttempts
    }

    /// The maximum number of concurrent requests.
    static let width = 2
}

extension MetadataEntry {
    /// Returns the journal's entry of an item, or a new entry if the item has none.
    ///
    /// - Parameter known: The journal's entry with the item's number. If the index was lost, the number may now belong
    ///   to another item than the entry's. Such an entry is ignored.
    static func entry(_ known: MetadataEntry?, of row: IndexedItem) -> MetadataEntry {
        var entry =
            known.flatMap { $0.isEntry(of: row) ? $0 : nil }
            ?? MetadataEntry(number: row.number, identifier: "", kinds: [], values: ItemMetadata())
        entry.identifier = row.item.identifier
        return entry
    }

    fileprivate func isEntry(of row: IndexedItem) -> Bool {
        identifier.hasSameBytes(as: row.item.identifier) || identifier.hasPrefix(IndexedItem.localPrefix)
    }
}

extension EngineContext {
    /// Returns the index row of an entry's item; `nil` if the item does not exist. If the index was lost, the item may
    /// have another number than the entry.
    func row(of entry: MetadataEntry) throws(IndexError) -> IndexedItem? {
        if let row = try index.item(entry.number), entry.isEntry(of: row) { return row }
        return try index.item(identifier: entry.identifier).flatMap { $0.isShown ? $0 : nil }
    }
}

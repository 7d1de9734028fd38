import ItemStore
import ItemValues

/// The engine's state of user metadata that is being sent to the provider. The journal holds the part that must
/// survive a crash.
struct MetadataSendQueue {
    /// The items whose user metadata is to be sent, by due time.
    var queue = TimeQueue()
    var running: [ItemNumber: Task<Void, Never>] = [:]
    /// Items that were removed while their user metadata was being sent. Each is sent once more afterwards.
    var again: Set<ItemNumber> = []
    /// The number of consecutive failures per item.
    var attempts: [ItemNumber: Int] = [:]
    /// Removals to the trash that wait until user metadata of the removed items is sent.
    var trashing: Set<ItemNumber> = []
    /// The timer for the next check of the queue.
    var wake: (time: Double, waiting: Cancellable)?

    /// Returns the number of items whose user metadata is delayed, so that it is sent together with later changes.
    func pausedCount(at now: Double) -> Int {
        queue.count(after: now) { attempts[$0] == nil && running[$0] == nil }
    }

    /// The number of failures after which a removal to the trash stops waiting.
    private static let mostAttempts = 3

    /// Whether user metadata of an item is being sent, or will be soon.
    func isUnderWay(_ number: ItemNumber) -> Bool {
        (running[number] != nil || queue.time(of: number) != nil) && attempts[number, default: 0] < Self.mostAttempts
    }

    /// The maximum number of concurrent requests.
    static let width = 2
}

extension MetadataEntry {
    /// Returns the entry of an item, or a new entry if the item has none.
    ///
    /// - Parameter known: The journal's entry with the item's number.
    static func entry(_ known: MetadataEntry?, of row: IndexedItem) -> MetadataEntry {
        // If the index was lost, the number may now belong to another item than the entry's.
        var entry =
            known.flatMap { $0.isEntry(of: row) ? $0 : nil }
            ?? MetadataEntry(number: row.number, identifier: "", kinds: [], values: ItemMetadata())
        entry.identifier = row.item.identifier
        return entry
    }

    fileprivate func isEntry(of row: IndexedItem) -> Bool {
        identifier == row.item.identifier || identifier.hasPrefix(IndexedItem.localPrefix)
    }
}

extension EngineContext {
    /// Returns the item of an entry. The item may have a new number if the index was lost.
    func row(of entry: MetadataEntry) throws(IndexError) -> IndexedItem? {
        if let row = try index.item(entry.number), entry.isEntry(of: row) { return row }
        return try index.item(identifier: entry.identifier).flatMap { $0.isShown ? $0 : nil }
    }
}

import ItemStore

/// The steps that send large files.
///
/// A provider may accept many small files at the same time. Large files share a connection, so the number of concurrent
/// uploads is limited. Otherwise a transfer that waits for the others could exceed the time limit for transfers without
/// progress.
struct LargeUploads {
    private var running: Set<ItemNumber> = []
    /// The items whose steps wait, in order.
    private var waiting: [ItemNumber] = []

    /// Begins the step of a large file. If too many such steps are running, the item is added to the waiting items
    /// instead.
    ///
    /// - Returns: Whether the step may continue.
    mutating func begin(_ number: ItemNumber, limit: Int) -> Bool {
        guard running.contains(number) || running.count < limit else {
            if !waiting.contains(number) { waiting.append(number) }
            return false
        }
        running.insert(number)
        waiting.removeAll { $0 == number }
        return true
    }

    /// Removes an item from the waiting items, because its upload was cancelled.
    mutating func withdraw(_ number: ItemNumber) { waiting.removeAll { $0 == number } }

    /// Ends an item's step.
    ///
    /// - Returns: The item whose step is next; `nil` if the step did not send a large file, or no item waits.
    mutating func end(_ number: ItemNumber) -> ItemNumber? {
        guard running.remove(number) != nil, !waiting.isEmpty else { return nil }
        return waiting.removeFirst()
    }
}

extension UploadScheduler {
    /// Returns the result of a step that has to wait because enough large files are being sent; `nil` if it can
    /// continue.
    func waitsForLargeUploads(_ row: IndexedItem) -> StepResult? {
        guard row.localSize >= configuration.largeSize else { return nil }
        guard !large.begin(row.number, limit: configuration.largeUploadLimit) else { return nil }
        // The end of another large upload schedules the step. This delay only applies if that does not happen.
        return .later(context.backoff.longest)
    }
}

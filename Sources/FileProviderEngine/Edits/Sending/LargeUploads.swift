import ItemStore

/// Limits the number of large files that are sent at the same time.
///
/// A provider may accept many small files at the same time. Large files share the bandwidth. With too many of them, a
/// transfer that waits for the others could exceed the time limit for transfers without progress.
struct LargeUploads {
    private var running: Set<ItemNumber> = []
    /// The items whose steps wait for another step to end, first come, first served.
    private var waiting: [ItemNumber] = []

    /// Begins the step that sends a large file. If `limit` such steps are running, adds the item to the waiting items
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

    /// Removes the given item from the waiting items, because its upload was cancelled.
    mutating func withdraw(_ number: ItemNumber) { waiting.removeAll { $0 == number } }

    /// Ends the step of the given item.
    ///
    /// - Returns: The waiting item whose step is next; `nil` if the ended step did not send a large file, or no item
    ///   waits.
    mutating func end(_ number: ItemNumber) -> ItemNumber? {
        guard running.remove(number) != nil, !waiting.isEmpty else { return nil }
        return waiting.removeFirst()
    }
}

extension UploadScheduler {
    /// Returns the result of a step that has to wait because enough other large files are being sent; `nil` if the step
    /// can continue.
    func waitsForLargeUploads(_ row: IndexedItem) -> StepResult? {
        guard row.localSize >= configuration.largeSize else { return nil }
        guard !large.begin(row.number, limit: configuration.largeUploadLimit) else { return nil }
        // The end of another large upload schedules the step. This delay only applies if that does not happen.
        return .later(context.backoff.longest)
    }
}

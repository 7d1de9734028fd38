import ItemValues

/// The queue of items of uncertain status, with the time of the next request for each. The index also records these
/// items, except those that were scheduled while it could not be written.
struct RevalidationQueue {
    /// An item that is to be revalidated.
    struct Entry {
        let identifier: String
        /// The number of consecutive inconclusive replies about the item.
        var failures: Int
    }

    private var ready: ArraySlice<Entry> = []
    private var later: [ExactText: (entry: Entry, time: Double)] = [:]
    private var known: Set<ExactText> = []

    var identifiers: Set<ExactText> { known }

    func contains(_ identifier: String) -> Bool { known.contains(identifier) }

    /// Adds an item, unless it is in the queue already.
    ///
    /// - Parameter time: The time at which the item is due to be requested, in seconds since 1970; `nil` if it is due
    ///   at once.
    mutating func add(_ entry: Entry, at time: Double? = nil) {
        guard known.insert(entry.identifier) else { return }
        if let time { later[ExactText(entry.identifier)] = (entry, time) } else { ready.append(entry) }
    }

    /// Removes and returns the next item that is due, in the order in which the items became due. Returns `nil` if no
    /// item is due.
    mutating func take(at now: Double) -> Entry? {
        if ready.isEmpty { makeReady { $0 <= now } }
        guard let entry = ready.popFirst() else { return nil }
        known.remove(entry.identifier)
        return entry
    }

    /// Makes all items due at once.
    mutating func makeAllDue() { makeReady { _ in true } }

    private mutating func makeReady(_ isDue: (Double) -> Bool) {
        let due = later.values.filter { isDue($0.time) }.sorted { $0.time < $1.time }
        for (entry, _) in due {
            later[ExactText(entry.identifier)] = nil
            ready.append(entry)
        }
    }

    /// The time at which the next item is due, in seconds since 1970. 0 if an item is due now; `nil` if the queue is
    /// empty.
    var nextTime: Double? { ready.isEmpty ? later.values.lazy.map(\.time).min() : 0 }
}

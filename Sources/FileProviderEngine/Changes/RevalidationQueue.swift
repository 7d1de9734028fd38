/// Items of uncertain status, and the time of their next request. The index records those that must survive a crash.
struct RevalidationQueue {
    /// An item that is to be revalidated.
    struct Entry {
        let identifier: String
        /// The number of consecutive inconclusive replies.
        var failures: Int
    }

    private var ready: ArraySlice<Entry> = []
    private var later: [String: (entry: Entry, time: Double)] = [:]
    private var known: Set<String> = []

    var identifiers: Set<String> { known }

    func contains(_ identifier: String) -> Bool { known.contains(identifier) }

    /// Adds an item, unless it is in the queue already.
    ///
    /// - Parameter time: The time of the request in seconds since 1970; `nil` for at once.
    mutating func add(_ entry: Entry, at time: Double? = nil) {
        guard known.insert(entry.identifier).inserted else { return }
        if let time { later[entry.identifier] = (entry, time) } else { ready.append(entry) }
    }

    /// Removes and returns the item that has waited longest among those that are due.
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
            later[entry.identifier] = nil
            ready.append(entry)
        }
    }

    /// The time at which the next item is due, in seconds since 1970; 0 for at once, `nil` if there is none.
    var nextTime: Double? { ready.isEmpty ? later.values.lazy.map(\.time).min() : 0 }
}

/// The revalidation queue: items of uncertain status, and the time of their next request. The index records those that
/// must survive a crash.
struct Doubts {
    /// An item that is to be revalidated.
    struct Doubt {
        let identifier: String
        /// The number of consecutive inconclusive replies.
        var failures: Int
    }

    private var ready: ArraySlice<Doubt> = []
    private var later: [String: (doubt: Doubt, time: Double)] = [:]
    private var known: Set<String> = []

    var isEmpty: Bool { known.isEmpty }
    var identifiers: Set<String> { known }

    func contains(_ identifier: String) -> Bool { known.contains(identifier) }

    /// Adds an item, unless it is in the queue already.
    ///
    /// - Parameter time: The time of the request; `nil` for at once.
    mutating func add(_ doubt: Doubt, at time: Double? = nil) {
        guard known.insert(doubt.identifier).inserted else { return }
        if let time { later[doubt.identifier] = (doubt, time) } else { ready.append(doubt) }
    }

    /// Removes and returns the item that has waited longest among those that are due.
    mutating func take(at now: Double) -> Doubt? {
        if ready.isEmpty { makeReady { $0 <= now } }
        guard let doubt = ready.popFirst() else { return nil }
        known.remove(doubt.identifier)
        return doubt
    }

    /// Makes all items due at once.
    mutating func hurry() { makeReady { _ in true } }

    private mutating func makeReady(_ isDue: (Double) -> Bool) {
        let due = later.values.filter { isDue($0.time) }.sorted { $0.time < $1.time }
        for (doubt, _) in due {
            later[doubt.identifier] = nil
            ready.append(doubt)
        }
    }

    /// The time at which the next item is due; 0 for at once, `nil` if there is none.
    var nextTime: Double? { ready.isEmpty ? later.values.lazy.map(\.time).min() : 0 }
}

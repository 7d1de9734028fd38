/// Items of which it is not known what became of them, and when the provider is asked. What has to survive a crash is in the index.
struct Doubts {
    /// One that the provider is being asked about.
    struct Doubt {
        let identifier: String
        /// Answers in a row from which nothing could be learnt.
        var failures: Int
    }

    private var ready: ArraySlice<Doubt> = []
    private var later: [String: (doubt: Doubt, time: Double)] = [:]
    private var known: Set<String> = []

    var isEmpty: Bool { known.isEmpty }
    var identifiers: Set<String> { known }

    func contains(_ identifier: String) -> Bool { known.contains(identifier) }

    /// Adds one; one that is there stays as it is.
    ///
    /// - Parameter time: when it is to be asked for; `nil` for at once.
    mutating func add(_ doubt: Doubt, at time: Double? = nil) {
        guard known.insert(doubt.identifier).inserted else { return }
        if let time { later[doubt.identifier] = (doubt, time) } else { ready.append(doubt) }
    }

    /// Takes the one that has waited for longest among those that are due.
    mutating func take(at now: Double) -> Doubt? {
        if ready.isEmpty { makeReady { $0 <= now } }
        guard let doubt = ready.popFirst() else { return nil }
        known.remove(doubt.identifier)
        return doubt
    }

    /// Has all of them asked for at once.
    mutating func hurry() { makeReady { _ in true } }

    private mutating func makeReady(_ isDue: (Double) -> Bool) {
        let due = later.values.filter { isDue($0.time) }.sorted { $0.time < $1.time }
        for (doubt, _) in due {
            later[doubt.identifier] = nil
            ready.append(doubt)
        }
    }

    /// When the next one is due; 0 for at once, `nil` for never.
    var nextTime: Double? { ready.isEmpty ? later.values.lazy.map(\.time).min() : 0 }
}

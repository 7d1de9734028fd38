/// The turns of exchanges. Two of one place would have the same files at the server, so one waits for the other.
actor ExchangeTurns {
    /// The places in use, with the tasks that wait for each.
    private var waiting: [ExchangePlace: [CheckedContinuation<Void, Never>]] = [:]

    /// Runs a function when no other one runs for the place. It must not wait for a turn of the same place.
    func perform<Reply: Sendable, Failure: Error>(
        _ place: ExchangePlace, _ body: @Sendable () async throws(Failure) -> Reply
    ) async throws(Failure) -> Reply {
        await begin(place)
        defer { end(place) }
        return try await body()
    }

    /// Whether a function runs for the place.
    func isTaken(_ place: ExchangePlace) -> Bool { waiting[place] != nil }

    private func begin(_ place: ExchangePlace) async {
        guard waiting[place] != nil else {
            waiting[place] = []
            return
        }
        await withCheckedContinuation { waiting[place]?.append($0) }
    }

    /// Passes the turn on to the task that has waited longest.
    private func end(_ place: ExchangePlace) {
        guard var others = waiting[place], !others.isEmpty else {
            waiting[place] = nil
            return
        }
        let next = others.removeFirst()
        waiting[place] = others
        next.resume()
    }
}

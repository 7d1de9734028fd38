/// A lock for each place of an exchange. Two exchanges of the same file would use the same temporary files at the
/// server, so the second one waits until the first has ended.
actor ExchangeTurns {
    /// The places in use, with the tasks that wait for each.
    private var waiting: [ExchangePlace: [CheckedContinuation<Void, Never>]] = [:]

    /// Runs a function while no other function runs for the place. Not reentrant: a function that waits for the same
    /// place deadlocks.
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

    /// Resumes the task that has waited longest.
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

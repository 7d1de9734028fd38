/// The moves of items at the server that are in progress. While a folder is moved, its items are missing at the
/// addresses in the catalogue, although they were not removed.
actor RunningMoves {
    private var count = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Runs a function that moves an item at the server and records its new place. The function must not call
    /// ``wait()``.
    func perform<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        count += 1
        defer { end() }
        return try await body()
    }

    private func end() {
        count -= 1
        guard count == 0 else { return }
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    /// Waits until the moves have ended and the catalogue has the new places.
    func wait() async {
        guard count > 0 else { return }
        await withCheckedContinuation { waiting.append($0) }
    }
}

/// The moves that are in progress. While a folder is moved, nothing in it is at the address that the catalogue has,
/// which does not mean that it was removed.
actor RunningMoves {
    private var count = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Runs a function that moves an item at the server and records its new place. It must not wait for moves itself.
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

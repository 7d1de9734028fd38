import HTTPTransport

/// The moves of items at the server that are in progress, and the uploads that must not overlap with them.
///
/// While a folder is moved, its items are missing at the addresses in the catalogue, although they were not removed.
/// Some servers create missing folders: an upload into the folder would create it again at its former address. On such
/// servers, an upload waits for the moves of the folders above it, and the move of a folder waits for the uploads into
/// it.
package actor RunningMoves {
    /// The number of moves in progress, without those that wait for uploads.
    private var count = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []
    /// The folders that are moved, or that wait to be moved.
    private var folders: [HTTPAddress] = []
    /// The addresses of the files that are uploaded.
    private var uploads: [HTTPAddress] = []
    /// The moves and uploads that wait until ``folders`` or ``uploads`` changes.
    private var blocked: [CheckedContinuation<Void, Never>] = []

    package init() {}

    /// Runs a function that moves an item at the server and records its new place. The function must not call
    /// ``wait()``.
    ///
    /// - Parameter folder: The former address of a folder that is moved; `nil` for a file.
    package func perform<Result: Sendable>(
        moving folder: HTTPAddress? = nil, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        if let folder {
            folders.append(folder)
            while uploads.contains(where: { $0.isBeneath(folder) }) { await block() }
        }
        count += 1
        defer { end(folder) }
        return try await body()
    }

    /// Runs a function that uploads a file to a server that creates missing folders. The function must neither call
    /// ``wait()`` nor move an item.
    package func upload<Result: Sendable>(
        to address: HTTPAddress, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        while folders.contains(where: { address.isBeneath($0) }) { await block() }
        uploads.append(address)
        defer {
            if let index = uploads.firstIndex(of: address) { uploads.remove(at: index) }
            resumeBlocked()
        }
        return try await body()
    }

    /// Waits until the moves have ended and the catalogue has the new places.
    package func wait() async {
        guard count > 0 else { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func end(_ folder: HTTPAddress?) {
        if let folder, let index = folders.firstIndex(of: folder) {
            folders.remove(at: index)
            resumeBlocked()
        }
        count -= 1
        guard count == 0 else { return }
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    private func block() async { await withCheckedContinuation { blocked.append($0) } }

    private func resumeBlocked() {
        for continuation in blocked { continuation.resume() }
        blocked = []
    }
}

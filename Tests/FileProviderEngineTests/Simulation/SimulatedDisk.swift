import FileProviderEngine
import LinuxSystem

/// The databases as they were on disk after the engine's last flush, and the words that the engine had promised to be
/// durable by then.
final class SimulatedDisk: Sendable {
    private struct State {
        var journal: DatabaseImage?
        var index: DatabaseImage?
        var promised: Set<String> = []
        var promisedOnDisk: Set<String> = []
    }

    // Leaf lock.
    private let state = Lock(State())

    func promise(_ word: String) { state.withLock { _ = $0.promised.insert(word) } }

    /// Records that everything that was promised is on disk now.
    ///
    /// - Parameter folder: The path of the engine's data directory.
    func note(_ folder: String) {
        let promised = state.withLock { $0.promised }
        guard let journal = try? DatabaseImage(folder + "/journal.db"),
            let index = try? DatabaseImage(folder + "/index.db")
        else { return }
        state.withLock { state in
            state.journal = journal
            state.index = index
            state.promisedOnDisk = promised
        }
    }

    /// Drops the saved index, because a new one was created. The new index is durable before any entry refers to its
    /// numbers.
    func forgetIndex() { state.withLock { $0.index = nil } }

    /// The databases that lose their unflushed writes. The other database may have reached the disk without a flush.
    enum Loss: CaseIterable {
        case ofJournal, ofIndex, ofBoth
    }

    /// Replaces the databases with those on disk, as a power failure does.
    ///
    /// - Returns: The words that were promised by then, or `nil` if the engine has not flushed since the index was
    ///   created.
    func losePower(_ loss: Loss, in folder: String) throws -> Set<String>? {
        let (journal, index, promised) = state.withLock { ($0.journal, $0.index, $0.promisedOnDisk) }
        guard let journal, let index else { return nil }
        if loss != .ofIndex { try journal.restore(to: folder + "/journal.db") }
        if loss != .ofJournal { try index.restore(to: folder + "/index.db") }
        return promised
    }
}

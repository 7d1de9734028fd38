import FileProviderEngine
import LinuxSystem

/// What of the databases was on the disk when the engine last waited for it, and which words had been promised by then.
final class SimulatedDisk: Sendable {
    private struct State {
        var journal: DatabaseImage?
        var index: DatabaseImage?
        var promised: Set<String> = []
        var promisedOnDisk: Set<String> = []
    }

    // Innermost.
    private let state = Lock(State())

    func promise(_ word: String) { state.withLock { _ = $0.promised.insert(word) } }

    /// Everything that was promised is on the disk now.
    ///
    /// - Parameter folder: of the engine's data.
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

    /// An index was made anew: that there is another one is on the disk before anything is kept by its numbers.
    func forgetIndex() { state.withLock { $0.index = nil } }

    /// Which databases are found as they were on the disk; others may have come there later by themselves.
    enum Loss: CaseIterable {
        case ofJournal, ofIndex, ofBoth
    }

    /// Puts what was on the disk into the place of what came later.
    ///
    /// - Returns: the words that were promised by then; `nil` where the engine has not waited for the disk since there is an index.
    func losePower(_ loss: Loss, in folder: String) throws -> Set<String>? {
        let (journal, index, promised) = state.withLock { ($0.journal, $0.index, $0.promisedOnDisk) }
        guard let journal, let index else { return nil }
        if loss != .ofIndex { try journal.restore(to: folder + "/journal.db") }
        if loss != .ofJournal { try index.restore(to: folder + "/index.db") }
        return promised
    }
}

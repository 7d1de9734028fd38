import Glibc
import LinuxSystem

/// The write-ahead log of a database, opened to flush it to disk. A commit in the log survives the end of this process,
/// but it is on disk only after ``synchronize()``.
///
/// SQLite flushes the log before it moves a page from the log to the database file. Flushing the log is therefore
/// sufficient.
package final class CommitLog: Sendable {
    private struct State {
        /// Whether there are commits that may not be on disk. Initially `true`, because an earlier process that was
        /// killed may have left such commits.
        var isAhead = true
        var whenAhead: (@Sendable () -> Void)?
    }

    // SQLite locks the database's file and not this one, so closing this descriptor releases no lock.
    private let file: FileDescriptor
    // Leaf lock: the closure is called after it is released.
    private let state = Lock(State())

    /// Opens the log.
    ///
    /// - Parameter path: The path of the database. An open connection must already have read from the database in WAL
    ///   mode.
    init(ofDatabase path: String) throws(IndexError) {
        do throws(Errno) {
            file = try .open(path + "-wal", .readOnly)
            // Synchronizing the directory ensures that a new log exists after a power failure.
            let slash = path.lastSlash
            let folder = slash.map { path[..<$0] } ?? "."
            try FileDescriptor.open(folder.isEmpty ? "/" : String(folder), [.readOnly, .directory]).synchronize()
        } catch {
            throw IndexError(error)
        }
    }

    /// Records a commit that must reach the disk eventually.
    package func noteCommit() {
        let whenAhead = state.withLock { state in
            defer { state.isAhead = true }
            return state.isAhead ? nil : state.whenAhead
        }
        whenAhead?()
    }

    /// Sets a closure that is called at the first commit after each ``synchronize()``, on the committing thread; `nil`
    /// removes it. The closure is not called for commits made before it was set.
    package func whenAhead(_ body: (@Sendable () -> Void)?) { state.withLock { $0.whenAhead = body } }

    /// Whether there are commits that may not be on disk.
    package var isAhead: Bool { state.withLock { $0.isAhead } }

    /// Waits until all earlier commits are on disk. Two threads must not call this at the same time.
    ///
    /// - Returns: Whether a flush was needed.
    @discardableResult
    package func synchronize() throws(Errno) -> Bool {
        let wasAhead = state.withLock { state in
            defer { state.isAhead = false }
            return state.isAhead
        }
        guard wasAhead else { return false }
        do throws(Errno) {
            try file.synchronizeData()
        } catch {
            state.withLock { $0.isAhead = true }
            throw error
        }
        return true
    }
}

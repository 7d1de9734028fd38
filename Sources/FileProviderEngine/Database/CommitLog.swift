import Glibc
import LinuxSystem

/// The log of a database in WAL mode, as whoever wants it on the disk sees it. What is committed is in the log, where it outlives
/// the end of this process, and is on the disk after ``synchronize()``.
///
/// SQLite itself brings the log to the disk before it moves anything from it to the database's file, so a synchronised log is all that
/// it takes.
final class CommitLog: Sendable {
    private struct State {
        /// Something was committed of which it is not known to be on the disk. At first that may be what another process left that was
        /// killed.
        var isAhead = true
        var whenAhead: (@Sendable () -> Void)?
    }

    // Not locked by SQLite, which locks the database's file: closing this descriptor takes no lock away.
    private let file: FileDescriptor
    // Innermost: what is to be called is called after it is released.
    private let state = Lock(State())

    /// - Parameter path: the database's, which a connection has open that has read from it in WAL mode.
    init(ofDatabase path: String) throws(IndexFailure) {
        do throws(Errno) {
            file = try .open(path + "-wal", .readOnly)
            // So that a log that was just made is found after a power failure.
            let slash = path.lastSlash
            let folder = slash.map { path[..<$0] } ?? "."
            try FileDescriptor.open(folder.isEmpty ? "/" : String(folder), [.readOnly, .directory]).synchronize()
        } catch {
            throw IndexFailure(error)
        }
    }

    /// To be called after a commit that has to be on the disk sooner or later.
    func noteCommit() {
        let whenAhead = state.withLock { state in
            defer { state.isAhead = true }
            return state.isAhead ? nil : state.whenAhead
        }
        whenAhead?()
    }

    /// Sets what is called, on the committing thread, upon the first commit after each ``synchronize()``. What is ahead already it
    /// is not called for.
    func whenAhead(_ body: (@Sendable () -> Void)?) { state.withLock { $0.whenAhead = body } }

    /// Whether something is not known to be on the disk.
    var isAhead: Bool { state.withLock { $0.isAhead } }

    /// Waits until everything is on the disk that was committed before. One thread at a time.
    ///
    /// - Returns: whether there was anything to wait for.
    @discardableResult
    func synchronize() throws(Errno) -> Bool {
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

import LinuxSystem

/// A cache of the rows that were read recently. A program that looks up, queries and opens a file reads its row three
/// times, and each read of the database costs two system calls for its lock.
///
/// A cached row is always the committed one. A commit first drops the rows that it changes, and rows that were read
/// before its end are not added.
final class RecentRows: Sendable {
    private struct State {
        var rows: [ItemNumber: IndexedItem] = [:]
        var mark = Mark()
    }

    /// A point in the order of commits.
    struct Mark: Equatable {
        fileprivate var commits: UInt64 = 0
        fileprivate var isCommitting = false
    }

    /// The maximum number of rows. When it is exceeded, all are dropped.
    private static let limit = 1024

    // Leaf lock.
    private let state = Lock(State())

    /// Returns the cached row of an item number, or `nil` if the row must be read. The returned mark is then needed for
    /// ``add(_:readSince:)``.
    func row(_ number: ItemNumber) -> (row: IndexedItem?, mark: Mark) {
        state.withLock { ($0.rows[number], $0.mark) }
    }

    /// The present point in the order of commits, for rows that are read from now on.
    var mark: Mark { state.withLock { $0.mark } }

    /// Adds a row that was read after a mark, unless a commit was in progress at the mark or has begun since.
    func add(_ row: IndexedItem, readSince mark: Mark) {
        guard !mark.isCommitting else { return }
        state.withLock { state in
            guard state.mark == mark else { return }
            if state.rows.count >= Self.limit { state.rows.removeAll(keepingCapacity: true) }
            state.rows[row.number] = row
        }
    }

    /// Drops the rows that a commit is about to change. Until ``endCommit()`` no row is added.
    func beginCommit(changing numbers: Set<ItemNumber>) {
        state.withLock { state in
            state.mark.isCommitting = true
            if numbers.count > Self.limit {
                state.rows.removeAll(keepingCapacity: true)
            } else {
                for number in numbers { state.rows[number] = nil }
            }
        }
    }

    /// Ends a commit, successful or not. Does nothing if none has begun.
    func endCommit() {
        state.withLock { state in
            guard state.mark.isCommitting else { return }
            state.mark.isCommitting = false
            state.mark.commits += 1
        }
    }
}

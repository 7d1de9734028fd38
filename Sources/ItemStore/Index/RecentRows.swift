import LinuxSystem

/// A cache of the rows that were read recently. A program that looks up, queries and opens a file causes three reads of
/// its row, and each read of the database costs two system calls for its lock.
///
/// A cached row always equals the committed row. Before a commit changes rows, it drops them from the cache. A row that
/// was read before the end of the commit is not added.
final class RecentRows: Sendable {
    private struct State {
        var rows: [ItemNumber: IndexedItem] = [:]
        var mark = Mark()
    }

    /// A point in time relative to the commits.
    struct Mark: Equatable {
        fileprivate var commits: UInt64 = 0
        fileprivate var isCommitting = false
    }

    /// The maximum number of cached rows. When it is reached, all rows are dropped.
    private static let limit = 1024

    // Leaf lock.
    private let state = Lock(State())

    /// Returns the cached row of the given item, or `nil` if the row must be read. In that case, the returned mark is
    /// passed to ``add(_:readSince:)`` afterwards.
    func row(_ number: ItemNumber) -> (row: IndexedItem?, mark: Mark) {
        state.withLock { ($0.rows[number], $0.mark) }
    }

    /// The present mark, for rows that are read from now on.
    var mark: Mark { state.withLock { $0.mark } }

    /// Adds a row that was read after the given mark was obtained. Does nothing if a commit was in progress at that
    /// time or has begun since.
    func add(_ row: IndexedItem, readSince mark: Mark) {
        guard !mark.isCommitting else { return }
        state.withLock { state in
            guard state.mark == mark else { return }
            if state.rows.count >= Self.limit { state.rows.removeAll(keepingCapacity: true) }
            state.rows[row.number] = row
        }
    }

    /// Drops the rows of the given items, which a commit is about to change. Until ``endCommit()``, no row is added.
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

    /// Allows rows to be added after a commit, successful or not. Does nothing if no commit has begun.
    func endCommit() {
        state.withLock { state in
            guard state.mark.isCommitting else { return }
            state.mark.isCommitting = false
            state.mark.commits += 1
        }
    }
}

import FileProvider
import LinuxSystem

/// The transfers that are in progress, and the requests that wait for them.
struct ContentTransfers {
    /// The fetch of one file, in progress or queued.
    struct Fetch {
        let progress: FetchProgress
        /// The task of the fetch; `nil` while the fetch is queued.
        var task: Task<Void, Never>?
        /// Requests that want the contents local without having the file open.
        var downloads: [EngineCompletion<Void>] = []
        /// The value of ``SignIn/epoch`` when the fetch began.
        var era = 0
    }

    /// A handle with a reader or writer that waits for the contents.
    struct Waiter {
        let isForWriting: Bool
        let answer: EngineCompletion<FileDescriptor>
    }

    var fetches: [ItemNumber: Fetch] = [:]
    /// The fetches that are queued, in order.
    var queue: [ItemNumber] = []
    var running = 0
    /// The totals for ``DomainEngine/downloadTotals()``.
    var tally = TransferTally()
    var waiters: [ItemNumber: [Waiter]] = [:]
    /// The new numbers of files that were replaced while they were fetched, by the numbers under which the fetches
    /// began; see ``DomainEngine/replace(_:)``.
    var successors: [ItemNumber: ItemNumber] = [:]
    /// Openings that wait for the growth of open files.
    var openings: [ItemNumber: [PendingOpening]] = [:]
    /// The removals that wait for the contents of open files, by the removed items.
    var removals: [ItemNumber: RemovalWait] = [:]
    var parts = PartTransfers()
    /// The size of the clean contents, in bytes. The value is approximate: it does not include removals by other
    /// processes until it is next computed from the index.
    var cleanBytes: Int64 = 0
}

/// The progress of a transfer. Providers report it on any thread.
final class FetchProgress: Sendable {
    struct State {
        var done: Int64 = 0
        var total: Int64 = 0
        /// The times at which the fetch began and last made progress, in seconds since 1970; `nil` while the fetch is
        /// queued.
        var begun: Double?
        var moved: Double?
    }

    private let clock: any EngineClock
    // Leaf lock.
    private let state = Lock(State())

    init(_ clock: any EngineClock) { self.clock = clock }

    func begin() {
        let now = clock.now
        state.withLock { ($0.begun, $0.moved) = (now, now) }
    }

    func set(_ done: Int64, _ total: Int64) {
        let now = clock.now
        state.withLock { state in
            if done != state.done { state.moved = now }
            (state.done, state.total) = (done, total)
        }
    }

    var now: State { state.withLock { $0 } }
}

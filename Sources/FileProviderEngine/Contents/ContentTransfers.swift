import FileProvider
import LinuxSystem

/// The transfers that are under way, and who waits for them.
struct ContentTransfers {
    /// One file that is fetched, or waits for its turn.
    struct Fetch {
        let progress: FetchProgress
        /// Runs once it is its turn.
        var task: Task<Void, Never>?
        /// Those who want the file here without having it open.
        var downloads: [Answer<Void>] = []
        /// The one of sign-ins in which it began.
        var era = 0
    }

    /// An opening whose reader waits.
    struct Waiter {
        let isForWriting: Bool
        let answer: Answer<FileDescriptor>
    }

    var fetches: [ItemNumber: Fetch] = [:]
    /// Those of them that wait for their turn.
    var queue: [ItemNumber] = []
    var running = 0
    /// For ``DomainEngine/downloadTotals()``.
    var tally = TransferTally()
    var waiters: [ItemNumber: [Waiter]] = [:]
    /// The numbers that files got while they were fetched, by the numbers that these fetches know them by; see
    /// ``DomainEngine/replace(_:)``.
    var successors: [ItemNumber: ItemNumber] = [:]
    /// Openings that wait for the growth of open files.
    var openings: [ItemNumber: [PendingOpening]] = [:]
    /// The removals that wait for the contents of open files, by the removed items.
    var removals: [ItemNumber: RemovalWait] = [:]
    var parts = PartTransfers()
    /// Bytes of clean contents, nearly: what others remove from the cache is noticed late.
    var cleanBytes: Int64 = 0
    /// The last failure of the disk or the index that no caller got.
    var lastFailure: ProviderFailure?
}

/// The progress of a transfer. Providers report it on any thread.
final class FetchProgress: Sendable {
    struct State {
        var done: Int64 = 0
        var total: Int64 = 0
        /// The times of its beginning and of its last progress; seconds since 1970. `nil` while it waits for its turn.
        var begun: Double?
        var moved: Double?
    }

    private let clock: any EngineClock
    // Innermost.
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

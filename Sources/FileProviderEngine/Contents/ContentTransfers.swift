import FileProvider
import LinuxSystem

/// The transfers that are under way, and who waits for them.
struct ContentTransfers {
    /// One file that is fetched, or waits for its turn.
    struct Fetch {
        let progress = FetchProgress()
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
    /// The removals that wait for the contents of open files, by the removed items.
    var removals: [ItemNumber: RemovalWait] = [:]
    var parts = PartTransfers()
    /// Bytes of clean contents, nearly: what others remove from the cache is noticed late.
    var cleanBytes: Int64 = 0
    /// The last failure of the disk or the index that nobody was told of.
    var lastFailure: String?
}

/// How far a transfer is.
final class FetchProgress: Sendable {
    // Innermost.
    private let state = Lock<(done: Int64, total: Int64)>((0, 0))

    func set(_ done: Int64, _ total: Int64) { state.withLock { $0 = (done, total) } }

    var bytes: (done: Int64, total: Int64) { state.withLock { $0 } }
}

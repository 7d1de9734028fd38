import FileProvider
import LinuxSystem

/// The portion of a directory's listing that a caller needs.
package enum ListingNeed: Sendable, Hashable {
    /// All items of the directory.
    case complete
    /// The item with a name, or the knowledge that none exists.
    case item(named: String)
    /// Any item after this one in the order of item numbers, or the knowledge that none exists. `nil` stands for the
    /// beginning.
    case more(after: ItemNumber?)
}

/// The listings in progress, and the requests that wait for them.
struct Listings {
    struct Waiter {
        let need: ListingNeed
        let answer: EngineCompletion<Void>
    }

    /// The listing of one directory.
    struct Listing {
        var waiters: [Int: Waiter] = [:]
        var task: Task<Void, Never>?
        /// Whether no caller waited for the listing when it began.
        let isRefresh: Bool
        /// Whether the directory was signalled since the listing began, so that it is listed again afterwards.
        var isWantedAgain = false
    }

    var folders: [ItemNumber: Listing] = [:]
    /// The directories that wait for a refresh, in order.
    var refreshQueue: [ItemNumber] = []
    /// The same directories as in ``refreshQueue``.
    var queuedForRefresh: Set<ItemNumber> = []
    /// The directories that are being refreshed.
    var refreshing: Set<ItemNumber> = []
    /// The directories that are to be refreshed later because the disk was full.
    var waitingForRoom: Set<ItemNumber> = []
    /// The timer for the next refresh of directories with unknown changes.
    var waitingForOutdated: Waiting?
    /// The number of consecutive failures to list one of these directories.
    var outdatedFailures = 0
    var nextWaiter = 0
    /// The mark of the last listing that began. Marks tell the index which pages belong to one listing.
    var lastMark: Int64 = 0
}

/// The times at which directories were last found to match the index. They can be read without the engine's thread.
final class ListingAges: Sendable {
    // Leaf lock.
    private let times = Lock<[ItemNumber: Double]>([:])

    func note(_ folder: ItemNumber, at time: Double) { times.withLock { $0[folder] = time } }

    /// Whether a directory is due for a refresh. If so, the current time is recorded, so that the directory is not
    /// due again for `age` seconds.
    func take(_ folder: ItemNumber, now: Double, age: Double) -> Bool {
        times.withLock { times in
            if let time = times[folder], now - time < age { return false }
            // An additional refresh costs less than remembering all directories.
            if times.count > 10_000 { times.removeAll() }
            times[folder] = now
            return true
        }
    }
}

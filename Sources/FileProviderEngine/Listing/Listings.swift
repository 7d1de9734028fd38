import FileProvider
import LinuxSystem

/// What somebody who looks into a folder has to know.
package enum ListingNeed: Sendable, Hashable {
    /// All that is in it.
    case complete
    /// The item of a name, or that there is none.
    case item(named: String)
    /// Some item after this one in the order of numbers, or that there is none; any item for `nil`.
    case more(after: ItemNumber?)
}

/// The listings that are under way, and who waits for them.
struct Listings {
    struct Waiter {
        let need: ListingNeed
        let answer: Answer<Void>
    }

    /// One folder that is listed.
    struct Listing {
        var waiters: [Int: Waiter] = [:]
        var task: Task<Void, Never>?
        /// Nobody waited for it when it began.
        let isRefresh: Bool
        /// It was signalled since it began, and is to be asked for again.
        var isWantedAgain = false
    }

    var folders: [ItemNumber: Listing] = [:]
    /// Folders that are to be asked for again when others are done.
    var refreshQueue: [ItemNumber] = []
    /// The same ones.
    var queuedForRefresh: Set<ItemNumber> = []
    /// Those of them that are being asked for.
    var refreshing: Set<ItemNumber> = []
    /// Folders that are to be asked for again because the disk was full.
    var waitingForRoom: Set<ItemNumber> = []
    /// Has folders asked for again of which it is not known what happened in them.
    var waitingForOutdated: Waiting?
    /// Times in a row that one of them could not be listed.
    var outdatedFailures = 0
    var nextWaiter = 0
    /// The mark of the last listing that began, by which the index knows what belongs to which.
    var lastMark: Int64 = 0
}

/// When folders were last found to be as the index says, for whoever looks into one without the engine's thread.
final class ListingAges: Sendable {
    // Innermost.
    private let times = Lock<[ItemNumber: Double]>([:])

    func note(_ folder: ItemNumber, at time: Double) { times.withLock { $0[folder] = time } }

    /// Whether a folder is to be asked for again; from now on it is not, for a while.
    func take(_ folder: ItemNumber, now: Double, age: Double) -> Bool {
        times.withLock { times in
            if let time = times[folder], now - time < age { return false }
            // What it costs to ask for a folder once more than needed is less than to remember all.
            if times.count > 10_000 { times.removeAll() }
            times[folder] = now
            return true
        }
    }
}

import ItemStore
import LinuxSystem

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

import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// The portion of a directory's listing that a caller needs.
package enum ListingNeed: Sendable, Hashable {
    /// All items of the directory.
    case complete
    /// The item with a given name, or the result that no such item exists.
    case item(named: String)
    /// Any item after the given one in the order of item numbers, or the result that no further item exists. `nil`
    /// means from the beginning.
    case more(after: ItemNumber?)
}

extension Index {
    /// Whether the index has the portion of a directory's listing that a caller needs.
    ///
    /// - Throws: a failure of kind `unsupported` if the item is not a directory.
    func has(_ need: ListingNeed, of row: IndexedItem) throws(ProviderError) -> Bool {
        guard row.item.kind == .folder else {
            throw ProviderError(.unsupported, message: "“\(row.name)” is not a folder.")
        }
        if row.listing == .complete || !row.isKnownToProvider { return true }
        return try onRecord { () throws(IndexError) in
            switch need {
            case .complete: return false
            case .item(let name): return try item(named: name, in: row.number) != nil
            case .more(let number):
                var isThere = false
                try children(of: row.number, after: number, limit: 1) { _ in
                    isThere = true
                    return false
                }
                return isThere
            }
        }
    }
}

/// The times at which directories were last found to match the index, in seconds since 1970. They can be read without
/// the engine's thread.
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

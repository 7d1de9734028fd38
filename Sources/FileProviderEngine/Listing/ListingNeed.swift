import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// The portion of a directory's listing that a caller needs.
package enum ListingNeed: Sendable, Hashable {
    /// All items of the directory.
    case complete
    /// The item with the given name. If no such item exists, the complete listing.
    case item(named: String)
    /// At least one item whose number is greater than the given one; `nil` for any item. If no such item exists, the
    /// complete listing.
    case more(after: ItemNumber?)
}

extension Index {
    /// Whether the index has the needed portion of the given directory's listing.
    ///
    /// - Throws: A failure of kind `unsupported` if the item is not a directory.
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

/// The times at which directories were last found to match the index, in seconds since 1970. Used on any thread.
final class ListingAges: Sendable {
    // Leaf lock.
    private let times = Lock<[ItemNumber: Double]>([:])

    func note(_ folder: ItemNumber, at time: Double) { times.withLock { $0[folder] = time } }

    /// Returns whether a directory is due for a refresh, because it was not found to match the index within the last
    /// `age` seconds. If so, records the time `now` for it, so that it is not due again for `age` seconds.
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

import ItemStore

/// A policy that chooses the clean files to evict when the cache exceeds its limit or the disk is full.
///
/// A policy only orders files. The engine decides which of them it evicts: never a dirty, open or pinned file, and none
/// with a transfer in progress.
package protocol EvictionPolicy: Sendable {
    /// Returns the number of bytes to evict; 0 or less if nothing is to be evicted.
    ///
    /// - Parameters:
    ///   - cleanBytes: The size of all clean contents that are not pinned, and of contents that were kept from earlier
    ///     versions.
    ///   - limit: The maximum size of clean contents.
    func excess(of cleanBytes: Int64, over limit: Int64) -> Int64

    /// Returns the number of bytes to evict so that a write of some bytes succeeds on a full disk; `nil` if evicting
    /// would not make enough space.
    ///
    /// - Parameter evictable: Returns the size of all contents that may be evicted; `nil` if it is unknown.
    func room(for bytes: Int64, evictable: () -> Int64?) -> Int64?

    /// Returns the files to evict next, the least needed first. The engine skips files that cannot be evicted now,
    /// evicts the others until enough bytes are free, and calls this again if they were not enough.
    ///
    /// - Parameter limit: The maximum number of files.
    func next(
        among files: borrowing some EvictableFiles & ~Copyable, limit: Int
    ) throws(IndexError) -> [ItemNumber]
}

/// The files with clean contents that are not pinned.
package protocol EvictableFiles: ~Copyable {
    /// Returns files, least recently used first, with their local sizes in bytes.
    borrowing func leastRecentlyUsed(limit: Int) throws(IndexError) -> [(number: ItemNumber, localSize: Int64)]
}

extension IndexWriter: EvictableFiles {}

/// Evicts the files whose last use is longest ago, and no more than needed.
package struct LeastRecentlyUsedPolicy: EvictionPolicy {
    /// The minimum number of bytes to evict when the disk is full.
    package static let leastRoom: Int64 = 4 << 20

    package init() {}

    package func excess(of cleanBytes: Int64, over limit: Int64) -> Int64 { cleanBytes - limit }

    package func room(for bytes: Int64, evictable: () -> Int64?) -> Int64? {
        let isEnough = bytes <= Self.leastRoom || evictable().map { bytes <= $0 } ?? false
        return isEnough ? max(bytes, Self.leastRoom) : nil
    }

    package func next(
        among files: borrowing some EvictableFiles & ~Copyable, limit: Int
    ) throws(IndexError) -> [ItemNumber] {
        try files.leastRecentlyUsed(limit: limit).map(\.number)
    }
}

import ItemStore

/// Chooses the clean files to evict when the cache exceeds its limit or the disk is full.
///
/// A policy only decides the number of bytes and the order of files. The engine never evicts a dirty, open or pinned
/// file, nor a file with a transfer in progress.
package protocol EvictionPolicy: Sendable {
    /// Returns the number of bytes to evict. Nothing is evicted if the result is 0 or less.
    ///
    /// - Parameters:
    ///   - cleanBytes: The size in bytes of all clean contents that are not pinned, plus that of retained contents of
    ///     earlier versions.
    ///   - limit: The maximum size of clean contents, in bytes.
    func excess(of cleanBytes: Int64, over limit: Int64) -> Int64

    /// Returns the number of bytes to evict so that a write of the given number of bytes succeeds on a full disk.
    /// Returns `nil` if evicting would not free enough space.
    ///
    /// - Parameter evictable: A function that returns the size in bytes of all contents that may be evicted; `nil` if
    ///   this size is unknown.
    func room(for bytes: Int64, evictable: () -> Int64?) -> Int64?

    /// Returns the files to evict next, the least needed first. The engine skips files that cannot be evicted now, and
    /// evicts the others until enough bytes are free. It then calls this function again if these files were not enough.
    ///
    /// - Parameter limit: The maximum number of files to return.
    func next(
        among files: borrowing some EvictableFiles & ~Copyable, limit: Int
    ) throws(IndexError) -> [ItemNumber]
}

/// The files with clean contents that are not pinned.
package protocol EvictableFiles: ~Copyable {
    /// Returns at most `limit` files, the least recently used first, with their local sizes in bytes.
    borrowing func leastRecentlyUsed(limit: Int) throws(IndexError) -> [(number: ItemNumber, localSize: Int64)]
}

extension IndexWriter: EvictableFiles {}

/// Evicts the least recently used files first, and no more bytes than needed.
package struct LeastRecentlyUsedPolicy: EvictionPolicy {
    /// The minimum number of bytes that are evicted when the disk is full.
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

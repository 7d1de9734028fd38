/// A lock on a range of a file's bytes, or on the whole file.
public struct FileLock: Hashable, Sendable {
    /// The kind of a lock.
    public enum Kind: Sendable, Hashable {
        /// A shared lock: other owners may read.
        case reading
        /// An exclusive lock.
        case writing
        /// No lock, or the release of a lock.
        case none
    }

    /// The kind of the lock.
    public var kind: Kind
    /// The offset of the first locked byte.
    public var start: UInt64
    /// The offset of the last locked byte. `Int64.max` means the end of the file, however long the file is.
    public var end: UInt64
    /// The ID of the process that holds the lock.
    public var processID: Int32

    /// Creates a lock from its parts.
    public init(kind: Kind, start: UInt64 = 0, end: UInt64 = UInt64(Int64.max), processID: Int32 = 0) {
        self.kind = kind
        self.start = start
        self.end = end
        self.processID = processID
    }
}

/// A request for a lock, and the owner that requests it.
public struct LockRequest: Hashable, Sendable {
    /// The owner. Locks of one owner do not conflict with each other.
    public var owner: UInt64
    /// The requested lock.
    public var lock: FileLock
    /// Whether this is a lock as set by flock(2). Such a lock applies to the whole file and belongs to a handle, not to
    /// a process.
    public var isWholeFile: Bool
    /// Whether the caller waits until the lock is available. If `false`, an unavailable lock is an error.
    public var waits: Bool
}

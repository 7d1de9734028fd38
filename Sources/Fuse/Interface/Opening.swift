import Glibc

/// The reply to an open: a handle, and the way in which the kernel uses it.
public struct Opening: Sendable {
    /// The way in which the kernel reads and writes the file. All handles of a file at one time must use the same
    /// mode: if one is cached and another passed through, the kernel fails the later open with `EIO`.
    public enum Mode: Sendable {
        /// The kernel uses its page cache, and reads pages that it lacks with
        /// ``FileSystem/read(_:handle:at:count:_:)``. Pages of earlier handles are reused if `keepsPages` is set, and
        /// dropped otherwise.
        case cached(keepsPages: Bool)
        /// Every read and write is a request to the file system. The file cannot be mapped in memory for sharing.
        case direct
        /// The kernel reads, writes and maps another file instead, without requests to the file system. All handles
        /// of a file at one time must name the same backing file (`EBUSY` otherwise).
        case passthrough(BackingFile)
    }

    /// The number by which the kernel refers to this handle. Any number may be chosen.
    public var handle: UInt64
    /// The way in which the kernel reads and writes the file.
    public var mode: Mode
    /// Whether the kernel may cache a directory's listing for later readers.
    public var cachesFolder = false
    /// Whether a directory's listing that was cached for earlier handles is still valid.
    public var keepsFolderPages = false
    /// Whether the handle has no position, so that seeking fails.
    public var isNonSeekable = false
    /// Whether closing a descriptor sends no flush.
    public var needsNoFlush = false

    /// Creates the reply for a file.
    public init(handle: UInt64 = 0, mode: Mode = .cached(keepsPages: false)) {
        self.handle = handle
        self.mode = mode
    }

    /// Creates the reply for a directory.
    public static func folder(handle: UInt64 = 0, caches: Bool = false, keepsPages: Bool = false) -> Opening {
        var opening = Opening(handle: handle)
        opening.cachesFolder = caches
        opening.keepsFolderPages = keepsPages
        return opening
    }
}

/// The reply to the creation of a file that is opened at once.
public struct Creation: Sendable {
    /// The new file.
    public var entry: Entry
    /// Its first handle.
    public var opening: Opening

    /// Creates a reply from a file and its handle.
    public init(entry: Entry, opening: Opening) {
        self.entry = entry
        self.opening = opening
    }
}

/// The flags of open(2).
public struct OpenFlags: OptionSet, Hashable, Sendable {
    /// The flags as for open(2).
    public let rawValue: UInt32

    /// Creates flags from their number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Truncates the file to zero bytes.
    public static let truncate = OpenFlags(rawValue: UInt32(O_TRUNC))
    /// Appends every write to the end.
    public static let append = OpenFlags(rawValue: UInt32(O_APPEND))
    /// Fails if the file exists.
    public static let exclusive = OpenFlags(rawValue: UInt32(O_EXCL))
    /// Does not block.
    public static let nonBlocking = OpenFlags(rawValue: UInt32(O_NONBLOCK))

    /// Whether the handle may be read.
    public var allowsReading: Bool { rawValue & UInt32(O_ACCMODE) != UInt32(O_WRONLY) }
    /// Whether the handle may be written.
    public var allowsWriting: Bool { rawValue & UInt32(O_ACCMODE) != UInt32(O_RDONLY) }
}

/// The circumstances of a write.
public struct WriteFlags: Hashable, Sendable {
    /// The handle's present flags; fcntl(2) can change some of those that were given to open(2).
    public var opening: OpenFlags
    /// Whether the kernel writes back pages that programs changed in mappings. It may use any writable handle for
    /// that.
    public var isFromCache: Bool

    /// Creates flags from their parts.
    public init(opening: OpenFlags = [], isFromCache: Bool = false) {
        self.opening = opening
        self.isFromCache = isFromCache
    }

    /// Whether the bytes are appended to the file. Mapped pages are written at their offset, whatever the handle's
    /// flags.
    public var appends: Bool { opening.contains(.append) && !isFromCache }
}

/// The flags of renameat2(2).
public struct RenameFlags: OptionSet, Hashable, Sendable {
    /// The flags as for renameat2(2).
    public let rawValue: UInt32

    /// Creates flags from their number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Fails with `EEXIST` if the new name exists.
    public static let noReplace = RenameFlags(rawValue: 1)
    /// Exchanges the two files, which must exist.
    public static let exchange = RenameFlags(rawValue: 2)
}

/// The flags of fallocate(2).
public struct AllocationFlags: OptionSet, Hashable, Sendable {
    /// The flags as for fallocate(2). 0 allocates space, and extends the file if needed.
    public let rawValue: UInt32

    /// Creates flags from their number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Leaves the size as it is.
    public static let keepSize = AllocationFlags(rawValue: 0x01)
    /// Makes the range a hole, which reads as zeros.
    public static let punchHole = AllocationFlags(rawValue: 0x02)
    /// Removes the range, so that the bytes after it move down.
    public static let collapseRange = AllocationFlags(rawValue: 0x08)
    /// Makes the range allocated zeros.
    public static let zeroRange = AllocationFlags(rawValue: 0x10)
    /// Inserts space at the offset.
    public static let insertRange = AllocationFlags(rawValue: 0x20)
}

/// The target of lseek(2).
public enum SeekTarget: Sendable, Hashable {
    /// The next offset with data.
    case data
    /// The next hole. There is always one at the end.
    case hole
}

/// The behaviour of setxattr(2) for an attribute that exists or does not.
public enum AttributePolicy: Sendable, Hashable {
    /// Sets the attribute, whether it exists or not.
    case set
    /// Fails with `EEXIST` if the attribute exists.
    case create
    /// Fails with `ENODATA` if the attribute does not exist.
    case replace
}

/// A lock on a range of a file's bytes, or on the whole file.
public struct FileLock: Hashable, Sendable {
    /// The kind of a lock.
    public enum Kind: Sendable, Hashable {
        /// A shared lock: others may read.
        case reading
        /// An exclusive lock.
        case writing
        /// No lock, or the release of one.
        case none
    }

    /// The kind of the lock.
    public var kind: Kind
    /// The first byte.
    public var start: UInt64
    /// The last byte; `Int64.max` is the end of the file, however long the file is.
    public var end: UInt64
    /// The process that holds the lock.
    public var processID: Int32

    /// Creates a lock from its parts.
    public init(kind: Kind, start: UInt64 = 0, end: UInt64 = UInt64(Int64.max), processID: Int32 = 0) {
        self.kind = kind
        self.start = start
        self.end = end
        self.processID = processID
    }
}

/// A request for a lock, and the owner that makes it.
public struct LockRequest: Hashable, Sendable {
    /// The owner. Locks of one owner do not conflict with each other.
    public var owner: UInt64
    /// The requested lock.
    public var lock: FileLock
    /// Whether the lock is one of flock(2), which is for whole files and owned by handles, not processes.
    public var isWholeFile: Bool
    /// Whether the caller waits until the lock is available.
    public var waits: Bool
}

import Glibc

/// The flags of open(2).
public struct OpenFlags: OptionSet, Hashable, Sendable {
    /// The flags as a number, as for open(2).
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

    /// Reads leave the access time unchanged. The value of O_NOATIME, which Swift does not import.
    public static let noAccessTime = OpenFlags(rawValue: 0o1_000_000)

    /// Whether the handle may be read.
    public var allowsReading: Bool { rawValue & UInt32(O_ACCMODE) != UInt32(O_WRONLY) }
    /// Whether the handle may be written.
    public var allowsWriting: Bool { rawValue & UInt32(O_ACCMODE) != UInt32(O_RDONLY) }
}

/// The flags of the handle that a write uses, and the origin of the write.
public struct WriteFlags: Hashable, Sendable {
    /// The handle's current flags. fcntl(2) can change some of the flags that were passed to open(2).
    public var opening: OpenFlags
    /// Whether the kernel writes back pages that programs changed in mappings. For this, the kernel may use any
    /// writable handle of the file.
    public var isFromCache: Bool

    /// Creates flags from their parts.
    public init(opening: OpenFlags = [], isFromCache: Bool = false) {
        self.opening = opening
        self.isFromCache = isFromCache
    }

    /// Whether the bytes are appended to the file. Mapped pages are written at their offset, regardless of the handle's
    /// flags.
    public var appends: Bool { opening.contains(.append) && !isFromCache }
}

/// The flags of renameat2(2).
public struct RenameFlags: OptionSet, Hashable, Sendable {
    /// The flags as a number, as for renameat2(2).
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
    /// The flags as a number, as for fallocate(2). 0 allocates space, and extends the file if needed.
    public let rawValue: UInt32

    /// Creates flags from their number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Does not change the file's size.
    public static let keepSize = AllocationFlags(rawValue: 0x01)
    /// Makes the range a hole, which reads as zeros.
    public static let punchHole = AllocationFlags(rawValue: 0x02)
    /// Removes the range, so that the bytes after it move towards the start of the file.
    public static let collapseRange = AllocationFlags(rawValue: 0x08)
    /// Replaces the range by zeros for which space is allocated.
    public static let zeroRange = AllocationFlags(rawValue: 0x10)
    /// Inserts space at the offset, so that the bytes after it move towards the end of the file.
    public static let insertRange = AllocationFlags(rawValue: 0x20)
}

/// The target of lseek(2).
public enum SeekTarget: Sendable, Hashable {
    /// The next offset with data.
    case data
    /// The next hole. The end of the file counts as a hole.
    case hole
}

/// The behaviour of setxattr(2), depending on whether the attribute exists.
public enum AttributePolicy: Sendable, Hashable {
    /// Sets the attribute, whether it exists or not.
    case set
    /// Fails with `EEXIST` if the attribute exists.
    case create
    /// Fails with `ENODATA` if the attribute does not exist.
    case replace
}

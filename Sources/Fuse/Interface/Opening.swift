import Glibc

/// The answer to an open.
public struct Opening: Sendable {
    /// How the kernel reads and writes the file. All openings of a file at one time have to use the same way:
    /// where one is cached and another passed through, the kernel fails the later one with `EIO`.
    public enum Mode: Sendable {
        /// Through the kernel's page cache; what is not in it is asked for with ``FileSystem/read(_:handle:at:count:_:)``.
        /// Pages from earlier openings are used again if they are kept, and dropped now otherwise.
        case cached(keepsPages: Bool)
        /// Every read and write comes to the file system; the file cannot be mapped in memory for sharing.
        case direct
        /// The kernel reads, writes and maps another file in its place, and nothing of that comes to the file system. All
        /// openings of a file at one time have to name the same backing file (`EBUSY` otherwise).
        case passthrough(BackingFile)
    }

    /// What the kernel calls this opening from now on: anything.
    public var handle: UInt64
    /// How it is read and written.
    public var mode: Mode
    /// For a folder: the kernel may keep what it has read, and answer later readers of the folder with it.
    public var cachesFolder = false
    /// For a folder: what the kernel has kept from earlier openings still holds.
    public var keepsFolderPages = false
    /// The opening has no position; seeking in it fails.
    public var isNonSeekable = false
    /// Closing does not ask for a flush.
    public var needsNoFlush = false

    /// An opening.
    public init(handle: UInt64 = 0, mode: Mode = .cached(keepsPages: false)) {
        self.handle = handle
        self.mode = mode
    }

    /// An opening of a folder.
    public static func folder(handle: UInt64 = 0, caches: Bool = false, keepsPages: Bool = false) -> Opening {
        var opening = Opening(handle: handle)
        opening.cachesFolder = caches
        opening.keepsFolderPages = keepsPages
        return opening
    }
}

/// The answer to the making of a file that is open at once.
public struct Creation: Sendable {
    /// The new file.
    public var entry: Entry
    /// Its first opening.
    public var opening: Opening

    /// A file and its opening.
    public init(entry: Entry, opening: Opening) {
        self.entry = entry
        self.opening = opening
    }
}

/// What open(2) was asked for.
public struct OpenFlags: OptionSet, Hashable, Sendable {
    /// The flags as open(2) has them.
    public let rawValue: UInt32

    /// Flags from their number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The file is cut to nothing as it is opened.
    public static let truncate = OpenFlags(rawValue: UInt32(O_TRUNC))
    /// Every write goes to the end.
    public static let append = OpenFlags(rawValue: UInt32(O_APPEND))
    /// It is an error if the file exists.
    public static let exclusive = OpenFlags(rawValue: UInt32(O_EXCL))
    /// No call may wait.
    public static let nonBlocking = OpenFlags(rawValue: UInt32(O_NONBLOCK))

    /// Whether it may be read.
    public var allowsReading: Bool { rawValue & UInt32(O_ACCMODE) != UInt32(O_WRONLY) }
    /// Whether it may be written.
    public var allowsWriting: Bool { rawValue & UInt32(O_ACCMODE) != UInt32(O_RDONLY) }
}

/// What a write is, beside its bytes and its offset.
public struct WriteFlags: Hashable, Sendable {
    /// The opening's flags now: fcntl(2) changes some of those that open(2) was given.
    public var opening: OpenFlags
    /// The kernel writes back what programs have changed in mappings, through any opening that may write.
    public var isFromCache: Bool

    /// Flags from their parts.
    public init(opening: OpenFlags = [], isFromCache: Bool = false) {
        self.opening = opening
        self.isFromCache = isFromCache
    }

    /// Whether the bytes go to the file's end; what was mapped stays at its offset, whatever the opening says.
    public var appends: Bool { opening.contains(.append) && !isFromCache }
}

/// How renameat2(2) treats a name that is taken.
public struct RenameFlags: OptionSet, Hashable, Sendable {
    /// The flags as renameat2(2) has them.
    public let rawValue: UInt32

    /// Flags from their number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Fails with `EEXIST` where the new name is taken.
    public static let noReplace = RenameFlags(rawValue: 1)
    /// Both names exist, and change places.
    public static let exchange = RenameFlags(rawValue: 2)
}

/// What fallocate(2) does.
public struct AllocationFlags: OptionSet, Hashable, Sendable {
    /// The flags as fallocate(2) has them; 0 makes sure that there is room, and the file longer if need be.
    public let rawValue: UInt32

    /// Flags from their number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The size stays.
    public static let keepSize = AllocationFlags(rawValue: 0x01)
    /// The range becomes a hole, which reads as zeros.
    public static let punchHole = AllocationFlags(rawValue: 0x02)
    /// The range is taken out, and what follows moves up.
    public static let collapseRange = AllocationFlags(rawValue: 0x08)
    /// The range becomes zeros that have room.
    public static let zeroRange = AllocationFlags(rawValue: 0x10)
    /// Room is made in between.
    public static let insertRange = AllocationFlags(rawValue: 0x20)
}

/// What lseek(2) looks for.
public enum SeekTarget: Sendable, Hashable {
    /// The next place with contents.
    case data
    /// The next hole; there is always one at the end.
    case hole
}

/// How setxattr(2) treats an attribute that is there, or not.
public enum AttributePolicy: Sendable, Hashable {
    /// It is set in either case.
    case set
    /// Fails with `EEXIST` where it is there.
    case create
    /// Fails with `ENODATA` where it is not.
    case replace
}

/// A lock on a range of a file's bytes, or on the whole file.
public struct FileLock: Hashable, Sendable {
    /// What a lock allows to others.
    public enum Kind: Sendable, Hashable {
        /// Others may read.
        case reading
        /// Others may do nothing.
        case writing
        /// There is none, or it is given up.
        case none
    }

    /// What it allows.
    public var kind: Kind
    /// The first byte.
    public var start: UInt64
    /// The last byte; `Int64.max` means to the end, however far that is.
    public var end: UInt64
    /// The process that has it.
    public var processID: Int32

    /// A lock from its parts.
    public init(kind: Kind, start: UInt64 = 0, end: UInt64 = UInt64(Int64.max), processID: Int32 = 0) {
        self.kind = kind
        self.start = start
        self.end = end
        self.processID = processID
    }
}

/// What is asked for in the name of which owner.
public struct LockRequest: Hashable, Sendable {
    /// Locks of one owner do not stand in each other's way.
    public var owner: UInt64
    /// The lock that is wanted.
    public var lock: FileLock
    /// Whether it is flock(2)'s, which is for whole files and for openings, not processes.
    public var isWholeFile: Bool
    /// Whether the caller waits until it can be had.
    public var waits: Bool
}

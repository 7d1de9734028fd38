/// The reply to an open (FUSE_OPEN, FUSE_OPENDIR): a handle, and the way in which the kernel uses it.
public struct OpenReply: Sendable {
    /// The way in which the kernel reads and writes the file. All handles of a file that are open at the same time must
    /// use the same mode. If one handle is cached and another is passed through, the kernel fails the later open with
    /// `EIO`.
    public enum Mode: Sendable {
        /// The kernel uses its page cache, and reads missing pages with ``FileSystem/read(_:handle:at:count:_:)``. If
        /// `keepsPages` is set (FOPEN_KEEP_CACHE), it reuses the pages that earlier handles cached. Otherwise it drops
        /// these pages.
        case cached(keepsPages: Bool)
        /// Every read and write is a request to the file system (FOPEN_DIRECT_IO). If the kernel does not support
        /// FUSE_DIRECT_IO_ALLOW_MMAP, the file cannot be mapped with MAP_SHARED.
        case direct
        /// The kernel reads, writes and maps another file instead, without requests to the file system
        /// (FOPEN_PASSTHROUGH). All handles of a file that are open at the same time must use the same backing file;
        /// otherwise the open fails with `EBUSY`.
        case passthrough(BackingFile)
    }

    /// The number by which the kernel refers to this handle. Any number may be chosen.
    public var handle: UInt64
    /// The way in which the kernel reads and writes the file.
    public var mode: Mode
    /// Whether the kernel may cache a directory's listing for later readers (FOPEN_CACHE_DIR).
    public var cachesDirectory = false
    /// Whether a directory's listing that was cached for earlier handles is still valid (FOPEN_KEEP_CACHE).
    public var keepsDirectoryPages = false
    /// Whether the handle has no position, so that seeking fails (FOPEN_NONSEEKABLE).
    public var isNonSeekable = false
    /// Whether the kernel sends no FUSE_FLUSH when a descriptor is closed (FOPEN_NOFLUSH).
    public var needsNoFlush = false

    /// Creates the reply for a file.
    public init(handle: UInt64 = 0, mode: Mode = .cached(keepsPages: false)) {
        self.handle = handle
        self.mode = mode
    }

    /// Creates the reply for a directory.
    public static func directory(handle: UInt64 = 0, caches: Bool = false, keepsPages: Bool = false) -> OpenReply {
        var reply = OpenReply(handle: handle)
        reply.cachesDirectory = caches
        reply.keepsDirectoryPages = keepsPages
        return reply
    }
}

/// The reply to the creation of a file that is opened at once (FUSE_CREATE).
public struct CreateReply: Sendable {
    /// The new file.
    public var entry: Entry
    /// The new file's first handle, and the way in which the kernel uses it.
    public var opening: OpenReply

    /// Creates a reply from a file and its handle.
    public init(entry: Entry, opening: OpenReply) {
        self.entry = entry
        self.opening = opening
    }
}

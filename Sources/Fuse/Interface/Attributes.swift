/// A point in time, with the nanosecond resolution of a file's times.
public struct Timestamp: Hashable, Sendable, Comparable {
    /// Seconds since the beginning of 1970 (UTC).
    public var seconds: Int64
    /// Additional nanoseconds, less than a second.
    public var nanoseconds: UInt32

    /// Creates a time from its parts.
    public init(seconds: Int64, nanoseconds: UInt32 = 0) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// Whether the first time is before the second.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }
}

/// The attributes of a file, as in stat(2).
public struct Attributes: Hashable, Sendable {
    /// The node, whose number programs see as the inode number.
    public var node: NodeID
    /// The size, in bytes.
    public var size: Int64
    /// The space that the file occupies on disk, in blocks of 512 bytes. It is 0 if no contents are local.
    public var blocks: UInt64
    /// The time at which the contents were last read.
    public var accessed: Timestamp
    /// The time at which the contents were last changed.
    public var modified: Timestamp
    /// The time at which the contents or these attributes were last changed.
    public var changed: Timestamp
    /// The kind of file (`S_IFMT`) and its permission bits.
    public var mode: UInt32
    /// The number of names (hard links).
    public var linkCount: UInt32
    /// The ID of the owning user.
    public var owner: UInt32
    /// The ID of the owning group.
    public var group: UInt32
    /// The preferred size of reads and writes, in bytes.
    public var blockSize: UInt32
    /// The device number of a device file.
    public var device: UInt32

    /// Creates attributes from their parts.
    ///
    /// - Parameters:
    ///   - mode: the mode with the kind of file, as in `S_IFREG | 0o644`.
    ///   - blocks: the space on disk, in blocks of 512 bytes; `nil` means the space that `size` bytes take.
    public init(
        node: NodeID, mode: UInt32, size: Int64 = 0, blocks: UInt64? = nil, linkCount: UInt32 = 1,
        accessed: Timestamp = Timestamp(seconds: 0), modified: Timestamp = Timestamp(seconds: 0),
        changed: Timestamp = Timestamp(seconds: 0), owner: UInt32 = 0, group: UInt32 = 0, blockSize: UInt32 = 4096,
        device: UInt32 = 0
    ) {
        self.node = node
        self.size = size
        self.blocks = blocks ?? UInt64(clamping: size).advanced(by: 511) / 512
        self.accessed = accessed
        self.modified = modified
        self.changed = changed
        self.mode = mode
        self.linkCount = linkCount
        self.owner = owner
        self.group = group
        self.blockSize = blockSize
        self.device = device
    }
}

/// The reply to a request for a file's attributes.
public struct AttributesReply: Sendable {
    /// The attributes.
    public var attributes: Attributes
    /// The time for which the kernel may cache the attributes.
    public var validity: Duration

    /// Creates a reply from attributes and their validity.
    public init(_ attributes: Attributes, validity: Duration = .zero) {
        self.attributes = attributes
        self.validity = validity
    }
}

/// The reply to a look-up: the node that a name leads to.
///
/// Every reply with an entry counts as one look-up of the entry's node. ``FileSystem/forget(_:count:)`` revokes
/// look-ups. Until all look-ups of a node are revoked, the kernel may send requests for the node, even if no name leads
/// to it any more.
public struct Entry: Sendable {
    /// The node, or `nil` if no file has the name. The kernel may cache the absence of the name for ``nameValidity``.
    public var node: NodeID?
    /// A number that distinguishes a file from earlier files with the same node. Only exports through NFS need it.
    public var generation: UInt64
    /// The attributes of the node.
    public var attributes: Attributes
    /// The time for which the kernel may cache that the name leads to the node.
    public var nameValidity: Duration
    /// The time for which the kernel may cache the attributes.
    public var attributeValidity: Duration

    /// Creates an entry from its parts.
    public init(
        node: NodeID, generation: UInt64 = 0, attributes: Attributes, nameValidity: Duration = .zero,
        attributeValidity: Duration = .zero
    ) {
        self.node = node
        self.generation = generation
        self.attributes = attributes
        self.nameValidity = nameValidity
        self.attributeValidity = attributeValidity
    }

    /// Creates the reply that no file has the name. The kernel may cache this reply for `nameValidity`.
    public static func none(nameValidity: Duration) -> Entry {
        var entry = Entry(
            node: .root, attributes: Attributes(node: .root, mode: 0), nameValidity: nameValidity)
        entry.node = nil
        return entry
    }
}

/// The changes in a setattr request. An attribute that is `nil` is not changed.
public struct AttributeChange: Hashable, Sendable {
    /// A new time of a file.
    public enum Time: Hashable, Sendable {
        /// The time when the request is served.
        case now
        /// A given time.
        case to(Timestamp)
    }

    /// The permission bits, with the kind of file.
    public var mode: UInt32?
    /// The ID of the owning user.
    public var owner: UInt32?
    /// The ID of the owning group.
    public var group: UInt32?
    /// The size, in bytes: the file is truncated, or extended by zeros.
    public var size: Int64?
    /// The time at which the contents were last read.
    public var accessed: Time?
    /// The time at which the contents were last changed.
    public var modified: Time?
    /// The time at which the attributes were last changed. Only kernels that cache writes send it.
    public var changed: Timestamp?
    /// The handle through which the file is changed, as by ftruncate(2). `nil` if it is changed by its path.
    public var handle: UInt64?
    /// The kernel's identifier of the owner of the caller's locks. `nil` if the kernel did not send it.
    public var lockOwner: UInt64?

    /// Creates an empty change.
    public init() {}
}

/// The statistics of a file system, as in statfs(2).
public struct Statistics: Hashable, Sendable {
    /// The size of the counted blocks, in bytes.
    public var blockSize: UInt32 = 4096
    /// The number of all blocks.
    public var blocks: UInt64 = 0
    /// The number of free blocks.
    public var freeBlocks: UInt64 = 0
    /// The number of free blocks that are not reserved for root.
    public var availableBlocks: UInt64 = 0
    /// The maximum number of files.
    public var files: UInt64 = 0
    /// The number of files that can still be created.
    public var freeFiles: UInt64 = 0
    /// The maximum number of bytes of a name.
    public var nameLimit: UInt32 = 255

    /// Creates the statistics of an empty file system.
    public init() {}
}

/// A moment, as file systems count time.
public struct Timestamp: Hashable, Sendable, Comparable {
    /// Seconds since the beginning of 1970 (UTC).
    public var seconds: Int64
    /// And so many nanoseconds, less than a second.
    public var nanoseconds: UInt32

    /// A moment from its parts.
    public init(seconds: Int64, nanoseconds: UInt32 = 0) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// Whether one is before the other.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }
}

/// What stat(2) tells of a file.
public struct Attributes: Hashable, Sendable {
    /// What is shown as the inode's number.
    public var node: NodeID
    /// Bytes.
    public var size: Int64
    /// How much room the contents take, in blocks of 512 bytes: 0 for a file whose contents are elsewhere.
    public var blocks: UInt64
    /// When the contents were last read.
    public var accessed: Timestamp
    /// When the contents were last changed.
    public var modified: Timestamp
    /// When the contents or these attributes were last changed.
    public var changed: Timestamp
    /// The kind of file (`S_IFMT`) and its permission bits.
    public var mode: UInt32
    /// How many names it has.
    public var linkCount: UInt32
    /// The user that it belongs to.
    public var owner: UInt32
    /// The group that it belongs to.
    public var group: UInt32
    /// The size of pieces in which reading and writing is efficient.
    public var blockSize: UInt32
    /// The device's number, for a device.
    public var device: UInt32

    /// Attributes from their parts.
    ///
    /// - Parameters:
    ///   - mode: the kind of file too, as in `S_IFREG | 0o644`.
    ///   - blocks: `nil` stands for what the size takes.
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

/// The answer to a question for a file's attributes.
public struct AttributesAnswer: Sendable {
    /// The attributes.
    public var attributes: Attributes
    /// How long the kernel may answer without asking again.
    public var validity: Duration

    /// Attributes, and how long they hold.
    public init(_ attributes: Attributes, validity: Duration = .zero) {
        self.attributes = attributes
        self.validity = validity
    }
}

/// The answer to a look-up: a name leads to a node.
///
/// Every answer that has an entry counts as one look-up of its node, until ``FileSystem/forget(_:count:)`` takes as many back.
/// Until then the kernel may speak of the node at any time, also when no name leads to it any more.
public struct Entry: Sendable {
    /// The node, or `nil` where no file has the name: an answer that the kernel remembers for ``nameValidity``.
    public var node: NodeID?
    /// Tells apart files that had the same node one after the other. Matters only to NFS.
    public var generation: UInt64
    /// Its attributes.
    public var attributes: Attributes
    /// How long the kernel may take it that the name leads there.
    public var nameValidity: Duration
    /// How long the attributes hold.
    public var attributeValidity: Duration

    /// An entry from its parts.
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

    /// There is no such file, and the kernel need not ask again so soon.
    public static func none(nameValidity: Duration) -> Entry {
        var entry = Entry(
            node: .root, attributes: Attributes(node: .root, mode: 0), nameValidity: nameValidity)
        entry.node = nil
        return entry
    }
}

/// What setattr asks for: what is `nil` stays.
public struct AttributeChange: Hashable, Sendable {
    /// A time that a file is given.
    public enum Time: Hashable, Sendable {
        /// The time when the request is served.
        case now
        /// That time.
        case to(Timestamp)
    }

    /// Permission bits, with the kind of file.
    public var mode: UInt32?
    /// The user that the file shall belong to.
    public var owner: UInt32?
    /// The group.
    public var group: UInt32?
    /// Bytes: the file is cut, or becomes longer by zeros.
    public var size: Int64?
    /// When it was read.
    public var accessed: Time?
    /// When its contents were changed.
    public var modified: Time?
    /// When its attributes were changed. Only kernels that keep written data themselves send it.
    public var changed: Timestamp?
    /// The opening through which the file is changed, as by ftruncate(2).
    public var handle: UInt64?
    /// Who holds locks in its name.
    public var lockOwner: UInt64?

    /// A change of nothing.
    public init() {}
}

/// What statfs(2) tells of a file system.
public struct Statistics: Hashable, Sendable {
    /// The size of the blocks that are counted here, in bytes.
    public var blockSize: UInt32 = 4096
    /// All blocks.
    public var blocks: UInt64 = 0
    /// Those that are free.
    public var freeBlocks: UInt64 = 0
    /// Those of them that are not kept for root.
    public var availableBlocks: UInt64 = 0
    /// All files that there can be.
    public var files: UInt64 = 0
    /// How many more there can be.
    public var freeFiles: UInt64 = 0
    /// The most bytes of a name.
    public var nameLimit: UInt32 = 255

    /// Statistics of an empty file system.
    public init() {}
}

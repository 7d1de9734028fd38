import CFuse
import Glibc

/// Entries of a directory, encoded in the form in which they are sent, up to the size of the caller's buffer.
///
/// Not thread-safe.
public final class Listing: ReplyContent {
    /// The kind of a file, in the form that the kernel expects in listings (`DT_*`).
    public enum Kind: UInt32, Sendable {
        /// A kind that the file system does not state.
        case unknown = 0
        /// A named pipe.
        case pipe = 1
        /// A character device.
        case characterDevice = 2
        /// A directory.
        case directory = 4
        /// A block device.
        case blockDevice = 6
        /// A regular file.
        case file = 8
        /// A symbolic link.
        case symbolicLink = 10
        /// A socket.
        case socket = 12

        /// Creates the kind that a mode contains.
        public init(mode: UInt32) { self = Kind(rawValue: mode >> 12 & 0xF) ?? .unknown }
    }

    /// The structure that precedes a name (`fuse_dirent`).
    private struct Record: BitwiseCopyable {
        let node: UInt64
        let cookie: UInt64
        let nameCount: UInt32
        let kind: UInt32
    }

    /// Whether the caller wants entries with their attributes (READDIRPLUS). If `true`, each entry that is appended
    /// with attributes counts as a look-up. If `false`, entries may also be appended with attributes, but the
    /// attributes are not sent, and no look-up is counted.
    public let wantsAttributes: Bool
    private let pool: BufferPool
    private let buffer: BufferPool.Buffer
    private let room: Int
    private var used = 0

    init(wantsAttributes: Bool, room: Int, from pool: BufferPool) {
        self.wantsAttributes = wantsAttributes
        self.pool = pool
        buffer = pool.take()
        self.room = min(room, buffer.bytes.count)
    }

    deinit {
        pool.give(buffer)
    }

    /// Whether no entry was appended.
    public var isEmpty: Bool { used == 0 }

    /// Appends an entry without attributes. If the caller wants attributes, the kernel looks up the entry when it needs
    /// them.
    ///
    /// - Parameter cookie: a number, not 0, that identifies the position after this entry. To continue from there, the
    ///   kernel passes it to ``FileSystem/readDirectory(_:handle:after:_:)``.
    /// - Returns: `false` if the entry does not fit and was not appended.
    @discardableResult
    public func append(_ name: Name, node: NodeID, kind: Kind, cookie: UInt64) -> Bool {
        if wantsAttributes {
            return append(fuse_entry_out(), name, node, kind, cookie)
        }
        return append(name, node, kind, cookie, at: used)
    }

    /// Appends an entry. If the caller wants attributes, an appended entry counts as one look-up of its node.
    ///
    /// - Parameter cookie: a number, not 0, that identifies the position after this entry.
    /// - Returns: `false` if the entry does not fit and was not appended.
    @discardableResult
    public func append(_ name: Name, _ entry: Entry, cookie: UInt64) -> Bool {
        let node = entry.node ?? entry.attributes.node
        let kind = Kind(mode: entry.attributes.mode)
        guard wantsAttributes else { return append(name, node, kind, cookie, at: used) }
        return append(entry.raw, name, node, kind, cookie)
    }

    private func append(_ entry: fuse_entry_out, _ name: Name, _ node: NodeID, _ kind: Kind, _ cookie: UInt64) -> Bool {
        let size = MemoryLayout<fuse_entry_out>.size
        let start = used
        guard start + size <= room, append(name, node, kind, cookie, at: start + size) else { return false }
        buffer.bytes.storeBytes(of: entry, toByteOffset: start, as: fuse_entry_out.self)
        return true
    }

    private func append(_ name: Name, _ node: NodeID, _ kind: Kind, _ cookie: UInt64, at start: Int) -> Bool {
        let headerSize = MemoryLayout<Record>.size
        return name.withBytes { bytes in
            let end = (start + headerSize + bytes.count + 7) & ~7
            guard end <= room else { return false }
            let header = Record(
                node: node.rawValue, cookie: cookie, nameCount: UInt32(bytes.count), kind: kind.rawValue)
            buffer.bytes.storeBytes(of: header, toByteOffset: start, as: Record.self)
            let place = UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[(start + headerSize)..<end])
            place.copyMemory(from: bytes)
            for index in bytes.count..<place.count { place[index] = 0 }
            used = end
            return true
        }
    }

    /// Sends the reply.
    public func send(through sender: borrowing ReplySender) {
        sender.send(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<used]))
    }
}

extension Reply where Content == Listing {
    /// Creates an empty listing of the size of the caller's buffer. It includes attributes if the caller wants them.
    public func listing() -> Listing {
        Listing(wantsAttributes: sender.isMeasured, room: sender.room, from: sender.channel.buffers)
    }
}

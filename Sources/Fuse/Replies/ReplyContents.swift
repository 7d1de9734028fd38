import CFuse
import Glibc
public import LinuxSystem

/// The reply to a request that succeeds without a result.
public struct Done: ReplyContent, Sendable {
    /// Creates the reply.
    public init() {}

    /// Sends the reply.
    public func send(through sender: borrowing ReplySender) {
        sender.send(UnsafeRawBufferPointer(start: nil, count: 0))
    }
}

extension Reply where Content == Done {
    /// Sends the reply that the request succeeded.
    public func reply() { reply(Done()) }
}

/// A reply of bytes: the contents of a file, the target of a symbolic link, or the value of an extended attribute.
public struct Bytes: ReplyContent, Sendable {
    /// The bytes of the reply.
    public var bytes: [UInt8]

    /// Creates a reply that consists of the given bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Creates a reply that consists of the bytes of the given name.
    public init(_ name: Name) { bytes = name.bytes }

    /// Sends the reply.
    public func send(through sender: borrowing ReplySender) {
        bytes.withUnsafeBytes { sender.sendContents($0) }
    }
}

extension ReplySender {
    /// Sends bytes. File contents and link targets are truncated to the size of the caller's buffer. An extended
    /// attribute that is larger than the buffer fails with `ERANGE`. If the buffer is empty, only the attribute's size
    /// is sent.
    func sendContents(_ bytes: UnsafeRawBufferPointer) {
        if isMeasured {
            if room == 0 { return send(fuse_getxattr_out(size: UInt32(clamping: bytes.count), padding: 0)) }
            guard bytes.count <= room else { return fail(Errno(rawValue: ERANGE)) }
        }
        send(UnsafeRawBufferPointer(rebasing: bytes.prefix(room)))
    }
}

extension Reply where Content == Bytes {
    /// Sends bytes, which need to stay valid only until this function returns.
    public func reply(bytes: UnsafeRawBufferPointer) {
        complete { $0.sendContents(bytes) }
    }

    /// Sends part of a file, or the error of reading it.
    ///
    /// Blocks until the part is read.
    ///
    /// - Parameters:
    ///   - file: a file that is open for reading.
    ///   - offset: the start of the part, in bytes.
    ///   - count: the maximum number of bytes to read; fewer are read at the end of the file.
    public func reply(reading file: FileDescriptor, at offset: Int64, count: Int) {
        complete { sender in
            let buffer = sender.channel.buffers.take()
            defer { sender.channel.buffers.give(buffer) }
            let wanted = min(max(count, 0), sender.room, buffer.bytes.count)
            var filled = 0
            do throws(Errno) {
                while filled < wanted {
                    let rest = UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[filled..<wanted])
                    let count = try file.read(into: rest, at: Int(offset) + filled)
                    if count == 0 { break }
                    filled += count
                }
            } catch {
                guard filled > 0 else { return sender.fail(error) }
            }
            sender.sendContents(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<filled]))
        }
    }
}

/// A reply of the names of a file's extended attributes.
public struct NameList: ReplyContent, Sendable {
    /// The names, in any order.
    public var names: [Name]

    /// Creates a reply with the given names.
    public init(_ names: [Name]) { self.names = names }

    /// Sends the reply.
    public func send(through sender: borrowing ReplySender) {
        Bytes(names.flatMap { $0.bytes + [0] }).send(through: sender)
    }
}

/// A reply with the number of bytes that were written or copied.
extension Int: ReplyContent {
    /// Sends the reply.
    public func send(through sender: borrowing ReplySender) {
        sender.send(fuse_write_out(size: UInt32(clamping: self), padding: 0))
    }
}

/// A reply with an offset in a file.
extension Int64: ReplyContent {
    /// Sends the reply, or `EINVAL` for a negative offset.
    public func send(through sender: borrowing ReplySender) {
        guard self >= 0 else { return sender.fail(.invalidArgument) }
        sender.send(fuse_lseek_out(offset: UInt64(self)))
    }
}

extension Attributes {
    var raw: fuse_attr {
        fuse_attr(
            ino: node.rawValue, size: UInt64(clamping: size), blocks: blocks,
            atime: UInt64(bitPattern: accessed.seconds), mtime: UInt64(bitPattern: modified.seconds),
            ctime: UInt64(bitPattern: changed.seconds), atimensec: accessed.nanoseconds,
            mtimensec: modified.nanoseconds, ctimensec: changed.nanoseconds, mode: mode, nlink: linkCount, uid: owner,
            gid: group, rdev: device, blksize: blockSize, flags: 0)
    }
}

extension Duration {
    /// A validity in whole seconds and nanoseconds, as the kernel expects it; zero for a negative duration.
    var validity: (seconds: UInt64, nanoseconds: UInt32) {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return (0, 0) }
        return (UInt64(seconds), UInt32(attoseconds / 1_000_000_000))
    }
}

extension AttributesReply: ReplyContent {
    /// Sends the reply.
    public func send(through sender: borrowing ReplySender) {
        let (seconds, nanoseconds) = validity.validity
        sender.send(
            fuse_attr_out(attr_valid: seconds, attr_valid_nsec: nanoseconds, dummy: 0, attr: attributes.raw))
    }
}

extension Entry {
    var raw: fuse_entry_out {
        let (nameSeconds, nameNanoseconds) = nameValidity.validity
        let (seconds, nanoseconds) = attributeValidity.validity
        return fuse_entry_out(
            nodeid: node?.rawValue ?? 0, generation: generation, entry_valid: nameSeconds, attr_valid: seconds,
            entry_valid_nsec: nameNanoseconds, attr_valid_nsec: nanoseconds, attr: attributes.raw)
    }
}

extension Entry: ReplyContent {
    /// Sends the reply.
    public func send(through sender: borrowing ReplySender) { sender.send(raw) }
}

extension OpenReply {
    /// The flags of the reply (`FOPEN_*`).
    private enum Flag {
        /// FOPEN_DIRECT_IO
        static let directIO: UInt32 = 1 << 0
        /// FOPEN_KEEP_CACHE
        static let keepCache: UInt32 = 1 << 1
        /// FOPEN_NONSEEKABLE
        static let nonSeekable: UInt32 = 1 << 2
        /// FOPEN_CACHE_DIR
        static let cacheDirectory: UInt32 = 1 << 3
        /// FOPEN_NOFLUSH
        static let noFlush: UInt32 = 1 << 5
        /// FOPEN_PASSTHROUGH
        static let passthrough: UInt32 = 1 << 7
    }

    var raw: cfuse_open_out {
        var raw = cfuse_open_out(fh: handle, open_flags: 0, backing_id: 0)
        switch mode {
        case .cached(let keepsPages): if keepsPages { raw.open_flags |= Flag.keepCache }
        case .direct: raw.open_flags |= Flag.directIO
        case .passthrough(let file):
            raw.open_flags |= Flag.passthrough
            raw.backing_id = file.identifier
        }
        if cachesDirectory { raw.open_flags |= Flag.cacheDirectory }
        if keepsDirectoryPages { raw.open_flags |= Flag.keepCache }
        if isNonSeekable { raw.open_flags |= Flag.nonSeekable }
        if needsNoFlush { raw.open_flags |= Flag.noFlush }
        return raw
    }
}

extension OpenReply: ReplyContent {
    /// Sends the reply.
    public func send(through sender: borrowing ReplySender) {
        // The backing file must stay registered until the kernel has processed the reply with its identifier.
        withExtendedLifetime(mode) { sender.send(raw) }
    }
}

extension CreateReply: ReplyContent {
    private struct Raw: BitwiseCopyable {
        let entry: fuse_entry_out
        let opening: cfuse_open_out
    }

    /// Sends the reply.
    public func send(through sender: borrowing ReplySender) {
        withExtendedLifetime(opening.mode) { sender.send(Raw(entry: entry.raw, opening: opening.raw)) }
    }
}

extension Statistics: ReplyContent {
    /// Sends the reply.
    public func send(through sender: borrowing ReplySender) {
        var raw = fuse_statfs_out()
        raw.st.blocks = blocks
        raw.st.bfree = freeBlocks
        raw.st.bavail = availableBlocks
        raw.st.files = files
        raw.st.ffree = freeFiles
        raw.st.bsize = blockSize
        raw.st.frsize = blockSize
        raw.st.namelen = nameLimit
        sender.send(raw)
    }
}

extension FileLock: ReplyContent {
    /// Sends the reply.
    public func send(through sender: borrowing ReplySender) {
        let type =
            switch kind {
            case .reading: F_RDLCK
            case .writing: F_WRLCK
            case .none: F_UNLCK
            }
        sender.send(
            fuse_lk_out(
                lk: fuse_file_lock(
                    start: start, end: end, type: UInt32(type), pid: UInt32(bitPattern: processID))))
    }
}

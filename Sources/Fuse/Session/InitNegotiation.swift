import CFuse
import Glibc
import LinuxSystem

/// The features of a session that the kernel and this library support.
struct SessionFeatures: Sendable {
    /// Whether files may be passed through (FUSE_PASSTHROUGH).
    let passesThrough: Bool
    /// Whether another process can take over the session. This requires that the kernel can repeat requests that have
    /// no reply yet (FUSE_NOTIFY_RESEND), and can drop its cached names (FUSE_NOTIFY_INC_EPOCH).
    let canBeHandedOver: Bool
}

/// The exchange of messages that begins a session (FUSE_INIT). In it, the kernel and this library agree on the features
/// of the session.
enum InitNegotiation {
    /// The flags of FUSE_INIT that this library uses. The upper 32 bits are the field `flags2`.
    private struct Flags: OptionSet {
        let rawValue: UInt64

        /// FUSE_ASYNC_READ: reads of one file may be served at the same time.
        static let asyncRead = Flags(rawValue: 1 << 0)
        /// FUSE_POSIX_LOCKS: the file system serves record locks.
        static let posixLocks = Flags(rawValue: 1 << 1)
        /// FUSE_ATOMIC_O_TRUNC: FUSE_OPEN with O_TRUNC truncates the file.
        static let atomicTruncate = Flags(rawValue: 1 << 3)
        /// FUSE_BIG_WRITES: a write may have more than one page.
        static let bigWrites = Flags(rawValue: 1 << 5)
        /// FUSE_FLOCK_LOCKS: the file system serves whole-file locks.
        static let flockLocks = Flags(rawValue: 1 << 10)
        /// FUSE_AUTO_INVAL_DATA: the kernel drops cached pages when the size or modification time has changed.
        static let autoInvalidateData = Flags(rawValue: 1 << 12)
        /// FUSE_DO_READDIRPLUS: listings include attributes.
        static let readDirectoryPlus = Flags(rawValue: 1 << 13)
        /// FUSE_READDIRPLUS_AUTO: listings include attributes only if the kernel needs them.
        static let readDirectoryPlusAuto = Flags(rawValue: 1 << 14)
        /// FUSE_ASYNC_DIO: direct reads and writes of one caller may be served at the same time.
        static let asyncDirectIO = Flags(rawValue: 1 << 15)
        /// FUSE_PARALLEL_DIROPS: look-ups and listings in one directory may be served at the same time.
        static let parallelDirectoryOperations = Flags(rawValue: 1 << 18)
        /// FUSE_MAX_PAGES: the reply to FUSE_INIT states the maximum number of pages in a request.
        static let maxPages = Flags(rawValue: 1 << 22)
        /// FUSE_CACHE_SYMLINKS: the kernel caches the targets of symbolic links.
        static let cacheSymbolicLinks = Flags(rawValue: 1 << 23)
        /// FUSE_INIT_EXT: the flags continue in `flags2`.
        static let initExtended = Flags(rawValue: 1 << 30)
        /// FUSE_DIRECT_IO_ALLOW_MMAP: files with FOPEN_DIRECT_IO may be mapped with MAP_SHARED.
        static let directIOAllowsMapping = Flags(rawValue: 1 << 36)
        /// FUSE_PASSTHROUGH: files may be passed through.
        static let passthrough = Flags(rawValue: 1 << 37)
        /// FUSE_HAS_RESEND: the kernel can be made to send unanswered requests again.
        static let hasResend = Flags(rawValue: 1 << 39)
    }

    private static let oldestMinor: UInt32 = 31
    private static let minor: UInt32 = 41
    /// The first minor version of the protocol with which the kernel can drop all names at once
    /// (FUSE_NOTIFY_INC_EPOCH). Compare with the version that the kernel announces, not with the negotiated version.
    private static let minorThatDropsNames: UInt32 = 44
    /// The maximum number of concurrent background requests, such as read-ahead.
    private static let backgroundLimit: UInt16 = 64

    /// Waits for the kernel's FUSE_INIT and replies to it.
    static func negotiate(
        over device: FileDescriptor, _ options: MountOptions
    ) throws(MountError) -> SessionFeatures {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: WorkerPool.bufferSize(options), alignment: 4096)
        defer { buffer.deallocate() }
        while true {
            let count: Int
            do throws(Errno) {
                count = try device.read(into: buffer)
            } catch .wouldBlock {
                continue
            } catch {
                throw .ended(error)
            }
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            guard let request = Request(bytes), request.header.opcode == Opcode.initialize.rawValue,
                // Older kernels send a shorter structure, and are not supported.
                let wanted = request.load((UInt32, UInt32, UInt32, UInt32).self)
            else { continue }
            let (major, minor, readAhead, flags) = wanted
            let channel = DeviceChannel(device, requests: RequestTable(), buffers: BufferPool(size: 0))
            if major > 7 {
                // The kernel sends FUSE_INIT again, in this version.
                var reply = cfuse_init_out()
                reply.major = 7
                withUnsafeBytes(of: reply) { _ = channel.send(request.header.unique, error: nil, $0) }
                continue
            }
            guard major == 7, minor >= oldestMinor else {
                channel.send(
                    request.header.unique, error: Errno(rawValue: EPROTO),
                    UnsafeRawBufferPointer(start: nil, count: 0))
                throw .isTooOld(major: major, minor: minor)
            }
            var offered = Flags(rawValue: UInt64(flags))
            if offered.contains(.initExtended), let long = request.load(fuse_init_in.self) {
                offered.formUnion(Flags(rawValue: UInt64(long.flags2) << 32))
            }
            let (reply, features) = reply(to: offered, minor: minor, readAhead: readAhead, options)
            let isTaken = withUnsafeBytes(of: reply) { channel.send(request.header.unique, error: nil, $0) }
            guard isTaken else { throw .ended(.current) }
            return features
        }
    }

    private static func reply(
        to offered: Flags, minor: UInt32, readAhead: UInt32, _ options: MountOptions
    ) -> (cfuse_init_out, SessionFeatures) {
        var wanted: Flags = [
            .asyncRead, .atomicTruncate, .bigWrites, .asyncDirectIO, .parallelDirectoryOperations, .maxPages,
            .initExtended, .directIOAllowsMapping, .hasResend,
        ]
        if options.servesLocks { wanted.insert(.posixLocks) }
        if options.servesWholeFileLocks { wanted.insert(.flockLocks) }
        if options.dropsChangedPages { wanted.insert(.autoInvalidateData) }
        if options.listsWithAttributes { wanted.formUnion([.readDirectoryPlus, .readDirectoryPlusAuto]) }
        if options.cachesSymbolicLinks { wanted.insert(.cacheSymbolicLinks) }
        if options.wantsPassthrough { wanted.insert(.passthrough) }
        let agreed = wanted.intersection(offered)

        var reply = cfuse_init_out()
        reply.major = 7
        reply.minor = min(minor, Self.minor)
        reply.max_readahead = min(readAhead, UInt32(clamping: options.readAhead))
        reply.flags = UInt32(truncatingIfNeeded: agreed.rawValue)
        reply.flags2 = UInt32(agreed.rawValue >> 32)
        reply.max_background = backgroundLimit
        reply.congestion_threshold = backgroundLimit / 4 * 3
        reply.max_write = UInt32(clamping: options.largestWrite)
        reply.time_gran = 1
        let largest = max(options.largestRead, options.largestWrite)
        reply.max_pages = UInt16(clamping: (largest + 4095) / 4096)
        let passesThrough = agreed.contains(.passthrough)
        // Backing files must be on file systems that are not stacked on others.
        if passesThrough { reply.max_stack_depth = 1 }
        let canBeHandedOver = agreed.contains(.hasResend) && minor >= minorThatDropsNames
        return (reply, SessionFeatures(passesThrough: passesThrough, canBeHandedOver: canBeHandedOver))
    }
}

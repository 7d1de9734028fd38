import CFuse
import Glibc
import LinuxSystem

/// The features that the kernel and this library negotiate at the beginning of a session (FUSE_INIT).
struct Agreement: Sendable {
    let passesThrough: Bool
    /// Whether another process can take over the session: the kernel sends unanswered requests again
    /// (FUSE_NOTIFY_RESEND), and drops its cached names on request.
    let canBeHandedOver: Bool

    /// The flags of FUSE_INIT, `flags2` in the upper half.
    private enum Feature {
        static let asynchronousReads: UInt64 = 1 << 0
        static let locks: UInt64 = 1 << 1
        static let truncatesAtOpen: UInt64 = 1 << 3
        static let largeWrites: UInt64 = 1 << 5
        static let wholeFileLocks: UInt64 = 1 << 10
        static let dropsChangedPages: UInt64 = 1 << 12
        static let listsWithAttributes: UInt64 = 1 << 13
        static let listsWithAttributesAsNeeded: UInt64 = 1 << 14
        static let asynchronousDirectReads: UInt64 = 1 << 15
        static let parallelFolders: UInt64 = 1 << 18
        static let manyPages: UInt64 = 1 << 22
        static let cachesLinks: UInt64 = 1 << 23
        static let extended: UInt64 = 1 << 30
        static let mapsDirectFiles: UInt64 = 1 << 36
        static let passthrough: UInt64 = 1 << 37
        static let sendsAgain: UInt64 = 1 << 39
    }

    private static let oldestMinor: UInt32 = 31
    private static let minor: UInt32 = 41
    /// The first minor version whose kernel drops all names at once (FUSE_NOTIFY_INC_EPOCH), whatever version was
    /// negotiated.
    private static let minorThatDropsNames: UInt32 = 44
    /// The most background requests at a time, such as read-ahead.
    private static let backgroundLimit: UInt16 = 64

    /// Waits for the kernel's FUSE_INIT and replies to it.
    static func reach(over device: FileDescriptor, _ options: MountOptions) throws(MountFailure) -> Agreement {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Crew.bufferSize(options), alignment: 4096)
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
                var answer = cfuse_init_out()
                answer.major = 7
                withUnsafeBytes(of: answer) { _ = channel.send(request.header.unique, error: nil, $0) }
                continue
            }
            guard major == 7, minor >= oldestMinor else {
                channel.send(
                    request.header.unique, error: Errno(rawValue: EPROTO),
                    UnsafeRawBufferPointer(start: nil, count: 0))
                throw .isTooOld(major: major, minor: minor)
            }
            var offered = UInt64(flags)
            if offered & Feature.extended != 0, let long = request.load(fuse_init_in.self) {
                offered |= UInt64(long.flags2) << 32
            }
            let (answer, agreement) = answer(to: offered, minor: minor, readAhead: readAhead, options)
            let isTaken = withUnsafeBytes(of: answer) { channel.send(request.header.unique, error: nil, $0) }
            guard isTaken else { throw .ended(.current) }
            return agreement
        }
    }

    private static func answer(
        to offered: UInt64, minor: UInt32, readAhead: UInt32, _ options: MountOptions
    ) -> (cfuse_init_out, Agreement) {
        var wanted =
            Feature.asynchronousReads | Feature.truncatesAtOpen | Feature.largeWrites | Feature.asynchronousDirectReads
            | Feature.parallelFolders | Feature.manyPages | Feature.extended | Feature.mapsDirectFiles
            | Feature.sendsAgain
        if options.servesLocks { wanted |= Feature.locks }
        if options.servesWholeFileLocks { wanted |= Feature.wholeFileLocks }
        if options.dropsChangedPages { wanted |= Feature.dropsChangedPages }
        if options.listsWithAttributes { wanted |= Feature.listsWithAttributes | Feature.listsWithAttributesAsNeeded }
        if options.cachesSymbolicLinks { wanted |= Feature.cachesLinks }
        if options.wantsPassthrough { wanted |= Feature.passthrough }
        let agreed = wanted & offered

        var answer = cfuse_init_out()
        answer.major = 7
        answer.minor = min(minor, Self.minor)
        answer.max_readahead = min(readAhead, UInt32(clamping: options.readAhead))
        answer.flags = UInt32(truncatingIfNeeded: agreed)
        answer.flags2 = UInt32(agreed >> 32)
        answer.max_background = backgroundLimit
        answer.congestion_threshold = backgroundLimit / 4 * 3
        answer.max_write = UInt32(clamping: options.largestWrite)
        answer.time_gran = 1
        let largest = max(options.largestRead, options.largestWrite)
        answer.max_pages = UInt16(clamping: (largest + 4095) / 4096)
        let passesThrough = agreed & Feature.passthrough != 0
        // Backing files must be on file systems that are not stacked on others.
        if passesThrough { answer.max_stack_depth = 1 }
        let canBeHandedOver = agreed & Feature.sendsAgain != 0 && minor >= minorThatDropsNames
        return (answer, Agreement(passesThrough: passesThrough, canBeHandedOver: canBeHandedOver))
    }
}

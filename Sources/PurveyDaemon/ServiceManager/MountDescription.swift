import Glibc
import LinuxSystem
import MountTakeover

/// A memory file that describes the other descriptors of a mount, for ``ServiceStore``.
///
/// It begins with two numbers of 8 bytes in host byte order. The first is the number of consecutive daemons that had
/// the mount and died soon after their start. The second is the time at which a daemon last created or took over the
/// mount, in seconds since boot. They are followed by three texts with a zero byte at the end: the version, the mount's
/// identifier, and the number of its descriptors. The rest is the mount's record.
struct MountDescription {
    let file: FileDescriptor

    private static let version = "purvey-mount 1"
    private static let sizeLimit = 32 << 10
    private static let numbersSize = 16
    /// If a daemon ran at least this many seconds, its death does not count as a death soon after the start.
    private static let longLife: UInt64 = 60

    /// A mount that the service manager stored.
    struct Kept {
        let key: UInt64
        let description: MountDescription
        let mount: KeptMount

        /// Creates the mount from its descriptors; `nil` if some descriptors are missing or the description has
        /// another version.
        init?(_ key: UInt64, _ descriptors: [Int: FileDescriptor]) {
            guard let file = descriptors[0], let description = MountDescription(file), let words = description.words
            else { return nil }
            let others = (1...max(1, words.count)).compactMap { descriptors[$0] }
            guard others.count == words.count, descriptors.count == words.count + 1 else { return nil }
            self.key = key
            self.description = description
            mount = KeptMount(identifier: words.identifier, record: words.record, descriptors: others)
        }
    }

    init(of mount: KeptMount) throws(Errno) {
        file = try MemoryFile.create(name: "purvey-mount")
        let words = [Self.version, mount.identifier, "\(mount.descriptors.count)"].map { Array($0.utf8) + [0] }
        let bytes = words.reduce([], +) + mount.record
        guard Self.numbersSize + bytes.count <= Self.sizeLimit else { throw .messageTooLong }
        try bytes.withUnsafeBufferPointer { bytes throws(Errno) in
            try file.writeAll(UnsafeRawBufferPointer(bytes), at: Self.numbersSize)
        }
        try write(deaths: 0)
    }

    private init?(_ file: FileDescriptor) {
        guard let status = try? file.status(), status.kind == .regular,
            (Self.numbersSize...Self.sizeLimit).contains(status.size)
        else { return nil }
        self.file = file
    }

    private var words: (identifier: String, count: Int, record: [UInt8])? {
        guard let bytes = read(Self.sizeLimit, at: Self.numbersSize) else { return nil }
        let parts = bytes.split(separator: 0, maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, String(decoding: parts[0], as: UTF8.self) == Self.version,
            let count = Int(String(decoding: parts[2], as: UTF8.self)), (1...KeptMount.descriptorLimit).contains(count)
        else { return nil }
        return (String(decoding: parts[1], as: UTF8.self), count, Array(parts[3]))
    }

    /// Counts the death of a daemon that had the mount.
    ///
    /// - Returns: The number of consecutive deaths, including this one, each soon after the daemon's start; 1 if the
    ///   dead daemon ran longer.
    func countDeath() -> UInt64 {
        var (before, started) = (UInt64(0), UInt64(0))
        if let bytes = read(Self.numbersSize, at: 0), bytes.count == Self.numbersSize {
            bytes.withUnsafeBytes { bytes in
                before = bytes.loadUnaligned(as: UInt64.self)
                started = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            }
        }
        let (end, isForEver) = started.addingReportingOverflow(Self.longLife)
        let deaths = isForEver || Self.secondsSinceBoot() < end ? min(before, 1 << 20) + 1 : 1
        try? write(deaths: deaths)
        return deaths
    }

    private func write(deaths: UInt64) throws(Errno) {
        try withUnsafeBytes(of: (deaths, Self.secondsSinceBoot())) { bytes throws(Errno) in
            try file.writeAll(bytes, at: 0)
        }
    }

    private func read(_ count: Int, at offset: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = try? bytes.withUnsafeMutableBytes { bytes throws(Errno) in try file.read(into: bytes, at: offset) }
        return read.map { Array(bytes.prefix($0)) }
    }

    static func secondsSinceBoot() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return UInt64(time.tv_sec)
    }
}

import FileTesting
import Glibc
import LinuxSystem

/// Open descriptors of many kinds, for packets to processes that expect none of them.
///
/// A confined process cannot open all of these kinds. It sends those that it can open.
package struct HostileDescriptors {
    private var pool: [FileDescriptor] = []

    package init() {
        addMemoryFiles()
        addSockets()
        for path in ["/", "/usr", "/dev/null"] {
            add { () throws(Errno) in try .open(path, [.readOnly]) }
            add { () throws(Errno) in try .open(path, [.pathOnly]) }
        }
        // A file on a disk, without a name: O_TMPFILE, which Swift does not import.
        let flags = 0o20000000 | O_DIRECTORY | O_RDWR | O_CLOEXEC
        add { () throws(Errno) in FileDescriptor(owning: try retrying { Glibc.open("/var/tmp", flags, 0o600) }) }
    }

    private mutating func add(_ make: () throws(Errno) -> FileDescriptor) {
        do throws(Errno) { pool.append(try make()) } catch {}
    }

    private mutating func addMemoryFiles() {
        for (size, isSealed) in [(0, false), (0, true), (100, false), (4096, true), (1 << 40, true)] {
            add { () throws(Errno) in
                let file = try MemoryFile.create(name: "hostile")
                try file.truncate(to: size)
                if isSealed { try MemoryFile.seal(file) }
                return file
            }
        }
    }

    private mutating func addSockets() {
        if let (one, other) = try? FileDescriptor.pipe() { pool += [one, other] }
        guard let (one, other) = try? SequencedPacketSocket.pair() else { return }
        pool += [one.descriptor, other.descriptor]
        // Each end waits in the other one: only the kernel's garbage collection can free such sockets.
        if let (one, other) = try? SequencedPacketSocket.pair() {
            try? HostilePacket([0], [one.descriptor, other.descriptor]).send(over: one)
            try? HostilePacket([0], [one.descriptor]).send(over: other)
            pool.append(one.descriptor)
        }
    }

    /// Returns random descriptors, usually none or few. The same descriptor may occur several times.
    package func some(_ numbers: inout RandomNumbers) -> [FileDescriptor] {
        guard !pool.isEmpty else { return [] }
        let count =
            switch numbers.below(8) {
            case 0...3: 0
            case 4...5: 1 + numbers.below(3)
            case 6: numbers.below(40)
            default: numbers.below(HostilePacket.descriptorLimit + 1)
            }
        return (0..<count).map { _ in pool[numbers.below(pool.count)] }
    }
}

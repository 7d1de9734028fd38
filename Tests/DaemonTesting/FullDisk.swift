import FileTesting
import Glibc
import LinuxSystem

/// A file system of a few megabytes in memory, mounted at a path while this object exists. Requires root.
package final class FullDisk: Sendable {
    package let path: String

    /// - Parameter path: The mount point, a directory that is created if necessary.
    package init(megabytes: Int, at path: String) throws {
        self.path = path
        try Self.run("/bin/mkdir", "-p", path)
        try Self.run("/bin/mount", "-t", "tmpfs", "-o", "size=\(megabytes)m,mode=700", "tmpfs", path)
    }

    deinit { unmount() }

    /// Unmounts the disk before this object is released.
    package func unmount() {
        // Detach lazily, because the daemon ends only after this.
        try? Self.run("/bin/umount", "-l", path)
    }

    private var filler: String { path + "/filler" }

    /// Fills the disk to the last byte.
    package func fill() throws(Errno) {
        let file = try FileDescriptor.open(filler, [.writeOnly, .create, .append])
        for size in [1 << 16, 4096, 1] { try Self.fill(file, by: [UInt8](repeating: 1, count: size)) }
    }

    private static func fill(_ file: FileDescriptor, by piece: [UInt8]) throws(Errno) {
        while true {
            let count = piece.withUnsafeBytes { Glibc.write(file.rawValue, $0.baseAddress, $0.count) }
            if count >= 0 { continue }
            if Errno.current == .noSpace { return }
            throw .current
        }
    }

    /// Removes the free inodes, so that no file can be created.
    package func takeNames() throws { try Self.run("/bin/mount", "-o", "remount,nr_inodes=2", path) }

    package func makeRoom() throws(Errno) { try Files.remove(filler) }

    package static var isWanted: Bool { geteuid() == 0 || Requirement.isEnforced }

    private static func run(_ words: String...) throws {
        let ending = try ChildProgram.start(words[0], arguments: Array(words.dropFirst()), descriptors: []).wait()
        guard ending == .exited(0) else { throw Errno.notPermitted }
    }
}

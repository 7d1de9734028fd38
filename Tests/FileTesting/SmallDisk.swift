import Glibc
import LinuxSystem

/// A tmpfs of a few megabytes, mounted in the common mount namespace. ``TestDisk`` does not suffice for databases:
/// SQLite would resolve the link by which that disk is reached, and leave the disk. Requires root.
package final class SmallDisk {
    package let path: String
    private let folder: TestFolder

    package init(megabytes: Int) throws {
        folder = try TestFolder()
        path = folder.path + "/disk"
        try folder.folder("disk")
        try Self.run("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path)
    }

    deinit {
        // Detach lazily, because connections may close only after this.
        try? Self.run("umount", "-l", path)
    }

    /// Fills the disk except for a number of bytes.
    package func fill(leaving bytes: Int = 0) throws -> FileDescriptor {
        let filler = try FileDescriptor.open(path + "/filler", [.writeOnly, .create])
        var position = 0
        let piece = [UInt8](repeating: 1, count: 4096)
        do {
            while true {
                try filler.overwrite(piece, at: position)
                position += piece.count
            }
        } catch let error as Errno where error == .noSpace {}
        try filler.truncate(to: max(position - bytes, 0))
        return filler
    }

    package static var isWanted: Bool { Requirement.isEnforced || geteuid() == 0 }

    private static func run(_ arguments: String...) throws {
        let program = try ChildProgram.start("/usr/bin/env", arguments: arguments, descriptors: [nil, nil, nil])
        guard try program.wait() == .exited(0) else { throw Errno(rawValue: EPERM) }
    }
}

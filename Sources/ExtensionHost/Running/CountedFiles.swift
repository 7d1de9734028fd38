import Glibc
import LinuxSystem

/// The open files of a confined process that count towards its limits.
///
/// They are read from the process's directory in `/proc` (proc(5)). Descriptors that are in flight between processes
/// are not listed there.
struct CountedFiles {
    /// The number of bytes of each memory file that the process created, by inode number. A memory file that an
    /// unconfined process created and sealed is left out; see ``MemoryFile/unconfinedMode``.
    private(set) var memory: [UInt64: Int] = [:]
    private(set) var sockets = 0
    private var nameless: [FileStatus.Identity: Int] = [:]

    /// The number of bytes on disk of open files that have no name any more, or never had a name (`O_TMPFILE`). A walk
    /// of a directory does not find these files.
    var namelessBytes: Int { nameless.values.reduce(0, +) }

    /// Reads a process's open descriptors. Blocks on the system.
    ///
    /// - Parameters:
    ///   - table: The path of the directory that lists the descriptors, such as `/proc/PID/fd`.
    ///   - folders: Paths of directories, with symbolic links resolved. A file without a name counts if it was created
    ///     in one of these directories.
    init(in table: String, folders: [String]) throws(Errno) {
        let directory = try FileDescriptor.open(table, [.readOnly, .directory])
        let beginnings = folders.map { Array(($0 + "/").utf8) }
        for entry in try directory.entries() {
            let target: [UInt8]
            do throws(Errno) {
                target = try directory.target(ofLink: entry.name)
            } catch {
                // The path is longer than a page, as in a very deep directory. The file may be in one of `folders`.
                if error.rawValue == ENAMETOOLONG { add(entry.name, of: directory) }
                // After any other error, the descriptor was closed meanwhile.
                continue
            }
            if target.starts(with: Self.socket) {
                sockets += 1
            } else if target.starts(with: Self.memoryFile) {
                guard let status = try? directory.status(of: entry.name, followingLinks: true),
                    status.permissions != MemoryFile.unconfinedMode
                else { continue }
                memory[status.identity.inode] = status.allocatedSize
            } else if target.suffix(Self.deleted.count).elementsEqual(Self.deleted),
                beginnings.contains(where: { target.starts(with: $0) })
            {
                add(entry.name, of: directory)
            }
        }
    }

    private mutating func add(_ name: FileName, of directory: FileDescriptor) {
        guard let status = try? directory.status(of: name, followingLinks: true), status.linkCount == 0 else { return }
        nameless[status.identity] = status.allocatedSize
    }

    private static let socket = Array("socket:".utf8)
    private static let memoryFile = Array("/memfd:".utf8)
    private static let deleted = Array(" (deleted)".utf8)
}

import Glibc
import LinuxSystem

/// The open files of a confined process that count against its limits.
///
/// The source is proc(5), for a process of this user. Descriptors that are in flight between processes are not listed
/// there.
struct CountedFiles {
    /// The bytes of the memory files that the process created, by inode. A memory file that the process received counts
    /// for its creator.
    private(set) var memory: [UInt64: Int] = [:]
    private(set) var sockets = 0
    private var nameless: [FileStatus.Identity: Int] = [:]

    /// The bytes on disk of files that have no name any more, or never had a name (`O_TMPFILE`). A walk of a directory
    /// does not find them.
    var namelessBytes: Int { nameless.values.reduce(0, +) }

    /// Reads the table of a process's descriptors. Blocks on the system.
    ///
    /// - Parameters:
    ///   - table: A directory such as `/proc/PID/fd`.
    ///   - folders: Paths without links. Files without a name count if they belong to one of these directories.
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

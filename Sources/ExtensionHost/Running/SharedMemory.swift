import Foundation
import Glibc
import LinuxSystem

/// The memory files of a confined process: those that it created and holds open, and those that it has mapped, its own or
/// handed to it.
///
/// A memory file that was handed to the process and is not mapped counts for the process that created it. The source is
/// proc(5), for a process of this user. Descriptors that are in flight between processes are in no table there.
package enum SharedMemory {
    /// Returns the bytes of a process's memory files.
    package static func bytes(of process: pid_t) -> Int {
        mappedFiles(of: process).merging(openFiles(of: process).sizes) { max($0, $1) }.values.reduce(0, +)
    }

    /// Returns the sizes in memory of a process's own memory files, by inode, and the number of its sockets.
    static func openFiles(of process: pid_t) -> (sizes: [UInt64: Int], sockets: Int) {
        let folder = "/proc/\(process)/fd"
        var sizes: [UInt64: Int] = [:]
        var sockets = 0
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            let path = folder + "/" + name
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { continue }
            if target.hasPrefix("socket:") { sockets += 1 }
            guard target.hasPrefix("/memfd:"), let status = try? FileStatus.of(path),
                status.permissions != MemoryFile.unconfinedMode
            else { continue }
            sizes[status.identity.inode] = status.allocatedSize
        }
        return (sizes, sockets)
    }

    /// Returns how much a process has mapped and used of memory files and of shared memory without a name, by inode.
    private static func mappedFiles(of process: pid_t) -> [UInt64: Int] {
        var sizes: [UInt64: Int] = [:]
        var inode: UInt64?
        for line in SystemFile.text("/proc/\(process)/smaps").split(separator: "\n") {
            // ADDRESSES PERMISSIONS OFFSET DEVICE INODE PATH, and under it "Key: number kB".
            if let first = line.utf8.first, !(65...90).contains(first) {
                let columns = line.split(separator: " ", maxSplits: 5)
                let path = columns.count == 6 ? columns[5] : ""
                let isMemory = path.hasPrefix("/memfd:") || path.hasPrefix("/dev/zero (deleted)")
                inode = isMemory ? UInt64(columns[4]) : nil
            } else if let inode, line.hasPrefix("Rss:") {
                sizes[inode, default: 0] += SystemFile.bytes("Rss", in: String(line))
            }
        }
        return sizes
    }
}

import Foundation
import Glibc
import LinuxSystem

/// The memory of a confined process that no resource limit counts: memory files that it made and holds open, and memory
/// files that it has mapped, its own or handed to it.
///
/// What it is handed and has not mapped is its caller's. As proc(5) tells it, of a process of this user; descriptors that are
/// on their way between processes are in nobody's table.
package enum SharedMemory {
    /// Whether a process has no more of it than this. A process that has ended has none. Blocks on the system, shortly.
    static func isWithin(_ limit: Int, of process: pid_t) -> Bool {
        let open = openFiles(of: process)
        // All that is mapped of files in memory, of a program in /tmp too: told at little cost, and never too little.
        let mapped = value("RssShmem", in: SystemFile.text("/proc/\(process)/status"))
        if open.values.reduce(mapped, +) <= limit { return true }
        return bytes(of: process) <= limit
    }

    /// The bytes that a process has of it.
    package static func bytes(of process: pid_t) -> Int {
        mappedFiles(of: process).merging(openFiles(of: process)) { max($0, $1) }.values.reduce(0, +)
    }

    /// The sizes in memory of its own memory files, by inode.
    private static func openFiles(of process: pid_t) -> [UInt64: Int] {
        let folder = "/proc/\(process)/fd"
        var sizes: [UInt64: Int] = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            let path = folder + "/" + name
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path),
                target.hasPrefix("/memfd:"), let status = try? FileStatus.of(path),
                status.permissions != MemoryFile.unconfinedMode
            else { continue }
            sizes[status.identity.inode] = status.allocatedSize
        }
        return sizes
    }

    /// How much it has mapped, and used, of memory files and of shared memory without a name, by inode.
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
                sizes[inode, default: 0] += value("Rss", in: String(line))
            }
        }
        return sizes
    }

    /// The bytes of a line "Key: number kB".
    private static func value(_ key: String, in text: String) -> Int {
        for line in text.split(separator: "\n") where line.hasPrefix(key + ":") {
            return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }.map {
                $0 << 10
            } ?? 0
        }
        return 0
    }
}

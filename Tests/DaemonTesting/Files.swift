import Glibc
import LinuxSystem

/// File operations of a program, each with its own system calls.
package enum Files {
    package static func read(_ path: String) throws(Errno) -> String {
        String(decoding: try FileDescriptor.open(path, .readOnly).readToEnd(limit: 1 << 26), as: UTF8.self)
    }

    /// Reads a number of bytes at an offset, or fewer at the file's end.
    package static func read(_ path: String, at start: Int, _ count: Int) throws(Errno) -> [UInt8] {
        let file = try FileDescriptor.open(path, .readOnly)
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        defer { room.deallocate() }
        var filled = 0
        while filled < count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: room[filled...])
            let count = try file.read(into: rest, at: start + filled)
            if count == 0 { break }
            filled += count
        }
        return Array(room[..<filled])
    }

    /// Opens a file, writes to its beginning and closes it, checking the result of every call.
    package static func write(_ text: String, to path: String, _ flags: CInt) throws(Errno) {
        let file = try retrying { Glibc.open(path, flags | O_CLOEXEC, 0o644) }
        do throws(Errno) {
            let bytes = Array(text.utf8)
            var written = 0
            while written < bytes.count {
                let count = bytes.withUnsafeBytes {
                    Glibc.write(file, $0.baseAddress.map { $0 + written }, bytes.count - written)
                }
                if count < 0, Errno.current != .interrupted { throw Errno.current }
                written += max(0, count)
            }
        } catch {
            Glibc.close(file)
            throw error
        }
        if Glibc.close(file) < 0 { throw .current }
    }

    /// Opens a file for writing and closes it.
    package static func touch(_ path: String) throws(Errno) { try write("", to: path, O_RDWR) }

    package static func rename(_ path: String, to newPath: String) throws(Errno) {
        try retrying { Glibc.rename(path, newPath) }
    }

    package static func remove(_ path: String) throws(Errno) { try retrying { unlink(path) } }
    package static func removeFolder(_ path: String) throws(Errno) { try retrying { rmdir(path) } }
    package static func makeFolder(_ path: String) throws(Errno) { try retrying { mkdir(path, 0o755) } }
    package static func makeLink(_ path: String, to target: String) throws(Errno) {
        try retrying { symlink(target, path) }
    }
    package static func isThere(_ path: String) -> Bool { (try? FileStatus.of(path, followingLinks: false)) != nil }

    package static func inode(_ path: String) throws(Errno) -> UInt64 {
        try FileStatus.of(path, followingLinks: false).identity.inode
    }
}

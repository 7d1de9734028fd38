import CLinux
import Glibc

extension FileDescriptor {
    /// Reads up to the buffer's length at the current position; 0 at the end of the file.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
        try retrying { Glibc.read(rawValue, buffer.baseAddress, buffer.count) }
    }

    /// Reads up to the buffer's length at an offset; 0 at the end of the file.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int {
        try retrying { pread(rawValue, buffer.baseAddress, buffer.count, off_t(offset)) }
    }

    /// Reads everything from the current position on, but never more than about a limit.
    package func readToEnd(limit: Int) throws(Errno) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count < limit {
            let count = try retrying { Glibc.read(rawValue, &piece, piece.count) }
            if count == 0 { break }
            bytes += piece[..<count]
        }
        return bytes
    }

    /// Writes up to the buffer's length at the current position and says how much was taken.
    package func write(_ buffer: UnsafeRawBufferPointer) throws(Errno) -> Int {
        try retrying { Glibc.write(rawValue, buffer.baseAddress, buffer.count) }
    }

    /// Writes the whole buffer at the current position.
    package func writeAll(_ buffer: UnsafeRawBufferPointer) throws(Errno) {
        var rest = buffer
        while !rest.isEmpty {
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(try write(rest)))
        }
    }

    /// Writes the whole buffer at an offset.
    package func writeAll(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(Errno) {
        var rest = buffer
        var position = offset
        while !rest.isEmpty {
            let written = try retrying { pwrite(rawValue, rest.baseAddress, rest.count, off_t(position)) }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
            position += written
        }
    }

    /// Writes a range of a file at the current position, which the kernel copies. The file has a memory of its own or the disk's:
    /// sockets and pipes have no ranges.
    ///
    /// - Throws: `.invalidArgument` where the file ends before.
    package func appendAll(of source: FileDescriptor, _ range: Range<Int>) throws(Errno) {
        var offset = off_t(range.lowerBound)
        while offset < range.upperBound {
            let rest = range.upperBound - Int(offset)
            guard try retrying({ sendfile(rawValue, source.rawValue, &offset, rest) }) > 0 else {
                throw .invalidArgument
            }
        }
    }

    /// Sets the file's length; what is added reads as zeros.
    package func truncate(to size: Int) throws(Errno) {
        try retrying { ftruncate(rawValue, off_t(size)) }
    }

    /// Waits until what was written is on the disk.
    package func synchronize() throws(Errno) {
        try retrying { fsync(rawValue) }
    }

    /// Waits until the contents, and what it takes to find them, are on the disk; dates may come later.
    package func synchronizeData() throws(Errno) {
        try retrying { fdatasync(rawValue) }
    }
}

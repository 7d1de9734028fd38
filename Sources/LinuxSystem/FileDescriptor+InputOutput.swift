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

    /// What there is to read from the current position on, at most so many bytes: also of files that do not know their size.
    package func contents(limit: Int) throws(Errno) -> [UInt8] {
        var contents: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: min(limit, 16 << 10))
        while contents.count < limit {
            let wanted = min(piece.count, limit - contents.count)
            let count = try retrying { Glibc.read(rawValue, &piece, wanted) }
            if count == 0 { break }
            contents += piece[..<count]
        }
        return contents
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

    /// Sets the file's length; what is added reads as zeros.
    package func truncate(to size: Int) throws(Errno) {
        try retrying { ftruncate(rawValue, off_t(size)) }
    }

    /// Waits until what was written is on the disk.
    package func synchronize() throws(Errno) {
        try retrying { fsync(rawValue) }
    }
}

import CLinux
import Glibc

extension FileDescriptor {
    /// Reads up to `buffer.count` bytes at the current position. Returns 0 at the end of the file.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
        try retrying { Glibc.read(rawValue, buffer.baseAddress, buffer.count) }
    }

    /// Reads up to `buffer.count` bytes at an offset. Returns 0 at the end of the file.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int {
        try retrying { pread(rawValue, buffer.baseAddress, buffer.count, off_t(offset)) }
    }

    /// Reads to the end of the file, from the current position. Stops when at least `limit` bytes were read. The result
    /// may exceed the limit by less than 64 KiB.
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

    /// Writes up to `buffer.count` bytes at the current position. Returns the number of bytes written.
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

    /// Writes the given range of another file at this file's current position, with sendfile(2).
    ///
    /// - Parameter source: a regular file or a memory file.
    /// - Throws: `.invalidArgument` if `source` ends before the end of the range.
    package func appendAll(of source: FileDescriptor, _ range: Range<Int>) throws(Errno) {
        var offset = off_t(range.lowerBound)
        while offset < range.upperBound {
            let rest = range.upperBound - Int(offset)
            guard try retrying({ sendfile(rawValue, source.rawValue, &offset, rest) }) > 0 else {
                throw .invalidArgument
            }
        }
    }

    /// Sets the file's length in bytes. Bytes that are added read as zeros.
    package func truncate(to size: Int) throws(Errno) {
        try retrying { ftruncate(rawValue, off_t(size)) }
    }

    /// Waits until the written data and metadata are on disk (fsync(2)).
    package func synchronize() throws(Errno) {
        try retrying { fsync(rawValue) }
    }

    /// Waits until the contents, and the metadata needed to read them, are on disk (fdatasync(2)). Dates may be written
    /// to disk later.
    package func synchronizeData() throws(Errno) {
        try retrying { fdatasync(rawValue) }
    }
}

import CDeflate
import CZlib
import Glibc
import LinuxSystem

/// A compressor of buffers into raw deflate streams (RFC 1951), for one thread at a time.
struct Deflater: ~Copyable {
    private let compressor: OpaquePointer

    /// Creates a compressor, or `nil` if there is no memory for it.
    ///
    /// - Parameter level: 1 (fast) to 12 (small).
    init?(level: Int) {
        guard let compressor = libdeflate_alloc_compressor(CInt(level)) else { return nil }
        self.compressor = compressor
    }

    deinit { libdeflate_free_compressor(compressor) }

    /// Returns the required size of the output buffer for `count` bytes of input.
    static func bound(_ count: Int) -> Int {
        libdeflate_deflate_compress_bound(nil, count) + DeflateJoint.length
    }

    /// Compresses a whole buffer into one whole stream. Returns the stream's size, or `nil` if the output does not
    /// fit.
    func deflate(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Int? {
        let count = libdeflate_deflate_compress(
            compressor, input.baseAddress, input.count, output.baseAddress, output.count)
        return count == 0 ? nil : count
    }
}

/// The CRC-32 of zip archives.
enum Checksum {
    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        libdeflate_crc32(0, bytes.baseAddress, bytes.count)
    }

    /// Returns the checksum of two consecutive buffers, from the checksum of each and the second's length.
    static func combined(_ first: UInt32, _ second: UInt32, secondLength: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: crc32_combine(uLong(first), uLong(second), secondLength))
    }
}

extension Errno {
    static let outOfMemory = Errno(rawValue: ENOMEM)
}

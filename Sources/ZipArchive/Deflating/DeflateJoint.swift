import CZlib

/// The conversion of a finished deflate stream so that another stream can be appended. In this way a large file can be
/// compressed in pieces on several threads, and read back as one stream.
///
/// The compressor sets the final bit of each piece's last block, and this block may end at any bit. The conversion
/// clears the final bit. It then appends an empty stored block, as zlib's sync flush does, so that the piece ends at a
/// byte (RFC 1951 §3.2.4). The start of the last block can only be found by decompressing, which is several times as
/// fast as compressing.
enum DeflateJoint {
    /// The maximum growth of a piece in bytes: the empty block's header of three bits with the padding after it, and
    /// the four bytes of the block.
    static let length = 6

    /// Converts a stream in place.
    ///
    /// - Parameters:
    ///   - stream: the buffer; the stream is its first `count` bytes, and ``length`` more bytes follow.
    ///   - content: the buffer with the uncompressed bytes. The stream is decompressed into the same buffer, whose
    ///     bytes stay the same.
    /// - Returns: the new length, or `nil` if the stream does not decompress to the length of `content`.
    static func open(
        _ stream: UnsafeMutableRawBufferPointer, count: Int, content: UnsafeMutableRawBufferPointer
    ) -> Int? {
        guard let blocks = lastBlock(UnsafeMutableRawBufferPointer(rebasing: stream[..<count]), content) else {
            return nil
        }
        stream[blocks.begin / 8] &= ~(1 << UInt8(blocks.begin % 8))
        let end = (blocks.end + 3 + 7) / 8
        guard end + 4 <= stream.count else { return nil }
        for index in count..<max(count, end) { stream[index] = 0 }
        stream[end] = 0
        stream[end + 1] = 0
        stream[end + 2] = 0xFF
        stream[end + 3] = 0xFF
        return end + 4
    }

    /// Returns the start and end of the stream's last block, in bits from the start of the stream.
    private static func lastBlock(
        _ stream: UnsafeMutableRawBufferPointer, _ content: UnsafeMutableRawBufferPointer
    ) -> (begin: Int, end: Int)? {
        var reader = z_stream()
        let rawDeflate: CInt = -15
        guard inflateInit2_(&reader, rawDeflate, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK else {
            return nil
        }
        defer { inflateEnd(&reader) }
        reader.next_in = stream.baseAddress?.assumingMemoryBound(to: UInt8.self)
        reader.avail_in = uInt(stream.count)
        reader.next_out = content.baseAddress?.assumingMemoryBound(to: UInt8.self)
        reader.avail_out = uInt(content.count)
        var begin = 0
        while true {
            // `inflate` stops after each block.
            guard inflate(&reader, Z_BLOCK) == Z_OK else { return nil }
            let isBetweenBlocks = reader.data_type & 128 != 0
            let wasLast = reader.data_type & 64 != 0
            guard isBetweenBlocks else { return nil }
            let position = (stream.count - Int(reader.avail_in)) * 8 - Int(reader.data_type & 7)
            if wasLast { return reader.avail_out == 0 ? (begin, position) : nil }
            begin = position
        }
    }
}

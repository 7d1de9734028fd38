import Glibc
import LinuxSystem

/// A reader that reads pieces of files and compresses them. Each thread has one, with reusable buffers.
struct PieceMaker: ~Copyable {
    private let deflater: Deflater
    private let compressibility: Compressibility
    private let input: UnsafeMutableRawBufferPointer
    private let output: UnsafeMutableRawBufferPointer
    /// The compressed form of a part that has the maximum size, contains only zeros, and is not the last part of its
    /// file. `nil` until such a part was read. Disk images have thousands of such parts.
    private var zeros: Piece?

    /// Creates a reader with its buffers.
    ///
    /// - Throws: `ENOMEM`.
    init(level: Int) throws(Errno) {
        let compressibility = try Compressibility()
        guard let deflater = Deflater(level: level) else { throw .outOfMemory }
        self.deflater = deflater
        self.compressibility = compressibility
        // One byte more than the largest piece, to detect that a file continues.
        input = .allocate(byteCount: PieceRequest.size + 1, alignment: 4096)
        output = .allocate(byteCount: Deflater.bound(PieceRequest.size), alignment: 4096)
    }

    deinit {
        input.deallocate()
        output.deallocate()
    }

    mutating func make(_ request: PieceRequest) throws(PieceError) -> Piece {
        switch request.extent {
        case .whole: try makeWhole(request)
        case .part(let range, let isLast): try makePart(request, range, isLast: isLast)
        }
    }

    private func makeWhole(_ request: PieceRequest) throws(PieceError) -> Piece {
        let size = request.status.size
        // A file with the size 0 may have generated contents, as in /proc.
        let count = try read(request.file, at: 0, upTo: size == 0 ? PieceRequest.size + 1 : size)
        guard size == 0 || count == size else { throw .changed }
        guard count <= PieceRequest.size else { throw .sizeUnknown }
        guard try Self.status(request.file).hasSameContent(as: request.status) else { throw .changed }
        let content = UnsafeMutableRawBufferPointer(rebasing: input[..<count])
        let checksum = Checksum.of(UnsafeRawBufferPointer(content))
        if request.deflates, count > 0, compressibility.isCompressible(UnsafeRawBufferPointer(content)),
            let deflated = deflater.deflate(UnsafeRawBufferPointer(content), into: output), deflated < count
        {
            return Piece(method: .deflated, size: count, checksum: checksum, bytes: Array(output[..<deflated]))
        }
        return Piece(method: .stored, size: count, checksum: checksum, bytes: Array(content))
    }

    /// Reads and compresses a part of a large file. Throws if the file is too short. Other changes of the file are only
    /// detected once, after its last part.
    private mutating func makePart(
        _ request: PieceRequest, _ range: Range<Int>, isLast: Bool
    ) throws(PieceError) -> Piece {
        guard try read(request.file, at: range.lowerBound, upTo: range.count) == range.count else { throw .changed }
        let content = UnsafeMutableRawBufferPointer(rebasing: input[..<range.count])
        let areZeros = request.deflates && !isLast && range.count == PieceRequest.size && Self.areZeros(content)
        if areZeros, let zeros { return zeros }
        let checksum = Checksum.of(UnsafeRawBufferPointer(content))
        guard request.deflates else {
            return Piece(method: .stored, size: range.count, checksum: checksum, bytes: Array(content))
        }
        var deflated = deflater.deflate(UnsafeRawBufferPointer(content), into: output)
        if !isLast, let count = deflated { deflated = DeflateJoint.open(output, count: count, content: content) }
        // Neither compressing nor opening the stream can fail, because the buffer has the required size, and the stream
        // is one of this compressor.
        guard let deflated else { throw .system(.inputOutput) }
        let piece = Piece(method: .deflated, size: range.count, checksum: checksum, bytes: Array(output[..<deflated]))
        if areZeros { zeros = piece }
        return piece
    }

    /// Whether all the given bytes are 0. There must be at least one byte.
    private static func areZeros(_ bytes: UnsafeMutableRawBufferPointer) -> Bool {
        guard let start = bytes.baseAddress, bytes.first == 0 else { return false }
        // Compares each byte with the next.
        return memcmp(start, start + 1, bytes.count - 1) == 0
    }

    /// Reads until `count` bytes are read or the file ends.
    private func read(_ file: FileDescriptor, at offset: Int, upTo count: Int) throws(PieceError) -> Int {
        var filled = 0
        while filled < count {
            let got: Int
            do throws(Errno) {
                got = try file.read(
                    into: UnsafeMutableRawBufferPointer(rebasing: input[filled..<count]), at: offset + filled)
            } catch {
                throw .system(error)
            }
            if got == 0 { break }
            filled += got
        }
        return filled
    }

    private static func status(_ file: FileDescriptor) throws(PieceError) -> FileStatus {
        do throws(Errno) { return try file.status() } catch { throw .system(error) }
    }
}

import CCurl
import LinuxSystem

/// A digest of contents that are added in pieces, by one of the algorithms that file servers use for checksums.
///
///     var digest = try MessageDigest(.md5)
///     try digest.add(bytes)
///     let text = try digest.finish()  // 32 hexadecimal digits
///
/// MD5 and SHA-1 detect damage, not forgery.
public struct MessageDigest: ~Copyable {
    /// An algorithm for digests.
    public enum Algorithm: Sendable {
        case md5, sha1, sha256
    }

    private let context: OpaquePointer

    /// Begins a digest.
    ///
    /// - Throws: ``HTTPError/outOfMemory``, also if the system forbids the algorithm.
    public init(_ algorithm: Algorithm) throws(HTTPError) {
        let kind =
            switch algorithm {
            case .md5: CCURL_DIGEST_MD5
            case .sha1: CCURL_DIGEST_SHA1
            case .sha256: CCURL_DIGEST_SHA256
            }
        guard let context = ccurl_digest_create(kind) else { throw .outOfMemory }
        self.context = context
    }

    deinit { ccurl_digest_free(context) }

    /// Adds the next piece of the contents.
    public mutating func add(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) {
        guard ccurl_digest_add(context, bytes.baseAddress, bytes.count) != 0 else { throw .outOfMemory }
    }

    /// Returns the digest in hexadecimal digits. Nothing can be added afterwards.
    public consuming func finish() throws(HTTPError) -> String {
        try finishedBytes().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    consuming func finishedBytes() throws(HTTPError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(CCURL_DIGEST_SIZE))
        let count = ccurl_digest_finish(context, &bytes)
        guard count > 0 else { throw .outOfMemory }
        return Array(bytes.prefix(count))
    }

    /// Returns the digest of bytes in memory, in hexadecimal digits.
    public static func hexadecimal(_ algorithm: Algorithm, of bytes: [UInt8]) throws(HTTPError) -> String {
        try begun(algorithm, bytes).finish()
    }

    static func bytes(_ algorithm: Algorithm, of bytes: [UInt8]) throws(HTTPError) -> [UInt8] {
        try begun(algorithm, bytes).finishedBytes()
    }

    private static func begun(_ algorithm: Algorithm, _ bytes: [UInt8]) throws(HTTPError) -> MessageDigest {
        var digest = try MessageDigest(algorithm)
        try bytes.withUnsafeBufferPointer { bytes throws(HTTPError) in try digest.add(UnsafeRawBufferPointer(bytes)) }
        return digest
    }

    /// Returns the digest of a part of a regular file, in hexadecimal digits. Reads the part, which blocks.
    public static func hexadecimal(
        _ algorithm: Algorithm, of file: FileDescriptor, _ range: Range<Int>
    ) throws(HTTPError) -> String {
        var digest = try MessageDigest(algorithm)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { buffer.deallocate() }
        var position = range.lowerBound
        while position < range.upperBound {
            let wanted = min(buffer.count, range.upperBound - position)
            let count: Int
            do {
                count = try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: position)
            } catch {
                throw .file(error)
            }
            guard count > 0 else { throw .fileTooShort }
            try digest.add(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            position += count
        }
        return try digest.finish()
    }
}

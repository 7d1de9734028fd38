import ExtensionHost
import UniformTypeIdentifiers

/// A picture of the thumbnail cache: a PNG file with the URI and the modification date of the file that it shows.
///
/// Source: the thumbnail specification of freedesktop.org, and the PNG specification for its chunks.
enum ThumbnailPicture {
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// The size in bytes of the signature and the header chunk, including the chunk's length, name and checksum.
    static let headSize = 8 + 25

    /// Returns the maximum size in bytes of the beginning of a picture with all its metadata. It applies to pictures
    /// that Purvey wrote, because all their metadata except the file's URI is short.
    static func longestHead(uri: String) -> Int { headSize + uri.utf8.count + 256 }

    /// Returns the header of a picture, followed by metadata with the URI and the date of the file that it shows.
    ///
    /// - Parameters:
    ///   - picture: The first ``headSize`` bytes of a PNG file, or more.
    ///   - modified: The file's modification date in seconds since 1970.
    /// - Returns: The bytes that replace the first ``headSize`` bytes; `nil` if `picture` is not a PNG file.
    static func head(of picture: some Collection<UInt8>, uri: String, modified: Int64) -> [UInt8]? {
        let head = Array(picture.prefix(headSize))
        guard head.count == headSize, head.starts(with: signature),
            head[8..<16].elementsEqual([0, 0, 0, 13] + Array("IHDR".utf8))
        else { return nil }
        var result = head
        for (key, value) in [("Thumb::URI", uri), ("Thumb::MTime", "\(modified)"), ("Software", "Purvey")] {
            append("tEXt", Array(key.utf8) + [0] + Array(value.utf8), to: &result)
        }
        return result
    }

    /// Returns a picture of one pixel, which records that a file has no picture.
    static func failure(uri: String, modified: Int64) -> [UInt8] {
        var picture = signature
        // One by one pixel, 8 bits of grey.
        append("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0], to: &picture)
        // One row of one pixel, stored without compression.
        append("IDAT", [0x78, 0x01, 0x01, 2, 0, 0xFD, 0xFF, 0, 0, 0, 2, 0, 1], to: &picture)
        append("IEND", [], to: &picture)
        guard let head = head(of: picture, uri: uri, modified: modified) else { return picture }
        return head + picture[headSize...]
    }

    /// Returns the modification date of the file that a picture shows, which is recorded at the beginning of the
    /// picture; `nil` if the picture has no date or belongs to another file.
    static func modified(in bytes: [UInt8], uri: String) -> Int64? {
        guard bytes.starts(with: signature) else { return nil }
        var position = signature.count
        var texts: [String: String] = [:]
        while position + 8 <= bytes.count {
            let size = bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
            let end = position + 8 + size
            guard size >= 0, end + 4 <= bytes.count else { break }
            if bytes[position + 4..<position + 8].elementsEqual("tEXt".utf8) {
                let parts = bytes[position + 8..<end].split(
                    separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
                if parts.count == 2 {
                    texts[String(decoding: parts[0], as: UTF8.self)] = String(decoding: parts[1], as: UTF8.self)
                }
            }
            position = end + 4
        }
        guard texts["Thumb::URI"] == uri else { return nil }
        return texts["Thumb::MTime"].flatMap { Int64($0) }
    }

    private static func append(_ name: String, _ body: [UInt8], to picture: inout [UInt8]) {
        let named = Array(name.utf8) + body
        withUnsafeBytes(of: UInt32(body.count).bigEndian) { picture += $0 }
        picture += named
        withUnsafeBytes(of: checksum(named).bigEndian) { picture += $0 }
    }

    /// Computes the CRC-32 bit by bit, which is fast enough for a few dozen bytes.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var sum = ~UInt32(0)
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 {
                let isOdd = sum & 1 == 1
                sum >>= 1
                if isOdd { sum ^= 0xEDB8_8320 }
            }
        }
        return ~sum
    }
}

/// The types of files that have thumbnails. Each type is looked up once.
struct PictureTypes {
    private var known: [String: Bool] = [:]

    /// The types that thumbnailers support.
    private static let drawn: [UTType] = [.image, .movie, .pdf, .audiovisualContent]

    mutating func contains(_ identifier: String) -> Bool {
        if let known = known[identifier] { return known }
        let isDrawn = UTType(identifier).map { type in Self.drawn.contains { type.conforms(to: $0) } } ?? false
        known[identifier] = isDrawn
        return isDrawn
    }
}

/// The cache and the process with which thumbnails are made for all domains.
package struct Thumbnails: Sendable {
    let cache: ThumbnailCache
    let pictures: PictureProcess

    /// Creates the thumbnail support.
    ///
    /// - Parameters:
    ///   - path: The directory of the desktop's thumbnail cache.
    ///   - pictures: The process that decodes and scales pictures.
    package init(path: String, pictures: PictureProcess) {
        cache = ThumbnailCache(path: path)
        self.pictures = pictures
    }
}

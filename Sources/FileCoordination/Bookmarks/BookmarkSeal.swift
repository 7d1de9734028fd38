import CAuthentication
import Conduit
import Foundation

/// The encoding of bookmarks. An authentication code proves that Purvey created a bookmark for the same user.
///
///     offset  bytes
///     0       4     "PVBK"
///     4       1     version of the format: 1
///     5       3     zero
///     8       32    HMAC-SHA256 of bytes 0 to 7 and everything after the code, with the user's key
///     40            the bookmark, in CBOR
///
/// An incompatible change of the format increases the version. New keys in the CBOR map do not, because older readers
/// skip them.
package enum BookmarkSeal {
    private static let head: [UInt8] = Array("PVBK".utf8) + [1, 0, 0, 0]
    private static let codeLength = Int(CAUTHENTICATION_LENGTH)
    /// The maximum size of a bookmark in bytes. It is larger than any valid bookmark.
    package static let largest = 1 << 20

    /// The reason why data is not a valid bookmark.
    package enum SealError: Error, Equatable {
        /// The data does not begin with the signature of a bookmark, or is truncated.
        case notABookmark
        /// The data was made by a later version of Purvey.
        case unknownVersion(UInt8)
        /// The data was changed, or created with the key of another user or machine.
        case notAuthentic
        /// The data is authentic but cannot be decoded.
        case malformed
    }

    /// Whether the data begins with the signature of a bookmark.
    package static func isBookmark(_ data: Data) -> Bool { data.starts(with: head.prefix(4)) }

    package static func seal(_ bookmark: Bookmark, _ key: BookmarkKey) -> Data {
        var encoder = MessageEncoder()
        encoder.encode(bookmark, forKey: 0)
        let body = encoder.bytes
        return Data(head + key.code(of: head + body) + body)
    }

    package static func open(_ data: Data, _ key: BookmarkKey) throws(SealError) -> Bookmark {
        let bytes = [UInt8](data.prefix(largest + 1))
        guard bytes.count <= largest, bytes.count > head.count + codeLength, bytes.starts(with: head.prefix(4)) else {
            throw .notABookmark
        }
        guard bytes[4] == head[4] else { throw .unknownVersion(bytes[4]) }
        let body = bytes[(head.count + codeLength)...]
        let code = Array(bytes[head.count..<head.count + codeLength])
        let expected = key.code(of: bytes[..<head.count] + body)
        guard cauthentication_equal(code, expected, codeLength) != 0 else { throw .notAuthentic }
        let bookmark = body.withUnsafeBytes { body -> Bookmark? in
            var decoder = MessageDecoder(body)
            return try? decoder.decode(forKey: 0)
        }
        guard let bookmark else { throw .malformed }
        return bookmark
    }
}

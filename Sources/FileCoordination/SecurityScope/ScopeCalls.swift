import Conduit
import Foundation
import LinuxSystem

/// The calls of a confined process to the daemon, over a socket that the process inherits. The daemon knows the
/// bundle that it started with that socket, so the calls do not name it.
package enum ScopeLink {
    /// The number of the socket's descriptor in a confined process.
    package static let descriptorNumber = 4
    /// The environment variable with that number.
    package static let environmentKey = "PURVEY_SCOPE_LINK"
    /// The error domain in messages.
    package static let domain = "PurveyScope"

    /// The reason why the daemon refuses a call.
    package enum Refusal: Int64, Sendable {
        /// The data is no bookmark, or was changed, or is that of another user.
        case notAuthentic = 1
        /// The bookmark was made for another bundle.
        case notForThisBundle = 2
        case itemNotFound = 3
        /// The system refused the operation.
        case failed = 4
    }
}

/// Resolves a bookmark. The item can be used after a `BeginAccessCall`.
package struct ResolveScopeCall: Call {
    package static var method: UInt64 { 1 }
    package let bookmark: ByteString
    /// The file that the bookmark is relative to, open.
    package let base: FileDescriptor?

    package init(bookmark: ByteString, base: FileDescriptor?) {
        self.bookmark = bookmark
        self.base = base
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        bookmark = try decoder.decode(forKey: 0)
        base = try decoder.decodeIfPresent(forKey: 1)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(bookmark, forKey: 0)
        encoder.encodeIfPresent(base, forKey: 1)
    }

    package struct Reply: Message {
        /// The item's identifier for the calls below, on this connection.
        package let token: UInt64
        /// The path of the item for the confined process, while it has access.
        package let path: String
        package let isDirectory: Bool
        package let isStale: Bool

        package init(token: UInt64, path: String, isDirectory: Bool, isStale: Bool) {
            self.token = token
            self.path = path
            self.isDirectory = isDirectory
            self.isStale = isStale
        }

        package init(from decoder: inout MessageDecoder) throws(MessageError) {
            token = try decoder.decode(forKey: 0)
            path = try decoder.decode(forKey: 1)
            isDirectory = try decoder.decode(forKey: 2)
            isStale = try decoder.decode(forKey: 3)
        }

        package func encode(to encoder: inout MessageEncoder) {
            encoder.encode(token, forKey: 0)
            encoder.encode(path, forKey: 1)
            encoder.encode(isDirectory, forKey: 2)
            encoder.encode(isStale, forKey: 3)
        }
    }
}

/// Requests an open descriptor of the item, and makes the item appear at its path.
package struct BeginAccessCall: Call {
    package static var method: UInt64 { 2 }
    package let token: UInt64

    package init(token: UInt64) { self.token = token }
    package init(from decoder: inout MessageDecoder) throws(MessageError) { token = try decoder.decode(forKey: 0) }
    package func encode(to encoder: inout MessageEncoder) { encoder.encode(token, forKey: 0) }

    package struct Reply: Message {
        /// Open for reading, and for writing if the bookmark allows that.
        package let item: FileDescriptor

        package init(item: FileDescriptor) { self.item = item }
        package init(from decoder: inout MessageDecoder) throws(MessageError) { item = try decoder.decode(forKey: 0) }
        package func encode(to encoder: inout MessageEncoder) { encoder.encode(item, forKey: 0) }
    }
}

/// Ends the access. The path no longer exists when the reply arrives.
package struct EndAccessCall: Call {
    package typealias Reply = Empty
    package static var method: UInt64 { 3 }
    package let token: UInt64

    package init(token: UInt64) { self.token = token }
    package init(from decoder: inout MessageDecoder) throws(MessageError) { token = try decoder.decode(forKey: 0) }
    package func encode(to encoder: inout MessageEncoder) { encoder.encode(token, forKey: 0) }
}

/// Requests a new bookmark of a resolved item, for the same bundle and with no more access, such as when the old one
/// is stale.
package struct RenewBookmarkCall: Call {
    package static var method: UInt64 { 4 }
    package let token: UInt64
    /// The raw value of `NSURL.BookmarkCreationOptions`.
    package let options: UInt64
    /// The file that the bookmark is to be relative to, open.
    package let base: FileDescriptor?
    /// The names of the resource values to store.
    package let keys: [String]

    package init(token: UInt64, options: UInt64, base: FileDescriptor?, keys: [String]) {
        self.token = token
        self.options = options
        self.base = base
        self.keys = keys
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        token = try decoder.decode(forKey: 0)
        options = try decoder.decode(forKey: 1)
        base = try decoder.decodeIfPresent(forKey: 2)
        keys = try decoder.decodeIfPresent(forKey: 3) ?? []
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(token, forKey: 0)
        encoder.encode(options, forKey: 1)
        encoder.encodeIfPresent(base, forKey: 2)
        if !keys.isEmpty { encoder.encode(keys, forKey: 3) }
    }

    package struct Reply: Message {
        package let bookmark: ByteString

        package init(bookmark: ByteString) { self.bookmark = bookmark }
        package init(from decoder: inout MessageDecoder) throws(MessageError) {
            bookmark = try decoder.decode(forKey: 0)
        }
        package func encode(to encoder: inout MessageEncoder) { encoder.encode(bookmark, forKey: 0) }
    }
}

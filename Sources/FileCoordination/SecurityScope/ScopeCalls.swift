import Conduit
import Foundation
import LinuxSystem

/// What a confined process asks of the daemon over the socket that it was started with. The daemon knows which bundle it has
/// started there; nothing of that is said here.
package enum ScopeLink {
    /// The descriptor of that socket in a confined process.
    package static let descriptorNumber = 4
    /// In the environment of a confined process: the number of that descriptor.
    package static let environmentKey = "PURVEY_SCOPE_LINK"
    /// The error domain on the wire.
    package static let domain = "PurveyScope"

    /// Why the daemon says no.
    package enum Refusal: Int64, Sendable {
        /// No bookmark, a changed one, or one of another user.
        case notAuthentic = 1
        /// It was made for somebody else.
        case notForThisBundle = 2
        case itemNotFound = 3
        /// The system does not let the daemon do it.
        case failed = 4
    }
}

/// Presents a bookmark. What it leads to can be used from `BeginAccessCall` on.
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
        /// What the item is called in the calls below, on this connection.
        package let token: UInt64
        /// Where the confined process finds the item, while it has access.
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

/// Asks for the item itself, as an open descriptor, and for its path to be there.
package struct BeginAccessCall: Call {
    package static var method: UInt64 { 2 }
    package let token: UInt64

    package init(token: UInt64) { self.token = token }
    package init(from decoder: inout MessageDecoder) throws(MessageError) { token = try decoder.decode(forKey: 0) }
    package func encode(to encoder: inout MessageEncoder) { encoder.encode(token, forKey: 0) }

    package struct Reply: Message {
        /// Open for reading, and for writing where the bookmark allows it.
        package let item: FileDescriptor

        package init(item: FileDescriptor) { self.item = item }
        package init(from decoder: inout MessageDecoder) throws(MessageError) { item = try decoder.decode(forKey: 0) }
        package func encode(to encoder: inout MessageEncoder) { encoder.encode(item, forKey: 0) }
    }
}

/// Gives the access back: the path is gone when this is answered.
package struct EndAccessCall: Call {
    package typealias Reply = Empty
    package static var method: UInt64 { 3 }
    package let token: UInt64

    package init(token: UInt64) { self.token = token }
    package init(from decoder: inout MessageDecoder) throws(MessageError) { token = try decoder.decode(forKey: 0) }
    package func encode(to encoder: inout MessageEncoder) { encoder.encode(token, forKey: 0) }
}

/// Asks for a new bookmark of an item that was resolved, for the same bundle and with no more access: when the old one is
/// stale.
package struct RenewBookmarkCall: Call {
    package static var method: UInt64 { 4 }
    package let token: UInt64
    /// The raw value of `NSURL.BookmarkCreationOptions`.
    package let options: UInt64
    /// The file that the bookmark is to be relative to, open.
    package let base: FileDescriptor?
    /// The names of the resource values that it is to keep.
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

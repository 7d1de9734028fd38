import Conduit
import Foundation
import LinuxSystem

/// The socket, inherited by a confined process, over which the process calls the daemon about security scopes. The
/// daemon knows from the socket which bundle the process runs, so the calls do not name the bundle.
package enum ScopeLink {
    /// The file descriptor number of the socket in a confined process.
    package static let descriptorNumber = 4
    /// The environment variable with the file descriptor number of the socket.
    package static let environmentKey = "PURVEY_SCOPE_LINK"
    /// The domain of errors in replies.
    package static let domain = "PurveyScope"

    /// The reason why the daemon refuses a call.
    package enum Refusal: Int64, Sendable {
        /// The data is not a bookmark, was changed, or belongs to another user.
        case notAuthentic = 1
        /// The bookmark was made for another bundle.
        case notForThisBundle = 2
        case itemNotFound = 3
        /// The system refused the operation.
        case failed = 4
    }
}

/// Resolves a bookmark. The process can use the item after a `BeginAccessCall`.
package struct ResolveScopeCall: Call, SchemaMessage {
    package static var method: UInt64 { 1 }
    package let bookmark: ByteString
    /// The open file to which the bookmark is relative; `nil` if the bookmark is not relative.
    package let base: FileDescriptor?

    package init(bookmark: ByteString, base: FileDescriptor?) {
        self.bookmark = bookmark
        self.base = base
    }

    package static let schema = Schema(Self.init, Field(0, \.bookmark), Field(1, \.base))

    package struct Reply: SchemaMessage {
        /// The item's identifier in later calls on this connection.
        package let token: UInt64
        /// The path under which the confined process sees the item while it has access.
        package let path: String
        package let isDirectory: Bool
        package let isStale: Bool

        package init(token: UInt64, path: String, isDirectory: Bool, isStale: Bool) {
            self.token = token
            self.path = path
            self.isDirectory = isDirectory
            self.isStale = isStale
        }

        package static let schema = Schema(
            Self.init, Field(0, \.token), Field(1, \.path), Field(2, \.isDirectory), Field(3, \.isStale))
    }
}

/// Requests an open descriptor of the item, and makes the item visible at the path in the reply to the
/// ``ResolveScopeCall``.
package struct BeginAccessCall: Call, SchemaMessage {
    package static var method: UInt64 { 2 }
    package let token: UInt64

    package init(token: UInt64) { self.token = token }
    package static let schema = Schema(Self.init, Field(0, \.token))

    package struct Reply: SchemaMessage {
        /// The item's descriptor, open for reading, and for writing if the bookmark allows that.
        package let item: FileDescriptor

        package init(item: FileDescriptor) { self.item = item }
        package static let schema = Schema(Self.init, Field(0, \.item))
    }
}

/// Ends the access to an item. When the reply arrives, the item's path no longer exists. The call fails if the daemon
/// could not remove the path.
package struct EndAccessCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { 3 }
    package let token: UInt64

    package init(token: UInt64) { self.token = token }
    package static let schema = Schema(Self.init, Field(0, \.token))
}

/// Requests a new bookmark of a resolved item, for example because the old one is stale. The new bookmark is for the
/// same bundle, and grants at most the access of the old one.
package struct RenewBookmarkCall: Call, SchemaMessage {
    package static var method: UInt64 { 4 }
    package let token: UInt64
    /// The raw value of `NSURL.BookmarkCreationOptions`.
    package let options: UInt64
    /// The open file to which the new bookmark is to be relative; `nil` if it is not to be relative.
    package let base: FileDescriptor?
    /// The names of the resource values to store.
    package let keys: [String]

    package init(token: UInt64, options: UInt64, base: FileDescriptor?, keys: [String]) {
        self.token = token
        self.options = options
        self.base = base
        self.keys = keys
    }

    package static let schema = Schema(
        Self.init, Field(0, \.token), Field(1, \.options), Field(2, \.base), Field(3, \.keys, default: []))

    package struct Reply: SchemaMessage {
        package let bookmark: ByteString

        package init(bookmark: ByteString) { self.bookmark = bookmark }
        package static let schema = Schema(Self.init, Field(0, \.bookmark))
    }
}

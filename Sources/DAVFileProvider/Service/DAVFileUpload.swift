import HTTPTransport
import LinuxSystem
import WebDAVClient

/// The contents of a file that are sent to the server.
public struct DAVFileUpload: Sendable {
    /// The file, which does not change while it is sent.
    public let file: FileDescriptor
    /// The number of bytes.
    public let count: Int
    /// The file's address at the server.
    public let address: HTTPAddress
    /// The state that the server's file must have, or that it must be absent. An upload that ignores it loses other
    /// clients' changes.
    public let requirements: DAVRequirements
    /// The file's date.
    public let modified: HTTPDate?
    /// A name that stays the same when the upload of these contents is repeated, also by another process.
    public let token: String
    /// The server's behaviour. A service that sends the contents by a protocol of its own must check that the
    /// protection applies to that protocol, too.
    public let profile: DAVServerProfile
}

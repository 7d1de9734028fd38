import HTTPTransport
import LinuxSystem
import WebDAVClient

/// The upload of a file's contents to the server.
public struct DAVFileUpload: Sendable {
    /// The file, which does not change while it is sent.
    public let file: FileDescriptor
    /// The number of bytes.
    public let count: Int
    /// The file's address at the server.
    public let address: HTTPAddress
    /// The condition for the upload: the state of the file at the server, or that no such file exists. An upload that
    /// ignores this condition loses other clients' changes.
    public let requirements: DAVRequirements
    /// The file's modification date; `nil` if it is unknown.
    public let modified: HTTPDate?
    /// A name that is the same for each attempt to upload these contents, including attempts by another process.
    public let token: String
    /// The server's behaviour. A service that sends the contents by a protocol of its own must check that conditions
    /// protect this protocol, too.
    public let profile: DAVServerProfile
}

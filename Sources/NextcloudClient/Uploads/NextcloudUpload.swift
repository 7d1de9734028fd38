import HTTPTransport
import WebDAVClient

/// An upload in chunks that has begun, to be stored so that it goes on after a restart.
///
/// The server forgets one after 24 hours without a request. It goes on then from the beginning.
public struct NextcloudUpload: Hashable, Sendable, Codable {
    /// The name of the upload's directory at the server.
    public let name: String
    /// The address of the file.
    public let destination: String
    /// The number of bytes of the file.
    public let size: Int
    /// The caller's mark of the file's contents. Chunks of other contents must never come together.
    public let contents: String
    /// Whether the server was asked to assemble the file, so that it may have done so.
    public internal(set) var isAssembling = false

    /// Creates the upload of a file. It has the same name for the same address, size and contents, so it is found again
    /// even if it was not stored.
    public init(_ file: NextcloudFile, contents: String) throws(DAVError) {
        let text = "\(file.address) \(file.size) \(contents)"
        do {
            name = "purvey-" + (try MessageDigest.hexadecimal(.sha256, of: Array(text.utf8))).prefix(32)
        } catch {
            throw DAVError(error)
        }
        destination = file.address.description
        size = file.size
        self.contents = contents
    }
}

import HTTPTransport
import WebDAVClient

/// An upload in chunks that has begun. A caller stores it to resume the upload after a restart.
///
/// The server discards an upload after 24 hours without a request. It then begins again.
public struct NextcloudUpload: Hashable, Sendable, Codable {
    /// The name of the upload's directory at the server.
    public let name: String
    /// The address of the file.
    public let destination: String
    /// The number of bytes of the file.
    public let size: Int
    /// The caller's mark of the file's contents. Chunks of different contents must never be combined.
    public let contents: String
    /// Whether the request to assemble the file was sent, so that the file may be assembled.
    public internal(set) var isAssembling = false

    /// Creates the upload of a file. It has the same name for the same address, size and contents, so it is found again
    /// even if it was not stored.
    public init(_ file: NextcloudFile, contents: String) throws(DAVError) {
        // The numbers of chunks stand for places in the file, in units of this size.
        let unit = ChunkSizes.unit(ofFileSize: file.size)
        let text = "\(file.address) \(file.size) \(contents) \(unit)"
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

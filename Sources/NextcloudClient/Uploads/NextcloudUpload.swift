import HTTPTransport

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

    init(_ file: NextcloudFile, contents: String) {
        name =
            "purvey-"
            + [UInt64](repeating: 0, count: 2).map { _ in
                String(UInt64.random(in: .min ... .max), radix: 16)
            }.joined()
        destination = file.address.description
        size = file.size
        self.contents = contents
    }

    /// Whether chunks of this upload belong to a file.
    func belongs(to file: NextcloudFile, _ contents: String) -> Bool {
        destination == file.address.description && size == file.size && self.contents == contents
    }
}

import HTTPTransport
import LinuxSystem
import WebDAVClient

/// The state of a file after it was written.
public struct NextcloudWritten: Sendable, Equatable {
    /// The tag of the new state.
    public let tag: DAVEntityTag?
    /// The identifier of the file, followed by the server's identifier, as in ``NextcloudEntry/instanceID``.
    public let instanceID: String?
    /// Whether the server has stored the date that the client sent.
    public let hasTakenDate: Bool
    /// The letters of the user's permissions, as ``NextcloudPermissions/init(letters:)`` parses them; `nil` if the
    /// reply does not contain them.
    public var permissionLetters: String?

    init(_ response: HTTPResponse) {
        tag = (response.headers["OC-ETag"] ?? response.headers["ETag"]).flatMap { DAVEntityTag($0) }
        instanceID = response.headers["OC-FileId"]
        hasTakenDate = response.headers["X-OC-MTime"]?.lowercased() == "accepted"
    }

    init(_ entry: NextcloudEntry, modified: HTTPDate?) {
        tag = entry.entry.tag
        instanceID = entry.instanceID
        hasTakenDate = modified != nil && entry.entry.modified == modified
    }

    init(tag: DAVEntityTag?, instanceID: String?, hasTakenDate: Bool, permissionLetters: String? = nil) {
        self.tag = tag
        self.instanceID = instanceID
        self.hasTakenDate = hasTakenDate
        self.permissionLetters = permissionLetters
    }
}

/// A file to write, and the required state at its address.
public struct NextcloudFile: Sendable {
    /// The contents. They must not change while they are sent.
    public var file: FileDescriptor
    /// The number of bytes.
    public var size: Int
    /// The address.
    public var address: HTTPAddress
    /// The required state at the address: no file, or a file with a tag.
    public var state = DAVRequirements.State.any
    /// The file's date.
    public var modified: HTTPDate?
    /// A checksum such as `SHA1:…`, which other clients compare.
    public var checksum: String?

    /// Creates the description of a file.
    public init(_ file: FileDescriptor, size: Int, to address: HTTPAddress, if state: DAVRequirements.State = .any) {
        self.file = file
        self.size = size
        self.address = address
        self.state = state
    }

    /// Sets the header fields about the file.
    func apply(to request: inout HTTPRequest) {
        request.headers["OC-Total-Length"] = String(size)
        if let modified { request.headers["X-OC-Mtime"] = String(modified.seconds) }
        if let checksum { request.headers["OC-Checksum"] = checksum }
    }
}

extension NextcloudClient {
    /// Writes a whole file in one request.
    public func put(
        _ file: NextcloudFile, onProgress: (@Sendable (_ sent: Int) -> Void)? = nil
    ) async throws(DAVError) -> NextcloudWritten {
        var request = files.request(.put, file.address)
        request.body = .file(file.file, offset: 0, count: file.size)
        request.headers["Content-Type"] = "application/octet-stream"
        file.apply(to: &request)
        DAVRequirements(resource: file.state).apply(to: &request)
        request.onProgress = onProgress.map { onProgress in { @Sendable sent, _ in onProgress(sent) } }
        return NextcloudWritten(try await files.send(request, to: .memory(limit: 1 << 20)))
    }
}

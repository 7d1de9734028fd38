import HTTPTransport
import WebDAVClient
import XMLStream

extension NextcloudClient {
    /// Begins an upload.
    func begin(_ upload: NextcloudUpload, _ file: NextcloudFile) async throws(DAVError) {
        var request = files.request(.mkcol, try directory(of: upload))
        request.headers["Destination"] = file.address.description
        request.headers["OC-Total-Length"] = String(file.size)
        _ = try await files.send(request)
    }

    /// Abandons an upload, and removes its chunks.
    public func abort(_ upload: NextcloudUpload) async throws(DAVError) {
        var request = files.request(.delete, try directory(of: upload))
        request.headers["Destination"] = upload.destination
        do {
            _ = try await files.send(request)
        } catch {
            guard case .notFound = error else { throw error }
        }
    }

    func directory(of upload: NextcloudUpload) throws(DAVError) -> HTTPAddress {
        try directory("uploads", user, upload.name)
    }

    /// Sends one chunk. The server replaces an earlier chunk with the same number, so the call can be repeated at any
    /// time.
    func send(
        _ range: Range<Int>, of file: NextcloudFile, as number: Int, _ upload: NextcloudUpload,
        _ onProgress: (@Sendable (_ sent: Int) -> Void)?
    ) async throws(DAVError) {
        let digits = String(number)
        let name = String(repeating: "0", count: max(0, 5 - digits.utf8.count)) + digits
        var request = files.request(.put, try child(name, of: directory(of: upload)))
        request.body = .file(file.file, offset: range.lowerBound, count: range.count)
        request.headers["Content-Type"] = "application/octet-stream"
        request.headers["Destination"] = file.address.description
        request.headers["OC-Total-Length"] = String(file.size)
        request.onProgress = onProgress.map { onProgress in
            { @Sendable sent, _ in onProgress(sent) }
        }
        _ = try await files.send(request, to: .memory(limit: 1 << 20))
    }

    /// Returns the chunks that the server has, by number; `nil` if the upload no longer exists at the server.
    func chunks(of upload: NextcloudUpload) async throws(DAVError) -> [Int: (size: Int, address: HTTPAddress)]? {
        let directory = try directory(of: upload)
        var found: [Int: (size: Int, address: HTTPAddress)] = [:]
        do {
            for entry in try await files([]).list(directory).all() {
                guard let number = Int(entry.name), number > 0, let size = entry.length else { continue }
                found[number] = (size, entry.address)
            }
        } catch {
            guard case .notFound = error else { throw error }
            return nil
        }
        return found
    }

    /// Whether the directory of an upload still exists at the server. The server removes it when the file is assembled,
    /// or when the upload is too old.
    func exists(_ upload: NextcloudUpload) async throws(DAVError) -> Bool {
        do {
            _ = try await files([]).entry(at: directory(of: upload))
            return true
        } catch {
            guard case .notFound = error else { throw error }
            return false
        }
    }

    /// Requests that the server assemble a file from its chunks.
    func assemble(_ upload: NextcloudUpload, _ file: NextcloudFile) async throws(DAVError) -> NextcloudWritten {
        var request = files.request(.move, try child(".file", of: directory(of: upload)))
        file.apply(to: &request)
        // The server would compare If-Match with the chunks. The tag of the destination is sent in the field If.
        DAVRequirements(destination: file.state).apply(to: &request, destination: file.address)
        // After a lost reply, the caller decides whether to repeat the request.
        request.retry = .never
        request.patience = .seconds(300)
        return NextcloudWritten(try await files.send(request, to: .memory(limit: 1 << 20)))
    }
}

/// An upload in chunks that has begun. A caller stores it to resume the upload after a restart.
///
/// The server discards an upload after 24 hours without a request. The upload then begins again.
public struct NextcloudUpload: Hashable, Sendable, Codable {
    /// The name of the upload's directory at the server.
    public let name: String
    /// The address of the file.
    public let destination: String
    /// The number of bytes of the file.
    public let size: Int
    /// The caller's identifier of the file's contents. Chunks of different contents must never be combined.
    public let contents: String
    /// Whether the request to assemble the file was sent. The file may then exist already.
    public internal(set) var isAssembling = false

    /// Creates the upload of a file. The name depends only on the address, size and contents, so the upload is found
    /// again even if it was not stored.
    public init(_ file: NextcloudFile, contents: String) throws(DAVError) {
        // The number of a chunk denotes its offset in the file, in units of this size.
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

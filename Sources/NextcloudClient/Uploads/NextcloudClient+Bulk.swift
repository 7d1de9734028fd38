import Foundation
import HTTPTransport
import WebDAVClient

/// A small new file for ``NextcloudClient/writeNew(_:)``.
public struct NextcloudNewFile: Sendable {
    /// The address, whose directory must exist.
    public let address: HTTPAddress
    /// The contents.
    public let contents: [UInt8]
    /// The file's date.
    public let modified: HTTPDate?

    /// Creates the description of a file.
    public init(_ contents: [UInt8], to address: HTTPAddress, modified: HTTPDate? = nil) {
        self.contents = contents
        self.address = address
        self.modified = modified
    }
}

extension NextcloudClient {
    /// Writes several small files in one request (bulk upload). Must be called only if the server has
    /// ``NextcloudCapabilities/hasBulkUpload``. Each empty file is written in a request of its own.
    ///
    /// The bulk request is unconditional and overwrites existing files. Callers must therefore only use names that are
    /// known to be unused. All files are in memory, so callers send some megabytes at a time.
    ///
    /// - Returns: the outcome of each file, in order.
    /// - Throws: an error if the outcome of all files is unknown. Some files may have been written nevertheless, if the
    ///   error's ``DAVError/mayHaveSucceeded`` is `true`.
    public func writeNew(
        _ newFiles: [NextcloudNewFile]
    ) async throws(DAVError) -> [Result<NextcloudWritten, DAVError>] {
        var outcomes = [Result<NextcloudWritten, DAVError>?](repeating: nil, count: newFiles.count)
        let boundary = "purvey-\(String(UInt64.random(in: .min ... .max), radix: 16))"
        var (body, paths): ([UInt8], [Int: String]) = ([], [:])
        for (index, file) in newFiles.enumerated() {
            do {
                // Servers fail at empty parts (nextcloud/desktop#5871).
                if file.contents.isEmpty {
                    outcomes[index] = .success(try await writeEmpty(file))
                } else {
                    let path = try path(of: file)
                    paths[index] = path
                    try append(file, path, boundary, to: &body)
                }
            } catch {
                outcomes[index] = .failure(error)
            }
        }
        if !paths.isEmpty {
            body += Array("--\(boundary)--\r\n".utf8)
            let replies = try await send(body, boundary)
            for (index, path) in paths { outcomes[index] = outcome(of: path, newFiles[index], replies) }
        }
        return outcomes.map { $0 ?? .failure(.invalidReply(server.origin, "it leaves out a file")) }
    }

    private func writeEmpty(_ file: NextcloudNewFile) async throws(DAVError) -> NextcloudWritten {
        let upload = try await files.put(
            .bytes([]), to: file.address, if: DAVRequirements(resource: .absent), modified: file.modified)
        return NextcloudWritten(tag: upload.tag, instanceID: nil, hasTakenDate: upload.hasTakenDate)
    }

    /// Returns the path of a file from the user's root, for the header field `X-File-Path` of the file's part.
    private func path(of file: NextcloudNewFile) throws(DAVError) -> String {
        guard let names = names(of: file.address), !names.isEmpty else {
            throw .notFound(DAVError.name(of: file.address))
        }
        let path = "/" + names.joined(separator: "/")
        guard path.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw .forbidden(path, reason: "the name has control characters")
        }
        return path
    }

    private func append(
        _ file: NextcloudNewFile, _ path: String, _ boundary: String, to body: inout [UInt8]
    ) throws(DAVError) {
        let digest: String
        do {
            digest = try MessageDigest.hexadecimal(.md5, of: file.contents)
        } catch {
            throw DAVError(error)
        }
        // Servers of version 31 and older read X-File-MD5, newer ones OC-Checksum.
        var lines = [
            "--\(boundary)", "Content-Length: \(file.contents.count)", "X-File-Path: \(path)", "X-File-MD5: \(digest)",
            "OC-Checksum: MD5:\(digest)",
        ]
        if let modified = file.modified { lines.append("X-OC-Mtime: \(modified.seconds)") }
        body += Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
        body += file.contents
        body += Array("\r\n".utf8)
    }

    private struct Reply: Decodable {
        let error: Bool?
        let message: String?
        let etag: String?
        let fileid: String?
        let permissions: String?
    }

    private func send(_ body: [UInt8], _ boundary: String) async throws(DAVError) -> [String: Reply] {
        var request = files.request(.post, try page("remote.php/dav/bulk"))
        request.headers["Content-Type"] = "multipart/related; boundary=\(boundary)"
        request.body = .bytes(body)
        let response = try await files.attempt(request)
        // Status 400 means that the server could not read a part. The reply contains the outcomes of the parts before
        // it.
        guard response.isSuccess || response.status == 400 else {
            throw DAVError(status: response.status, DAVError.name(of: request.address), response, .post)
        }
        let data = Data(response.body)
        if let replies = try? JSONDecoder().decode([String: Reply].self, from: data) { return replies }
        // PHP writes an empty object as an empty list.
        if let list = try? JSONDecoder().decode([String].self, from: data), list.isEmpty { return [:] }
        throw .unreadable(response, beginning: response.body, "it is not a reply to an upload of several files")
    }

    private func outcome(
        of path: String, _ file: NextcloudNewFile, _ replies: [String: Reply]
    ) -> Result<NextcloudWritten, DAVError> {
        guard let reply = replies[path] else {
            return .failure(.invalidReply(server.origin, "it leaves out the file “\(path.prefix(200))”"))
        }
        guard reply.error == false, let tag = reply.etag.flatMap({ DAVEntityTag($0) }) else {
            return .failure(.forbidden(path, reason: reply.message.map { String($0.prefix(300)) }))
        }
        return .success(
            NextcloudWritten(
                tag: tag, instanceID: reply.fileid, hasTakenDate: file.modified != nil,
                permissionLetters: reply.permissions))
    }
}

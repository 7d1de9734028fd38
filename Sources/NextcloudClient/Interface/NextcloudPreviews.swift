import HTTPTransport
import WebDAVClient

extension NextcloudClient {
    /// A picture of a file's contents.
    public struct Preview: Sendable {
        /// The MIME type.
        public let contentType: String?
        /// The picture's bytes.
        public let bytes: [UInt8]
    }

    /// Fetches a picture of a file's contents that fits into a rectangle, whose width and height are in pixels.
    ///
    /// - Parameter tag: the file's tag, which prevents a cache from returning the picture of another state.
    /// - Returns: `nil` if the server has no picture of the file.
    public func preview(
        of fileID: Int64, width: Int, height: Int, tag: DAVEntityTag? = nil
    ) async throws(DAVError) -> Preview? {
        var query = "fileId=\(fileID)&x=\(max(1, width))&y=\(max(1, height))&a=1&forceIcon=0&mimeFallback=0"
        if let tag { query += "&c=\(tag.opaque.percentEncoded)" }
        var request = files.request(.get, try page("index.php/core/preview").with(query: query))
        // Without this field, the server rejects requests that send cookies and have no CSRF token.
        request.headers["OCS-APIRequest"] = "true"
        let response = try await files.attempt(request, to: .memory(limit: 16 << 20))
        // Status 400 means that the server generates no pictures for this file type.
        if response.status == 404 || response.status == 400 { return nil }
        try await files.check(response, to: request)
        let type = response.headers["Content-Type"]
        // The reply may be a sign-in page, for example.
        guard type?.lowercased().hasPrefix("image/") == true, !response.body.isEmpty else {
            throw .unreadable(response, beginning: response.body, "it is not a picture")
        }
        return Preview(contentType: type, bytes: response.body)
    }

    /// Returns the address of the web page of a file or directory.
    public func page(of fileID: Int64) throws(DAVError) -> HTTPAddress { try page("index.php/f/\(fileID)") }
}

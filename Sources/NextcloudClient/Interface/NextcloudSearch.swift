import HTTPTransport
import WebDAVClient
import XMLStream

extension NextcloudClient {
    /// Searches the server for files and directories whose name contains a text, without regard to case.
    ///
    /// - Parameters:
    ///   - directory: the directory to search, including its subdirectories; `nil` for all of the user's files.
    ///   - count: the maximum number of results. The most recently changed items come first.
    public func search(
        _ text: String, in directory: HTTPAddress? = nil, count: Int = 100
    ) async throws(DAVError) -> [NextcloudEntry] {
        // The scope in the request is the path after `remote.php/dav`.
        let start = try self.directory()
        let root = try root
        let scope = "/" + (directory ?? root).path.dropFirst(start.path.utf8.count)
        let pattern = "%" + Self.escaped(text) + "%"
        let condition =
            "<D:like><D:prop><D:displayname/></D:prop><D:literal>\(pattern.xmlEscaped)</D:literal></D:like>"
        let order = "<D:order><D:prop><D:getlastmodified/></D:prop><D:descending/></D:order>"
        return try await search(condition, scope: scope, order: order, count: count)
    }

    /// Finds a file or directory by its identifier; `nil` if the user has no such file or directory.
    public func entry(withID fileID: Int64) async throws(DAVError) -> NextcloudEntry? {
        let condition =
            "<D:eq><D:prop><fileid xmlns=\"http://owncloud.org/ns\"/></D:prop><D:literal>\(fileID)</D:literal></D:eq>"
        let scope = "/files/\(user.percentEncoded)"
        return try await search(condition, scope: scope, order: "", count: 10).first { $0.fileID == fileID }
    }

    private func search(
        _ condition: String, scope: String, order: String, count: Int
    ) async throws(DAVError) -> [NextcloudEntry] {
        let body =
            "<D:searchrequest xmlns:D=\"DAV:\"><D:basicsearch><D:select>\(Self.wanted)</D:select>"
            + "<D:from><D:scope><D:href>\(scope.xmlEscaped)</D:href><D:depth>infinity</D:depth></D:scope></D:from>"
            + "<D:where>\(condition)</D:where><D:orderby>\(order)</D:orderby>"
            + "<D:limit><D:nresults>\(count)</D:nresults></D:limit></D:basicsearch></D:searchrequest>"
        let request = files.request(.search, try directory(), xml: body)
        return try await files.entries(of: request, limit: count).map { NextcloudEntry($0) }
    }

    /// Returns a text for a search pattern, with its wildcards escaped.
    private static func escaped(_ text: String) -> String {
        text.map { "%_\\".contains($0) ? "\\\($0)" : "\($0)" }.joined()
    }
}

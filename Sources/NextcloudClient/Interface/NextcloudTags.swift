import Foundation
import HTTPTransport
import WebDAVClient
import XMLStream

/// A tag that all users of a server can see.
public struct NextcloudTag: Hashable, Sendable {
    /// The identifier of the tag at this server.
    public let id: Int64
    /// The name of the tag.
    public let name: String
    /// Whether this user has permission to add the tag to files.
    public let isAssignable: Bool
}

extension NextcloudClient {
    // MARK: Favorites

    /// Makes a file or directory a favorite of the user, or removes it from the favorites.
    public func setFavorite(_ isFavorite: Bool, of address: HTTPAddress) async throws(DAVError) {
        let value = "<x:favorite xmlns:x=\"http://owncloud.org/ns\">\(isFavorite ? 1 : 0)</x:favorite>"
        guard try await files.change(address, "<D:set><D:prop>\(value)</D:prop></D:set>") else {
            throw .forbidden(DAVError.name(of: address), reason: nil)
        }
    }

    /// Lists the user's favorites.
    public func favorites() async throws(DAVError) -> [NextcloudEntry] {
        try await filtered(by: "<oc:favorite>1</oc:favorite>")
    }

    private func filtered(by rules: String) async throws(DAVError) -> [NextcloudEntry] {
        let request = files.request(
            .report, try root,
            xml: "<oc:filter-files xmlns:D=\"DAV:\" xmlns:oc=\"http://owncloud.org/ns\">\(Self.wanted)"
                + "<oc:filter-rules>\(rules)</oc:filter-rules></oc:filter-files>")
        return try await files.entries(of: request).map { NextcloudEntry($0) }
    }

    /// The XML element that requests the properties of listings.
    static var wanted: String {
        let usual = ["resourcetype", "getcontentlength", "getetag", "getlastmodified", "getcontenttype"]
        let names =
            usual.map { "<D:\($0)/>" } + NextcloudEntry.properties.map { "<\($0.local) xmlns=\"\($0.namespace)\"/>" }
        return "<D:prop>\(names.joined())</D:prop>"
    }

    // MARK: Tags

    /// Lists the files and directories that have a tag.
    public func entries(with tag: NextcloudTag) async throws(DAVError) -> [NextcloudEntry] {
        try await filtered(by: "<oc:systemtag>\(tag.id)</oc:systemtag>")
    }

    /// Lists the server's tags.
    public func tags() async throws(DAVError) -> [NextcloudTag] { try await tags(in: directory("systemtags")) }

    /// Lists the tags of a file or directory.
    public func tags(of fileID: Int64) async throws(DAVError) -> [NextcloudTag] {
        try await tags(in: relations(of: fileID))
    }

    private func relations(of fileID: Int64) throws(DAVError) -> HTTPAddress {
        try directory("systemtags-relations", "files", String(fileID))
    }

    private func tags(in directory: HTTPAddress) async throws(DAVError) -> [NextcloudTag] {
        let names: [XMLName] = [.oc("id"), .oc("display-name"), .oc("can-assign"), .oc("user-visible")]
        return try await files(names).list(directory).all().compactMap { entry in
            guard let id = entry.property(.oc("id")).flatMap({ Int64($0.text.trimmed) }),
                let name = entry.property(.oc("display-name"))?.text
            else { return nil }
            return NextcloudTag(id: id, name: name, isAssignable: entry.property(.oc("can-assign"))?.text != "false")
        }
    }

    /// Creates a tag that all users can see and use.
    ///
    /// - Throws: ``DAVError/exists(_:)`` if a tag with this name exists.
    public func makeTag(_ name: String) async throws(DAVError) -> NextcloudTag {
        struct Tag: Encodable {
            let name: String
            let userVisible = true
            let userAssignable = true
        }
        var request = files.request(.post, try directory("systemtags"))
        request.headers["Content-Type"] = "application/json"
        guard let body = try? JSONEncoder().encode(Tag(name: name)) else {
            throw .forbidden(name, reason: "it is not a valid name of a tag")
        }
        request.body = .bytes([UInt8](body))
        let response = try await files.attempt(request)
        if response.status == 409 { throw .exists(name) }
        try await files.check(response, to: request)
        guard let id = response.headers["Content-Location"]?.split(separator: "/").last.flatMap({ Int64($0) }) else {
            throw .invalidReply(server.origin, "it does not name the new tag")
        }
        return NextcloudTag(id: id, name: name, isAssignable: true)
    }

    /// Adds a tag to a file or directory. Does nothing if the file has the tag already.
    public func add(_ tag: NextcloudTag, to fileID: Int64) async throws(DAVError) {
        let request = files.request(.put, try child(String(tag.id), of: relations(of: fileID)))
        let response = try await files.attempt(request)
        if response.status != 409 { try await files.check(response, to: request) }
    }

    /// Removes a tag from a file or directory. Does nothing if the file does not have the tag.
    public func remove(_ tag: NextcloudTag, from fileID: Int64) async throws(DAVError) {
        let request = files.request(.delete, try child(String(tag.id), of: relations(of: fileID)))
        let response = try await files.attempt(request)
        if response.status != 404 { try await files.check(response, to: request) }
    }
}

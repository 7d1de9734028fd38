import HTTPTransport
import WebDAVClient

/// The capabilities that a server announces.
public struct NextcloudCapabilities: Hashable, Sendable {
    /// The components of the version number.
    public let version: [Int]
    /// The version as text.
    public let versionText: String
    /// The name of the server, as its administrator chose it.
    public let name: String?
    /// Whether large files can be uploaded in chunks.
    public let hasChunking: Bool
    /// The maximum size of a chunk in bytes; `nil` if the server does not report it.
    public let largestChunk: Int?
    /// Whether several new files can be uploaded in one request.
    public let hasBulkUpload: Bool
    /// Whether the server moves removed files to a trash.
    public let hasTrash: Bool
    /// Whether the server stores earlier versions of files.
    public let hasVersions: Bool
    /// Whether files can be shared by links.
    public let hasLinks: Bool
    /// Whether a link needs a password.
    public let linksNeedPassword: Bool
    /// The addresses for notices of changes; `nil` if the server sends none.
    public let push: Push?
    /// The characters that the server does not permit in names.
    public let forbiddenCharacters: [String]
    /// The names that the server does not permit.
    public let forbiddenNames: [String]
    /// The names that the server does not permit, either alone or before an extension.
    public let forbiddenStems: [String]
    /// The endings that the server does not permit in names.
    public let forbiddenExtensions: [String]

    /// The addresses for notices of changes (notify_push).
    public struct Push: Hashable, Sendable {
        /// The WebSocket's address.
        public let socket: String
        /// The address at which the client requests a token; `nil` if the server has no such address. The client sends
        /// the token to the WebSocket instead of the password.
        public let token: String?
    }

    init(_ data: OCSValue) {
        let (version, known) = (data["version"], data["capabilities"])
        self.version = ["major", "minor", "micro"].compactMap { version[$0].number.map { Int(clamping: $0) } }
        versionText = version["string"].text ?? self.version.map { String($0) }.joined(separator: ".")
        name = known["theming"]["name"].text
        hasChunking = known["dav"]["chunking"].text != nil
        let largest = known["files"]["chunked_upload"]["max_size"].number
        largestChunk = largest.flatMap { $0 > 0 ? Int(clamping: $0) : nil }
        hasBulkUpload = known["dav"]["bulkupload"].text == "1.0"
        hasTrash = known["files"]["undelete"].isTrue
        hasVersions = known["files"]["versioning"].isTrue
        let sharing = known["files_sharing"]
        hasLinks = sharing["api_enabled"].isTrue && sharing["public"]["enabled"].isTrue
        linksNeedPassword = sharing["public"]["password"]["enforced"].isTrue
        let push = known["notify_push"]
        self.push =
            push["type"].texts.contains("files")
            ? push["endpoints"]["websocket"].text.map {
                Push(socket: $0, token: push["endpoints"]["pre_auth"].text)
            } : nil
        forbiddenCharacters = known["files"]["forbidden_filename_characters"].texts
        let names = known["files"]["forbidden_filenames"]
        forbiddenNames = (names.exists ? names : known["files"]["blacklisted_files"]).texts
        forbiddenStems = known["files"]["forbidden_filename_basenames"].texts
        forbiddenExtensions = known["files"]["forbidden_filename_extensions"].texts
    }

    /// Returns the reason why the server does not permit a name, for users; `nil` if it permits the name.
    public func objection(to name: String) -> String? {
        if let character = forbiddenCharacters.first(where: { !$0.isEmpty && name.contains($0) }) {
            return "the server does not permit the character \(character) in names"
        }
        let lowered = name.lowercased()
        let isForbidden =
            forbiddenNames.contains { $0.lowercased() == lowered }
            || forbiddenStems.contains { $0.lowercased() == lowered.prefix { $0 != "." } }
        if isForbidden { return "the server does not permit this name" }
        let ending = forbiddenExtensions.first { !$0.isEmpty && lowered.hasSuffix($0.lowercased()) }
        return ending.map { "the server does not permit names that end with “\($0)”" }
    }
}

/// A user of a server.
public struct NextcloudUser: Hashable, Sendable {
    /// The user's identifier, which is a part of addresses.
    public let id: String
    /// The name to show.
    public let displayName: String
    /// The number of bytes that can still be written; `nil` if the server reports no limit.
    public let free: Int64?
    /// The number of bytes that are used.
    public let used: Int64?
}

extension NextcloudClient {
    /// Requests the server's capabilities.
    public func capabilities() async throws(DAVError) -> NextcloudCapabilities {
        NextcloudCapabilities(try await ocs(.get, "cloud/capabilities"))
    }

    /// Requests the user's names and quota.
    public func currentUser() async throws(DAVError) -> NextcloudUser {
        let data = try await ocs(.get, "cloud/user")
        guard let id = data["id"].text else {
            throw .invalidReply(server.origin, "it has no name of the user")
        }
        let free = data["quota"]["free"].number
        return NextcloudUser(
            id: id, displayName: data["display-name"].text ?? data["displayname"].text ?? id,
            // A negative number means that the space is not computed, unknown or unlimited.
            free: free.flatMap { $0 < 0 ? nil : $0 }, used: data["quota"]["used"].number)
    }

    /// Revokes the app password that this client uses.
    public func revokeAppPassword() async throws(DAVError) { _ = try await ocs(.delete, "core/apppassword") }
}

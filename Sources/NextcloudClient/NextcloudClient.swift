import HTTPTransport
import WebDAVClient
import XMLStream

/// A client of a Nextcloud server, for one user.
///
/// The client is stateless. ``files`` is a WebDAV client that reads, writes, moves and removes files, and that also
/// requests Nextcloud's properties. The functions of this type are for the features that Nextcloud has beyond WebDAV.
/// All of them end at once when their task is cancelled.
///
///     let account = try await login.wait()
///     let client = try await NextcloudClient(http, account)
///     let listing = try await client.files.list(client.root)
///     while let entries = try await listing.next() {
///         for entry in entries.map(NextcloudEntry.init) { print(entry.fileID, entry.permissions) }
///     }
public struct NextcloudClient: Sendable {
    /// The address of the server, which may have a path: `https://cloud.example/nextcloud/`.
    public let server: HTTPAddress
    /// The user's identifier, which is a part of addresses. The user may sign in by another name, such as a mail
    /// address.
    public let user: String
    /// The client for WebDAV. Its listings contain the properties that ``NextcloudEntry`` reads.
    public var files: DAVClient

    /// Creates a client for a user whose identifier is known.
    ///
    /// - Parameter files: a WebDAV client with the user's credentials.
    public init(server: HTTPAddress, user: String, files: DAVClient) {
        self.server = server.asDirectory
        self.user = user
        self.files = files
        self.files.additionalProperties = NextcloudEntry.properties
    }

    /// Creates a client for an account, and requests the user's identifier from the server.
    public init(_ http: HTTPClient, _ account: NextcloudAccount) async throws(DAVError) {
        var files = DAVClient(http, credentials: .basic(user: account.loginName, password: account.appPassword))
        files.additionalProperties = NextcloudEntry.properties
        let user = try await NextcloudClient(server: account.server, user: "", files: files).currentUser()
        self.init(server: account.server, user: user.id, files: files)
    }

    /// The user's root directory.
    public var root: HTTPAddress { get throws(DAVError) { try directory("files", user) } }

    /// Returns the address of the directory with the given path below Nextcloud's WebDAV address.
    ///
    /// - Parameter names: the components of the path.
    func directory(_ names: String...) throws(DAVError) -> HTTPAddress {
        do {
            var address = try server.resolving("remote.php/dav")
            for name in names { address = try address.appending(name) }
            return address.asDirectory
        } catch {
            throw DAVError(error)
        }
    }

    /// Returns the address of the entry with the given name in a directory.
    func child(_ name: String, of directory: HTTPAddress) throws(DAVError) -> HTTPAddress {
        do {
            return try directory.appending(name)
        } catch {
            throw DAVError(error)
        }
    }

    /// Returns the address of a path below the server's address.
    func page(_ path: String) throws(DAVError) -> HTTPAddress {
        do {
            return try server.resolving(path)
        } catch {
            throw DAVError(error)
        }
    }

    /// Returns the path components from the user's root to one of the user's files; `nil` for an address outside the
    /// root.
    public func names(of address: HTTPAddress) -> [String]? {
        guard let root = try? root, address.origin == root.origin, address.asDirectory.path.hasPrefix(root.path) else {
            return nil
        }
        let parts = address.path.dropFirst(root.path.utf8.count).split(separator: "/").map { String($0).percentDecoded }
        return parts.contains(nil) ? nil : parts.compactMap { $0 }
    }

    /// Returns a copy of the WebDAV client whose additional properties are replaced by the given ones.
    func files(_ properties: [XMLName]) -> DAVClient {
        var client = files
        client.additionalProperties = properties
        return client
    }
}

import Foundation
import HTTPTransport
import WebDAVClient

/// The information that a Nextcloud server returns without a sign-in.
public struct NextcloudServer: Hashable, Sendable {
    /// The server's address after redirects.
    public let address: HTTPAddress
    /// The product's name: `Nextcloud`, or for example `ownCloud`.
    public let product: String
    /// The version to show.
    public let version: String
    /// Whether the server is in maintenance mode, in which it refuses all other requests.
    public let isInMaintenance: Bool

    /// Finds a server by the address that a user enters: the address of a page in the browser, the address for WebDAV,
    /// or only a host name.
    ///
    /// - Throws: an error with advice to the user; ``DAVError/noWebDAV(_:)`` if the address is not that of a Nextcloud
    ///   server.
    public static func find(_ text: String, _ http: HTTPClient) async throws(DAVError) -> NextcloudServer {
        let base: HTTPAddress
        let response: HTTPResponse
        do {
            base = try Self.base(of: text)
            response = try await http.send(
                HTTPRequest(.get, base.resolving("status.php")), to: .memory(limit: 1 << 20))
        } catch {
            throw DAVError(error)
        }
        guard response.isSuccess || response.status == 503 else {
            guard response.status == 404 else {
                throw DAVError(status: response.status, DAVError.name(of: base), response, .get)
            }
            throw .noWebDAV(base.origin)
        }
        struct Status: Decodable {
            let installed: Bool
            let maintenance: Bool?
            let versionstring: String?
            let version: String?
            let productname: String?
        }
        guard let status = try? JSONDecoder().decode(Status.self, from: Data(response.body)) else {
            if response.status == 503 { throw DAVError(status: 503, DAVError.name(of: base), response, .get) }
            throw .unreadable(response, beginning: response.body, "it is not the status of a Nextcloud server")
        }
        guard status.installed else { throw .noWebDAV(base.origin) }
        let path = response.address.path
        let root = path.hasSuffix("status.php") ? String(path.dropLast("status.php".count)) : base.path
        let address: HTTPAddress
        do {
            address = try response.address.with(query: nil).resolving(root)
        } catch {
            throw DAVError(error)
        }
        return NextcloudServer(
            address: address, product: status.productname ?? "Nextcloud",
            version: status.versionstring ?? status.version ?? "", isInMaintenance: status.maintenance ?? false)
    }

    /// Returns the address of the server, from the address of one of its pages.
    static func base(of text: String) throws(HTTPError) -> HTTPAddress {
        let trimmed = String(text.trimmed)
        let address = try HTTPAddress(trimmed.contains("://") ? trimmed : "https://" + trimmed).with(query: nil)
        let pages = ["/index.php", "/remote.php", "/ocs/", "/apps/", "/login", "/status.php", "/s/", "/f/"]
        var path = address.path
        for page in pages {
            if let range = path.range(of: page) { path = String(path[..<range.lowerBound]) }
        }
        return try address.resolving(path.hasSuffix("/") ? path : path + "/")
    }
}

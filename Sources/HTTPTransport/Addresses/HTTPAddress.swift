import CCurl

/// An absolute address with the scheme `http` or `https`, without a user name, password or fragment.
///
/// libcurl parses the address, so that comparisons of addresses use the same host name that libcurl connects to.
///
///     let root = try HTTPAddress("https://cloud.example/remote.php/dav/")
///     let file = try root.appending("Plan #1.txt")
///     file.description  // https://cloud.example/remote.php/dav/Plan%20%231.txt
public struct HTTPAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address, normalized: scheme and host in lower case, without the scheme's default port, without `.` and `..`.
    public let description: String
    /// The server.
    public let origin: HTTPOrigin
    /// The path, percent-encoded as in the address. It begins with a slash.
    public let path: String
    /// The part after the question mark, percent-encoded, or `nil` if there is no question mark.
    public let query: String?

    /// Parses an address.
    ///
    /// - Throws: ``HTTPError/invalidAddress(_:_:)``.
    public init(_ text: String) throws(HTTPError) {
        try self.init(text, relativeTo: nil)
    }

    /// Resolves a reference in a reply that came from this address, and returns the absolute address.
    ///
    /// - Parameter reference: an absolute address, a path, or a path relative to this address's directory.
    public func resolving(_ reference: String) throws(HTTPError) -> HTTPAddress {
        try HTTPAddress(reference, relativeTo: self)
    }

    /// Returns the address of an entry of this directory. The query is dropped.
    ///
    /// - Parameter name: the name, not encoded. Every byte except letters, digits and `-._~` is encoded.
    /// - Throws: ``HTTPError/invalidAddress(_:_:)`` if the name is empty, `.` or `..`.
    public func appending(_ name: String) throws(HTTPError) -> HTTPAddress {
        guard !name.isEmpty, name != ".", name != ".." else { throw .invalidAddress(name, "it cannot be encoded") }
        let path = (self.path.utf8.last == UInt8(ascii: "/") ? self.path : self.path + "/") + name.percentEncoded
        return HTTPAddress(origin: origin, path: path, query: nil)
    }

    /// The address with a slash at the end of the path, which is the form of the addresses of directories.
    public var asDirectory: HTTPAddress {
        path.utf8.last == UInt8(ascii: "/") ? self : HTTPAddress(origin: origin, path: path + "/", query: query)
    }

    /// Whether this is the address of an entry of the given directory, or of one of its subdirectories. Queries are
    /// ignored.
    package func isBeneath(_ directory: HTTPAddress) -> Bool {
        let path = directory.asDirectory.path.utf8
        return origin == directory.origin && self.path.utf8.count > path.count && self.path.utf8.starts(with: path)
    }

    /// Returns the address with another query, or without a query.
    ///
    /// - Parameter query: the query, percent-encoded.
    public func with(query: String?) -> HTTPAddress { HTTPAddress(origin: origin, path: path, query: query) }

    private init(origin: HTTPOrigin, path: String, query: String?) {
        self.origin = origin
        self.path = path
        self.query = query
        description = "\(origin)\(path)\(query.map { "?" + $0 } ?? "")"
    }

    private init(_ text: String, relativeTo base: HTTPAddress?) throws(HTTPError) {
        guard let handle = curl_url() else { throw .outOfMemory }
        defer { curl_url_cleanup(handle) }
        let flags = UInt32(CURLU_DISALLOW_USER | CURLU_URLENCODE)
        // The parser stops at a NUL.
        guard !text.utf8.contains(0), !text.isEmpty else { throw .invalidAddress(text, "it is not an address") }
        // The parser would also accept one slash, or more than two.
        if let colon = text.firstIndex(of: ":"), ["http", "https"].contains(text[..<colon].lowercased()) {
            let rest = text[text.index(after: colon)...]
            guard rest.hasPrefix("//"), !rest.hasPrefix("///") else { throw .invalidAddress(text, "it has no host") }
        }
        if let base { curl_url_set(handle, CURLUPART_URL, base.description, UInt32(CURLU_DISALLOW_USER)) }
        let code = curl_url_set(handle, CURLUPART_URL, text, flags)
        guard code == CURLUE_OK else {
            throw .invalidAddress(text, code == CURLUE_USER_NOT_ALLOWED ? "it has a user name" : "it is malformed")
        }
        func part(_ part: CURLUPart, _ flags: Int32 = 0) -> String? {
            var value: UnsafeMutablePointer<CChar>?
            guard curl_url_get(handle, part, &value, UInt32(flags)) == CURLUE_OK, let value else { return nil }
            defer { curl_free(value) }
            return String(cString: value)
        }
        guard let scheme = part(CURLUPART_SCHEME)?.lowercased(), scheme == "http" || scheme == "https" else {
            throw .invalidAddress(text, "it does not begin with https:// or http://")
        }
        guard var host = part(CURLUPART_HOST)?.lowercased(), !host.isEmpty,
            let port = part(CURLUPART_PORT, CURLU_DEFAULT_PORT).flatMap({ Int($0) })
        else { throw .invalidAddress(text, "it has no host") }
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        self.init(
            origin: HTTPOrigin(isSecure: scheme == "https", host: host, port: port),
            path: part(CURLUPART_PATH) ?? "/", query: part(CURLUPART_QUERY))
    }
}

/// A server: scheme, host and port. Credentials are sent only to the server that they belong to.
public struct HTTPOrigin: Hashable, Sendable, CustomStringConvertible {
    /// Whether the connection is encrypted.
    public let isSecure: Bool
    /// The name or IP address, in lower case; an IPv6 address without brackets.
    public let host: String
    /// The port, also if it is the scheme's default port.
    public let port: Int

    /// The address of the server's root, without the scheme's default port.
    public var description: String {
        let name = host.contains(":") ? "[\(host)]" : host
        let suffix = port == (isSecure ? 443 : 80) ? "" : ":\(port)"
        return "\(isSecure ? "https" : "http")://\(name)\(suffix)"
    }
}

/// The server that an address leads to: scheme, host and port. Credentials belong to an origin.
public struct HTTPOrigin: Hashable, Sendable, CustomStringConvertible {
    /// Whether the connection is encrypted.
    public let isSecure: Bool
    /// The name or IP address, in lower case; an IPv6 address without brackets.
    public let host: String
    /// The port, also if it is the scheme's own.
    public let port: Int

    /// The address of the server's root, without the port if it is the scheme's own.
    public var description: String {
        let name = host.contains(":") ? "[\(host)]" : host
        let suffix = port == (isSecure ? 443 : 80) ? "" : ":\(port)"
        return "\(isSecure ? "https" : "http")://\(name)\(suffix)"
    }
}

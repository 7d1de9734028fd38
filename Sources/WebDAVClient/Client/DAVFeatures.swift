import HTTPTransport

/// The abilities that a server claims.
public struct DAVFeatures: Hashable, Sendable {
    /// The classes in the header field `DAV`; empty for a server without WebDAV, or one that does not say it.
    public let classes: [String]
    /// The methods in the header field `Allow`.
    public let methods: [String]
    /// The server's name of itself.
    public let server: String?
    /// The seconds by which the server's clock is ahead, if it said its time.
    public let clockOffset: Int64?

    init(_ response: HTTPResponse, now: HTTPDate) {
        func words(_ name: String) -> [String] {
            response.headers.values(name).flatMap { $0.split(separator: ",") }.map { String($0.trimmed) }
                .filter { !$0.isEmpty }
        }
        classes = words("DAV")
        methods = words("Allow")
        server = response.headers["Server"].map { String($0.prefix(100)) }
        clockOffset = response.date.map { $0.seconds - now.seconds }
    }

    /// Whether the server claims locks.
    public var claimsLocks: Bool { classes.contains("2") }
}

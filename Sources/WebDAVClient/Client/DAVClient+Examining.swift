import HTTPTransport

extension DAVClient {
    /// Checks that an address is that of a WebDAV directory which the user can list. Changes nothing at the server.
    ///
    /// - Parameter skew: the maximum difference in seconds between the clocks of the server and this machine. A larger
    ///   difference is an error, because certificates and tokens would fail sooner or later, and the dates of new files
    ///   would be misleading.
    /// - Returns: the directory at its address after redirects, and the capabilities that the server announces.
    public func examine(
        _ root: HTTPAddress, skew: Int64 = 300
    ) async throws(DAVError) -> (directory: DAVEntry, features: DAVFeatures) {
        let directory = try await entry(at: root.asDirectory, hasQuota: true)
        guard directory.isDirectory else { throw .notDirectory(DAVError.name(of: root)) }
        // A server that supports PROPFIND but not OPTIONS announces no capabilities, which is no error.
        let response = try await attempt(request(.options, directory.address))
        let features = DAVFeatures(response, now: now())
        if let offset = features.clockOffset, offset.magnitude > skew.magnitude {
            throw .clockSkew(root.origin, seconds: offset)
        }
        return (directory, features)
    }
}

/// The capabilities that a server announces.
public struct DAVFeatures: Hashable, Sendable {
    /// The WebDAV compliance classes in the header field `DAV`; empty for a server that announces none.
    public let classes: [String]
    /// The methods in the header field `Allow`.
    public let methods: [String]
    /// The name and version of the server's software (`Server`).
    public let server: String?
    /// The seconds by which the server's clock is ahead of this machine's; `nil` if the server did not report its time.
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

    /// Whether the server announces support for locks.
    public var claimsLocks: Bool { classes.contains("2") }
}

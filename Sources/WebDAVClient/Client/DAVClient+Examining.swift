import HTTPTransport

extension DAVClient {
    /// Checks that an address is that of a directory over WebDAV which the user can list. Nothing is changed.
    ///
    /// - Parameter skew: the seconds by which the clocks may differ. With a larger difference, certificates and tokens
    ///   fail sooner or later, and the dates of new files are misleading.
    /// - Returns: the directory at its address after redirects, and the abilities that the server claims.
    public func examine(
        _ root: HTTPAddress, skew: Int64 = 300
    ) async throws(DAVError) -> (directory: DAVEntry, features: DAVFeatures) {
        let directory = try await entry(at: root.asDirectory, hasQuota: true)
        guard directory.isDirectory else { throw .notDirectory(DAVError.name(of: root)) }
        // A server that supports PROPFIND but not OPTIONS claims no abilities, which is no error.
        let response = try await attempt(request(.options, directory.address))
        let features = DAVFeatures(response, now: now())
        if let offset = features.clockOffset, offset.magnitude > skew.magnitude {
            throw .clockSkew(root.origin, seconds: offset)
        }
        return (directory, features)
    }
}

/// The abilities that a server claims.
public struct DAVFeatures: Hashable, Sendable {
    /// The classes in the header field `DAV`; empty for a server without WebDAV, or one that does not announce it.
    public let classes: [String]
    /// The methods in the header field `Allow`.
    public let methods: [String]
    /// The name that the server gives its software (`Server`).
    public let server: String?
    /// The seconds by which the server's clock is ahead, if it reported its time.
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

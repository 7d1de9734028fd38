import HTTPTransport

extension DAVClient {
    /// Checks that an address is that of a directory over WebDAV which the user can list. Nothing is changed.
    ///
    /// - Parameter skew: the seconds by which the clocks may differ. With more, certificates and tokens fail sooner
    ///   or later, and dates of new files mislead.
    /// - Returns: the directory at its address after redirects, and the abilities that the server claims.
    public func examine(
        _ root: HTTPAddress, skew: Int64 = 300
    ) async throws(DAVError) -> (directory: DAVEntry, features: DAVFeatures) {
        let directory = try await entry(at: root.asDirectory, hasQuota: true)
        guard directory.isDirectory else { throw .notDirectory(DAVError.name(of: root)) }
        // A server that answers requests for properties and not this one has no abilities to claim.
        let response = try await attempt(request(.options, directory.address))
        let features = DAVFeatures(response, now: now())
        if let offset = features.clockOffset, offset.magnitude > skew.magnitude {
            throw .clockSkew(root.origin, seconds: offset)
        }
        return (directory, features)
    }
}

/// The quota of an account (RFC 4331).
public struct DAVQuota: Hashable, Sendable, Codable {
    /// The bytes that can still be written, or `nil` if the server does not know or limits nothing.
    public let available: Int?
    /// The bytes that are used.
    public let used: Int?

    /// Reads the server's numbers. Nextcloud has negative ones for space that is not computed, unknown or unlimited.
    ///
    /// - Returns: `nil` if the server says nothing.
    init?(available: String?, used: String?) {
        let (free, taken) = (available.flatMap { Int($0.trimmed) }, used.flatMap { Int($0.trimmed) })
        guard free != nil || taken != nil else { return nil }
        self.available = free.flatMap { $0 < 0 ? nil : $0 }
        self.used = taken.flatMap { $0 < 0 ? nil : $0 }
    }
}

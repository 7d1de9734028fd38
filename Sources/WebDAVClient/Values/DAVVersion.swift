import HTTPTransport

/// A state of a file at the server: the opaque part of its entity tag, its length and its date.
///
/// A date alone does not identify a version: servers store dates with a resolution of one second, and clients can set
/// them.
public struct DAVVersion: Hashable, Sendable, Codable {
    /// The opaque part of the entity tag; `nil` if the server sends no tags.
    public let tag: String?
    /// The number of bytes.
    public let length: Int?
    /// The date of the last change, in seconds since 1970 by the server's clock.
    public let modified: Int64?

    /// Creates a version from the values that the server reported.
    public init(tag: DAVEntityTag?, length: Int?, modified: HTTPDate?) {
        self.tag = tag?.opaque
        self.length = length
        self.modified = modified?.seconds
    }

    /// Whether the version can distinguish states: it has a tag, or a length and a date.
    public var isMeaningful: Bool { tag != nil || (length != nil && modified != nil) }

    /// Whether another version represents the same state, judged by the values that both versions have.
    ///
    /// If both have tags, dates are ignored, because a date can be set without a change of the contents. Lengths are
    /// compared, because they reveal a server that assigns a tag twice.
    public func isSameState(as other: DAVVersion) -> Bool {
        if let length, let theirs = other.length, length != theirs { return false }
        if let tag, let theirs = other.tag { return tag == theirs }
        guard let length, let modified else { return false }
        return length == other.length && modified == other.modified
    }

    /// Whether the file changed so shortly before the server's reply that a further change might not change the
    /// version. Such a version must be read again before an edit is based on it.
    ///
    /// - Parameter date: the date of the reply by the server's clock.
    public func isRacy(at date: HTTPDate?) -> Bool {
        guard let modified, let date else { return false }
        return modified >= date.seconds - Self.raceSeconds
    }

    /// The number of seconds for which a change counts as recent. The dates of the file and of the reply may both be
    /// truncated to the second.
    private static let raceSeconds: Int64 = 2
}

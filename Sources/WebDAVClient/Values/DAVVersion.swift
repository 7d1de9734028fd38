import HTTPTransport

/// A state of a file at the server: the opaque part of its entity tag, its length and its date.
///
/// A date alone is never a version: servers keep it to the second, and clients set it.
public struct DAVVersion: Hashable, Sendable, Codable {
    /// The opaque part of the entity tag, or `nil` if the server has none.
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

    /// Whether another version is of the same state, judged by the values that both versions have.
    ///
    /// With tags, the date does not count, because it can be set without a change of the contents. The length does,
    /// because it reveals a server that repeats its tags.
    public func isSameState(as other: DAVVersion) -> Bool {
        if let length, let theirs = other.length, length != theirs { return false }
        if let tag, let theirs = other.tag { return tag == theirs }
        guard let length, let modified else { return false }
        return length == other.length && modified == other.modified
    }

    /// Whether the file changed so shortly before the server's reply that a further change may have left no trace in
    /// the version. Such a version must be read again before it is the base of an edit.
    ///
    /// - Parameter date: the server's time of the reply.
    public func isRacy(at date: HTTPDate?) -> Bool {
        guard let modified, let date else { return false }
        return modified >= date.seconds - Self.raceSeconds
    }

    /// The number of seconds in which a change counts as recent: the dates of the file and of the reply may both be
    /// truncated to the second.
    private static let raceSeconds: Int64 = 2
}

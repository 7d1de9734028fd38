/// The behaviour of a server as ``DAVClient/probe(_:)`` has observed it.
///
/// The capabilities that a server announces are not used: four of nine servers overwrite a file although the condition
/// of the request is false.
public struct DAVServerProfile: Hashable, Sendable, Codable {
    /// The server's treatment of conditional requests, such as those with `If-Match`.
    public enum Adherence: String, Sendable, Codable {
        /// Requests are carried out if the condition is true, and refused if it is false.
        case honoured
        /// Requests are carried out even if the condition is false.
        case ignored
        /// Requests with the condition are refused even if it is true.
        case refused
        /// The condition was not tested, for example because the server has no tags.
        case unknown
    }

    /// The effect of locks.
    public enum Locking: String, Sendable, Codable {
        /// Only requests that carry the lock token may change the locked item.
        case enforced
        /// Locks are granted, but requests without the lock token also change the locked item.
        case ignored
        /// Locks are not granted.
        case absent
    }

    /// The kind of entity tags.
    public enum Tagging: String, Sendable, Codable {
        case strong
        /// Tags are weak for a short time after a change of the file, and strong afterwards.
        case weakAtFirst
        case weak
        case absent
    }

    /// The Unicode normalization of names.
    public enum Naming: String, Sendable, Codable {
        /// Names are stored unchanged.
        case kept
        /// Names are changed to the composed form (NFC).
        case composed
        /// Names in the decomposed form are refused or lost.
        case refused
    }

    /// The name and version of the server's software.
    public var server: String?
    /// The WebDAV compliance classes that the server announces.
    public var classes: [String] = []
    /// The seconds by which the server's clock is ahead of this machine's.
    public var clockOffset: Int64?
    /// The server's treatment of an upload with the condition that the replaced file has an entity tag (`If-Match`).
    public var putIfMatch = Adherence.unknown
    /// The server's treatment of an upload with the condition that no file exists at its address.
    public var putIfNoneMatch = Adherence.unknown
    /// The server's treatment of a move with the condition that the source has an entity tag.
    public var moveIfMatch = Adherence.unknown
    /// The server's treatment of a move with the condition that nothing exists at the destination.
    public var moveWithoutOverwriting = Adherence.unknown
    /// The effect of a condition on the tag of the file that a move overwrites.
    public var moveIfDestinationMatches = Adherence.unknown
    /// The effect of a condition on the tag of the file that is removed.
    public var deleteIfMatch = Adherence.unknown
    /// The effect of locks.
    public var locking = Locking.absent
    /// Whether the holder of a lock can move the locked file.
    public var movesUnderLock = false
    /// Whether the holder of a lock can replace the locked file by a move.
    public var replacesUnderLock = false
    /// The kind of the server's entity tags.
    public var tagging = Tagging.absent
    /// Whether listings contain the tags. If not, only replies with a file's contents do.
    public var listsTags = false
    /// Whether the reply to an upload contains the file's new tag.
    public var repliesWithTag = false
    /// Whether the tag changes when a file is overwritten with other contents of the same size within a second, or with
    /// the same date; `nil` without tags.
    public var distinguishesQuickChanges: Bool?
    /// Whether the server honours requests for a range of a file.
    public var sendsRanges = false
    /// Whether the server honours the condition on the file's tag in a request for a range (`If-Range`); `nil` without
    /// ranges or tags.
    public var honoursIfRange: Bool?
    /// Whether a listing contains no entries below the requested depth.
    public var honoursDepth = true
    /// The account's quota.
    public var quota: DAVQuota?
    /// Whether the server stores the date that is sent with an upload.
    public var takesDateOnUpload = false
    /// Whether a file's date can be set by a property after the upload.
    public var takesDateByProperty = false
    /// The Unicode normalization of names.
    public var naming = Naming.kept
    /// Whether names with `#`, `%`, `+`, `&`, `;` and spaces are stored unchanged.
    public var keepsSpecialNames = false
    /// Whether names that differ only in case denote different files.
    public var distinguishesCase = false
    /// Whether listings contain files whose names begin with a dot; `nil` if this is unknown, or such names are
    /// refused.
    public var listsHiddenFiles: Bool?
    /// Whether the server supports `COPY` for files.
    public var copies = false
    /// Whether the server creates missing parent directories.
    public var makesParents = false
    /// Whether the server removes a directory together with everything in it.
    public var removesTrees = false
    /// Whether creating a directory that exists is an error.
    public var refusesExistingDirectories = true
    /// The path of the probe's directory if it could not be removed; `nil` otherwise.
    public var remains: String?

    /// Creates the profile of a server that was not probed.
    public init() {}

    /// The method that prevents a change from overwriting another client's change.
    public enum Protection: String, Sendable, Codable {
        /// The server checks a condition of the request.
        case conditions
        /// The client locks the file, compares its version, and then changes the file.
        case locks
        /// The client moves the file to a temporary name, compares its version there, and moves the new contents to the
        /// file's former name. The last move fails if another client has used that name meanwhile.
        case exchange
        /// The client compares the version before and after the change. A change that another client makes in between
        /// is overwritten.
        case comparison
    }

    /// The protection when a file's contents are written.
    public var writing: Protection {
        putIfMatch == .honoured && putIfNoneMatch == .honoured && tagging != .weak ? .conditions : fallback
    }

    /// The protection of a file that is moved.
    public var moving: Protection {
        moveIfMatch == .honoured ? .conditions : movesUnderLock ? fallback : .comparison
    }

    /// The protection of a file that a move replaces.
    public var replacing: Protection {
        moveIfDestinationMatches == .honoured ? .conditions : replacesUnderLock ? fallback : .comparison
    }

    /// The protection of a file that is removed.
    public var removing: Protection { deleteIfMatch == .honoured ? .conditions : fallback }

    private var fallback: Protection {
        locking == .enforced ? .locks : moveWithoutOverwriting == .honoured ? .exchange : .comparison
    }
}

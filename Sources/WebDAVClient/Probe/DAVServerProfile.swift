/// The behaviour of a server as ``DAVClient/probe(_:)`` has seen it.
///
/// The claims of a server are not used: four of nine servers overwrite a file although the condition of the request
/// does not hold.
public struct DAVServerProfile: Hashable, Sendable, Codable {
    /// The effect of a condition.
    public enum Adherence: String, Sendable, Codable {
        /// Requests are carried out if the condition holds, and refused if not.
        case honoured
        /// Requests are carried out whether it holds or not.
        case ignored
        /// Requests are refused whether it holds or not.
        case refused
        /// The condition was not tested, for example because the server has no tags.
        case unknown
    }

    /// The effect of locks.
    public enum Locking: String, Sendable, Codable {
        /// Only requests that carry the lock may change what is locked.
        case enforced
        /// Locks are granted, but other requests change what is locked.
        case ignored
        /// Locks are not granted.
        case absent
    }

    /// The kind of entity tags.
    public enum Tagging: String, Sendable, Codable {
        case strong
        /// Tags are weak while a file is young, and strong afterwards.
        case weakAtFirst
        case weak
        case absent
    }

    /// The normal form of names.
    public enum Naming: String, Sendable, Codable {
        /// Names stay as they are.
        case kept
        /// Names are changed to the composed form (NFC).
        case composed
        /// Names in the decomposed form are refused or lost.
        case refused
    }

    /// The name that the server gives its software.
    public var server: String?
    /// The classes of WebDAV that it claims.
    public var classes: [String] = []
    /// The seconds by which its clock is ahead.
    public var clockOffset: Int64?
    /// The effect of the condition that a file has a given tag when it is written.
    public var putIfMatch = Adherence.unknown
    /// The effect of the condition that no file exists at the address when one is written.
    public var putIfNoneMatch = Adherence.unknown
    /// The effect of the condition that the source of a move has a given tag.
    public var moveIfMatch = Adherence.unknown
    /// The effect of the condition that nothing exists at the destination of a move.
    public var moveWithoutOverwriting = Adherence.unknown
    /// The effect of the condition that the file that a move overwrites has a given tag.
    public var moveIfDestinationMatches = Adherence.unknown
    /// The effect of the condition that a file has a given tag when it is removed.
    public var deleteIfMatch = Adherence.unknown
    /// The effect of locks.
    public var locking = Locking.absent
    /// Whether the holder of a lock can move the locked file.
    public var movesUnderLock = false
    /// Whether the holder of a lock can replace the locked file by a move.
    public var replacesUnderLock = false
    /// The entity tags.
    public var tagging = Tagging.absent
    /// Whether listings have the tags; otherwise, only replies with a file's contents have them.
    public var listsTags = false
    /// Whether the reply to an upload has the file's new tag.
    public var repliesWithTag = false
    /// Whether tags differ between two states of the same size within a second, or with the same date; `nil` without
    /// tags.
    public var distinguishesQuickChanges: Bool?
    /// Whether a part of a file can be read.
    public var sendsRanges = false
    /// Whether a part is sent only if the file has the given tag (`If-Range`); `nil` without parts or tags.
    public var honoursIfRange: Bool?
    /// Whether listings stop at the requested depth.
    public var honoursDepth = true
    /// The account's quota.
    public var quota: DAVQuota?
    /// Whether a file gets the date that is sent with it.
    public var takesDateOnUpload = false
    /// Whether a file's date can be set afterwards.
    public var takesDateByProperty = false
    /// The normal form of names.
    public var naming = Naming.kept
    /// Whether names with `#`, `%`, `+`, `&`, `;` and spaces stay as they are.
    public var keepsSpecialNames = false
    /// Whether names that differ only in case are different.
    public var distinguishesCase = false
    /// Whether listings have files whose names begin with a dot; `nil` if it is not known, or such names are refused.
    public var listsHiddenFiles: Bool?
    /// Whether the server copies files itself.
    public var copies = false
    /// Whether the server makes missing parent directories by itself.
    public var makesParents = false
    /// Whether a directory is removed with everything in it.
    public var removesTrees = false
    /// Whether it is an error to make a directory that exists.
    public var refusesExistingDirectories = true
    /// The path of the probe's directory, if the server did not remove it.
    public var remains: String?

    /// Creates the profile of a server about which nothing is known.
    public init() {}

    /// The means that keep a change from overwriting a change by another client.
    public enum Protection: String, Sendable, Codable {
        /// The server checks the condition.
        case conditions
        /// The file is locked, its version is compared, and then it is changed.
        case locks
        /// The file is moved aside, its version is compared there, and the new contents are moved to its name unless
        /// another client has taken that.
        case exchange
        /// The version is compared before and after the change. Changes in between are overwritten.
        case comparison
    }

    /// The protection of a file's contents when it is written.
    public var writing: Protection {
        putIfMatch == .honoured && putIfNoneMatch == .honoured && tagging != .weak ? .conditions : fallback
    }

    /// The protection of the file that is moved.
    public var moving: Protection {
        moveIfMatch == .honoured ? .conditions : movesUnderLock ? fallback : .comparison
    }

    /// The protection of the file that a move replaces.
    public var replacing: Protection {
        moveIfDestinationMatches == .honoured ? .conditions : replacesUnderLock ? fallback : .comparison
    }

    /// The protection of the file that is removed.
    public var removing: Protection { deleteIfMatch == .honoured ? .conditions : fallback }

    private var fallback: Protection {
        locking == .enforced ? .locks : moveWithoutOverwriting == .honoured ? .exchange : .comparison
    }
}

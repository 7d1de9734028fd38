import HTTPTransport
import WebDAVClient
import XMLStream

extension XMLName {
    /// Returns a name in ownCloud's namespace, which Nextcloud uses as well.
    static func oc(_ local: String) -> XMLName { XMLName("http://owncloud.org/ns", local) }
    /// Returns a name in the namespace of Nextcloud.
    static func nc(_ local: String) -> XMLName { XMLName("http://nextcloud.org/ns", local) }
}

/// A file or directory at a Nextcloud server, with the properties that Nextcloud has beyond WebDAV.
public struct NextcloudEntry: Sendable {
    /// The properties of WebDAV. The entity tag of a directory changes when any of its descendants changes, except for
    /// those in external storages.
    public let entry: DAVEntry
    /// The identifier of the file or directory at this server. It stays the same through renames and moves.
    public let fileID: Int64?
    /// The identifier of the file, followed by the server's identifier, so that it is unique among servers.
    public let instanceID: String?
    /// The user's permissions; `nil` if the server does not report them.
    public let permissions: NextcloudPermissions?
    /// The number of bytes; for a directory, the total of its descendants.
    public let size: Int?
    /// Whether the item is a favorite of the user.
    public let isFavorite: Bool
    /// The names of the item's tags that are visible to all users.
    public let tags: [String]
    /// The checksums, such as `SHA1:…`, that the uploading client sent. The server does not verify them.
    public let checksums: [String]
    /// Whether the server can generate a picture of the file.
    public let hasPreview: Bool
    /// The kind of storage of the item: empty for the user's own, or for example `shared`, `group`, `external`.
    public let mountType: String
    /// Whether the item is the top directory of another storage. Removing it ends a share, or fails.
    public let isMountRoot: Bool
    /// Whether the contents are encrypted end to end between clients, so that this client cannot read them.
    public let isEncrypted: Bool
    /// Whether the user has hidden the item.
    public let isHidden: Bool
    /// The date of creation, if a client set it.
    public let created: HTTPDate?
    /// The date of the upload.
    public let uploaded: HTTPDate?
    /// The kinds of the item's shares, by the server's numbers: 0 user, 1 group, 3 link, 4 mail, 6 remote.
    public let shareTypes: Set<Int>
    /// The user who owns the file.
    public let ownerID: String?
    /// The display name of the owner.
    public let ownerName: String?
    /// The identifier of the server's data. It changes when the server is restored from a backup.
    public let dataFingerprint: String?
    /// The display name of the user who has locked the file; empty if the server does not report the name, `nil` if the
    /// file is not locked.
    public let lockOwner: String?

    /// The name.
    public var name: String { entry.name }

    /// The properties to request in addition to those of WebDAV.
    public static let properties: [XMLName] =
        [
            "id", "fileid", "permissions", "size", "favorite", "checksums", "share-types", "owner-id",
            "owner-display-name",
        ]
        .map { .oc($0) }
        + [
            "has-preview", "mount-type", "is-mount-root", "is-encrypted", "hidden", "creation_time", "upload_time",
            "system-tags", "lock", "lock-owner-displayname",
        ].map { .nc($0) }

    /// Parses the properties of an entry.
    public init(_ entry: DAVEntry) {
        self.entry = entry
        func text(_ name: XMLName) -> String? {
            let text = entry.property(name)?.text.trimmed ?? ""
            return text.isEmpty ? nil : String(text)
        }
        func flag(_ name: XMLName) -> Bool { ["1", "true"].contains(text(name) ?? "") }
        func date(_ name: XMLName) -> HTTPDate? {
            text(name).flatMap { Int64($0) }.flatMap { $0 > 0 ? HTTPDate(seconds: $0) : nil }
        }
        func texts(_ list: XMLName, _ name: XMLName) -> [String] {
            entry.property(list)?.children.filter { $0.name == name }.map { String($0.text.trimmed) } ?? []
        }
        fileID = text(.oc("fileid")).flatMap { Int64($0) }
        instanceID = text(.oc("id"))
        permissions = entry.property(.oc("permissions")).map { NextcloudPermissions(letters: $0.text) }
        size = text(.oc("size")).flatMap { Int($0) } ?? entry.length
        isFavorite = flag(.oc("favorite"))
        tags = texts(.nc("system-tags"), .nc("system-tag"))
        // Some servers put all checksums into one element.
        checksums = texts(.oc("checksums"), .oc("checksum")).flatMap { $0.split(separator: " ").map { String($0) } }
        hasPreview = flag(.nc("has-preview"))
        mountType = text(.nc("mount-type")) ?? ""
        isMountRoot = flag(.nc("is-mount-root"))
        isEncrypted = flag(.nc("is-encrypted"))
        isHidden = flag(.nc("hidden"))
        created = date(.nc("creation_time"))
        uploaded = date(.nc("upload_time"))
        shareTypes = Set(texts(.oc("share-types"), .oc("share-type")).compactMap { Int($0) })
        ownerID = text(.oc("owner-id"))
        ownerName = text(.oc("owner-display-name"))
        dataFingerprint = text(.oc("data-fingerprint"))
        lockOwner = flag(.nc("lock")) ? text(.nc("lock-owner-displayname")) ?? "" : nil
    }
}

extension NextcloudClient {
    /// Requests the properties of the user's root, with the account's quota and the identifier of the server's data.
    public func examineRoot() async throws(DAVError) -> NextcloudEntry {
        let client = files(NextcloudEntry.properties + [.oc("data-fingerprint")])
        return NextcloudEntry(try await client.entry(at: root, hasQuota: true))
    }
}

/// The permissions of a user for a file or directory.
public struct NextcloudPermissions: OptionSet, Hashable, Sendable, Codable {
    /// The bits.
    public let rawValue: Int

    /// Creates permissions from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The item was shared with the user by another user (S).
    public static let isShared = NextcloudPermissions(rawValue: 1)
    /// The item may be shared (R).
    public static let share = NextcloudPermissions(rawValue: 2)
    /// The item is in another storage than the user's own (M).
    public static let isMounted = NextcloudPermissions(rawValue: 4)
    /// The item may be read (G). Servers before version 12 do not report this.
    public static let read = NextcloudPermissions(rawValue: 8)
    /// The item may be removed (D).
    public static let delete = NextcloudPermissions(rawValue: 16)
    /// The item may be renamed (N).
    public static let rename = NextcloudPermissions(rawValue: 32)
    /// The item may be moved (V).
    public static let move = NextcloudPermissions(rawValue: 64)
    /// The file's contents may be changed (W).
    public static let write = NextcloudPermissions(rawValue: 128)
    /// Files may be created in the directory (C).
    public static let createFiles = NextcloudPermissions(rawValue: 256)
    /// Directories may be created in the directory (K).
    public static let createDirectories = NextcloudPermissions(rawValue: 512)

    private static let letters: [Character: NextcloudPermissions] = [
        "S": .isShared, "R": .share, "M": .isMounted, "G": .read, "D": .delete, "N": .rename, "V": .move, "W": .write,
        "C": .createFiles, "K": .createDirectories,
    ]

    /// Parses the server's letters. Unknown letters are ignored.
    public init(letters: String) { self = Self(letters.compactMap { Self.letters[$0] }) }
}

/// The rights of a user on a file or directory.
public struct NextcloudPermissions: OptionSet, Hashable, Sendable, Codable {
    /// The bits.
    public let rawValue: Int

    /// Creates rights from bits.
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
    /// Files may be made in the directory (C).
    public static let createFiles = NextcloudPermissions(rawValue: 256)
    /// Directories may be made in the directory (K).
    public static let createDirectories = NextcloudPermissions(rawValue: 512)

    private static let letters: [Character: NextcloudPermissions] = [
        "S": .isShared, "R": .share, "M": .isMounted, "G": .read, "D": .delete, "N": .rename, "V": .move, "W": .write,
        "C": .createFiles, "K": .createDirectories,
    ]

    /// Reads the server's letters. Unknown ones are ignored.
    public init(letters: String) { self = Self(letters.compactMap { Self.letters[$0] }) }
}

import Foundation

extension NSURL {
    /// Options for creating a bookmark: the data that it contains, and the access that it grants.
    ///
    /// Source: Foundation, `NSURL.h`.
    public struct BookmarkCreationOptions: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: UInt

        /// Creates options from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Stores no resource values, only the data needed to find the item again.
        public static var minimalBookmark: BookmarkCreationOptions { BookmarkCreationOptions(rawValue: 1 << 9) }
        /// Makes the bookmark suitable for `writeBookmarkData(_:to:)`.
        public static var suitableForBookmarkFile: BookmarkCreationOptions {
            BookmarkCreationOptions(rawValue: 1 << 10)
        }
        /// Grants a confined process access to the item later; see `startAccessingSecurityScopedResource()`.
        public static var withSecurityScope: BookmarkCreationOptions { BookmarkCreationOptions(rawValue: 1 << 11) }
        /// Limits the access to reading. Used together with ``withSecurityScope``.
        public static var securityScopeAllowOnlyReadAccess: BookmarkCreationOptions {
            BookmarkCreationOptions(rawValue: 1 << 12)
        }
        /// Grants no access. A bookmark with neither this option nor ``minimalBookmark`` lets any confined process of
        /// the user access the item until the machine restarts.
        public static var withoutImplicitSecurityScope: BookmarkCreationOptions {
            BookmarkCreationOptions(rawValue: 1 << 29)
        }
    }

    /// Options for resolving a bookmark.
    ///
    /// Source: Foundation, `NSURL.h`.
    public struct BookmarkResolutionOptions: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: UInt

        /// Creates options from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Shows no user interface. The option has no effect, because resolving never shows one.
        public static var withoutUI: BookmarkResolutionOptions { BookmarkResolutionOptions(rawValue: 1 << 8) }
        /// Mounts no volumes. The option has no effect, because resolving never mounts a volume.
        public static var withoutMounting: BookmarkResolutionOptions { BookmarkResolutionOptions(rawValue: 1 << 9) }
        /// Does not begin access when the bookmark is resolved. Access begins only with
        /// `startAccessingSecurityScopedResource()`.
        public static var withSecurityScope: BookmarkResolutionOptions { BookmarkResolutionOptions(rawValue: 1 << 10) }
        /// Like ``withSecurityScope``, for bookmarks that were created without a security scope.
        public static var withoutImplicitStartAccessing: BookmarkResolutionOptions {
            BookmarkResolutionOptions(rawValue: 1 << 15)
        }
    }

    /// An unused type. Functions ignore parameters of this type, as Apple's functions do.
    public typealias BookmarkFileCreationOptions = Int
}

extension URL {
    /// Options for creating a bookmark: the data that it contains, and the access that it grants.
    public typealias BookmarkCreationOptions = NSURL.BookmarkCreationOptions
    /// Options for resolving a bookmark.
    public typealias BookmarkResolutionOptions = NSURL.BookmarkResolutionOptions
}

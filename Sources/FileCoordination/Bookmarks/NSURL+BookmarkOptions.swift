import Foundation

extension NSURL {
    /// The contents of a new bookmark, and the access that it grants.
    ///
    /// Source: Foundation, `NSURL.h`.
    public struct BookmarkCreationOptions: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: UInt

        /// Creates options from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// No resource values: only the data needed to find the item again.
        public static var minimalBookmark: BookmarkCreationOptions { BookmarkCreationOptions(rawValue: 1 << 9) }
        /// Suitable for `writeBookmarkData(_:to:)`.
        public static var suitableForBookmarkFile: BookmarkCreationOptions {
            BookmarkCreationOptions(rawValue: 1 << 10)
        }
        /// Grants a confined process access to the item later; see `startAccessingSecurityScopedResource()`.
        public static var withSecurityScope: BookmarkCreationOptions { BookmarkCreationOptions(rawValue: 1 << 11) }
        /// With ``withSecurityScope``: read-only access.
        public static var securityScopeAllowOnlyReadAccess: BookmarkCreationOptions {
            BookmarkCreationOptions(rawValue: 1 << 12)
        }
        /// Without the access that a bookmark otherwise carries implicitly.
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

        /// No user interface. Resolving never shows any.
        public static var withoutUI: BookmarkResolutionOptions { BookmarkResolutionOptions(rawValue: 1 << 8) }
        /// No mounting. Resolving never mounts a volume.
        public static var withoutMounting: BookmarkResolutionOptions { BookmarkResolutionOptions(rawValue: 1 << 9) }
        /// Access begins with `startAccessingSecurityScopedResource()`, not before.
        public static var withSecurityScope: BookmarkResolutionOptions { BookmarkResolutionOptions(rawValue: 1 << 10) }
        /// Like ``withSecurityScope``, for bookmarks whose access otherwise begins when they are resolved.
        public static var withoutImplicitStartAccessing: BookmarkResolutionOptions {
            BookmarkResolutionOptions(rawValue: 1 << 15)
        }
    }

    /// An unused type: methods with such a parameter ignore it, as Apple's do.
    public typealias BookmarkFileCreationOptions = Int
}

extension URL {
    /// The contents of a new bookmark, and the access that it grants.
    public typealias BookmarkCreationOptions = NSURL.BookmarkCreationOptions
    /// Options for resolving a bookmark.
    public typealias BookmarkResolutionOptions = NSURL.BookmarkResolutionOptions
}

import Foundation

extension NSURL {
    /// What a new bookmark holds and whom it is for.
    ///
    /// Source: Foundation, `NSURL.h`.
    public struct BookmarkCreationOptions: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: UInt

        /// Options from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// No resource values: only what is needed to find the item again.
        public static var minimalBookmark: BookmarkCreationOptions { BookmarkCreationOptions(rawValue: 1 << 9) }
        /// May be written to a bookmark file with `writeBookmarkData(_:to:)`.
        public static var suitableForBookmarkFile: BookmarkCreationOptions {
            BookmarkCreationOptions(rawValue: 1 << 10)
        }
        /// Gives a confined process access to the item later; see `startAccessingSecurityScopedResource()`.
        public static var withSecurityScope: BookmarkCreationOptions { BookmarkCreationOptions(rawValue: 1 << 11) }
        /// With ``withSecurityScope``: access to read only.
        public static var securityScopeAllowOnlyReadAccess: BookmarkCreationOptions {
            BookmarkCreationOptions(rawValue: 1 << 12)
        }
        /// Without the access that a bookmark of an accessed item carries along otherwise.
        public static var withoutImplicitSecurityScope: BookmarkCreationOptions {
            BookmarkCreationOptions(rawValue: 1 << 29)
        }
    }

    /// How a bookmark is resolved.
    ///
    /// Source: Foundation, `NSURL.h`.
    public struct BookmarkResolutionOptions: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: UInt

        /// Options from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Asks nobody. Resolving never does.
        public static var withoutUI: BookmarkResolutionOptions { BookmarkResolutionOptions(rawValue: 1 << 8) }
        /// Mounts nothing. Resolving never does.
        public static var withoutMounting: BookmarkResolutionOptions { BookmarkResolutionOptions(rawValue: 1 << 9) }
        /// Access begins with `startAccessingSecurityScopedResource()`, not before.
        public static var withSecurityScope: BookmarkResolutionOptions { BookmarkResolutionOptions(rawValue: 1 << 10) }
        /// As ``withSecurityScope``, for bookmarks whose access begins as they are resolved otherwise.
        public static var withoutImplicitStartAccessing: BookmarkResolutionOptions {
            BookmarkResolutionOptions(rawValue: 1 << 15)
        }
    }

    /// Not used; the methods that take one ignore it, as Apple's do.
    public typealias BookmarkFileCreationOptions = Int
}

extension URL {
    /// What a new bookmark holds and whom it is for.
    public typealias BookmarkCreationOptions = NSURL.BookmarkCreationOptions
    /// How a bookmark is resolved.
    public typealias BookmarkResolutionOptions = NSURL.BookmarkResolutionOptions
}

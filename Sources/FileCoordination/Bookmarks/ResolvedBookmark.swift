import Foundation
import LinuxSystem

/// What a program gets for a bookmark.
struct ResolvedBookmark {
    let url: URL
    let isStale: Bool

    /// Blocks on the file system, and in a confined process on the daemon, which resolves what was made outside of it.
    init(_ data: Data, _ options: URL.BookmarkResolutionOptions, relativeTo base: URL?) throws {
        let base = try base?.foundItem()
        let bookmark: Bookmark
        do {
            bookmark = try Bookmark(reading: data)
        } catch {
            // Not of this container: the daemon has the user's key.
            guard BookmarkSeal.isBookmark(data), let scoped = try ScopedAccess.shared.resolve(data, relativeTo: base)
            else {
                throw error
            }
            url = URL(fileURLWithPath: scoped.path, isDirectory: scoped.isDirectory)
            isStale = scoped.isStale
            if options.isDisjoint(with: [.withSecurityScope, .withoutImplicitStartAccessing]) {
                _ = url.startAccessingSecurityScopedResource()
            }
            return
        }
        let resolution = try BookmarkResolution(of: bookmark, relativeTo: base)
        let isDirectory = try resolution.item.descriptor.status().kind == .directory
        url = URL(fileURLWithPath: resolution.item.path, isDirectory: isDirectory)
        isStale = resolution.isStale
    }
}

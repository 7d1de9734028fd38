import Foundation
import LinuxSystem

/// A bookmark's URL, and whether the bookmark is stale.
struct ResolvedBookmark {
    let url: URL
    let isStale: Bool

    /// Resolves a bookmark. Blocks on the file system. A confined process blocks on the daemon, which resolves
    /// bookmarks that were made outside it.
    init(_ data: Data, _ options: URL.BookmarkResolutionOptions, relativeTo base: URL?) throws {
        let base = try base?.foundItem()
        let bookmark: Bookmark
        do {
            bookmark = try Bookmark(reading: data)
        } catch {
            // Not made in this container: the daemon has the user's key.
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

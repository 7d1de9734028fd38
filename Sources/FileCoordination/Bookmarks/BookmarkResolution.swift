import Foundation
import Glibc
import LinuxSystem

/// The result of resolving a bookmark.
package struct BookmarkResolution: Sendable {
    package let item: ResolvedItem
    /// Whether a new bookmark should be created, because the item has moved or was replaced by another item.
    package let isStale: Bool
    /// Whether `item` is another item at the bookmark's path. An example is a document that a program saved by renaming
    /// a new file over the old one.
    package let isReplaced: Bool

    /// Finds the item that the bookmark describes. Blocks on the file system.
    ///
    /// - Parameter base: The file that the bookmark is relative to.
    /// - Throws: `CocoaError`: `fileReadCorruptFile` if the bookmark belongs to another user, or if `base` is not the
    ///   file that the bookmark is relative to; `fileNoSuchFile` if the item cannot be found.
    package init(of bookmark: Bookmark, relativeTo base: ResolvedItem?) throws {
        guard bookmark.user == geteuid() else {
            throw BookmarkError.corrupt("the bookmark was made by another user")
        }
        var paths = [bookmark.path]
        if let expected = bookmark.base {
            guard let base, let there = try? ItemIdentity(of: base.descriptor), there.isSame(as: expected) else {
                throw BookmarkError.corrupt("the bookmark is relative to another file than the one that is given")
            }
            if let relative = bookmark.relativePath {
                // The base file and the item are often moved together.
                let path = URL(fileURLWithPath: Bookmark.folder(of: base.path) + "/" + relative).standardizedFileURL
                    .path
                if ExactPath(path) != ExactPath(bookmark.path) { paths.append(path) }
            }
        }
        if let found = ItemSearch(identity: bookmark.identity, paths: paths, inside: bookmark.inside).find() {
            item = found
            isReplaced = false
            let now = try ItemIdentity(of: found.descriptor)
            // Device numbers may change when the machine restarts. A new bookmark then stores the new number. File
            // handles, if supported, stay valid.
            isStale = ExactPath(found.path) != ExactPath(bookmark.path) || now.device != bookmark.identity.device
            return
        }
        for path in paths {
            guard let there = try? ResolvedItem(at: path), let status = try? there.descriptor.status(),
                (status.kind == .directory) == bookmark.identity.isDirectory
            else { continue }
            item = there
            isReplaced = true
            isStale = true
            return
        }
        throw BookmarkError.missing(bookmark.path)
    }
}

/// A bookmark's URL, and whether the bookmark is stale.
struct ResolvedBookmark {
    let url: URL
    let isStale: Bool

    /// Resolves a bookmark. Blocks on the file system. A confined process also waits for the daemon, which resolves the
    /// bookmarks that were created outside of the process's container.
    init(_ data: Data, _ options: URL.BookmarkResolutionOptions, relativeTo base: URL?) throws {
        let base = try base?.foundItem()
        let bookmark: Bookmark
        do {
            bookmark = try Bookmark(reading: data)
        } catch {
            // The bookmark was not created in this container. The daemon has the user's key, and can decode the
            // bookmark.
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

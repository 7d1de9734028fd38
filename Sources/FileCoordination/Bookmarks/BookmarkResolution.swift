import Foundation
import Glibc
import LinuxSystem

/// Where a bookmark leads now.
package struct BookmarkResolution: Sendable {
    package let item: FoundItem
    /// Whether it is time for a new bookmark: the item has moved, or another one has taken its place.
    package let isStale: Bool
    /// Whether this is another item than the one the bookmark was made of, with its path: as a program leaves it that
    /// writes a new file and renames it over the old one.
    package let isReplaced: Bool

    /// Finds the item. Blocks on the file system.
    ///
    /// - Parameter base: the file that the bookmark is relative to.
    /// - Throws: `CocoaError`: `fileReadCorruptFile` for a bookmark of another user or without its base, `fileNoSuchFile` when the
    ///   item cannot be found.
    package init(of bookmark: Bookmark, relativeTo base: FoundItem?) throws {
        guard bookmark.user == geteuid() else {
            throw BookmarkError.corrupt("the bookmark was made by another user")
        }
        var paths = [bookmark.path]
        if let expected = bookmark.base {
            guard let base, let there = try? ItemIdentity(of: base.descriptor), there.isSame(as: expected) else {
                throw BookmarkError.corrupt("the bookmark is relative to another file than the one that is given")
            }
            if let relative = bookmark.relativePath {
                // The document and what lies beside it are often moved together.
                let path = URL(fileURLWithPath: Bookmark.folder(of: base.path) + "/" + relative).standardizedFileURL
                    .path
                if path != bookmark.path { paths.append(path) }
            }
        }
        if let found = ItemSearch(identity: bookmark.identity, paths: paths, inside: bookmark.inside).find() {
            item = found
            isReplaced = false
            let now = try ItemIdentity(of: found.descriptor)
            // A device number is given out anew when the machine starts; the handle holds, where there is one.
            isStale = found.path != bookmark.path || now.device != bookmark.identity.device
            return
        }
        for path in paths {
            guard let there = try? FoundItem(at: path), let status = try? there.descriptor.status(),
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

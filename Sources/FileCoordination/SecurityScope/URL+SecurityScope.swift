import Foundation
import Glibc

/// The use of items outside of a process's container.
///
/// A process that is not confined may open what its user may; these functions then change nothing. A confined one gets a
/// security-scoped bookmark from elsewhere, resolves it, and begins to use the URL: the daemon checks that the bookmark was
/// made for this bundle and user, opens the very item, and hands its descriptor out. While access lasts, the item is also to be
/// found at the URL: a file as itself, to be read, and to be changed in place where the bookmark allows that; a folder, and a
/// file on another file system than the user's data, as a copy that can only be read. No file can be made or renamed there.
///
/// Source: Foundation, `NSURL.h`, security-scoped URLs.
extension URL {
    /// Begins to use an item that a person has chosen; balanced by ``stopAccessingSecurityScopedResource()``.
    ///
    /// Uses nest: access ends with the last. The first of a confined process blocks until the daemon has answered.
    ///
    /// - Returns: whether there is access: `false` for an item that is gone, or that this process may not reach. Then there is
    ///   nothing to stop.
    public func startAccessingSecurityScopedResource() -> Bool {
        guard isFileURL else { return false }
        let path = bookmarkPath
        return ScopedAccess.shared.begin(path) ?? (access(path, F_OK) == 0)
    }

    /// Ends one use of an item. One more than were begun is ignored.
    public func stopAccessingSecurityScopedResource() {
        if isFileURL { ScopedAccess.shared.end(bookmarkPath) }
    }
}

import Foundation
import Glibc

/// The use of items outside of a process's container.
///
/// A process that is not confined may open whatever its user may, and these functions change nothing. A confined
/// process gets a security-scoped bookmark from elsewhere, resolves it, and starts accessing the URL. The daemon
/// checks that the bookmark was made for this bundle and user, opens the item, and passes its descriptor. While
/// access lasts, the item also exists at the URL. A file is the file itself, readable, and writable in place if the
/// bookmark allows that. A directory, or a file on another file system than the user's data, is a read-only copy. No
/// file can be created or renamed there.
///
/// Source: Foundation, `NSURL.h`, security-scoped URLs.
extension URL {
    /// Begins access to an item that the user has chosen. Balance with ``stopAccessingSecurityScopedResource()``.
    ///
    /// Uses nest: access ends with the last. The first one in a confined process blocks until the daemon has replied.
    ///
    /// - Returns: Whether there is access: `false` for an item that no longer exists, or that this process may not
    ///   access. Then there is nothing to stop.
    public func startAccessingSecurityScopedResource() -> Bool {
        guard isFileURL else { return false }
        let path = bookmarkPath
        return ScopedAccess.shared.begin(path) ?? (access(path, F_OK) == 0)
    }

    /// Ends a use of an item. Does nothing if none was begun.
    public func stopAccessingSecurityScopedResource() {
        if isFileURL { ScopedAccess.shared.end(bookmarkPath) }
    }
}

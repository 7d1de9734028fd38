import Foundation
import LinuxSystem

/// The bookmark functions of `URL` in their older form, as methods of `NSURL`.
///
/// Source: Foundation, `NSURL.h`. Apple's `open` methods are not open in this extension, because Swift on Linux cannot
/// override methods that an extension declares.
extension NSURL {
    /// Creates a bookmark of the item at this URL.
    public func bookmarkData(
        options: BookmarkCreationOptions = [], includingResourceValuesForKeys keys: [URLResourceKey]?,
        relativeTo relativeURL: URL?
    ) throws -> Data {
        try (self as URL).bookmarkData(
            options: options, includingResourceValuesForKeys: keys.map { Set($0) }, relativeTo: relativeURL)
    }

    /// Creates the URL of the item that a bookmark describes, at its current path.
    public convenience init(
        resolvingBookmarkData bookmarkData: Data, options: BookmarkResolutionOptions = [], relativeTo relativeURL: URL?,
        bookmarkDataIsStale isStale: UnsafeMutablePointer<ObjCBool>?
    ) throws {
        let resolved = try ResolvedBookmark(bookmarkData, options, relativeTo: relativeURL)
        isStale?.pointee = ObjCBool(resolved.isStale)
        self.init(fileURLWithPath: resolved.url.path, isDirectory: resolved.url.hasDirectoryPath)
    }

    /// Creates the URL of the target of an alias file or a symbolic link. For any other item, creates the URL of the
    /// item itself.
    public convenience init(resolvingAliasFileAt url: URL, options: BookmarkResolutionOptions = []) throws {
        let target = try URL(resolvingAliasFileAt: url, options: options)
        self.init(fileURLWithPath: target.path, isDirectory: target.hasDirectoryPath)
    }

    /// Returns the resource values that are stored in a bookmark.
    public class func resourceValues(
        forKeys keys: [URLResourceKey], fromBookmarkData bookmarkData: Data
    ) -> [URLResourceKey: Any]? {
        try? Bookmark(reading: bookmarkData).values(forKeys: keys)
    }

    /// Writes a bookmark to an alias file.
    public class func writeBookmarkData(
        _ bookmarkData: Data, to bookmarkFileURL: URL, options: BookmarkFileCreationOptions
    ) throws {
        try AliasFile(bookmarkFileURL).write(bookmarkData)
    }

    /// Returns the bookmark that the alias file at the given URL contains.
    public class func bookmarkData(withContentsOf bookmarkFileURL: URL) throws -> Data {
        try AliasFile(bookmarkFileURL).bookmark()
    }

    /// Begins access to an item that the user has chosen. Balance with ``stopAccessingSecurityScopedResource()``.
    public func startAccessingSecurityScopedResource() -> Bool {
        (self as URL).startAccessingSecurityScopedResource()
    }

    /// Ends access to an item.
    public func stopAccessingSecurityScopedResource() {
        (self as URL).stopAccessingSecurityScopedResource()
    }
}

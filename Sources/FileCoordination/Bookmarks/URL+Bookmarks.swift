import Foundation
import LinuxSystem
import UniformTypeIdentifiers

/// Bookmarks. A bookmark is data with which a file or directory can be found after it was renamed or moved, even by
/// another process or after a restart of the machine.
///
/// A bookmark contains the item's handle, inode number and path, and an authentication code. Only bookmarks that this
/// user's programs created are accepted. All of these functions block on the file system. Any thread may call them. See
/// Documentation/Bookmarks.md for the format, and for items that cannot be found again.
///
/// Source: Foundation, `URL.h`, `NSURL.h`.
extension URL {
    /// Creates a bookmark of the item at this URL. A symbolic link is not followed.
    ///
    /// If `options` contains neither `minimalBookmark` nor `withoutImplicitSecurityScope`, the bookmark grants access:
    /// a confined process of this user that receives the bookmark may use the item until the machine restarts.
    ///
    /// - Parameters:
    ///   - keys: The resource values to store; ``resourceValues(forKeys:fromBookmarkData:)`` reads them without
    ///     resolving.
    ///   - url: A file to which the bookmark is relative. The same file, not a copy, must be passed to resolve the
    ///     bookmark.
    /// - Throws: `CocoaError`: `fileReadNoSuchFile`, `fileReadNoPermission`, or `fileReadUnsupportedScheme` if this is
    ///   not a file URL.
    public func bookmarkData(
        options: BookmarkCreationOptions = [], includingResourceValuesForKeys keys: Set<URLResourceKey>? = nil,
        relativeTo url: URL? = nil
    ) throws -> Data {
        try makeBookmark(options, keeping: keys, relativeTo: url, forBundle: nil)
    }

    /// Creates a bookmark with a security scope for the confined processes of the bundle with the given identifier.
    /// With such a bookmark, an unconfined program gives an extension permanent access to a file.
    package func bookmarkData(
        options: BookmarkCreationOptions = .withSecurityScope, relativeTo url: URL? = nil, forBundle bundle: String
    ) throws -> Data {
        try makeBookmark(options.union(.withSecurityScope), keeping: nil, relativeTo: url, forBundle: bundle)
    }

    /// Creates the URL of the item that a bookmark describes, at its current path.
    ///
    /// The item itself is preferred, even if it has another name now. If it does not exist, another item at its path is
    /// returned, for example after a program saved by renaming a new file over the old one.
    ///
    /// - Parameter isStale: Set to whether a new bookmark should be created, because the item has moved or was
    ///   replaced.
    /// - Throws: `CocoaError`: `fileReadCorruptFile` if the data is not a bookmark, was changed, or was created by
    ///   another user; `fileNoSuchFile` if the item is not found.
    public init(
        resolvingBookmarkData data: Data, options: BookmarkResolutionOptions = [], relativeTo url: URL? = nil,
        bookmarkDataIsStale isStale: inout Bool
    ) throws {
        let resolved = try ResolvedBookmark(data, options, relativeTo: url)
        isStale = resolved.isStale
        self = resolved.url
    }

    /// Creates the URL of the target of an alias file or a symbolic link. For any other item, creates the URL of the
    /// item itself.
    ///
    /// - Throws: `CocoaError`: the errors of resolving a bookmark, and `fileReadNoSuchFile` if the file does not exist.
    public init(resolvingAliasFileAt url: URL, options: BookmarkResolutionOptions = []) throws {
        self = try AliasFile(url).target(options) ?? url
    }

    /// Returns the resource values that are stored in a bookmark, and the path and name that the item had when the
    /// bookmark was created.
    ///
    /// - Returns: `nil` if the data is not a bookmark, was changed, or was created by another user.
    public static func resourceValues(
        forKeys keys: Set<URLResourceKey>, fromBookmarkData data: Data
    ) -> URLResourceValues? {
        guard let values = try? Bookmark(reading: data).values(forKeys: keys) else { return nil }
        return values.reduce(URLResourceValues()) { $0.adding($1.value, forKey: $1.key) }
    }

    /// Writes a bookmark to an alias file, replacing an existing file.
    ///
    /// - Parameter data: A bookmark made with `suitableForBookmarkFile`.
    /// - Throws: `CocoaError.fileReadCorruptFile` for any other data, and errors of writing.
    public static func writeBookmarkData(_ data: Data, to url: URL) throws {
        try AliasFile(url).write(data)
    }

    /// Returns the bookmark that the alias file at the given URL contains.
    ///
    /// - Throws: `CocoaError.fileReadCorruptFile` if the file does not contain a bookmark.
    public static func bookmarkData(withContentsOf url: URL) throws -> Data {
        try AliasFile(url).bookmark()
    }
}

extension URL {
    /// The item's absolute path, without a trailing slash.
    var bookmarkPath: String {
        let path = absoluteURL.path
        return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    /// Opens the item at this URL.
    func foundItem() throws -> ResolvedItem {
        guard isFileURL else { throw BookmarkError.notAFile(self) }
        let path = bookmarkPath
        do throws(Errno) {
            return try ResolvedItem(at: path)
        } catch {
            throw BookmarkError.unreadable(path, error)
        }
    }

    private func makeBookmark(
        _ options: BookmarkCreationOptions, keeping keys: Set<URLResourceKey>?, relativeTo base: URL?,
        forBundle bundle: String?
    ) throws -> Data {
        let carriesScope = options.isDisjoint(with: [.minimalBookmark, .withoutImplicitSecurityScope])
        if isFileURL, carriesScope,
            let renewed = try ScopedAccess.shared.renewBookmark(
                of: bookmarkPath, options, keeping: keys, relativeTo: base)
        {
            return renewed
        }
        let item = try foundItem()
        var values: [BookmarkValue] = []
        if let keys, !options.contains(.minimalBookmark) {
            values = try BookmarkValue.values(of: self, forKeys: Array(keys))
        }
        let isReadOnly = options.contains(.securityScopeAllowOnlyReadAccess)
        var scope: Bookmark.Scope?
        if options.contains(.withSecurityScope) {
            scope = Bookmark.Scope(bundle: bundle, isReadOnly: isReadOnly)
        } else if carriesScope, let session = MachineSession.current {
            scope = Bookmark.Scope(bundle: nil, isReadOnly: isReadOnly, session: session)
        }
        let base = try base?.foundItem()
        let bookmark: Bookmark
        do throws(Errno) {
            bookmark = try Bookmark(
                options: options.rawValue, item: item, relativeTo: base, scope: scope, values: values)
        } catch {
            throw BookmarkError.unreadable(item.path, error)
        }
        return BookmarkSeal.seal(bookmark, try BookmarkKey.current())
    }
}

extension BookmarkKey {
    /// Returns the key of this user. A confined process has a separate key in its container.
    static func current() throws -> BookmarkKey {
        do {
            guard let data = DataFolder.path else { throw KeyError(description: "PURVEY_HOME is not an absolute path") }
            return try BookmarkKey(data: data)
        } catch {
            throw BookmarkError.noKey(error)
        }
    }
}

extension Bookmark {
    /// Decodes a bookmark that was created by a program of this user.
    init(reading data: Data) throws {
        let key = try BookmarkKey.current()
        do throws(BookmarkSeal.SealError) {
            self = try BookmarkSeal.open(data, key)
        } catch {
            throw BookmarkError.corrupt(error)
        }
    }
}

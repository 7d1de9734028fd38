import Foundation
import LinuxSystem
import UniformTypeIdentifiers

/// Bookmarks: bytes that find a file or folder again after it was renamed or moved, also in another process or after the
/// machine was started anew.
///
/// They hold the item's handle, inode and path, and a code by which only what this user's programs made is accepted. All of
/// these functions block on the file system; any thread may call them. Documentation/Bookmarks.md has the format, and
/// what can not be found again.
///
/// Source: Foundation, `URL.h`, `NSURL.h`.
extension URL {
    /// Makes a bookmark of the item that this URL names. A symbolic link is the item itself, not what it leads to.
    ///
    /// With neither `minimalBookmark` nor `withoutImplicitSecurityScope` it carries access along: a confined process of this user that
    /// it is handed to may use the item, until the machine is started anew.
    ///
    /// - Parameters:
    ///   - keys: resource values to keep in it; ``resourceValues(forKeys:fromBookmarkData:)`` reads them without resolving.
    ///   - url: a file without which, the very file, the bookmark cannot be resolved.
    /// - Throws: `CocoaError`: `fileReadNoSuchFile`, `fileReadNoPermission`, or `fileReadUnsupportedScheme` for what is no file URL.
    public func bookmarkData(
        options: BookmarkCreationOptions = [], includingResourceValuesForKeys keys: Set<URLResourceKey>? = nil,
        relativeTo url: URL? = nil
    ) throws -> Data {
        try makeBookmark(options, keeping: keys, relativeTo: url, forBundle: nil)
    }

    /// Makes a bookmark with a security scope for the confined processes of a bundle: how a program that a person uses hands a
    /// file to an extension for good.
    package func bookmarkData(
        options: BookmarkCreationOptions = .withSecurityScope, relativeTo url: URL? = nil, forBundle bundle: String
    ) throws -> Data {
        try makeBookmark(options.union(.withSecurityScope), keeping: nil, relativeTo: url, forBundle: bundle)
    }

    /// Finds the item of a bookmark.
    ///
    /// The item itself comes first, whatever it is called now; then another one that has its path, as a program leaves it that
    /// saves by renaming a new file over the old one.
    ///
    /// - Parameter isStale: set to whether it is time to make a new bookmark, because the item was found elsewhere or was
    ///   replaced.
    /// - Throws: `CocoaError`: `fileReadCorruptFile` for what is no bookmark, was changed, or was made by another user;
    ///   `fileNoSuchFile` when the item is not found.
    public init(
        resolvingBookmarkData data: Data, options: BookmarkResolutionOptions = [], relativeTo url: URL? = nil,
        bookmarkDataIsStale isStale: inout Bool
    ) throws {
        let resolved = try ResolvedBookmark(data, options, relativeTo: url)
        isStale = resolved.isStale
        self = resolved.url
    }

    /// What an alias file or a symbolic link leads to; the URL itself for any other item.
    ///
    /// - Throws: `CocoaError` as resolving a bookmark does, and `fileReadNoSuchFile` when there is no such file.
    public init(resolvingAliasFileAt url: URL, options: BookmarkResolutionOptions = []) throws {
        self = try AliasFile(url).target(options) ?? url
    }

    /// The resource values that a bookmark holds, and the path and name that it had when it was made.
    ///
    /// - Returns: `nil` for what is no bookmark, was changed, or was made by another user.
    public static func resourceValues(
        forKeys keys: Set<URLResourceKey>, fromBookmarkData data: Data
    ) -> URLResourceValues? {
        guard let values = try? Bookmark(reading: data).values(forKeys: keys) else { return nil }
        return values.reduce(URLResourceValues()) { $0.adding($1.value, forKey: $1.key) }
    }

    /// Writes a bookmark to an alias file, in place of what is there.
    ///
    /// - Parameter data: made with `suitableForBookmarkFile`.
    /// - Throws: `CocoaError`, `fileReadCorruptFile` for another bookmark; what writing throws.
    public static func writeBookmarkData(_ data: Data, to url: URL) throws {
        try AliasFile(url).write(data)
    }

    /// The bookmark in an alias file.
    ///
    /// - Throws: `CocoaError`, `fileReadCorruptFile` for a file that is none.
    public static func bookmarkData(withContentsOf url: URL) throws -> Data {
        try AliasFile(url).bookmark()
    }
}

extension URL {
    /// The item's absolute path, without a slash at its end.
    var bookmarkPath: String {
        let path = absoluteURL.path
        return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    /// The item that this URL names now.
    func foundItem() throws -> FoundItem {
        guard isFileURL else { throw BookmarkError.notAFile(self) }
        let path = bookmarkPath
        do throws(Errno) {
            return try FoundItem(at: path)
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
    /// The key of this user; in a confined process, one of its own container.
    static func current() throws -> BookmarkKey {
        do {
            guard let data = DataFolder.path else { throw Fault(description: "PURVEY_HOME is not an absolute path") }
            return try BookmarkKey(data: data)
        } catch {
            throw BookmarkError.noKey(error)
        }
    }
}

extension Bookmark {
    /// The bookmark in bytes that this user's programs made.
    init(reading data: Data) throws {
        let key = try BookmarkKey.current()
        do throws(BookmarkSeal.Fault) {
            self = try BookmarkSeal.open(data, key)
        } catch {
            throw BookmarkError.corrupt(error)
        }
    }
}

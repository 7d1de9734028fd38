// swift-format-ignore-file

import Foundation

/// Recent documents that are stored as bookmarks, as in many programs.
class RecentDocuments {
    private(set) var bookmarks: [String: Data] = [:]

    func remember(_ url: URL) throws {
        let isAccessing = url.startAccessingSecurityScopedResource()
        defer { if isAccessing { url.stopAccessingSecurityScopedResource() } }
        #if os(macOS)
        let options: URL.BookmarkCreationOptions = .withSecurityScope
        #else
        let options: URL.BookmarkCreationOptions = .minimalBookmark
        #endif
        bookmarks[url.lastPathComponent] = try url.bookmarkData(options: options, includingResourceValuesForKeys: nil, relativeTo: nil)
    }

    func open(_ name: String) -> URL? {
        guard let data = bookmarks[name] else { return nil }
        var isStale = false
        do {
            let url = try URL(resolvingBookmarkData: data, options: [.withoutUI], relativeTo: nil, bookmarkDataIsStale: &isStale)
            if isStale {
                bookmarks[name] = try url.bookmarkData(options: [.withSecurityScope, .securityScopeAllowOnlyReadAccess])
            }
            return url
        } catch let error as NSError where error.domain == NSCocoaErrorDomain && error.code == NSFileNoSuchFileError {
            bookmarks[name] = nil
            return nil
        } catch {
            return nil
        }
    }

    func openOld(_ name: String) -> URL? {
        var stale: ObjCBool = false
        return bookmarks[name].flatMap {
            try? NSURL(resolvingBookmarkData: $0, options: NSURL.BookmarkResolutionOptions.withoutMounting, relativeTo: nil, bookmarkDataIsStale: &stale)
        } as URL?
    }

    static func title(_ bookmark: Data) -> String? {
        URL.resourceValues(forKeys: [.nameKey, .localizedNameKey], fromBookmarkData: bookmark)?.name
    }

    static func makeAlias(of target: URL, at alias: URL) throws {
        let data = try target.bookmarkData(options: .suitableForBookmarkFile, includingResourceValuesForKeys: [.nameKey])
        let options: NSURL.BookmarkFileCreationOptions = 0
        try NSURL.writeBookmarkData(data, to: alias, options: options)
        try URL.writeBookmarkData(data, to: alias)
    }
}

/// Resolves the conflicts of a document: the newest version wins.
func resolveConflicts(at url: URL) throws -> Int {
    guard let conflicts = NSFileVersion.unresolvedConflictVersionsOfItem(at: url), let current = NSFileVersion.currentVersionOfItem(at: url) else { return 0 }
    let all: [NSFileVersion] = [current] + conflicts
    let newest = all.max { ($0.modificationDate ?? .distantPast) < ($1.modificationDate ?? .distantPast) }
    if let newest, newest != current {
        try newest.replaceItem(at: url, options: NSFileVersion.ReplacingOptions.byMoving)
    }
    conflicts.forEach { $0.isResolved = true }
    try NSFileVersion.removeOtherVersionsOfItem(at: url)
    return conflicts.count
}

func keepVersion(of url: URL) throws {
    let options: NSFileVersion.AddingOptions = []
    _ = try NSFileVersion.addOfItem(at: url, withContentsOf: url, options: options)
}

import FileCoordination
import FileTesting
import Foundation
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// Bookmarks that this process makes and resolves.
@Suite(.ownThreads) struct BookmarkTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func url(_ name: String) -> URL { URL(fileURLWithPath: folder.path + "/" + name) }

    private struct Found: Equatable {
        let path: String
        let isStale: Bool
    }

    private func current(_ name: String) -> Found { Found(path: url(name).path, isStale: false) }

    private func stale(_ name: String) -> Found { Found(path: url(name).path, isStale: true) }

    private func resolve(_ data: Data, relativeTo base: URL? = nil) throws -> Found {
        var isStale = false
        let url = try URL(
            resolvingBookmarkData: data, options: .withoutUI, relativeTo: base, bookmarkDataIsStale: &isStale)
        return Found(path: url.path, isStale: isStale)
    }

    private func move(_ from: String, _ to: String) throws {
        try retrying { rename(url(from).path, url(to).path) }
    }

    @Test(arguments: [URL.BookmarkCreationOptions.minimalBookmark, .withSecurityScope, .suitableForBookmarkFile, []])
    func aBookmarkLeadsToItsItemAndIsNotStale(_ options: URL.BookmarkCreationOptions) throws {
        try folder.file("a")
        let found = try resolve(url("a").bookmarkData(options: options))
        #expect(found == current("a"))
        try folder.folder("b")
        var isStale = true
        let directory = try URL(
            resolvingBookmarkData: url("b").bookmarkData(options: options), bookmarkDataIsStale: &isStale)
        #expect(directory.hasDirectoryPath && directory.path == url("b").path && !isStale)
    }

    @Test func anItemThatWasRenamedOrMovedIsFoundAndTheBookmarkIsStale() throws {
        try folder.file("a")
        try folder.folder("deep")
        try folder.folder("deep/er")
        let data = try url("a").bookmarkData(options: .minimalBookmark)
        try move("a", "b")
        #expect(try resolve(data) == stale("b"))
        try move("b", "deep/er/c")
        #expect(try resolve(data) == stale("deep/er/c"))
        try move("deep", "shallow")
        #expect(try resolve(data) == stale("shallow/er/c"))
        #expect(try resolve(url("shallow/er/c").bookmarkData()) == current("shallow/er/c"))
    }

    @Test func anItemThatWasMovedIsFoundThoughAnotherHasItsPath() throws {
        try folder.file("a", Array("first".utf8))
        try folder.folder("deep")
        let data = try url("a").bookmarkData()
        try move("a", "deep/a")
        try folder.file("a", Array("second".utf8))
        #expect(try resolve(data) == stale("deep/a"))
    }

    @Test func aFileThatWasSavedByRenamingAnotherOverItIsFoundByItsPathAndTheBookmarkIsStale() throws {
        try folder.file("a")
        let data = try url("a").bookmarkData()
        try folder.file("new")
        try move("new", "a")
        #expect(try resolve(data) == stale("a"))
        // A directory is no saved version of the file.
        try retrying { unlink(url("a").path) }
        try folder.folder("a")
        #expect(throws: CocoaError.self) { try resolve(data) }
    }

    @Test func aDeletedItemIsMissing() throws {
        try folder.file("a")
        let data = try url("a").bookmarkData()
        try retrying { unlink(url("a").path) }
        #expect { try resolve(data) } throws: { ($0 as? CocoaError)?.code == .fileNoSuchFile }
    }

    @Test func aSymbolicLinkIsTheItemItself() throws {
        try folder.link("link", to: "nowhere")
        #expect(try resolve(url("link").bookmarkData()).path == url("link").path)
    }

    @Test func unsupportedURLsCannotBeBookmarked() throws {
        #expect { try url("missing").bookmarkData() } throws: { ($0 as? CocoaError)?.code == .fileReadNoSuchFile }
        let web = try #require(URL(string: "https://example.org/a"))
        #expect { try web.bookmarkData() } throws: { ($0 as? CocoaError)?.code == .fileReadUnsupportedScheme }
        #expect(!web.startAccessingSecurityScopedResource())
        try folder.link("loop", to: "loop")
        #expect(throws: CocoaError.self) { try url("loop/a").bookmarkData() }
    }

    @Test func aRelativeBookmarkNeedsTheVeryFileThatItIsRelativeTo() throws {
        try folder.folder("project")
        try folder.file("project/document")
        try folder.file("project/picture")
        let data = try url("project/picture").bookmarkData(relativeTo: url("project/document"))
        #expect(try resolve(data, relativeTo: url("project/document")) == current("project/picture"))
        #expect(throws: CocoaError.self) { try resolve(data) }
        try folder.file("other")
        #expect(throws: CocoaError.self) { try resolve(data, relativeTo: url("other")) }
        // A copy replaces the original picture, and the whole directory is moved.
        try move("project", "moved")
        try folder.file("moved/new")
        try move("moved/new", "moved/picture")
        #expect(try resolve(data, relativeTo: url("moved/document")) == stale("moved/picture"))
    }

    @Test func resourceValuesAreReadWithoutTheItem() throws {
        try folder.file("a.txt", Array("four".utf8))
        let keys: Set<URLResourceKey> = [.nameKey, .fileSizeKey, .isDirectoryKey, .contentModificationDateKey]
        let data = try url("a.txt").bookmarkData(includingResourceValuesForKeys: keys)
        let before = try url("a.txt").resourceValues(forKeys: keys)
        try retrying { unlink(url("a.txt").path) }
        let values = try #require(URL.resourceValues(forKeys: keys, fromBookmarkData: data))
        #expect(values.name == "a.txt" && values.fileSize == 4 && values.isDirectory == false)
        #expect(values.contentModificationDate == before.contentModificationDate)
        let older = try #require(NSURL.resourceValues(forKeys: [.nameKey], fromBookmarkData: data))
        #expect(older.count == 1 && older[.nameKey] as? String == "a.txt")
        #expect(URL.resourceValues(forKeys: keys, fromBookmarkData: Data("x".utf8)) == nil)
        // Path and name are included without a request, and nothing else.
        try folder.file("b")
        let minimal = try url("b").bookmarkData(options: .minimalBookmark, includingResourceValuesForKeys: keys)
        let few = NSURL.resourceValues(forKeys: [.pathKey, .nameKey, .fileSizeKey], fromBookmarkData: minimal)
        #expect(few?.count == 2 && few?[.pathKey] as? String == url("b").path && few?[.nameKey] as? String == "b")
    }

    @Test func anAliasFileLeadsToItsItem() throws {
        try folder.file("a")
        let (data, alias) = (try url("a").bookmarkData(options: .suitableForBookmarkFile), url("alias"))
        try URL.writeBookmarkData(data, to: alias)
        #expect(try URL.bookmarkData(withContentsOf: alias) == data)
        try move("a", "b")
        #expect(try URL(resolvingAliasFileAt: alias).path == url("b").path)
        #expect(try NSURL(resolvingAliasFileAt: alias).path == url("b").path)
        // A URL that is no alias resolves to itself, and a symbolic link to its target.
        #expect(try URL(resolvingAliasFileAt: url("b")) == url("b"))
        try folder.link("link", to: "b")
        #expect(try URL(resolvingAliasFileAt: url("link")).path == url("b").path)
        #expect(throws: CocoaError.self) { try URL(resolvingAliasFileAt: url("missing")) }
        #expect(throws: CocoaError.self) { try URL.bookmarkData(withContentsOf: url("b")) }
        #expect(throws: CocoaError.self) { try URL.writeBookmarkData(url("b").bookmarkData(), to: alias) }
        try NSURL.writeBookmarkData(data, to: alias, options: 0)
        #expect(try NSURL.bookmarkData(withContentsOf: alias) == data)
    }

    @Test func theOlderFormDoesTheSame() throws {
        try folder.file("a")
        let data = try (url("a") as NSURL).bookmarkData(includingResourceValuesForKeys: nil, relativeTo: nil)
        try move("a", "b")
        var isStale = ObjCBool(false)
        let found = try NSURL(resolvingBookmarkData: data, relativeTo: nil, bookmarkDataIsStale: &isStale)
        #expect(found.path == url("b").path && isStale.boolValue)
        #expect(found.startAccessingSecurityScopedResource())
        found.stopAccessingSecurityScopedResource()
    }

    @Test func aScopeNamesWhomItIsFor() throws {
        try folder.file("a")
        let group = try #require(
            FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "org.example.bookmarks"))
        let key = try BookmarkKey(data: group.deletingLastPathComponent().deletingLastPathComponent().path)
        let forBundle = try url("a").bookmarkData(
            options: .securityScopeAllowOnlyReadAccess, forBundle: "org.example.other")
        #expect(
            try BookmarkSeal.open(forBundle, key).scope == Bookmark.Scope(bundle: "org.example.other", isReadOnly: true)
        )
        let ours = try BookmarkSeal.open(url("a").bookmarkData(options: .withSecurityScope), key)
        #expect(ours.scope == Bookmark.Scope(bundle: nil, isReadOnly: false))
        for options in [.minimalBookmark, .withoutImplicitSecurityScope] as [URL.BookmarkCreationOptions] {
            #expect(try BookmarkSeal.open(url("a").bookmarkData(options: options), key).scope == nil)
        }
        let session = try #require(MachineSession.current)
        #expect(
            try BookmarkSeal.open(url("a").bookmarkData(), key).scope
                == .init(bundle: nil, isReadOnly: false, session: session))
    }

    @Test func accessOutsideOfAConfinementIsThatOfTheFile() throws {
        try folder.file("a")
        #expect(url("a").startAccessingSecurityScopedResource())
        url("a").stopAccessingSecurityScopedResource()
        url("a").stopAccessingSecurityScopedResource()
        #expect(!url("missing").startAccessingSecurityScopedResource())
    }

    @Test func rawValuesAreThoseOfTheReference() {
        let creation: [URL.BookmarkCreationOptions] = [
            .minimalBookmark, .suitableForBookmarkFile, .withSecurityScope, .securityScopeAllowOnlyReadAccess,
            .withoutImplicitSecurityScope,
        ]
        let bits: [UInt] = [9, 10, 11, 12, 29]
        #expect(creation.map(\.rawValue) == bits.map { 1 << $0 })
        let resolution: [URL.BookmarkResolutionOptions] = [
            .withoutUI, .withoutMounting, .withSecurityScope, .withoutImplicitStartAccessing,
        ]
        let others: [UInt] = [8, 9, 10, 15]
        #expect(resolution.map(\.rawValue) == others.map { 1 << $0 })
    }

    @Test func resolvingLeavesNoDescriptorOpen() throws {
        try folder.file("a")
        let data = try url("a").bookmarkData()
        // Other tests of this process open files as well, so only files in this test's directory count.
        for _ in 0..<50 {
            _ = try resolve(data)
            _ = try? resolve(data.dropLast())
        }
        let own = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { number in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + number)
            return target?.hasPrefix(folder.path + "/") ?? false
        }
        #expect(own.isEmpty)
    }
}

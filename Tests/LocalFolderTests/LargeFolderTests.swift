import FileTesting
import LinuxSystem
import LocalFolder
import TestThreads
import Testing

/// Directories with so many files that a thread of its own reads their status at the first listing.
@Suite(.ownThreads) struct LargeFolderTests {
    private static let names = (1000..<4000).map { "file \($0)" }

    private let served: ServedFolder

    init() throws { served = try ServedFolder() }

    private func fill(_ folder: String) throws {
        for name in Self.names { try served.folder.file("\(folder)/\(name)", [1]) }
    }

    @Test func everyFileIsAnItemAndNoneIsAChange() throws {
        try served.folder.folder("large")
        try fill("large")
        try served.folder.folder("large/inner")
        try served.folder.link("large/link", to: "file 1000")
        let large = try #require(try served.identifiers()["large"])
        let anchor = try served.anchor
        let items = try served.identifiers(in: large)
        #expect(items.keys.sorted() == Self.names + ["inner", "link"])
        #expect(Set(items.values).count == items.count)
        #expect(try #require(try served.changes(since: anchor)).updated.map(\.filename) == [])
        #expect(try served.identifiers(in: large) == items)
    }

    @Test func aFileThatWasMovedIntoALargeFolderIsTheSameItem() throws {
        try served.folder.folder("large")
        try served.folder.file("a", [1, 2])
        let before = try served.identifiers()
        let large = try #require(before["large"])
        try fill("large")
        try served.rename("a", "large/file 2500 moved")
        let after = try served.identifiers(in: large)
        #expect(after.count == Self.names.count + 1)
        #expect(after["file 2500 moved"] == before["a"])
    }

    @Test func aFolderThatIsFilledAfterItWasListedTellsOfEachFile() throws {
        try served.folder.folder("large")
        let large = try #require(try served.identifiers()["large"])
        #expect(try served.identifiers(in: large).isEmpty)
        let anchor = try served.anchor
        try fill("large")
        let told = try #require(try served.changes(since: anchor)).updated.map(\.filename)
        #expect(Set(told).isSuperset(of: Self.names))
    }

    @Test func theVersionOfContentsIsDateSizeAndInode() throws {
        try served.folder.file("a", [1, 2, 3])
        _ = try served.identifiers()
        let status = try FileStatus.of(served.folder.path + "/a")
        let item = try served.catalogue.perform { catalogue in
            try catalogue.children(of: CatalogueItem.root, after: 0, limit: 1).first
        }
        let version = String(decoding: try #require(item).contentVersion, as: UTF8.self)
        #expect(version == "\(status.modificationTime)-3-\(status.identity.inode)")
    }
}

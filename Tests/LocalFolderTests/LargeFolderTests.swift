import CLinux
import FileTesting
import Glibc
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
            try catalogue.children(of: CatalogueItem.root, limit: 1).first
        }
        let version = String(decoding: try #require(item).contentVersion, as: UTF8.self)
        #expect(version == "\(status.modificationTime)-3-\(status.identity.inode)")
    }

    @Test func theVersionOfAPlaceIsParentNameAndMode() throws {
        try served.folder.file("a", [1], permissions: 0o640)
        _ = try served.identifiers()
        let item = try served.catalogue.perform { try $0.children(of: CatalogueItem.root, limit: 1).first }
        // The hash is 64-bit FNV-1a.
        #expect(String(decoding: try #require(item).metadataVersion, as: UTF8.self) == "1-af63dc4c8601ec8c-416")
    }

    @Test(arguments: [
        (FileTime(seconds: 0, nanoseconds: 0), "0"), (FileTime(seconds: -2, nanoseconds: 5), "-1999999995"),
        (FileTime(seconds: 1_764_443_111, nanoseconds: 20), "1764443111000000020"),
        (FileTime(seconds: 10_413_792_000, nanoseconds: 7), "10413792000.7"),
    ])
    func aVersionHasTheDateOfAnyYear(_ time: FileTime, _ text: String) throws {
        let file = try served.folder.file("a", [])
        let date = timespec(tv_sec: Int(time.seconds), tv_nsec: Int(time.nanoseconds))
        try retrying { futimens(file.rawValue, [date, date]) }
        try #require(try file.status().modificationTime == time)
        _ = try served.identifiers()
        let item = try served.catalogue.perform { try $0.children(of: CatalogueItem.root, limit: 1).first }
        #expect(String(decoding: try #require(item).contentVersion, as: UTF8.self).hasPrefix(text + "-0-"))
    }
}

import FileTesting
import Glibc
import LinuxSystem
import LocalFolder
import TestThreads
import Testing

/// The first listing of a large directory, whose pages are returned while its files become items.
@Suite(.ownThreads) struct FirstListingTests {
    private static let names = (1000..<4000).map { "file \($0)" }
    private static let limit = 500

    private let folder: TestFolder
    private let own: TestFolder

    init() throws {
        (folder, own) = (try TestFolder(), try TestFolder())
        for name in Self.names { try folder.file(name, [1]) }
    }

    private func served() throws -> ServedFolder { try ServedFolder(of: folder, own: own) }

    private func page(_ served: ServedFolder, after name: [UInt8] = []) throws -> CataloguePage {
        try served.catalogue.perform { try $0.page(of: CatalogueItem.root, after: name, limit: Self.limit) }
    }

    /// Returns the items of the pages that follow a page.
    private func rest(after first: CataloguePage, _ served: ServedFolder) throws -> [CatalogueItem] {
        var items: [CatalogueItem] = []
        var last = first
        while let next = last.next {
            last = try page(served, after: next)
            items += last.items
        }
        return items
    }

    @Test func eachFileIsInOnePageInTheOrderOfTheNames() throws {
        let served = try served()
        let anchor = try served.anchor
        let first = try page(served)
        #expect(first.items.count == Self.limit && first.next == Array(Self.names[Self.limit - 1].utf8))
        let items = try first.items + rest(after: first, served)
        #expect(items.map(\.filename) == Self.names)
        #expect(Set(items.map(\.number)).count == items.count)
        #expect(try #require(try served.changes(since: anchor)).updated.isEmpty)
        let again = try page(served)
        #expect(try again.items + rest(after: again, served) == items)
    }

    @Test func anItemThatIsMadeMeanwhileInThePlaceOfAFileIsInOnePage() throws {
        let served = try served()
        let first = try page(served)
        try served.remove("file 3500")
        let made = try served.catalogue.perform { catalogue in
            try catalogue.createFolder(try #require(FileName("file 3500")), in: CatalogueItem.root)
        }
        let items = try first.items + rest(after: first, served)
        #expect(items.map(\.filename) == Self.names)
        #expect(items.filter { $0.filename == "file 3500" } == [made])
    }

    @Test func anItemThatIsMadeMeanwhileIsTold() throws {
        let served = try served()
        let anchor = try served.anchor
        let first = try page(served)
        let made = try served.catalogue.perform { catalogue in
            try catalogue.createFolder(try #require(FileName("file 2500 made")), in: CatalogueItem.root)
        }
        let items = try first.items + rest(after: first, served)
        #expect(items.map(\.filename) == Self.names)
        #expect(try #require(try served.changes(since: anchor)).updated.map(\.number) == [made.number])
    }

    @Test func aFileThatComesMeanwhileIsTold() throws {
        let served = try served()
        let first = try page(served)
        let anchor = try served.anchor
        try folder.file("a new file", [1])
        let items = try first.items + rest(after: first, served)
        #expect(Set(items.map(\.filename)).isSuperset(of: Self.names))
        #expect(try #require(try served.changes(since: anchor)).updated.map(\.filename) == ["a new file"])
    }

    @Test func aFileThatGoesMeanwhileIsInNoPageOrToldAsDeleted() throws {
        let served = try served()
        let anchor = try served.anchor
        let first = try page(served)
        try served.remove("file 1000")
        try served.remove("file 3999")
        let items = try first.items + rest(after: first, served)
        let deleted = Set(try #require(try served.changes(since: anchor)).deleted)
        let left = try served.catalogue.perform { catalogue in
            items.filter { !deleted.contains(catalogue.identifier(of: $0.number)) }.map(\.filename)
        }
        #expect(left == Array(Self.names[1..<2999]))
    }

    @Test func aScanMeanwhileLeavesTheFollowingPagesAsTheyWere() throws {
        let served = try served()
        let first = try page(served)
        try served.catalogue.perform { _ = try $0.lookAt(CatalogueItem.root) }
        #expect(try first.items.map(\.filename) + rest(after: first, served).map(\.filename) == Self.names)
    }

    @Test func aFileThatWasMovedIntoTheFolderIsTheSameItem() throws {
        try folder.folder("other")
        try folder.file("other/file", [1, 2])
        let (number, other) = try beforeTheMove()
        try retrying { renameat(folder.descriptor.rawValue, "other/file", folder.descriptor.rawValue, "large/file") }
        let served = try served()
        let large = try #require(try served.identifiers()["large"])
        let found = try served.catalogue.perform { catalogue in
            try catalogue.page(of: try catalogue.item(large).number, after: [], limit: Self.limit)
        }
        #expect(found.items.first?.number == number)
        #expect(try served.identifiers(in: other).isEmpty)
    }

    /// Returns the number of a file that is moved later, and the identifier of its directory.
    private func beforeTheMove() throws -> (Int64, String) {
        try folder.folder("large")
        for name in Self.names { try folder.file("large/" + name, [1]) }
        let served = try served()
        let other = try #require(try served.identifiers()["other"])
        let file = try #require(try served.identifiers(in: other)["file"])
        return (try served.catalogue.perform { try $0.item(file).number }, other)
    }

    @Test func anotherProcessGoesOnWhereOneEnded() throws {
        let first = try beforeTheEnd()
        let served = try served()
        let items = try first.items + rest(after: first, served)
        #expect(items.map(\.filename) == Self.names)
        #expect(Set(items.map(\.number)).count == items.count)
        let again = try page(served)
        #expect(again.items == first.items)
    }

    private func beforeTheEnd() throws -> CataloguePage { try page(try served()) }

    @Test func aListingThatIsNotUsedIsGivenUpAndBeginsAnew() throws {
        let served = try served()
        let first = try page(served)
        // Once for the page, and once more for the time without one.
        try served.catalogue.perform { catalogue in
            catalogue.endUnusedListing()
            catalogue.endUnusedListing()
        }
        #expect(try first.items.map(\.filename) + rest(after: first, served).map(\.filename) == Self.names)
    }
}

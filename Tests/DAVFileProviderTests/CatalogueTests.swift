import DAVFileProvider
import FileTesting
import Foundation
import HTTPTransport
import LinuxSystem
import Testing
import WebDAVClient

struct CatalogueTests {
    private func catalogue(in folder: TestFolder) throws -> ServerCatalogue {
        try ServerCatalogue(folder.path + "/catalogue.sqlite")
    }

    private func file(
        _ name: String, tag: String? = nil, length: Int = 1, modified: Int64 = 1_000, identity: String? = nil,
        isFolder: Bool = false
    ) -> ObservedItem {
        var traits = DAVTraits()
        traits.identity = identity
        return ObservedItem(
            name: name, isFolder: isFolder,
            version: DAVVersion(
                tag: tag.flatMap { DAVEntityTag(opaque: $0) }, length: length, modified: HTTPDate(seconds: modified)),
            traits: traits)
    }

    private let root = CataloguedItem.root

    @Test func `an item keeps its number, also in the next process`() throws {
        let folder = try TestFolder()
        let first = try catalogue(in: folder)
        let item = try first.note(file("e\u{301}.txt"), in: root, round: 1).item
        #expect(try first.note(file("e\u{301}.txt", length: 2), in: root, round: 2).item.number == item.number)
        // The same name in another normal form is another file.
        #expect(try first.note(file("\u{E9}.txt"), in: root, round: 2).item.number != item.number)
        let second = try catalogue(in: folder)
        #expect(second.stamp == first.stamp)
        #expect(try second.child(of: root, named: "e\u{301}.txt")?.number == item.number)
    }

    @Test func `an identity keeps its number in another place`() throws {
        let folder = try TestFolder()
        let catalogue = try catalogue(in: folder)
        let parent = try catalogue.note(file("folder", identity: "1", isFolder: true), in: root, round: 1).item
        let item = try catalogue.note(file("a", identity: "2"), in: root, round: 1).item
        let moved = try catalogue.note(file("b", identity: "2"), in: parent.number, round: 2).item
        #expect(moved.number == item.number)
        #expect(try catalogue.names(to: item.number) == ["folder", "b"])
        // The item is seen again after its removal.
        try catalogue.remove(moved)
        #expect(try catalogue.note(file("c", identity: "2"), in: root, round: 3).item.number == item.number)
        // Another item takes its place.
        let other = try catalogue.note(file("c", identity: "3"), in: root, round: 4).item
        #expect(other.number != item.number)
    }

    @Test func `changes are complete in batches of any size`() throws {
        let folder = try TestFolder()
        let catalogue = try catalogue(in: folder)
        var numbers: [Int64] = []
        for index in 0..<20 {
            numbers.append(try catalogue.note(file("\(index)"), in: root, round: 1).item.number)
        }
        for index in [3, 7, 11] {
            let item = try #require(try catalogue.item(numbers[index]))
            try catalogue.remove(item)
        }
        for limit in [1, 2, 3, 100] {
            var (updated, deleted, anchor, isComplete): (Set<Int64>, Set<Int64>, Int64, Bool) = ([], [], 0, false)
            while !isComplete {
                let batch = try #require(try catalogue.changes(since: anchor, in: nil, limit: limit))
                updated.formUnion(batch.updated.map(\.number))
                deleted.formUnion(batch.deleted)
                (anchor, isComplete) = (batch.anchor, batch.isComplete)
            }
            #expect(updated.count == 17)
            #expect(deleted == [numbers[3], numbers[7], numbers[11]])
        }
        #expect(try catalogue.changes(since: 1_000, in: nil, limit: 10) == nil)
    }

    @Test func `what a later request has seen stays`() throws {
        let folder = try TestFolder()
        let catalogue = try catalogue(in: folder)
        _ = try catalogue.note(file("a", length: 2), in: root, round: 5)
        #expect(try catalogue.note(file("a", length: 1), in: root, round: 4).item.version.length == 2)
        #expect(try catalogue.unseen(in: root, round: 5).isEmpty)
        #expect(try catalogue.unseen(in: root, round: 6).count == 1)
    }

    @Test func `after a restored backup, another item does not take the identifier or place of a kept one`() throws {
        let folder = try TestFolder()
        let catalogue = try catalogue(in: folder)
        try catalogue.note(dataMark: "first", round: 1)
        let kept = try catalogue.note(file("kept.txt", identity: "1"), in: root, round: 1).item
        let other = try catalogue.note(file("other.txt", identity: "2"), in: root, round: 1).item
        try catalogue.note(dataMark: "second", round: 2)
        // The server gives out its identities again.
        let new = try catalogue.note(file("new.txt", identity: "1"), in: root, round: 2).item
        #expect(new.number != kept.number)
        #expect(try catalogue.names(to: kept.number) == ["kept.txt"])
        let second = try catalogue.note(file("other.txt", identity: "3"), in: root, round: 2).item
        #expect(second.number != other.number)
        #expect(try catalogue.names(to: other.number) == ["other (before the restore).txt"])
        #expect(try catalogue.unseen(in: root, round: 2).isEmpty)
        // Seen again, it is an item like any other.
        #expect(try catalogue.note(file("kept.txt", identity: "1"), in: root, round: 3).item.number == kept.number)
        #expect(try catalogue.unseen(in: root, round: 4).map(\.number).contains(kept.number))
    }

    @Test func `a check that was planned before the clock was set back is due`() throws {
        let folder = try TestFolder()
        let catalogue = try catalogue(in: folder)
        try catalogue.noteListed(root, tag: nil, due: 1_000_000_000, pause: 30)
        #expect(try catalogue.dueFolders(999_999_990, limit: 10).isEmpty)
        #expect(try catalogue.dueFolders(1_000_000_000, limit: 10).map(\.number) == [root])
        #expect(try catalogue.dueFolders(500_000_000, limit: 10).map(\.number) == [root])
        #expect(try catalogue.dueFolders(.max, limit: 10).map(\.number) == [root])
    }

    @Test func `a damaged catalogue is created again with another stamp`() throws {
        let folder = try TestFolder()
        try folder.file("catalogue.sqlite", Array("no database, but long enough to be one".utf8))
        let catalogue = try catalogue(in: folder)
        #expect(try catalogue.item(CataloguedItem.root)?.isFolder == true)
    }
}

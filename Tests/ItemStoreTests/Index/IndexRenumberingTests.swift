import ItemStore
import ItemValues
import LinuxSystem
import Testing

/// Tests of files that get a new item number.
@Suite struct IndexRenumberingTests {
    private func renumber(_ sample: IndexSample, _ number: ItemNumber) throws -> IndexedItem? {
        try sample.index.write { writer throws(IndexError) in try writer.renumber(number) { $0.localVersion = [9] } }
    }

    @Test func allThatIsKnownGoesAlong() throws {
        let sample = try IndexSample()
        var told = file("a").version(1)
        told.tagData = TagList.data(of: ["Red"])
        try sample.list(.root, 1, [told, folder("f")])
        let number = try sample.number("a")
        try sample.update(number) { item in
            item.isPinned = true
            item.mode = 0o600
            item.name = "here"
        }
        try sample.index.write { writer throws(IndexError) in
            try writer.setMetadata(.favoriteRank, of: number, ItemMetadata(favoriteRank: 5))
            try writer.noteUse(of: number, at: 100)
        }
        let before = try #require(try sample.index.item(number))
        let (metadata, here) = (try sample.index.metadata(of: number), try sample.index.locallySetMetadata(of: number))
        let changes = Lock<[IndexChange]>([])
        sample.index.onChange = { all in changes.withLock { $0 += all } }
        let after = try #require(try renumber(sample, number))
        #expect(after.number.rawValue > number.rawValue && after.localVersion == [9])
        var expected = before
        expected.number = after.number
        expected.localVersion = [9]
        #expect(after == expected)
        for _ in 0..<2 {
            #expect(try sample.index.item(number) == nil)
            #expect(try sample.index.item(named: "here", in: .root) == expected)
            #expect(try sample.index.item(identifier: "a") == expected)
            #expect(try sample.index.metadata(of: after.number) == metadata)
            #expect(try sample.index.locallySetMetadata(of: after.number) == here)
            #expect(try sample.index.metadata(of: number) == ItemMetadata())
            #expect(try sample.index.wanted(limit: 10) == [after.number])
            #expect(try sample.index.childCount(of: .root) == 2)
            try sample.reopen()
        }
        #expect(
            changes.withLock { $0 } == [
                .removed(number, parent: .root, name: "here"), .added(after.number, parent: .root, name: "here"),
            ])
        // The old number is not reused.
        try sample.apply(file("b"))
        #expect(try sample.number("b").rawValue > after.number.rawValue)
    }

    @Test func aFileThatWaitsForItsFolderGoesThereUnderItsNewNumber() throws {
        let sample = try IndexSample()
        try sample.list(.root, 1, [file("a", in: "later")])
        let after = try #require(try renumber(sample, try sample.number("a")))
        try sample.reopen()
        try sample.apply(folder("later"))
        #expect(try sample.index.item(after.number)?.parent == sample.number("later"))
    }

    @Test func aFolderKeepsItsNumberAndWhatFailedChangesNothing() throws {
        let sample = try IndexSample()
        try sample.list(.root, 1, [folder("f"), file("a")])
        #expect(try renumber(sample, try sample.number("f")) == nil)
        #expect(try renumber(sample, ItemNumber(rawValue: 1 << 30)) == nil)
        let number = try sample.number("a")
        sample.index.limitRoom { false }
        #expect(throws: IndexError.full) { try renumber(sample, number) }
        sample.index.limitRoom(nil)
        #expect(try sample.number("a") == number)
        #expect(try sample.index.item(named: "a", in: .root)?.number == number)
    }
}

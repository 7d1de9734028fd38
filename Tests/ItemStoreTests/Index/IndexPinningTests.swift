import ItemStore
import ItemValues
import Testing

/// Tests of pinned items in the index.
@Suite struct IndexPinningTests {
    private func keep(_ sample: IndexSample, _ identifier: String, _ isPinned: Bool = true) throws {
        try sample.update(try sample.number(identifier)) { $0.isPinned = isPinned }
    }

    private func kept(_ sample: IndexSample, _ identifiers: String...) throws -> [Bool] {
        try identifiers.map { try #require(try sample.index.item(identifier: $0)).isPinnedByFolder }
    }

    @Test func presentAndFutureChildrenOfAPinnedFolderArePinned() throws {
        let sample = try IndexSample()
        try sample.apply(folder("f"), folder("g", in: "f"), file("a", in: "f"), file("b", in: "g"), file("c"))
        try keep(sample, "f")
        #expect(try kept(sample, "f", "g", "a", "b", "c") == [false, true, true, true, false])
        try sample.apply(file("new", in: "g"))
        try sample.list(try sample.number("f"), 1, [folder("h", in: "f"), file("listed", in: "f")])
        try sample.apply(file("deep", in: "h"))
        #expect(try kept(sample, "new", "h", "listed", "deep") == [true, true, true, true])
        try sample.reopen()
        try sample.apply(file("later", in: "h"))
        #expect(try kept(sample, "later") == [true])
        try keep(sample, "f", false)
        #expect(try !kept(sample, "g", "a", "b", "new", "h", "listed", "deep", "later").contains(true))
        try sample.apply(file("last", in: "h"))
        #expect(try kept(sample, "last") == [false])
        #expect(try sample.index.wantedCount() == 0)
    }

    @Test func itemsMovedInArePinnedAndItemsMovedOutAreNot() throws {
        let sample = try IndexSample()
        try sample.apply(folder("f"), folder("g"), file("a", in: "g"), folder("h", in: "g"), file("b", in: "h"))
        try keep(sample, "f")
        // The provider moves the directory.
        try sample.apply(folder("g", in: "f"))
        #expect(try kept(sample, "g", "a", "h", "b") == [true, true, true, true])
        // The directory is moved locally.
        let moved = try sample.update(try sample.number("h")) { $0.parent = .root }
        #expect(moved?.isPinnedByFolder == false)
        #expect(try kept(sample, "g", "a", "h", "b") == [true, true, false, false])
        #expect(
            try sample.index.wanted(limit: 9) == [
                try sample.number("f"), try sample.number("g"), try sample.number("a"),
            ])
    }

    @Test func anOrphanIsKeptWhenItsParentTurnsOutToBe() throws {
        let sample = try IndexSample()
        try sample.list(.root, 1, [folder("f"), file("orphan", in: "g")])
        try keep(sample, "f")
        #expect(try kept(sample, "orphan") == [false])
        try sample.apply(folder("g", in: "f"))
        #expect(try kept(sample, "orphan") == [true])
    }

    @Test func aFolderThatIsKeptItselfStaysSoWhenTheOneAboveIsNotAnyMore() throws {
        let sample = try IndexSample()
        try sample.apply(
            folder("f"), folder("g", in: "f"), folder("h", in: "g"), file("a", in: "h"), file("b", in: "f"))
        try keep(sample, "f")
        try keep(sample, "g")
        let keeper = try sample.index.pinningFolder(try #require(try sample.index.item(identifier: "a")))
        #expect(keeper?.item.identifier == "g")
        try keep(sample, "f", false)
        #expect(try kept(sample, "g", "h", "a", "b") == [false, true, true, false])
        #expect(try sample.index.pinningFolder(try #require(try sample.index.item(identifier: "b"))) == nil)
    }

    @Test func theRootKeepsEverything() throws {
        let sample = try IndexSample()
        try sample.apply(file("a"))
        try sample.update(.root) { $0.isPinned = true }
        try sample.apply(file("b"))
        #expect(try kept(sample, "a", "b", ProviderItem.rootIdentifier) == [true, true, false])
        try sample.update(.root) { $0.isPinned = false }
        #expect(try kept(sample, "a", "b") == [false, false])
    }

    @Test func missingContentsOfPinnedItemsAreWanted() throws {
        let sample = try IndexSample()
        try sample.apply(folder("f"), file("a", in: "f"), file("b", in: "f"))
        let (f, a, b) = (try sample.number("f"), try sample.number("a"), try sample.number("b"))
        try keep(sample, "f")
        #expect(try sample.index.wanted(limit: 9) == [f, a, b])
        #expect(try sample.index.wanted(limit: 2) == [f, a])
        try sample.update(f) { $0.listing = .complete }
        try sample.update(a) { item in
            item.content = .current
            item.localSize = 5
        }
        #expect(try sample.index.wanted(limit: 9) == [b])
        #expect(try sample.index.statistics().evictableFiles == 0)
        // An item that is removed locally is not fetched.
        try sample.update(b) { $0.changes = .deleted }
        #expect(try sample.index.wantedCount() == 0)
        try sample.update(b) { $0.changes = [] }
        #expect(try sample.index.wanted(limit: 9) == [b])
        _ = try sample.remove("b")
        #expect(try sample.index.wantedCount() == 0)
        try keep(sample, "f", false)
        #expect(try sample.index.statistics().evictableBytes == 5)
        _ = try sample.remove("f")
        try sample.apply(folder("f"), file("a", in: "f"))
        #expect(try kept(sample, "a") == [false])
    }

    @Test func anUndonePinKeepsNothing() throws {
        let sample = try IndexSample()
        try sample.apply(folder("f"))
        let number = try sample.number("f")
        #expect(throws: IndexError.self) {
            try sample.index.write { writer throws(IndexError) in
                try writer.update(number) { $0.isPinned = true }
                throw .system("undone")
            }
        }
        try sample.apply(file("a", in: "f"))
        #expect(try kept(sample, "a") == [false])
    }
}

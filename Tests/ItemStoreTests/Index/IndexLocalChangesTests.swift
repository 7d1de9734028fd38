import FileTesting
import ItemStore
import ItemValues
import Testing

@Suite struct IndexLocalChangesTests {
    @Test func aLocalRenameWinsOverWhatTheProviderSays() throws {
        let sample = try IndexSample()
        try sample.apply(folder("f"), file("a", "1"))
        let (home, number) = (try sample.number("f"), try sample.number("a"))
        try sample.update(number) { item in
            item.parent = home
            item.name = "mine"
            item.changes.insert(.place)
        }
        let result = try sample.apply(file("a", "2").version(3))
        #expect(result.changed == [number] && result.moved == [])
        let row = try #require(try sample.index.item(number))
        #expect(row.parent == home && row.name == "mine" && row.item.filename == "2" && row.item.contentVersion == [3])
        #expect(try sample.shown(home) == ["mine": "a"])
    }

    @Test func locallyRemovedItemsAreHiddenAndTheirNamesFree() throws {
        let sample = try IndexSample()
        try sample.apply(file("a", "x"))
        let number = try sample.number("a")
        try sample.update(number) { $0.changes.insert(.deleted) }
        #expect(try sample.shown() == [:])
        #expect(try sample.index.item(number) == nil)
        #expect(try sample.index.itemEvenIfDeleted(number)?.number == number)
        #expect(try sample.index.item(identifier: "a")?.number == number)
        #expect(try sample.index.item(named: "x", in: .root) == nil)
        #expect(try sample.index.childCount(of: .root) == 0)
        try sample.apply(file("b", "x"), file("a", "x").version(2))
        #expect(try sample.shown() == ["x": "b"])
        // The provider refuses the removal, and the item reappears.
        try sample.update(number) { $0.changes.remove(.deleted) }
        #expect(try sample.shown() == ["x": "b", "x 2": "a"])
        // An item that is removed on both sides is removed from the index.
        try sample.update(number) { $0.changes.insert(.deleted) }
        #expect(try sample.remove("a").removed == [number])
        #expect(try sample.index.itemEvenIfDeleted(number) == nil)
    }

    @Test func anEditIsAConflictWhenTheProviderHasAnotherVersion() throws {
        let sample = try IndexSample()
        try sample.apply(file("a").version(1), file("b").version(1))
        let (edited, clean) = (try sample.number("a"), try sample.number("b"))
        try sample.update(edited) { item in
            item.content = .edited
            item.changes.insert(.contents)
            item.localVersion = [1]
        }
        try sample.update(clean) { item in
            item.content = .current
            item.localVersion = [1]
            item.localSize = 10
        }
        #expect(try sample.apply(file("a").version(1), file("b").version(1)) == AppliedItems())
        let result = try sample.apply(file("a").version(2), file("b").version(2))
        #expect(result.conflicts == [edited] && result.outdated == [clean])
        #expect(try sample.index.item(edited)?.content == .edited)
        // The conflict is reported again, as the first report may have been lost.
        let again = try sample.apply(file("a").version(2), file("b").version(2))
        #expect(again.conflicts == [edited] && again.outdated == [clean])
    }

    @Test func contentsWithoutVersionsAreToldApartByDateAndSize() throws {
        let sample = try IndexSample()
        var item = file("a")
        item.size = 1
        try sample.apply(item)
        let number = try sample.number("a")
        try sample.update(number) { $0.content = .current }
        item.lastUsed = 5
        #expect(try sample.apply(item).outdated == [])
        item.size = 2
        #expect(try sample.apply(item).outdated == [number])
    }

    @Test func remotelyRemovedItemsStayIfTheyHaveLocalEdits() throws {
        let sample = try IndexSample()
        try sample.apply(folder("f"), folder("g", in: "f"), file("edited", in: "g"), file("clean", in: "f"))
        let edited = try sample.number("edited")
        try sample.update(edited) { $0.changes.insert(.contents) }
        let clean = try sample.number("clean")
        try sample.update(clean) { $0.content = .current }
        let removed = try sample.remove("f", "unknown")
        #expect(removed.removed == [clean] && removed.withContents == [clean])
        #expect(removed.kept == [try sample.number("f"), try sample.number("g"), edited])
        #expect(try sample.shown() == ["f": "f"])
    }

    @Test func aListingLeavesWhatWasMadeOrMovedHere() throws {
        let sample = try IndexSample()
        try sample.apply(folder("f"), file("moved", in: "f"), file("edited"), file("gone"))
        try sample.update(try sample.number("moved")) { item in
            item.parent = .root
            item.changes.insert(.place)
        }
        try sample.update(try sample.number("edited")) { $0.changes.insert(.contents) }
        let made = try sample.index.write { writer throws(IndexError) in
            var item = IndexedItem(
                parent: .root, name: "made", item: file(IndexedItem.localPrefix + "1", "made"))
            item.changes = [.created, .contents]
            return try writer.insert(item)
        }
        try sample.list(.root, 1, [folder("f")])
        let removed = try sample.index.write { writer throws(IndexError) in
            try writer.removeUnlisted(in: .root, before: 1)
        }
        #expect(removed.removed.count == 1)
        #expect(try removed.kept == [sample.number("edited")])
        #expect(try Set(sample.shown().keys) == ["f", "moved", "edited", "made"])
        #expect(try sample.index.item(made)?.isKnownToProvider == false)
    }

    @Test func aRemovalOutlivesTheFolderThatItIsIn() throws {
        let sample = try IndexSample()
        try sample.apply(folder("f"), folder("g", in: "f"), file("a", in: "f"), file("b", in: "g"), file("c"))
        let (home, a, b, c) = (
            try sample.number("f"), try sample.number("a"), try sample.number("b"), try sample.number("c")
        )
        for number in [a, b] { try sample.update(number) { $0.changes = .deleted } }
        // The item is moved, and then removed.
        try sample.update(c) { row in
            row.parent = home
            row.changes = .deleted
        }
        try sample.list(home, 1, [folder("g", in: "f"), file("a", in: "f")])
        _ = try sample.index.write { writer throws(IndexError) in try writer.removeUnlisted(in: home, before: 1) }
        #expect(try sample.index.itemEvenIfDeleted(c)?.parent == home)
        _ = try sample.remove("f")
        for number in [a, b, c] {
            #expect(try sample.index.itemEvenIfDeleted(number)?.changes == .deleted)
            #expect(try sample.index.item(number) == nil)
        }
        #expect(try sample.shown() == [:])
    }

    @Test func anItemReportedBeforeTheReplyToItsCreationIsOneItem() throws {
        let sample = try IndexSample()
        var item = IndexedItem(parent: .root, name: "new", item: folder(IndexedItem.localPrefix + "1", "new"))
        item.changes = .created
        let made = item
        let number = try sample.index.write { writer throws(IndexError) in try writer.insert(made) }
        try sample.apply(folder("id", "new"), file("inner", in: "id"))
        #expect(try sample.shown() == ["new": IndexedItem.localPrefix + "1", "new 2": "id"])
        try sample.update(number) { item in
            item.item = folder("id", "new")
            item.changes = []
        }
        #expect(try sample.shown() == ["new": "id"])
        #expect(try sample.number("id") == number)
        #expect(try sample.shown(number) == ["inner": "inner"])
        #expect(try sample.index.item(identifier: IndexedItem.localPrefix + "1") == nil)
    }

    @Test func aNumberOfALostIndexIsKept() throws {
        let sample = try IndexSample()
        var item = IndexedItem(
            number: ItemNumber(rawValue: 500), parent: .root, name: "saved", item: file("a", "saved"))
        item.changes = .contents
        let saved = item
        let number = try sample.index.write { writer throws(IndexError) in
            try writer.insert(saved, keepsNumber: true)
        }
        #expect(number.rawValue == 500)
        try sample.apply(file("a", "saved").version(2), file("b"))
        #expect(try sample.number("a").rawValue == 500)
        #expect(try sample.number("b").rawValue > 500)
    }

    @Test func aNameThatANeighbourHasIsNotTaken() throws {
        let sample = try IndexSample()
        try sample.apply(file("a"), file("b"))
        let row = try sample.update(try sample.number("b")) { $0.name = "a" }
        #expect(row?.name == "a 2")
        #expect(try sample.shown() == ["a": "a", "a 2": "b"])
    }

    @Test func aFolderDoesNotGoIntoItself() throws {
        let sample = try IndexSample()
        try sample.apply(folder("a"), folder("b", in: "a"))
        let (a, b) = (try sample.number("a"), try sample.number("b"))
        try sample.update(a) { $0.parent = b }
        #expect(try sample.index.item(a)?.parent == .root)
    }

    @Test func cleanContentsAreListedByTheirLastUse() throws {
        let sample = try IndexSample()
        try sample.apply(file("a"), file("b"), file("c"), file("d"))
        let numbers = try ["a", "b", "c", "d"].map { try sample.number($0) }
        for (number, state) in zip(numbers, [ContentState.current, .partial, .edited, .current]) {
            try sample.update(number) { item in
                item.content = state
                item.localSize = number.rawValue
                item.isPinned = number == numbers[3]
            }
        }
        let listed = try sample.index.write { writer throws(IndexError) in
            try writer.touch(numbers[0], 20)
            try writer.touch(numbers[1], 10)
            return try writer.leastRecentlyUsed(limit: 10)
        }
        #expect(listed.map(\.number) == [numbers[1], numbers[0]])
        #expect(listed.map(\.localSize) == [numbers[1].rawValue, numbers[0].rawValue])
        #expect(try sample.index.statistics().evictableFiles == 2)
        try sample.update(numbers[0]) { $0.content = .dataless }
        #expect(try sample.index.statistics().evictableBytes == numbers[1].rawValue)
    }

    @Test func anchorsAndSettingsAreKept() throws {
        let sample = try IndexSample()
        try sample.index.write { writer throws(IndexError) in
            try writer.setAnchor([0, 1], of: "c")
            try writer.setAnchor([], of: "empty")
            try writer.setSetting("k", [9])
        }
        try sample.reopen()
        #expect(try sample.index.anchor(of: "c") == [0, 1])
        #expect(try sample.index.anchor(of: "empty") == [])
        #expect(try sample.index.anchor(of: "other") == nil)
        #expect(try sample.index.setting("k") == [9])
        try sample.index.write { writer throws(IndexError) in try writer.setAnchor(nil, of: "c") }
        #expect(try sample.index.anchor(of: "c") == nil)
    }
}

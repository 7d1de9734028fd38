import FileTesting
import ItemStore
import ItemValues
import LinuxSystem
import Testing

@Suite struct IndexApplyingTests {
    @Test func everythingAProviderSaysIsReadBack() throws {
        let sample = try IndexSample()
        var item = file("a", "Ä \u{1F600}.txt")
        item.contentType = "public.plain-text"
        item.capabilities = 0x7FFF_FFFF
        item.size = -1
        item.childCount = 7
        item.created = 1.5
        item.modified = -2.25
        item.lastUsed = 1e12
        item.contentVersion = [1, 0, 255]
        item.metadataVersion = [2]
        item.favoriteRank = .max
        item.tagData = []
        item.flags = [.shared, .uploading]
        item.fileSystemFlags = 9
        item.extendedAttributes = ["b": [1], "a": [], "user.x": [0, 1]]
        item.linkTarget = ""
        item.uploadFailure = ItemFailure(
            kind: 6, domain: "d", code: -3, message: "There is one.", collidingItem: "other")
        try sample.apply(item)
        let row = try #require(try sample.index.item(identifier: "a"))
        #expect(row.item == item)
        #expect(row.name == item.filename)
        #expect(row.parent == .root)
        #expect(row.changes == [] && row.content == .dataless && row.listing == .never)
        #expect(try sample.index.item(row.number) == row)
        #expect(try sample.index.item(named: "Ä \u{1F600}.txt", in: .root) == row)
    }

    @Test func anItemKeepsItsNumberWhateverBecomesOfItAndWhenTheIndexIsOpenedAgain() throws {
        let sample = try IndexSample()
        try sample.apply(folder("f"), file("a"))
        let number = try sample.number("a")
        let result = try sample.apply(file("a", "b", in: "f"))
        #expect(result.moved == [number])
        try sample.reopen()
        #expect(try sample.number("a") == number)
        #expect(try sample.index.item(named: "b", in: try sample.number("f"))?.number == number)
        #expect(try sample.index.item(named: "a", in: .root) == nil)
    }

    @Test func numbersAreNotGivenTwice() throws {
        let sample = try IndexSample()
        try sample.apply(file("a"))
        let first = try sample.number("a")
        #expect(try sample.remove("a").removed == [first])
        try sample.reopen()
        try sample.apply(file("b"))
        #expect(try sample.number("b").rawValue > first.rawValue)
    }

    @Test func twoItemsOfOneNameAreBothReachableAndKeepTheirNames() throws {
        let sample = try IndexSample()
        try sample.apply(file("a", "x.txt"), file("b", "x.txt"), file("c", "x.txt"))
        #expect(try sample.shown() == ["x.txt": "a", "x 2.txt": "b", "x 3.txt": "c"])
        _ = try sample.remove("a")
        try sample.apply(file("b", "x.txt").version(2), file("c", "x.txt"))
        #expect(try sample.shown() == ["x 2.txt": "b", "x 3.txt": "c"])
        try sample.apply(file("d", "x.txt"))
        #expect(try sample.shown() == ["x.txt": "d", "x 2.txt": "b", "x 3.txt": "c"])
    }

    @Test func aNameHasOnlyOneNumber() throws {
        let sample = try IndexSample()
        try sample.apply(file("a", "x.txt"), file("b", "x.txt"))
        let number = try sample.number("b")
        try sample.update(number) { $0.changes.insert(.deleted) }
        try sample.apply(file("c", "x 2.txt"))
        // The provider refuses the removal of b.
        try sample.update(number) { $0.changes.remove(.deleted) }
        #expect(try sample.shown() == ["x.txt": "a", "x 2.txt": "c", "x 3.txt": "b"])
        // The batch announces another name of b and then its former name.
        try sample.apply(file("b", "y.txt"), file("d", "x 3.txt"), file("b", "x.txt"))
        #expect(try sample.shown() == ["x.txt": "a", "x 2.txt": "c", "x 3.txt": "d", "x 4.txt": "b"])
    }

    @Test func manyItemsOfOneNameAllHaveNames() throws {
        let sample = try IndexSample()
        let items = (0..<3000).map { file("\($0)", "same") }
        try sample.list(.root, 1, items)
        #expect(try sample.shown().count == 3000)
    }

    @Test func namesThatAreSwappedAreSwapped() throws {
        let sample = try IndexSample()
        try sample.apply(file("a", "1"), file("b", "2"))
        try sample.apply(file("a", "2"), file("b", "1"))
        #expect(try sample.shown() == ["2": "a", "1": "b"])
        try sample.apply(file("new", "2"), file("a", "3"))
        #expect(try sample.shown() == ["2": "new", "1": "b", "3": "a"])
    }

    @Test func badNamesAreMended() throws {
        let sample = try IndexSample()
        let names = [
            "", "/", ".", "..", "a/b", "a\u{0}b", "\u{7F}", String(repeating: "é", count: 150) + ".txt", "a/b",
        ]
        try sample.list(.root, 1, names.enumerated().map { file("\($0.offset)", $0.element) })
        let shown = try sample.shown()
        #expect(shown.count == names.count)
        for name in shown.keys {
            #expect(MountName.isValid(name))
            #expect(try sample.index.item(named: name, in: .root)?.item.identifier == shown[name])
        }
        #expect(shown.keys.contains { $0.hasSuffix("é.txt") && $0.utf8.count > 250 })
    }

    @Test func namesThatOnlyLookAlikeAreTwo() throws {
        let sample = try IndexSample()
        try sample.apply(file("a", "\u{E9}"), file("b", "e\u{301}"))
        var bytes: Set<[UInt8]> = []
        try sample.index.children(of: .root) { item in
            bytes.insert(Array(item.name.utf8))
            return true
        }
        #expect(bytes == [[0xC3, 0xA9], [0x65, 0xCC, 0x81]])
        #expect(try sample.index.item(named: "e\u{301}", in: .root)?.item.identifier == "b")
    }

    @Test func anItemWithoutAParentGoesHomeWhenItsParentComes() throws {
        let sample = try IndexSample()
        try sample.apply(folder("f"), file("c"))
        let home = try sample.number("f")
        let listed = try sample.list(home, 1, [file("b", in: "unknown")])
        #expect(listed.unknownParents == ["unknown"])
        #expect(try sample.shown(home) == ["b": "b"])
        let told = try sample.apply(file("c", in: "other"))
        #expect(told.unknownParents == ["other"])
        #expect(try sample.shown() == ["f": "f", "c": "c"])
        try sample.reopen()
        try sample.apply(folder("unknown"), folder("other"))
        #expect(try sample.shown() == ["f": "f", "unknown": "unknown", "other": "other"])
        #expect(try sample.shown(try sample.number("unknown")) == ["b": "b"])
        #expect(try sample.shown(try sample.number("other")) == ["c": "c"])
    }

    @Test func aNewItemThatAFeedTellsToBeInNoFolderIsLeftOut() throws {
        let sample = try IndexSample()
        let told = try sample.apply(file("a", in: "unknown"), folder("b", in: "unknown"), file("c", in: "b"))
        #expect(told.added == [])
        #expect(told.unknownParents == ["b", "unknown"])
        #expect(try sample.shown() == [:])
        #expect(try sample.index.statistics().items == 0)
    }

    @Test func aFolderThatIsListedUnderOneIdentifierAndNamedByAnotherIsOneFolder() throws {
        let sample = try IndexSample()
        try sample.list(.root, 1, [file("a", in: "/")])
        let told = try sample.apply(file("b", in: "/"))
        #expect(told.added.count == 1)
        #expect(try sample.shown() == ["a": "a", "b": "b"])
        try sample.list(.root, 2, [file("a", in: "/")])
        _ = try sample.index.write { writer throws(IndexError) in try writer.removeUnlisted(in: .root, before: 2) }
        #expect(try sample.shown() == ["a": "a"])
    }

    @Test func childrenMayComeBeforeTheirParents() throws {
        let sample = try IndexSample()
        let result = try sample.apply(
            file("a", in: "c"), folder("c", in: "d"), file("e", "1", in: "d"), file("e", "2", in: "d"), folder("d"))
        #expect(result.unknownParents == [])
        #expect(try sample.shown() == ["d": "d"])
        #expect(try sample.shown(try sample.number("c")) == ["a": "a"])
        #expect(try sample.shown(try sample.number("d")) == ["c": "c", "2": "e"])
    }

    @Test func aCycleOfParentsIsLeftOutAndMendsItself() throws {
        let sample = try IndexSample()
        try sample.apply(folder("a", in: "b"), folder("b", in: "a"), folder("self", in: "self"))
        #expect(try sample.shown() == [:])
        try sample.apply(folder("b", in: "a"), folder("a"))
        #expect(try sample.shown() == ["a": "a"])
        #expect(try sample.shown(try sample.number("a")) == ["b": "b"])

        try sample.apply(folder("x"), folder("y", in: "x"), folder("z", in: "y"))
        try sample.apply(folder("x", in: "z"))
        #expect(try sample.shown()["x"] == "x")
        try sample.apply(folder("z"))
        try sample.apply(folder("x", in: "z"))
        #expect(try sample.shown(try sample.number("z")) == ["x": "x"])
    }

    @Test func aFileThatBecomesAFolderIsAnotherItem() throws {
        let sample = try IndexSample()
        try sample.apply(file("a"))
        let number = try sample.number("a")
        let result = try sample.apply(folder("a"))
        #expect(result.removed.removed == [number])
        #expect(try sample.number("a") != number)
        #expect(try sample.shown() == ["a": "a"])
        #expect(try sample.index.item(number) == nil)
    }

    @Test func childrenOfFilesAreRejected() throws {
        let sample = try IndexSample()
        try sample.apply(file("a"), file("b", in: "a"))
        #expect(try sample.shown() == ["a": "a"])
    }

    @Test func aFileThatBecomesAFolderHasWhatIsSaidToBeInIt() throws {
        let sample = try IndexSample()
        try sample.apply(file("a"))
        try sample.apply(file("b", in: "a"), folder("a"))
        #expect(try sample.shown() == ["a": "a"])
        #expect(try sample.shown(try sample.number("a")) == ["b": "b"])
    }

    @Test func itemsInTheTrashAreNotShown() throws {
        let sample = try IndexSample()
        var trashed = file("b")
        trashed.flags.insert(.trashed)
        try sample.apply(file("a"), trashed)
        #expect(try sample.shown() == ["a": "a"])
        try sample.apply(file("a", in: ProviderItem.trashIdentifier))
        #expect(try sample.shown() == [:])
    }

    @Test func reservedIdentifiersAreIgnored() throws {
        let sample = try IndexSample()
        try sample.apply(
            file(""), file(IndexedItem.localPrefix + "1"), folder(ProviderItem.workingSetIdentifier),
            folder(ProviderItem.trashIdentifier), folder(ProviderItem.rootIdentifier, "/"))
        #expect(try sample.shown() == [:])
        #expect(try sample.index.item(.root)?.item.filename == "/")
    }

    @Test func anItemThatABatchNamesTwiceIsOneItem() throws {
        let sample = try IndexSample()
        try sample.apply(file("a", "1"), file("a", "2"))
        #expect(try sample.shown() == ["2": "a"])
        #expect(try sample.index.statistics().items == 1)
    }

    @Test func aListingRemovesWhatItDoesNotName() throws {
        let sample = try IndexSample()
        try sample.list(.root, 1, [folder("f"), file("a"), file("b")])
        let home = try sample.number("f")
        try sample.list(home, 2, [file("inner", in: "f")])
        try sample.list(.root, 3, [file("a")])
        try sample.apply(file("new"))
        let removed = try sample.index.write { writer throws(IndexError) in
            try writer.removeUnlisted(in: .root, before: 3)
        }
        #expect(removed.removed.count == 3)
        #expect(try sample.shown() == ["a": "a", "new": "new"])
        #expect(try sample.index.item(identifier: "inner") == nil)
        // An empty listing has no pages with items.
        _ = try sample.index.write { writer throws(IndexError) in
            try writer.removeUnlisted(in: .root, before: 4)
        }
        #expect(try sample.shown() == [:])
    }

    /// Rows are written in batches, and a lookup between two batches must find all of them.
    @Test func duplicatesInALongPageAreFound() throws {
        let sample = try IndexSample()
        var items = (0..<350).map { file("\($0)", "name \($0)") }
        items[99] = file("99", "name 0")
        items[100] = file("100", "name 7")
        items[101] = file("5", "moved")
        items[249] = file("249", "name 248")
        items[250] = file("250", "child", in: "folder")
        items[251] = folder("folder")
        items[349] = file("349", "name 348")
        try sample.list(.root, 1, items)
        for (identifier, name) in [
            ("99", "name 0 2"), ("100", "name 7 2"), ("5", "moved"), ("249", "name 248 2"), ("349", "name 348 2"),
            ("348", "name 348"),
        ] {
            #expect(try sample.index.item(identifier: identifier)?.name == name)
        }
        #expect(try sample.index.item(named: "child", in: sample.number("folder")) != nil)
        #expect(try sample.index.childCount(of: .root) == 348)
        try sample.reopen()
        #expect(try sample.index.item(named: "name 348 2", in: .root) != nil)
    }

    @Test func aLongPageThatHasNoRoomLeavesNothing() throws {
        let sample = try IndexSample()
        sample.index.limitRoom { false }
        #expect(throws: IndexError.full) { try sample.list(.root, 1, (0..<150).map { file("\($0)") }) }
        sample.index.limitRoom(nil)
        #expect(try sample.index.childCount(of: .root) == 0)
        try sample.list(.root, 2, (0..<150).map { file("\($0)") })
        #expect(try sample.index.childCount(of: .root) == 150)
    }

    /// The end of a listing does not remove items that were added since the listing began. Another directory's listing
    /// may begin before or after.
    @Test func foldersThatAreListedAtOnceEachLoseWhatTheirListingDoesNotName() throws {
        let sample = try IndexSample()
        try sample.list(.root, 1, [folder("f"), folder("g")])
        let (f, g) = (try sample.number("f"), try sample.number("g"))
        try sample.apply(
            file("f old", in: "f"), file("f lost", in: "f"), file("g old", in: "g"), file("g lost", in: "g"))
        try sample.list(f, 2, [file("f new", in: "f")])
        try sample.apply(file("f told", in: "f"), file("g before", in: "g"))
        try sample.list(g, 3, [file("g new", in: "g")])
        try sample.list(f, 2, [file("f old", in: "f")])
        try sample.apply(file("g told", in: "g"))
        try sample.list(g, 3, [file("g old", in: "g")])
        func end(_ folder: ItemNumber, _ mark: Int64) throws -> Int {
            try sample.index.write { writer throws(IndexError) in
                try writer.removeUnlisted(in: folder, before: mark).removed.count
            }
        }
        #expect(try end(f, 2) == 1)
        #expect(try Set(sample.shown(f).keys) == ["f new", "f told", "f old"])
        #expect(try end(g, 3) == 2)
        #expect(try Set(sample.shown(g).keys) == ["g new", "g told", "g old"])
    }

    @Test func aListingThatBeganInATransactionThatFailedLosesNothing() throws {
        let sample = try IndexSample()
        try sample.list(.root, 1, [file("old"), file("lost")])
        // Rows that come earlier in the same transaction; their numbers are assigned again later.
        #expect(throws: IndexError.full) {
            try sample.index.write { writer throws(IndexError) in
                try writer.apply((0..<50).map { file("before \($0)") })
                try writer.apply([file("a")], listedIn: .root, mark: 2)
                throw .full
            }
        }
        try sample.list(.root, 2, [file("a"), file("old")])
        try sample.apply(file("told"))
        let removed = try sample.index.write { writer throws(IndexError) in
            try writer.removeUnlisted(in: .root, before: 2)
        }
        #expect(removed.removed.count == 1)
        #expect(try Set(sample.shown().keys) == ["a", "old", "told"])
    }

    @Test func aListingWhoseEndHadNoRoomRemovesNothingThatItNames() throws {
        let sample = try IndexSample()
        try sample.list(.root, 1, [file("a"), file("gone")])
        try sample.list(.root, 2, [file("a"), file("b")])
        func end() throws(IndexError) -> RemovedItems {
            try sample.index.write { writer throws(IndexError) in try writer.removeUnlisted(in: .root, before: 2) }
        }
        sample.index.limitRoom { false }
        #expect(throws: IndexError.full) { try end() }
        #expect(try Set(sample.shown().keys) == ["a", "b", "gone"])
        sample.index.limitRoom(nil)
        #expect(try end().removed.count == 1)
        #expect(try Set(sample.shown().keys) == ["a", "b"])
    }

    @Test func itemsReportedDuringAListingCountAsListed() throws {
        let sample = try IndexSample()
        try sample.apply(file("listed"), file("asked"), file("lost"))
        try sample.list(.root, 1, [file("listed")])
        try sample.apply(file("asked"))
        _ = try sample.index.write { writer throws(IndexError) in
            try writer.removeUnlisted(in: .root, before: 1)
        }
        #expect(try Set(sample.shown().keys) == ["listed", "asked"])
    }

    @Test func changesAreToldInTheirOrderAfterTheyAreThere() throws {
        let sample = try IndexSample()
        let told = Lock<[IndexChange]>([])
        let index = sample.index
        index.onChange = { changes in told.withLock { $0 += changes } }
        try sample.apply(folder("f"), file("a"))
        let (home, number) = (try sample.number("f"), try sample.number("a"))
        try sample.apply(file("a", "b", in: "f").version(2))
        _ = try sample.remove("a")
        try sample.apply(folder("f"))
        #expect(
            told.withLock { $0 } == [
                .added(home, parent: .root, name: "f"), .added(number, parent: .root, name: "a"),
                .moved(number, from: .root, fromName: "a", to: home, toName: "b"),
                .changed(number, contents: true), .removed(number, parent: home, name: "b"),
            ])
    }

    @Test func aTransactionThatFailsLeavesNothing() throws {
        let sample = try IndexSample()
        let told = Lock(0)
        sample.index.onChange = { _ in told.withLock { $0 += 1 } }
        #expect(throws: IndexError.full) {
            try sample.index.write { writer throws(IndexError) in
                try writer.apply([file("a")])
                throw .full
            }
        }
        #expect(try sample.shown() == [:])
        #expect(told.withLock { $0 } == 0)
        try sample.apply(file("b"))
        #expect(try sample.shown() == ["b": "b"])
        #expect(try sample.index.item(named: "a", in: .root) == nil)
    }
}

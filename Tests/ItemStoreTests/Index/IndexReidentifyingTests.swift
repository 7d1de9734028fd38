import ItemStore
import ItemValues
import Testing

/// Tests of items that the provider reports under new identifiers.
@Suite struct IndexReidentifyingTests {
    private func reidentify(_ sample: IndexSample, _ items: [ProviderItem], gone: [String] = []) throws -> [ItemNumber]
    {
        let found = try sample.index.write { writer throws(IndexError) in
            let found = try writer.reidentify(items, gone: gone)
            try writer.apply(items)
            return found
        }
        return found.map(\.number)
    }

    /// Creates a file with all fields by which the index recognizes it again.
    private func known(_ identifier: String, _ name: String, in parent: String, version: UInt8 = 1) -> ProviderItem {
        var item = file(identifier, name, in: parent).version(version)
        item.size = 5
        item.modified = 7
        return item
    }

    @Test func childrenAreFoundByNameAfterTheirFolderIsReidentified() throws {
        let sample = try IndexSample()
        try sample.apply(folder("/f"), known("/f/a", "a", in: "/f"), folder("/f/s", "s", in: "/f"))
        try sample.apply(known("/f/s/b", "b", in: "/f/s"))
        let (top, a) = (try sample.number("/f"), try sample.number("/f/a"))
        let (inner, b) = (try sample.number("/f/s"), try sample.number("/f/s/b"))
        try sample.update(top) { $0.item.identifier = "/g" }
        #expect(try sample.index.item(a)?.item.parent == "/g")
        // The order of the items and their versions do not matter.
        let items = [
            known("/g/s/b", "b", in: "/g/s"), folder("/g/s", "s", in: "/g"), known("/g/a", "a", in: "/g", version: 2),
        ]
        #expect(Set(try reidentify(sample, items)) == [a, inner, b])
        #expect(try sample.shown(top) == ["a": "/g/a", "s": "/g/s"])
        #expect(try sample.shown(inner) == ["b": "/g/s/b"])
        // After a complete listing, another file of the same name is a new item.
        _ = try sample.index.write { writer throws(IndexError) in try writer.removeUnlisted(in: top, before: 9) }
        _ = try sample.apply(known("/g/a", "a", in: "/g"))
        #expect(try reidentify(sample, [known("other", "a", in: "/g")]).isEmpty)
    }

    @Test func aRemovalAndAnAdditionUnderOneNameAreOneItem() throws {
        let sample = try IndexSample()
        try sample.apply(known("1", "a", in: ProviderItem.rootIdentifier), folder("f"), folder("g"))
        try sample.apply(known("2", "b", in: "f"), known("3", "c", in: "f"))
        let (one, two, three) = (try sample.number("1"), try sample.number("2"), try sample.number("3"))
        let items = [
            known("4", "a", in: ProviderItem.rootIdentifier), known("5", "b", in: "g"),
            known("6", "c", in: "g", version: 2),
        ]
        #expect(try reidentify(sample, items).isEmpty)
        let other = try IndexSample()
        try other.apply(known("1", "a", in: ProviderItem.rootIdentifier), folder("f"), folder("g"))
        try other.apply(known("2", "b", in: "f"), known("3", "c", in: "f"))
        #expect(Set(try reidentify(other, items, gone: ["1", "2", "3"])) == [one, two])
        #expect(try other.index.item(three)?.item.identifier == "3")
        #expect(try other.shown() == ["a": "4", "f": "f", "g": "g"])
        #expect(try other.shown(try other.number("g")) == ["b": "5", "c": "6"])
    }

    @Test func ambiguousMatchesAreNotReidentified() throws {
        let sample = try IndexSample()
        try sample.apply(folder("f"), folder("g"), folder("h"))
        try sample.apply(known("1", "a", in: "f"), known("2", "a", in: "g"))
        #expect(try reidentify(sample, [known("3", "a", in: "h")], gone: ["1", "2"]).isEmpty)
    }

    /// A directory is reported under its new identifier before it is recognized as the old one.
    @Test func twoRowsOfOneFolderBecomeOneWithAllThatIsInThem() throws {
        let sample = try IndexSample()
        try sample.apply(folder("/f"), known("/f/a", "a", in: "/f"), folder("/f/s", "s", in: "/f"))
        try sample.apply(known("/f/s/b", "b", in: "/f/s"))
        let (top, a, b) = (try sample.number("/f"), try sample.number("/f/a"), try sample.number("/f/s/b"))
        try sample.apply(folder("/g"), known("/g/a", "a", in: "/g"), known("/g/n", "n", in: "/g"))
        try sample.apply(folder("/g/s", "s", in: "/g"), known("/g/s/b", "b", in: "/g/s"))
        try sample.update(top) { $0.item.identifier = "/g" }
        #expect(try sample.shown(top) == ["a": "/g/a", "n": "/g/n", "s": "/g/s"])
        #expect(try sample.index.item(a)?.item.identifier == "/g/a")
        #expect(try sample.index.item(b)?.item.identifier == "/g/s/b")
        #expect(try sample.index.statistics().items == 5)
    }

    @Test func anIdentifierInAnotherNormalFormIsAnother() throws {
        let sample = try IndexSample()
        try sample.apply(file("/r\u{E9}", "r\u{E9}"))
        let number = try sample.number("/r\u{E9}")
        try sample.update(number) { $0.item.identifier = "/re\u{301}" }
        #expect(try sample.index.item(identifier: "/re\u{301}")?.number == number)
        #expect(try sample.index.item(identifier: "/r\u{E9}") == nil)
    }

    /// Two directories whose identifiers differ only in their normal form are reported in one batch with their items.
    @Test(arguments: [false, true]) func itemsInAnotherNormalFormGoIntoTheirOwnFolder(isReversed: Bool) throws {
        let sample = try IndexSample()
        let forms = ["/r\u{E9}", "/re\u{301}"]
        var items = forms.map { folder($0, String($0.dropFirst())) }
        items += forms.map { file($0 + "/a", "a", in: $0) }
        if isReversed { items.reverse() }
        try sample.index.write { writer throws(IndexError) in _ = try writer.apply(items) }
        for form in forms {
            let folder = try #require(try sample.index.item(identifier: form))
            #expect(folder.name.hasSameBytes(as: String(form.dropFirst())))
            let inside = try #require(try sample.index.item(named: "a", in: folder.number))
            #expect(inside.item.identifier.hasSameBytes(as: form + "/a"))
            #expect(inside.item.parent.hasSameBytes(as: form))
        }
    }

    @Test func aParentInAnotherNormalFormIsStored() throws {
        let sample = try IndexSample()
        try sample.apply(folder("/r\u{E9}"), file("a", in: "/r\u{E9}"))
        let (old, item) = (try sample.number("/r\u{E9}"), try sample.number("a"))
        try sample.apply(folder("/re\u{301}"), file("a", in: "/re\u{301}"))
        let moved = try #require(try sample.index.item(item))
        #expect(moved.item.parent.hasSameBytes(as: "/re\u{301}"))
        #expect(try moved.parent != old && moved.parent == sample.number("/re\u{301}"))
    }

    @Test func aTrashedFolderTakesNothingOfTheOtherNormalFormWithIt() throws {
        let sample = try IndexSample()
        var trashed = folder("/r\u{E9}", "r\u{E9}")
        trashed.flags.insert(.trashed)
        try sample.apply(
            trashed, folder("/re\u{301}", "re\u{301}"), file("/re\u{301}/a", "a", in: "/re\u{301}"))
        #expect(try sample.index.trashed().count == 1)
        let other = try sample.number("/re\u{301}")
        #expect(try sample.shown(other).keys.sorted() == ["a"])
    }

    /// The name is the only change of a new item that was not sent yet.
    @Test func aNameInAnotherNormalFormIsAnotherName() throws {
        let sample = try IndexSample()
        try sample.apply(file("1", "r\u{E9}"))
        let number = try sample.number("1")
        try sample.update(number) { $0.name = "re\u{301}" }
        #expect(try sample.index.item(named: "re\u{301}", in: .root)?.number == number)
        #expect(try sample.index.item(named: "r\u{E9}", in: .root) == nil)
    }
}

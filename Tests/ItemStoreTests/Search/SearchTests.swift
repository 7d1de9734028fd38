import FileTesting
import ItemStore
import ItemValues
import LinuxSystem
import TestThreads
import Testing

/// Tests of searches by words, types and dates, with and without the search database.
@Suite(.ownThreads)
struct SearchTests {
    /// An index with a search, whose database is up to date or does not exist.
    private final class Sample {
        let sample: IndexSample
        private(set) var search: SearchIndex

        init() throws {
            sample = try IndexSample()
            search = SearchIndex(sample.index, path: sample.folder.path + "/search.db")
        }

        deinit { search.close() }

        func names(_ query: SearchQuery) throws -> Set<String> { Set(try search.search(query).map(\.item.name)) }

        func names(_ words: String...) throws -> Set<String> { try names(SearchQuery(words: words)) }

        /// Expects the same results before and after the words are in the database.
        func expect(
            _ words: String..., finds names: Set<String>, sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            #expect(try self.names(SearchQuery(words: words)) == names, sourceLocation: sourceLocation)
            try catchUp()
            #expect(try self.names(SearchQuery(words: words)) == names, sourceLocation: sourceLocation)
        }

        func catchUp() throws {
            search.catchUp()
            #expect(try search.isCaughtUp())
        }

        /// Opens the search again over the same files, as another process does.
        func reopen(afterClosing: (String) throws -> Void = { _ in }) throws {
            search.close()
            try afterClosing(sample.folder.path + "/search.db")
            search = SearchIndex(sample.index, path: sample.folder.path + "/search.db")
        }
    }

    @Test func itemsAreFoundByPartsOfTheirNames() throws {
        let sample = try Sample()
        try sample.sample.apply(
            file("1", "Photograph 77.jpeg"), file("2", "photo album.pdf"), file("3", "Letter to Ana.txt"),
            folder("4", "Telephoto"))
        try sample.expect("photo", finds: ["Photograph 77.jpeg", "photo album.pdf", "Telephoto"])
        try sample.expect("PHOTO", "jpeg", finds: ["Photograph 77.jpeg"])
        try sample.expect("to ana", finds: ["Letter to Ana.txt"])
        try sample.expect(".pdf", finds: ["photo album.pdf"])
        try sample.expect("nothing like it", finds: [])
    }

    @Test func shortWordsAreBeginningsOfWords() throws {
        let sample = try Sample()
        try sample.sample.apply(file("1", "big report.txt"), file("2", "origin.txt"), file("3", "IMG_42.jpg"))
        try sample.expect("re", finds: ["big report.txt"])
        try sample.expect("o", finds: ["origin.txt"])
        try sample.expect("42", finds: ["IMG_42.jpg"])
        try sample.expect("_4", finds: ["IMG_42.jpg"])
    }

    @Test func accentsCaseAndCompositionDoNotMatterAndNeitherDoesTheScript() throws {
        let sample = try Sample()
        try sample.sample.apply(
            file("1", "R\u{E9}sum\u{E9}.pdf"), file("2", "re\u{301}sume\u{301} old.pdf"), file("3", "年度報告書.doc"),
            file("4", "\u{0416}УРНАЛ.txt"))
        try sample.expect("resume", finds: ["R\u{E9}sum\u{E9}.pdf", "re\u{301}sume\u{301} old.pdf"])
        try sample.expect("RE\u{301}SUM", finds: ["R\u{E9}sum\u{E9}.pdf", "re\u{301}sume\u{301} old.pdf"])
        try sample.expect("報告", finds: ["年度報告書.doc"])
        try sample.expect("報", finds: ["年度報告書.doc"])
        try sample.expect("журнал", finds: ["\u{0416}УРНАЛ.txt"])
    }

    @Test func theBestComesFirst() throws {
        let sample = try Sample()
        try sample.sample.apply(
            file("1", "my plan"), file("2", "plan"), file("3", "planet"), file("4", "floorplan"))
        let found = try sample.search.search(SearchQuery(words: ["plan"])).map(\.item.name)
        #expect(found == ["plan", "planet", "my plan", "floorplan"])
    }

    @Test func searchFollowsRenamesMovesRemovalsAndAdditions() throws {
        let sample = try Sample()
        try sample.sample.apply(folder("f", "Folder"), file("1", "before.txt"), file("2", "stays.txt"))
        try sample.catchUp()
        try sample.sample.apply(file("1", "after.txt"), file("3", "added.txt", in: "f"))
        _ = try sample.sample.remove("2")
        try sample.expect("before", finds: [])
        try sample.expect("after", finds: ["after.txt"])
        try sample.expect("stays", finds: [])
        let found = try sample.search.search(SearchQuery(words: ["added"]))
        #expect(found.map(\.names) == [["Folder", "added.txt"]])
    }

    @Test func childrenOfALocallyRemovedFolderAreNotFound() throws {
        let sample = try Sample()
        try sample.sample.apply(folder("f", "Folder"), file("1", "inside.txt", in: "f"))
        try sample.sample.update(try sample.sample.number("f")) { $0.changes = .deleted }
        try sample.expect("inside", finds: [])
    }

    @Test func typesAndDatesNarrowTheSearchDown() throws {
        let sample = try Sample()
        func item(_ identifier: String, _ name: String, _ type: String, _ modified: Double) -> ProviderItem {
            var item = file(identifier, name)
            item.contentType = type
            item.modified = modified
            return item
        }
        let day = 86_400.0
        try sample.sample.apply(
            item("1", "one.jpeg", "public.jpeg", 1000 * day), item("2", "two.png", "public.png", 2000 * day),
            item("3", "three.txt", "public.plain-text", 3000 * day), folder("4", "one folder"), file("5", "five.jpg"))
        for _ in 0..<2 {
            var query = SearchQuery()
            query.types = ["public.image"]
            #expect(try sample.names(query) == ["one.jpeg", "two.png", "five.jpg"])
            query.since = 1500 * day
            #expect(try sample.names(query) == ["two.png"])
            query = SearchQuery(words: ["one"])
            query.types = ["public.folder"]
            #expect(try sample.names(query) == ["one folder"])
            query = SearchQuery()
            query.since = 1000 * day
            query.before = 3000 * day
            #expect(try sample.names(query) == ["one.jpeg", "two.png"])
            query.since = 1000 * day + 1
            #expect(try sample.names(query) == ["two.png"])
            // No file has a date in this range.
            query.since = 9000 * day
            query.before = 9001 * day
            #expect(try sample.names(query).isEmpty)
            try sample.catchUp()
        }
    }

    @Test func datesThatAreFarOffDoNotHaveEveryItemLookedAt() throws {
        let sample = try Sample()
        func item(_ name: String, _ modified: Double) -> ProviderItem {
            var item = file(name, name)
            item.modified = modified
            return item
        }
        let (day, now) = (86_400.0, 1_700_000_000.0)
        let strange = [-1e300, -1e12, -1e10, 0, 1e11, 1e12, 1e300]
        try sample.sample.list(
            .root, 1,
            (0..<100).map { item("day \($0)", now + Double($0) * day) }
                + strange.enumerated().map { item("strange \($0)", $1) })
        for _ in 0..<2 {
            var query = SearchQuery()
            query.since = now + 90 * day
            #expect(try sample.names(query) == Set((90..<100).map { "day \($0)" } + (4..<7).map { "strange \($0)" }))
            query.before = now + 95 * day
            #expect(try sample.names(query) == Set((90..<95).map { "day \($0)" }))
            query = SearchQuery()
            query.before = now + 2 * day
            #expect(try sample.names(query) == Set((0..<2).map { "day \($0)" } + (0..<4).map { "strange \($0)" }))
            try sample.catchUp()
            #expect(try sample.search.isNarrow(query))
            query.before = nil
            query.since = now
            #expect(try sample.search.isNarrow(query))
        }
    }

    @Test func tagsAreLookedForTogetherWithTheRest() throws {
        let sample = try Sample()
        var item = file("1", "one.txt")
        item.tagData = TagList.data(of: ["Work", "Später"])
        try sample.sample.apply(item, file("2", "two.txt"))
        var query = SearchQuery()
        query.tags = ["work"]
        #expect(try sample.names(query) == ["one.txt"])
        query.tags = ["work", "spater"]
        #expect(try sample.names(query) == ["one.txt"])
        query.words = ["two"]
        #expect(try sample.names(query).isEmpty)
        query = SearchQuery()
        query.tags = ["Wor"]
        #expect(try sample.names(query).isEmpty)
    }

    @Test func anotherProcessGoesOnWhereTheFirstEnded() throws {
        let sample = try Sample()
        try sample.sample.apply(file("1", "first.txt"))
        try sample.catchUp()
        try sample.reopen()
        try sample.sample.apply(file("2", "second.txt"))
        try sample.expect("first", finds: ["first.txt"])
        try sample.expect("second", finds: ["second.txt"])
    }

    @Test func aDamagedFileIsMadeAnewAndNothingIsMissedMeanwhile() throws {
        let sample = try Sample()
        try sample.sample.list(.root, 1, (0..<5000).map { file("\($0)", "name \($0).txt") })
        try sample.catchUp()
        for damage in [0, 5000, 60_000] {
            try sample.reopen { path in
                let file = try FileDescriptor.open(path, .readWrite)
                try file.overwrite([UInt8](repeating: 0x5A, count: 4096), at: damage)
            }
            #expect(try sample.names("name 4321") == ["name 4321.txt"])
            try sample.catchUp()
            #expect(try sample.names("name 4321") == ["name 4321.txt"])
        }
        try sample.reopen { try Index.delete(path: $0) }
        #expect(try sample.names("name 17.txt") == ["name 17.txt"])
    }

    @Test func oddWordsFindNothingAndDoNoHarm() throws {
        let sample = try Sample()
        try sample.sample.apply(file("1", "plain.txt"))
        try sample.catchUp()
        for word in [
            "", " ", "\"", "\" OR \"", "*", "a*", "NEAR(a b)", "words:plain", "\0\0\0", "\u{F0001}1", "-", "(((",
            String(repeating: "x", count: 100_000), "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}",
        ] {
            #expect(try sample.names(word).isEmpty, "\(word.prefix(20))")
        }
        #expect(try sample.names("plain", " ") == ["plain.txt"])
    }

    @Test func manyThatFitEndAtTheLimit() throws {
        let sample = try Sample()
        try sample.sample.list(.root, 1, (0..<3000).map { file("\($0)", "name \($0).txt") })
        var query = SearchQuery(words: ["name"])
        query.limit = 10
        for _ in 0..<2 {
            #expect(try sample.search.search(query).count == 10)
            try sample.catchUp()
        }
        #expect(try sample.names("name", "2999") == ["name 2999.txt"])
    }

    @Test(.enabled(if: SmallDisk.isWanted))
    func aFullDiskLeavesTheSearchRight() throws {
        let disk = try SmallDisk(megabytes: 8)
        let index = try Index(path: disk.path + "/index.db")
        let search = SearchIndex(index, path: disk.path + "/search.db")
        defer { search.close() }
        let items = (0..<5000).map { file("\($0)", "name \($0).txt") }
        try index.write { writer throws(IndexError) in try writer.apply(items, listedIn: .root, mark: 1) }
        let filler = try disk.fill(leaving: 20_000)
        search.catchUp()
        #expect(try search.search(SearchQuery(words: ["name 4999"])).map(\.item.name) == ["name 4999.txt"])
        try filler.truncate(to: 0)
        search.catchUp()
        #expect(try search.search(SearchQuery(words: ["name 4999"])).map(\.item.name) == ["name 4999.txt"])
    }
}

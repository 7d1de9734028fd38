import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

/// Tests of user metadata: tags, favourite ranks and last-used dates, as the provider reports them and as they are
/// set locally and sent.
@Suite(.ownThreads)
struct UserMetadataTests {
    private func tags(_ domain: TestDomain, _ identifier: String) -> [String] {
        domain.provider.item(of: identifier)?.tagData.map { TagList.names(in: $0) } ?? []
    }

    /// Advances the clock until a condition holds.
    private func eventuallyLater(_ domain: TestDomain, _ isSo: () throws -> Bool) async throws {
        try await eventually {
            domain.clock.advance(by: 1)
            return try isSo()
        }
    }

    @Test func theProvidersWordsMakeTheWorkingSet() async throws {
        let domain = try TestDomain()
        for number in 0..<5 { domain.provider.addFile("file \(number)", identifier: "\(number)") }
        domain.provider.update("1") { $0.lastUsed = 100 }
        domain.provider.update("3") { $0.lastUsed = 300 }
        domain.provider.update("2") { $0.favoriteRank = 7 }
        domain.provider.update("4") { $0.favoriteRank = .max }
        domain.provider.update("0") { $0.favoriteRank = 0 }
        try await domain.list()
        #expect(try domain.engine.recents(limit: 10).map(\.item.name) == ["file 3", "file 1"])
        #expect(try domain.engine.recents(limit: 1).map(\.item.name) == ["file 3"])
        #expect(try domain.engine.index.favorites().map(\.item.name) == ["file 0", "file 2", "file 4"])
        domain.provider.update("2") { $0.favoriteRank = nil }
        domain.provider.remove("4")
        domain.engine.signal(container: nil)
        try await eventually { try domain.engine.index.favorites().map(\.item.name) == ["file 0"] }
    }

    @Test func tagsThatAreGivenAtTheSameTimeAllStay() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file.txt", "text")
        let number = try await domain.item("file.txt").number
        let engine = domain.engine
        try await engine.setTags(["Old", "Kept"], of: number)
        try await withThrowingTaskGroup(of: [String].self) { group in
            for place in 0..<20 {
                group.addTask { try await engine.changeTags(adding: ["\(place)"], removing: ["Old"], of: number) }
            }
            // Each call returns the tags with its own, and with those that the file had before.
            for try await tags in group { #expect(tags.first == "Kept" && tags.count > 1) }
        }
        let tags = try engine.index.metadata(of: number).tags
        #expect(Set(tags) == Set(["Kept"] + (0..<20).map { "\($0)" }) && tags.count == 21)
        let many = (0..<TagList.most).map { "many \($0)" }
        await #expect(throws: EditError(.invalidArgument)) {
            try await engine.changeTags(adding: many, removing: [], of: number)
        }
        #expect(try engine.index.metadata(of: number).tags == tags)
    }

    @Test func tagsAndFavoritesReachTheProvider() async throws {
        let domain = try TestDomain()
        let identifier = domain.provider.addFile("file.txt", "text")
        let number = try await domain.item("file.txt").number
        try await domain.engine.setTags(["Work", "Äpfel"], of: number)
        try await domain.engine.setFavorite(true, of: number)
        #expect(try domain.engine.index.metadata(of: number).tags == ["Work", "Äpfel"])
        #expect(try domain.engine.index.favorites().map(\.item.name) == ["file.txt"])
        try await eventuallyLater(domain) {
            domain.provider.item(of: identifier)?.favoriteRank != nil && !tags(domain, identifier).isEmpty
        }
        #expect(tags(domain, identifier) == ["Work", "Äpfel"])
        try await eventually { try domain.engine.index.locallySetMetadata(of: number).isEmpty }
        // User metadata are no edits: the file stays as the provider has it.
        #expect(try domain.row(number).changes.isEmpty)
        #expect(try await domain.status().items.isEmpty)
        try await domain.engine.setTags([], of: number)
        try await domain.engine.setFavorite(false, of: number)
        try await eventuallyLater(domain) {
            domain.provider.item(of: identifier)?.favoriteRank == nil && tags(domain, identifier).isEmpty
        }
        #expect(try domain.engine.index.favorites().isEmpty)
    }

    @Test func localMetadataWinsUntilTheProviderHasIt() async throws {
        let domain = try TestDomain()
        let identifier = domain.provider.addFile("file.txt", "text")
        let number = try await domain.item("file.txt").number
        domain.provider.hold(.set)
        try await domain.engine.setTags(["Mine"], of: number)
        domain.provider.update(identifier) { $0.tagData = TagList.data(of: ["Theirs"]) }
        domain.engine.signal(container: nil)
        try await eventually { try domain.row(number).item.tagData != nil }
        #expect(try domain.engine.index.metadata(of: number).tags == ["Mine"])
        domain.provider.release(.set)
        try await eventuallyLater(domain) { tags(domain, identifier) == ["Mine"] }
        try await eventually { try domain.engine.index.locallySetMetadata(of: number).isEmpty }
        domain.provider.update(identifier) { $0.tagData = TagList.data(of: ["Theirs"]) }
        domain.engine.signal(container: nil)
        try await eventually { try domain.engine.index.metadata(of: number).tags == ["Theirs"] }
    }

    @Test func factsSurviveAKillAndALostIndex() async throws {
        for losesIndex in [false, true] {
            let domain = try TestDomain()
            let identifier = domain.provider.addFile("file.txt", "text")
            let number = try await domain.item("file.txt").number
            domain.provider.hold(.set)
            try await domain.engine.setTags(["Kept"], of: number)
            try domain.restart {
                if losesIndex { try Index.delete(path: domain.configuration.dataFolder + "/index.db") }
            }
            if !losesIndex { #expect(try domain.engine.index.metadata(of: number).tags == ["Kept"]) }
            domain.provider.release(.set)
            try await eventuallyLater(domain) { tags(domain, identifier) == ["Kept"] }
            try await eventuallyLater(domain) { (try? domain.engine.index.item(identifier: identifier)) != nil }
            let row = try await domain.item("file.txt")
            #expect(try domain.engine.index.metadata(of: row.number).tags == ["Kept"])
        }
    }

    @Test func transientFailuresAreRetriedAndOthersWaitForTheUser() async throws {
        let domain = try TestDomain()
        let identifier = domain.provider.addFile("file.txt", "text")
        let number = try await domain.item("file.txt").number
        domain.provider.fail(.set, with: .of(.serverUnreachable), .of(.transient), .of(.notAuthenticated))
        try await domain.engine.setTags(["Kept"], of: number)
        try await eventuallyLater(domain) { domain.provider.count(.set) == 3 }
        for _ in 0..<20 { domain.clock.advance(by: 100) }
        #expect(domain.provider.count(.set) == 3)
        try await domain.engine.doing { $0.retry() }
        try await eventuallyLater(domain) { tags(domain, identifier) == ["Kept"] }
    }

    @Test func aProviderThatKeepsNoFactsLeavesThemHere() async throws {
        let domain = try TestDomain()
        domain.provider.behave { $0.storesMetadata = false }
        let identifier = domain.provider.addFile("file.txt", "text")
        let number = try await domain.item("file.txt").number
        try await domain.engine.setTags(["Mine"], of: number)
        try await eventuallyLater(domain) { domain.provider.count(.set) == 1 }
        // The next engine would send them again if this one had not received the reply.
        try await eventually { try await domain.engine.status().metadataInFlight == 0 }
        domain.provider.update(identifier) { $0.size = 4 }
        domain.engine.signal(container: nil)
        try domain.restart()
        #expect(try domain.engine.index.metadata(of: number).tags == ["Mine"])
        for _ in 0..<20 { domain.clock.advance(by: 100) }
        #expect(domain.provider.count(.set) == 1)
    }

    @Test func anItemThatWasMadeHereIsTaggedOnceTheProviderHasIt() async throws {
        let domain = try TestDomain()
        try await domain.list()
        domain.provider.hold(.create)
        let number = try await domain.make("new.txt", "text")
        try await domain.engine.setTags(["New"], of: number)
        for _ in 0..<20 { domain.clock.advance(by: 1) }
        #expect(domain.provider.count(.set) == 0)
        domain.provider.release(.create)
        try await eventuallyLater(domain) {
            domain.provider.identifier(at: "new.txt").map { tags(domain, $0) == ["New"] } ?? false
        }
    }

    @Test func tagsDoNotRecreateARemovedItem() async throws {
        let domain = try TestDomain()
        let identifier = domain.provider.addFile("file.txt", "text")
        let number = try await domain.item("file.txt").number
        domain.provider.hold(.set)
        try await domain.engine.setTags(["Gone"], of: number)
        domain.provider.remove(identifier)
        domain.engine.signal(container: nil)
        try await eventually { try domain.engine.index.item(number) == nil }
        domain.provider.release(.set)
        for _ in 0..<20 { domain.clock.advance(by: 1) }
        #expect(domain.provider.identifier(at: "file.txt") == nil)
    }

    @Test func badTagsAreRefused() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file.txt", "text")
        let number = try await domain.item("file.txt").number
        for tags in [[""], ["a,b"], ["a\nb"], [String(repeating: "x", count: 256)], (0...100).map { "\($0)" }] {
            await #expect(throws: EditError.self) { try await domain.engine.setTags(tags, of: number) }
        }
        await #expect(throws: EditError.self) {
            try await domain.engine.setTags(["a"], of: ItemNumber(rawValue: 4711))
        }
    }

    @Test func tagDataThatIsNoListHasNoTagsAndIsKept() async throws {
        let domain = try TestDomain()
        let identifier = domain.provider.addFile("file.txt", "text")
        for data: [UInt8] in [
            [], [0xFF, 0xFE, 0x80], Array("bplist00".utf8), [UInt8](repeating: 0x41, count: 100_000),
            Array(TagList.data(of: ["Cut"])?.dropLast() ?? []),
        ] {
            domain.provider.update(identifier) { $0.tagData = data }
            domain.engine.signal(container: nil)
            try await domain.list()
            try await eventually { try domain.engine.index.item(identifier: identifier)?.item.tagData == data }
            let number = try #require(try domain.engine.index.item(identifier: identifier)).number
            #expect(try domain.engine.index.metadata(of: number).tags == [])
        }
    }

    @Test func recentsAndSearchDoNotWakeTheProvider() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file.txt", "text")
        let number = try await domain.item("file.txt").number
        _ = try await domain.read(number)
        // No caller waits for some requests, so that the engine may still be about to send them.
        try await domain.waitUntilIdle()
        try await eventually {
            domain.provider.count(.stopProviding) == 1
                && domain.provider.count(.item(ProviderItem.rootIdentifier)) > 0
        }
        try domain.restart()
        // The engine follows the change feed as it starts.
        _ = try await domain.engine.doing { _ in }
        try await domain.waitUntilIdle()
        let asked = domain.provider.requests.count
        #expect(try domain.engine.search.search(SearchQuery(words: ["file"])).count == 1)
        _ = try domain.engine.recents(limit: 10)
        _ = try domain.engine.index.favorites()
        #expect(domain.provider.requests.count == asked)
    }

    @Test func filesThatAreOpenedAreRecentAndTheProviderIsToldNowAndThen() async throws {
        let domain = try TestDomain()
        let identifier = domain.provider.addFile("file.txt", "text")
        domain.provider.addFile("other.txt", "text")
        let number = try await domain.item("file.txt").number
        _ = try await domain.read(number)
        #expect(try domain.engine.recents(limit: 10).map(\.item.name) == ["file.txt"])
        let before = domain.clock.now
        domain.clock.advance(by: 20)
        _ = try await domain.read("other.txt")
        #expect(try domain.engine.recents(limit: 10).map(\.item.name) == ["other.txt", "file.txt"])
        try await eventuallyLater(domain) { domain.provider.item(of: identifier)?.lastUsed == before }
        // A further read within the interval does not send the date again.
        for _ in 0..<5 {
            domain.clock.advance(by: 20)
            _ = try await domain.read(number)
        }
        for _ in 0..<20 { domain.clock.advance(by: 10) }
        #expect(domain.provider.count(.set(identifier)) == 1)
        await domain.engine.close()
        #expect(try domain.engine.index.recents(limit: 10).first?.item.name == "file.txt")
    }

    @Test func aFileWhoseContentsDidNotComeIsNotRecentUntilTheyDo() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file.txt", "text")
        let number = try await domain.item("file.txt").number
        domain.provider.fail(.contents, with: .of(.notAuthenticated))
        let opening = try await domain.open(number)
        await #expect(throws: ProviderError.self) { try await opening.whenReady() }
        #expect(try domain.engine.recents(limit: 10).isEmpty)
        // After a failed open, the same handle may wait again.
        _ = try await opening.whenReady()
        #expect(try domain.engine.recents(limit: 10).map(\.item.name) == ["file.txt"])
        opening.close()
    }

    @Test func aFileThatIsWrittenAnewIsRecentThoughNothingCame() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file.txt", "text")
        let number = try await domain.item("file.txt").number
        try await domain.open(number, for: .writing(truncating: true)).close()
        #expect(try domain.engine.recents(limit: 10).map(\.item.name) == ["file.txt"])
        #expect(domain.provider.count(.contents) == 0)
    }

    @Test func aProgramThatReadsEverythingMakesNothingRecent() async throws {
        let domain = try TestDomain()
        for number in 0..<100 { domain.provider.addFile("file \(number)", "text") }
        try await domain.list()
        for number in 0..<100 { _ = try await domain.read("file \(number)") }
        #expect(try domain.engine.recents(limit: 10).isEmpty)
        await domain.engine.close()
        #expect(try domain.engine.index.recents(limit: 10).isEmpty)
    }

    @Test func theWorkingSetHasItemsOfUnlistedFolders() async throws {
        let domain = try TestDomain()
        let folder = domain.provider.addFolder("Folder")
        let deep = domain.provider.addFolder("Deep", in: folder)
        let file = domain.provider.addFile("file.txt", "text", in: deep)
        domain.provider.addFile("other.txt", "text", in: deep)
        domain.provider.update(file) { $0.lastUsed = 100 }
        domain.provider.update(deep) { $0.favoriteRank = 1 }
        domain.engine.signal(container: nil)
        try await eventually {
            try domain.engine.recents(limit: 10).map(\.names) == [["Folder", "Deep", "file.txt"]]
                && domain.engine.index.favorites().map(\.names) == [["Folder", "Deep"]]
        }
        #expect(domain.provider.count(.page(of: deep, after: nil)) == 0)
    }
}

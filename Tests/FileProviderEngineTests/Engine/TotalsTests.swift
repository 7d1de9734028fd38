import DomainMessages
import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import ProviderTesting
import TestThreads
import Testing

/// Tests of the totals of transfers, and of the sets that a provider's own programs list.
@Suite(.ownThreads)
struct TotalsTests {
    private let one = ItemNumber(rawValue: 1)
    private let two = ItemNumber(rawValue: 2)

    @Test func arrivedBytesCountUntilNothingIsLeft() {
        var tally = TransferTally()
        #expect(tally.look(at: [:]) == TransferTotals())
        #expect(
            tally.look(at: [one: (3, 10), two: (0, 0)])
                == TransferTotals(files: 2, filesDone: 0, bytes: 11, bytesDone: 3))
        #expect(tally.look(at: [two: (0, 0)]) == TransferTotals(files: 2, filesDone: 1, bytes: 11, bytesDone: 10))
        // More bytes arrive than were announced, and a count is negative.
        #expect(
            tally.look(at: [two: (50, 5), one: (-4, 7)])
                == TransferTotals(files: 3, filesDone: 1, bytes: 22, bytesDone: 15))
        #expect(tally.look(at: [:]) == TransferTotals())
        #expect(tally.look(at: [one: (1, 2)]) == TransferTotals(files: 1, filesDone: 0, bytes: 2, bytesDone: 1))
    }

    @Test func filesOnTheirWayHereAreCountedByBytes() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("a.txt", "four")
        domain.provider.addFile("b.txt", "longer")
        let engine = domain.engine
        let (first, second) = (try await domain.item("a.txt").number, try await domain.item("b.txt").number)
        #expect(await engine.run { $0.downloader.totals() } == TransferTotals())
        domain.provider.hold(.contents)
        async let a: Void = engine.download(first)
        async let b: Void = engine.download(second)
        try await eventually { await engine.run { $0.downloader.totals() }.files == 2 }
        #expect(
            await engine.run { $0.downloader.totals() }
                == TransferTotals(files: 2, filesDone: 0, bytes: 10, bytesDone: 0))
        domain.provider.release(.contents)
        _ = try await (a, b)
        #expect(await engine.run { $0.downloader.totals() } == TransferTotals())
    }

    @Test func filesOnTheirWayToTheProviderAreCountedWhateverHoldsThem() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("a.txt", "text")
        domain.provider.addFile("b.txt", "text")
        _ = try await domain.read("a.txt")
        domain.provider.hold(.replaceContents)
        try await domain.overwrite("a.txt", "edited")
        // An edit without contents to upload does not count.
        domain.provider.hold(.move)
        try await domain.rename("b.txt", "c.txt")
        #expect(
            try await domain.engine.run { try $0.progress.uploadTotals() }
                == TransferTotals(files: 1, filesDone: 0, bytes: 6, bytesDone: 0))
        domain.provider.release(.replaceContents)
        domain.provider.release(.move)
        try await domain.settle()
        #expect(try await domain.engine.run { try $0.progress.uploadTotals() } == TransferTotals())
    }

    private func names(_ set: ItemSet, _ domain: TestDomain, limit: Int = 100) throws -> [String] {
        var names: [String] = []
        var position: ItemNumber?
        repeat {
            let page = try domain.engine.items(in: set, after: position, limit: limit)
            #expect(page.items.count <= limit)
            names += page.items.map(\.filename)
            position = page.next.map { ItemNumber(rawValue: $0) }
        } while position != nil
        return names.sorted()
    }

    @Test func materializedItemsAreListed() async throws {
        let domain = try TestDomain()
        let folder = domain.provider.addFolder("listed")
        domain.provider.addFolder("never")
        domain.provider.addFile("inner.txt", "text", in: folder)
        for number in 0..<5 { domain.provider.addFile("\(number).txt", "text") }
        try await domain.list()
        #expect(try names(.materialized, domain).isEmpty)
        try await domain.list(try await domain.item("listed").number)
        for path in ["listed/inner.txt", "1.txt", "3.txt"] { _ = try await domain.read(path) }
        for limit in [1, 2, 100] {
            #expect(try names(.materialized, domain, limit: limit) == ["1.txt", "3.txt", "inner.txt", "listed"])
        }
        let file = try await domain.item("1.txt")
        let page = try domain.engine.items(in: .materialized, after: nil, limit: 100)
        let told = try #require(page.items.first { $0.filename == "1.txt" })
        #expect(told.identifier == file.item.identifier && told.size == 4)
        #expect(told.flags.isSuperset(of: [.downloaded, .mostRecentVersionDownloaded, .uploaded]))
        try await domain.engine.evict(file.number)
        #expect(try names(.materialized, domain) == ["3.txt", "inner.txt", "listed"])
        // A file that was made locally is not in the set before the provider confirms it.
        domain.provider.hold(.create)
        try await domain.make("new.txt", "new")
        #expect(try names(.materialized, domain) == ["3.txt", "inner.txt", "listed"])
        domain.provider.release(.create)
        try await domain.settle()
        #expect(try names(.materialized, domain) == ["3.txt", "inner.txt", "listed", "new.txt"])
    }

    @Test func unsentItemsArePending() async throws {
        let domain = try TestDomain()
        let folder = domain.provider.addFolder("Folder")
        for name in ["a.txt", "b.txt", "c.txt", "d.txt"] { domain.provider.addFile(name, "text") }
        _ = try await domain.read("a.txt")
        #expect(try names(.pending, domain).isEmpty)
        for kind in [MemoryProvider.Kind.replaceContents, .move, .delete] { domain.provider.hold(kind) }
        try await domain.overwrite("a.txt", "edited")
        try await domain.rename("b.txt", "Folder/moved.txt")
        try await domain.remove("c.txt")
        #expect(try names(.pending, domain) == ["a.txt", "c.txt", "moved.txt"])
        let items = try domain.engine.items(in: .pending, after: nil, limit: 100).items
        let moved = try #require(items.first { $0.filename == "moved.txt" })
        #expect(moved.parent == folder)
        #expect(items.allSatisfy { !$0.flags.contains(.uploaded) })
        for kind in [MemoryProvider.Kind.replaceContents, .move, .delete] { domain.provider.release(kind) }
        try await domain.settle()
        #expect(try names(.pending, domain).isEmpty)
    }

    @Test func contentsAreSentAgainOnDemand() async throws {
        let domain = try TestDomain()
        let identifier = domain.provider.addFile("a.txt", "text")
        domain.provider.addFile("b.txt", "other")
        let number = try await domain.item("a.txt").number
        // For a file that is not local there is nothing to upload.
        try await domain.engine.sendContentsAgain(try await domain.item("b.txt").number)
        #expect(try await domain.read("a.txt") == "text")
        try await domain.engine.sendContentsAgain(number)
        #expect(try domain.row(number).content == .edited)
        try await domain.settle()
        #expect(domain.provider.count(.replaceContents) == 1)
        #expect(try domain.row(number).content == .current && domain.row(number).changes.isEmpty)
        #expect(try await domain.read("a.txt") == "text")
        // An upload is requested again while an edit is uploaded; one further upload covers both.
        domain.provider.hold(.replaceContents)
        try await domain.overwrite("a.txt", "edited")
        try await domain.engine.sendContentsAgain(number)
        domain.provider.release(.replaceContents)
        try await domain.settle()
        #expect(domain.provider.count(.replaceContents) == 2)
        #expect(domain.provider.item(of: identifier)?.size == 6)
        await #expect(throws: ProviderError.self) {
            try await domain.engine.sendContentsAgain(ItemNumber(rawValue: 4711))
        }
    }

    @Test func marksAreSentAgainOnDemand() async throws {
        let domain = try TestDomain()
        let identifier = domain.provider.addFile("a.txt", "text")
        domain.provider.update(identifier) { $0.favoriteRank = 7 }
        let number = try await domain.item("a.txt").number
        try await domain.engine.sendMetadataAgain([], of: number)
        try await domain.engine.sendMetadataAgain([.favoriteRank], of: number)
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.count(.set) == 1
        }
        try await eventually { try domain.engine.index.locallySetMetadata(of: number).isEmpty }
        #expect(domain.provider.item(of: identifier)?.favoriteRank == 7)
    }
}

import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ProviderTesting
import TestThreads
import Testing

/// Tests of transfers without progress, and of transfers of files that are evicted.
@Suite(.ownThreads) struct StalledTransferTests {
    /// A domain with a file for which a reader waits while the provider holds back the contents.
    private struct HeldReader {
        let domain: TestDomain
        let number: ItemNumber
        let opened: OpenHandle
        let outcome = Outcome()

        init(_ domain: TestDomain) async throws {
            self.domain = domain
            domain.provider.addFile("file", "contents")
            number = try await domain.item("file").number
            domain.provider.hold(.contents)
            opened = try await domain.open(number)
            opened.ready { [outcome] in outcome.note($0) }
            try await eventually { domain.provider.heldCount(.contents) == 1 }
        }
    }

    @Test func aRetryAsksAnewForWhatDoesNotCome() async throws {
        let reader = try await HeldReader(try TestDomain())
        let domain = reader.domain
        domain.clock.advance(by: 30)
        await domain.engine.run { $0.downloader.restartStalledTransfers() }
        try await eventually { domain.provider.count(.contents) == 2 && domain.provider.heldCount(.contents) == 1 }
        #expect(!reader.outcome.isThere)
        domain.provider.release(.contents)
        #expect(try await reader.opened.text() == "contents")
        #expect(reader.outcome.isThere && reader.outcome.failure == nil)
        try await reader.opened.closed()
    }

    @Test func aRetryLeavesTransfersThatAreNotStalledYet() async throws {
        let reader = try await HeldReader(try TestDomain())
        let domain = reader.domain
        domain.clock.advance(by: 29)
        await domain.engine.run { $0.downloader.restartStalledTransfers() }
        domain.provider.release(.contents)
        #expect(try await reader.opened.text() == "contents")
        #expect(domain.provider.count(.contents) == 1)
        try await reader.opened.closed()
    }

    @Test func theStatusNamesATransferAndSinceWhen() async throws {
        let reader = try await HeldReader(try TestDomain())
        let domain = reader.domain
        let begun = domain.clock.now
        domain.clock.advance(by: 3)
        let transfer = try #require(try await domain.engine.status().downloads.first)
        #expect(transfer.name == "file" && transfer.begun == begun && transfer.moved == begun)
        domain.provider.release(.contents)
        _ = try await reader.opened.text()
        try await reader.opened.closed()
        #expect(try await domain.engine.status().downloads.isEmpty)
    }

    @Test func evictionEndsAStalledTransferAndItsReadersGetAnError() async throws {
        let reader = try await HeldReader(try TestDomain())
        let (domain, engine) = (reader.domain, reader.domain.engine)
        try await engine.evict(reader.number)
        #expect(!reader.outcome.isThere && domain.provider.heldCount(.contents) == 1)
        domain.clock.advance(by: 30)
        try await engine.evict(reader.number)
        #expect(reader.outcome.failure == .transient)
        // A read that starts before the transfer has ended gets a transfer of its own.
        let opened = reader.opened
        let text = Task { try await opened.text() }
        try await eventually { domain.provider.count(.contents) == 2 && domain.provider.heldCount(.contents) == 1 }
        domain.provider.release(.contents)
        #expect(try await text.value == "contents")
        try await reader.opened.closed()
    }

    @Test func evictionEndsDownloadsOfFilesThatNoProgramHasOpen() async throws {
        let domain = try TestDomain { $0.fetchLimit = 1 }
        let engine = domain.engine
        for name in ["file", "other"] { domain.provider.addFile(name, "contents of \(name)") }
        let numbers = [try await domain.item("file").number, try await domain.item("other").number]
        domain.provider.hold(.contents)
        let first = Task { try await engine.download(numbers[0]) }
        try await eventually { domain.provider.heldCount(.contents) == 1 }
        // The second download is queued behind the first.
        let second = Task { try await engine.download(numbers[1]) }
        try await eventually { try await engine.status().downloads.contains { $0.isWaiting } }
        for number in numbers.reversed() { try await engine.evict(number) }
        for download in [first, second] { #expect(await failure { try await download.value } == .transient) }
        try await eventually { domain.provider.heldCount(.contents) == 0 }
        #expect(domain.provider.count(.contents) == 1)
        domain.provider.release(.contents)
        #expect(try await domain.read(numbers[1]) == "contents of other")
    }

    @Test func partsThatDoNotComeAreAskedForAnewAndEndWithAnEviction() async throws {
        let domain = try TestDomain()
        let bytes = [UInt8](repeating: 7, count: 6 << 20)
        domain.provider.addFile("file", bytes)
        domain.provider.behave { $0.servesParts = true }
        let number = try await domain.item("file").number
        domain.provider.hold(.part)
        let opened = try await domain.open(number)
        let outcome = Outcome()
        _ = opened.bytes(at: 0, count: 100) { outcome.note($0) }
        try await eventually { domain.provider.heldCount(.part) == 1 }
        #expect(try await domain.engine.status().downloads.first?.begun == domain.clock.now)
        domain.clock.advance(by: 30)
        await domain.engine.run { $0.downloader.restartStalledTransfers() }
        try await eventually { domain.provider.count(.part) == 2 && domain.provider.heldCount(.part) == 1 }
        #expect(!outcome.isThere)
        domain.clock.advance(by: 30)
        _ = await failure { try await domain.engine.evict(number) }
        try await eventually { outcome.isThere && domain.provider.heldCount(.part) == 0 }
        #expect(outcome.failure == .transient)
        domain.provider.release(.part)
        try await opened.closed()
        try await domain.engine.evict(number)
        #expect(try await domain.read(number).utf8.count == bytes.count)
    }
}

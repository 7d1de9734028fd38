import FileProvider
import FileProviderEngine
import FileProviderWire
import FileTesting
import Glibc
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

@Suite(.ownThreads) struct FetchingTests {
    @Test func aDatalessFileOpensAtOnceAndItsReadersWait() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        domain.provider.hold(.contents)
        let opened = try await domain.open(number)
        #expect(!opened.isComplete)
        #expect(domain.provider.count(.contents) == 0)
        async let text = opened.text()
        try await eventually { domain.provider.heldCount(.contents) == 1 }
        domain.provider.release(.contents)
        #expect(try await text == "contents")
        #expect(opened.isComplete)
        try await opened.closed()
        #expect(try domain.row(number).content == .current)
        try await eventually { domain.provider.count(.stopProviding) == 1 }
    }

    @Test func manyReadersFetchAFileOnce() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        domain.provider.hold(.contents)
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { [domain = Unchecked(domain)] in try await domain.value.read(number) } }
            try await eventually { domain.provider.heldCount(.contents) == 1 }
            domain.provider.release(.contents)
            for try await text in group { #expect(text == "contents") }
        }
        #expect(domain.provider.count(.contents) == 1)
    }

    @Test func aCompleteFileIsOpenedOnTheCallingThread() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        try await domain.engine.download(number)
        // The engine's own thread is blocked meanwhile.
        let (isThere, mayGoOn) = (Latch(), Latch())
        domain.engine.perform { _ in
            isThere.open()
            mayGoOn.wait()
        }
        isThere.wait()
        let outcome = Outcome()
        let item = Lock<OpenHandle?>(nil)
        domain.engine.handles.open(number, for: .reading) { result in
            outcome.note(result)
            item.withLock { $0 = try? result.get() }
        }
        #expect(outcome.isThere)
        #expect(item.withLock { $0?.isComplete } == true)
        let closing = Outcome()
        item.withLock { $0 }?.close { closing.note($0) }
        #expect(closing.isThere)
        mayGoOn.open()
    }

    @Test func aReaderWhoGivesUpIsAnsweredAtOnceAndTheTransferEndsWithTheFile() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        domain.provider.hold(.contents)
        let opened = try await domain.open(number)
        let outcome = Outcome()
        let waiting = opened.ready { outcome.note($0) }
        try await eventually { domain.provider.heldCount(.contents) == 1 }
        waiting.cancel()
        #expect(outcome.failure == .cancelled)
        try await opened.closed()
        try await eventually { domain.provider.heldCount(.contents) == 0 }
        domain.provider.release(.contents)
        // Another reader's fetch succeeds.
        #expect(try await domain.read(number) == "contents")
    }

    @Test func aDownloadThatIsGivenUpEndsTheTransferUnlessOthersWantIt() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "contents")
        let (number, engine) = (try await domain.item("file").number, domain.engine)
        domain.provider.hold(.contents)
        let tasks = (0..<2).map { _ in Task { try await engine.download(number) } }
        try await eventually { domain.provider.heldCount(.contents) == 1 }
        tasks[0].cancel()
        #expect(await failure { try await tasks[0].value } == .cancelled)
        try await eventually { domain.provider.heldCount(.contents) == 1 }
        tasks[1].cancel()
        #expect(await failure { try await tasks[1].value } == .cancelled)
        try await eventually { domain.provider.heldCount(.contents) == 0 }
        domain.provider.release(.contents)
        #expect(try domain.row(number).content == .dataless)
        try await engine.download(number)
        #expect(try domain.row(number).content == .current)
    }

    @Test func aFailureThatPassesIsTriedAgainWithGrowingPauses() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        domain.provider.fail(.contents, with: .of(.transient), .of(.processEnded))
        let opened = try await domain.open(number)
        let outcome = Outcome()
        opened.ready { outcome.note($0) }
        try await eventually { domain.clock.waitingCount == 1 }
        #expect(domain.clock.secondsToNext == 0.5)
        domain.clock.advance(by: 0.5)
        try await eventually { domain.provider.count(.contents) == 2 && domain.clock.waitingCount == 1 }
        #expect(domain.clock.secondsToNext == 1)
        domain.clock.advance(by: 1)
        try await eventually { outcome.isThere }
        #expect(outcome.failure == nil)
    }

    @Test func aFailureThatLastsIsTold() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        domain.provider.fail(.contents, with: .of(.notAuthenticated))
        #expect(await failure { _ = try await domain.read(number) } == .notAuthenticated)
        #expect(try await domain.read(number) == "contents")
    }

    @Test func aSizeThatIsALieIsCorrected() async throws {
        let domain = try TestDomain()
        let identifier = domain.provider.addFile("file", "contents")
        domain.provider.update(identifier) { $0.size = 1_000_000 }
        let number = try await domain.item("file").number
        #expect(try await domain.read(number) == "contents")
        #expect(try domain.row(number).localSize == 8)
        // A first fetch of another size may have been cut short. The second shows that the reported size is wrong.
        #expect(domain.provider.count(.contents) == 2)
    }

    @Test func contentsThatWereCutShortOnTheirWayAreFetchedAgain() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "contents")
        let times = Lock(0)
        domain.provider.behave {
            $0.contents = { _, bytes in
                let time = times.withLock { times in
                    times += 1
                    return times
                }
                // The first replies have a growing part of the contents, and the last has all of them.
                return time < 3 ? Array(bytes.prefix(2 * time)) : bytes
            }
        }
        let number = try await domain.item("file").number
        #expect(try await domain.read(number) == "contents")
        #expect(domain.provider.count(.contents) == 3)
        // After an incomplete reply the engine stops providing, so that the provider does not serve that copy again.
        let requests = domain.provider.requests.map(\.kind).filter { $0 == .contents || $0 == .stopProviding }
        let expected: [MemoryProvider.Kind] = [
            .contents, .stopProviding, .contents, .stopProviding, .contents,
        ]
        #expect(Array(requests.prefix(5)) == expected)
    }

    @Test func aFileThatIsAlwaysWrittenToIsReadButBelongsToNoVersion() async throws {
        let domain = try TestDomain()
        domain.provider.behave { $0.filesAreWritten = true }
        domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        let opened = try await domain.open(number)
        async let text = opened.text()
        try await eventually {
            domain.clock.advance(by: 1)
            return try domain.row(number).content == .current
        }
        #expect(try await text == "contents")
        let row = try domain.row(number)
        #expect(row.localVersion != row.item.contentVersion)
        try await opened.closed()
        try await eventually { try domain.row(number).content == .dataless }
        domain.provider.behave { $0.filesAreWritten = false }
        #expect(try await domain.read(number) == "contents")
        #expect(try domain.row(number).localVersion == row.item.contentVersion)
    }

    @Test func aFileThatIsAlwaysWrittenToIsNotKeptForNoReader() async throws {
        let domain = try TestDomain()
        domain.provider.behave { $0.filesAreWritten = true }
        domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        let engine = domain.engine
        async let kind = failure { try await engine.download(number) }
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.count(.contents) == 4
        }
        #expect(await kind == .transient)
        #expect(try domain.row(number).content == .dataless)
    }

    @Test func theContentsOfAnotherItemAreRefused() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "contents", identifier: "mine")
        let provider = LyingProvider(domain.provider)
        let engine = try DomainEngine(
            configuration: DomainConfiguration(
                identifier: "lies", displayName: "Lies", dataFolder: domain.folder.path + "/lies",
                cacheFolder: domain.folder.path + "/lies"), provider: provider, clock: domain.clock)
        defer { engine.abandon() }
        let listed = await withCheckedContinuation { continuation in
            engine.list(.root, needs: .complete) { continuation.resume(returning: $0) }
        }
        try listed.get()
        let number = try #require(try engine.index.item(named: "file", in: .root)).number
        #expect(await failure { try await engine.download(number) } == .badAnswer)
        #expect(try #require(try engine.index.item(number)).content == .dataless)
    }

    @Test func anEmptiedCacheIsFilledAgain() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        #expect(try await domain.read(number) == "contents")
        try retrying { unlink(domain.folder.path + "/cache/content/\(number.rawValue)") }
        #expect(try await domain.read(number) == "contents")
        #expect(domain.provider.count(.contents) == 2)
    }

    @Test func aRemovedFileStaysReadableThroughOpenHandles() async throws {
        let domain = try TestDomain()
        let identifier = domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        try await domain.list()
        try await domain.engine.download(number)
        let opened = try await domain.open(number)
        domain.provider.remove(identifier)
        domain.engine.signal(container: ProviderItem.rootIdentifier)
        try await eventually { try domain.names().isEmpty }
        #expect(try await opened.text() == "contents")
        try await opened.closed()
        try await eventually { !domain.hasFile(number, in: "cache/content") }
    }

    @Test func anotherVersionIsFetched() async throws {
        let domain = try TestDomain()
        let identifier = domain.provider.addFile("file", "old")
        let number = try await domain.item("file").number
        try await domain.list()
        #expect(try await domain.read(number) == "old")
        let events = Lock(0)
        domain.engine.onEvent { event in
            if case .contentsReplaced = event { events.withLock { $0 += 1 } }
        }
        domain.provider.write("newer", to: identifier)
        domain.engine.signal(container: ProviderItem.rootIdentifier)
        try await eventually { try domain.row(number).item.size == 5 }
        try await eventually { events.withLock { $0 } == 1 }
        #expect(try await domain.read(number) == "newer")
    }

    @Test func theLeastRecentlyUsedFileIsEvictedAboveTheLimit() async throws {
        let domain = try TestDomain { $0.cacheLimit = 1500 }
        var numbers: [ItemNumber] = []
        for name in ["a", "b", "c", "d"] { domain.provider.addFile(name, [UInt8](repeating: 1, count: 1000)) }
        for name in ["a", "b", "c", "d"] { numbers.append(try await domain.item(name).number) }
        try await domain.engine.pin(numbers[0], true)
        _ = try await domain.read(numbers[0])
        domain.clock.advance(by: 10)
        _ = try await domain.read(numbers[1])
        domain.clock.advance(by: 10)
        _ = try await domain.read(numbers[2])
        // The first file is pinned and does not count towards the limit, so the second is evicted.
        try await eventually { try domain.row(numbers[1]).content == .dataless }
        #expect(try domain.row(numbers[0]).content == .current)
        #expect(try domain.row(numbers[2]).content == .current)
        let opened = try await domain.open(numbers[2])
        _ = try await opened.text()
        domain.clock.advance(by: 10)
        _ = try await domain.read(numbers[3])
        // Open files are not evicted, however long ago they were used.
        #expect(try domain.row(numbers[2]).content == .current)
        try await opened.closed()
    }

    @Test func openFilesAreNotEvicted() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        let opened = try await domain.open(number)
        _ = try await opened.text()
        #expect(await failure { try await domain.engine.evict(number) } == .notPermitted)
        try await opened.closed()
        try await domain.engine.evict(number)
        #expect(try domain.row(number).content == .dataless)
        #expect(!domain.hasFile(number, in: "cache/content"))
        #expect(try await domain.read(number) == "contents")
    }

    @Test func aFileThatIsClosedSoonIsEvicted() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        let opened = try await domain.open(number)
        _ = try await opened.text()
        let waiting = domain.clock.waitingCount
        let (engine, deadline) = (domain.engine, domain.clock.now + 1)
        async let evicted: Void = engine.evict(number, waitingUntil: deadline)
        try await eventually { domain.clock.waitingCount > waiting }
        #expect(try domain.row(number).content == .current)
        try await opened.closed()
        domain.clock.advance(by: 0.1)
        try await evicted
        #expect(try domain.row(number).content == .dataless)
    }

    @Test func evictionStopsWaitingForFilesThatStayOpen() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        let opened = try await domain.open(number)
        _ = try await opened.text()
        let (engine, deadline) = (domain.engine, domain.clock.now + 1)
        let kind = Lock<ProviderError.Kind?>(nil)
        let waiting = Task {
            let refused = await failure { try await engine.evict(number, waitingUntil: deadline) }
            kind.withLock { $0 = refused }
        }
        try await eventually {
            domain.clock.advance(by: 0.1)
            return kind.withLock { $0 } != nil
        }
        await waiting.value
        #expect(kind.withLock { $0 } == .notPermitted)
        #expect(domain.clock.now >= deadline)
        try await opened.closed()
    }

    /// An edited file that is open does not become clean by a close, so `evict` fails without waiting.
    @Test func anEditThatIsOpenIsNotWaitedFor() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        domain.provider.hold(.replaceContents)
        try await domain.overwrite("file", "newer")
        let opened = try await domain.open(number)
        let (engine, deadline) = (domain.engine, domain.clock.now + 1)
        #expect(await failure { try await engine.evict(number, waitingUntil: deadline) } == .notPermitted)
        try await opened.closed()
        domain.provider.release(.replaceContents)
        try await domain.settle()
    }

    @Test func aFullDiskIsLeftByEvicting() async throws {
        let domain = try TestDomain()
        for name in ["a", "b", "c"] { domain.provider.addFile(name, [UInt8](repeating: 1, count: 2 << 20)) }
        for name in ["a", "b"] {
            try await domain.engine.download(try await domain.item(name).number)
            domain.clock.advance(by: 10)
            _ = try await domain.read(name)
        }
        domain.provider.fail(.contents, with: .of(.noSpace))
        try await domain.engine.download(try await domain.item("c").number)
        #expect(try await domain.item("c").content == .current)
        #expect(try await domain.item("a").content == .dataless)
        #expect(try await domain.item("b").content == .current)
    }

    @Test func aDiskThatIsFullOfOtherThingsIsAFailure() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        domain.provider.fail(.contents, with: .of(.noSpace))
        #expect(await failure { try await domain.engine.download(number) } == .noSpace)
        #expect(try await domain.read(number) == "contents")
    }

    @Test func nothingIsLeftOpen() async throws {
        let domain = try TestDomain()
        for number in 0..<50 { domain.provider.addFile("\(number)", "contents") }
        for name in 0..<50 { _ = try await domain.read("\(name)") }
        try await eventually { try openDescriptors(beneath: domain.folder.path + "/cache/content/") == 0 }
    }
}

/// A value that several tasks share without synchronization by this type.
private struct Unchecked<Value>: @unchecked Sendable {
    // Sendable: of a test domain the tasks call only functions that pass everything on to the engine, which any
    // thread may.
    let value: Value

    init(_ value: Value) { self.value = value }
}

/// A provider that returns all contents as another item's.
private struct LyingProvider: Provider {
    let provider: MemoryProvider

    init(_ provider: MemoryProvider) { self.provider = provider }

    func item(_ identifier: String) async throws(ProviderError) -> ProviderItem {
        try await provider.item(identifier)
    }

    func page(of container: String, after page: [UInt8]?, suggestedSize: Int) async throws(ProviderError) -> ItemPage {
        try await provider.page(of: container, after: page, suggestedSize: suggestedSize)
    }

    func currentAnchor(of container: String) async throws(ProviderError) -> [UInt8]? {
        try await provider.currentAnchor(of: container)
    }

    func changes(
        in container: String, since anchor: [UInt8], suggestedSize: Int
    ) async throws(ProviderError) -> ChangeBatch {
        try await provider.changes(in: container, since: anchor, suggestedSize: suggestedSize)
    }

    func contents(
        of identifier: String, progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) -> ProviderContents {
        var contents = try await provider.contents(of: identifier, progress: progress)
        contents.item.identifier = "another"
        return contents
    }

    func create(_ item: NewItem, contents: FileDescriptor?) async throws(ProviderError) -> ProviderItem {
        try await provider.create(item, contents: contents)
    }

    func replaceContents(
        of identifier: String, with contents: FileDescriptor, base: [UInt8], modified: Double
    ) async throws(ProviderError) -> ProviderItem {
        try await provider.replaceContents(of: identifier, with: contents, base: base, modified: modified)
    }

    func move(
        _ identifier: String, to parent: String, named name: String
    ) async throws(ProviderError) -> ProviderItem {
        try await provider.move(identifier, to: parent, named: name)
    }

    func delete(_ identifier: String) async throws(ProviderError) { try await provider.delete(identifier) }

    func stopProviding(_ identifier: String) async { await provider.stopProviding(identifier) }
}

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

@Suite(.ownThreads) struct ListingTests {
    @Test func aFolderIsListedPageByPage() async throws {
        let domain = try TestDomain()
        domain.provider.behave { $0.pageLimit = 10 }
        for number in 0..<95 { domain.provider.addFile("file \(number)") }
        try await domain.list()
        #expect(try domain.names().count == 95)
        #expect(domain.provider.requests.filter { $0.isPage(of: ProviderItem.rootIdentifier) }.count == 10)
        #expect(try domain.row(.root).listing == .complete)
    }

    @Test func twoPagesAreAskedForWhileOneIsWrittenAndNoThird() async throws {
        let domain = try TestDomain()
        domain.provider.behave { $0.pageLimit = 10 }
        for number in 0..<95 { domain.provider.addFile("file \(number)") }
        func asked() -> Int { domain.provider.requests.filter { $0.isPage(of: ProviderItem.rootIdentifier) }.count }
        // A thread that holds the index's write lock delays the first page.
        let (isHeld, isReleased) = (Latch(), Latch())
        let index = domain.engine.index
        try SystemThread.start("test-holder") {
            try? index.write { _ throws(IndexError) in
                isHeld.open()
                isReleased.wait()
            }
        }
        isHeld.wait()
        let listed = Outcome()
        domain.engine.list(.root, needs: .complete) { listed.note($0) }
        try await eventually { asked() == 3 }
        usleep(50_000)
        #expect(asked() == 3)
        isReleased.open()
        try await eventually { listed.isThere }
        #expect(try domain.names().count == 95)
        #expect(asked() == 10)
    }

    @Test func theAnchorIsTakenBeforeTheFirstPage() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file")
        try await domain.list()
        let requests = domain.provider.requests
        #expect(requests.first == .currentAnchor(of: ProviderItem.rootIdentifier))
    }

    @Test func aLookupReturnsAsSoonAsItsNameIsListed() async throws {
        let domain = try TestDomain()
        for number in 0..<30 { domain.provider.addFile("file \(number)") }
        let gate = PageGate(pages: 1)
        domain.provider.behave { behaviour in
            behaviour.pageLimit = 10
            behaviour.before = { request in if case .page(_, _?) = request { await gate.pass() } }
        }
        try await domain.list(needs: .item(named: "file 5"))
        #expect(try domain.row(.root).listing == .partial)
        #expect(try await domain.item("file 3").name == "file 3")
        let more = Outcome()
        let last = try #require(try domain.engine.index.item(named: "file 9", in: .root)).number
        domain.engine.list(.root, needs: .more(after: last)) { more.note($0) }
        #expect(!more.isThere)
        await gate.open()
        try await domain.list()
        // The two completion handlers may be called one after the other, in either order.
        try await eventually { more.isThere }
        #expect(try domain.names().count == 30)
    }

    @Test func aLookupOfAMissingNameWaitsForTheEndOfTheListing() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file")
        try await domain.list(needs: .item(named: "none"))
        #expect(try domain.row(.root).listing == .complete)
    }

    @Test func aWaitIsGivenUpAtOnceAndTheListingGoesOn() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file")
        domain.provider.hold(.page)
        let outcome = Outcome()
        let waiting = domain.engine.list(.root, needs: .complete) { outcome.note($0) }
        try await eventually { domain.provider.heldCount(.page) == 1 }
        #expect(!outcome.isThere)
        waiting.cancel()
        #expect(outcome.failure == .cancelled)
        domain.provider.release(.page)
        try await eventually { try domain.row(.root).listing == .complete }
    }

    @Test func aFolderThatIsSlowDelaysNoOther() async throws {
        let domain = try TestDomain()
        let slow = domain.provider.addFolder("slow")
        let quick = domain.provider.addFolder("quick")
        domain.provider.addFile("file", in: quick)
        let gate = PageGate(pages: 0)
        domain.provider.behave { behaviour in
            behaviour.before = { request in if request.isPage(of: slow) { await gate.pass() } }
        }
        let outcome = Outcome()
        domain.engine.list(try await domain.item("slow").number, needs: .complete) { outcome.note($0) }
        #expect(try await domain.item("quick/file").name == "file")
        try await domain.list()
        #expect(!outcome.isThere)
        await gate.open()
        try await eventually { outcome.isThere }
    }

    @Test func aProviderThatEndsInTheMiddleIsAskedForTheSamePageAgain() async throws {
        let domain = try TestDomain()
        domain.provider.behave { $0.pageLimit = 10 }
        for number in 0..<30 { domain.provider.addFile("file \(number)") }
        let hasFailed = Lock(false)
        domain.provider.behave { behaviour in
            behaviour.before = { (request) throws(ProviderError) in
                guard case .page(_, _?) = request else { return }
                let isFirst = hasFailed.withLock { failed in
                    defer { failed = true }
                    return !failed
                }
                if isFirst { throw .of(.processEnded) }
            }
        }
        try await domain.list()
        #expect(try domain.names().count == 30)
        #expect(domain.provider.count(.page(of: ProviderItem.rootIdentifier, after: nil)) == 1)
    }

    @Test func aFailureThatPassesIsWaitedForAndOneThatLastsIsTold() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file")
        domain.provider.fail(.page, with: .of(.serverUnreachable))
        let outcome = Outcome()
        domain.engine.list(.root, needs: .complete) { outcome.note($0) }
        try await eventually { domain.clock.waitingCount == 1 }
        domain.clock.advance(by: 1)
        try await eventually { outcome.isThere }
        #expect(outcome.failure == nil)
        await domain.engine.close()

        domain.provider.addFolder("folder")
        let other = try TestDomain(domain.provider)
        // Every page fails, because an engine may request the working set before the directory.
        domain.provider.behave { behaviour in
            behaviour.before = { (request) throws(ProviderError) in
                if request.kind == .page { throw .of(.notAuthenticated) }
            }
        }
        #expect(await failure { try await other.list() } == .notAuthenticated)
        #expect(try await other.engine.status().signIn.failure?.kind == .notAuthenticated)
        domain.provider.behave { $0.before = { (_) throws(ProviderError) in } }
        // Enumerating works again once the failure is resolved.
        try await other.list()
        #expect(try other.names().count == 2)
    }

    @Test func pagesThatExpiredAreAskedForFromTheBeginning() async throws {
        let domain = try TestDomain()
        domain.provider.behave { $0.pageLimit = 10 }
        for number in 0..<30 { domain.provider.addFile("file \(number)") }
        let pages = Lock(0)
        domain.provider.behave { [provider = domain.provider] behaviour in
            behaviour.before = { request in
                guard case .page(_, _?) = request else { return }
                let isSecond = pages.withLock { count in
                    count += 1
                    return count == 2
                }
                if isSecond { provider.expireAnchors() }
            }
        }
        try await domain.list()
        #expect(try domain.names().count == 30)
    }

    @Test func aPageOfMoreThan500BytesEndsTheListingAndLeavesWhatCame() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file")
        domain.provider.behave {
            $0.page = { _, _, page in ItemPage(items: page.items, next: [UInt8](repeating: 1, count: 501)) }
        }
        #expect(await failure { try await domain.list() } == .badAnswer)
        #expect(try domain.names() == ["file"])
    }

    @Test func aListingThatTurnsInCirclesEnds() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file")
        domain.provider.behave { $0.page = { _, _, page in ItemPage(items: page.items, next: [7]) } }
        #expect(await failure { try await domain.list() } == .badAnswer)
    }

    @Test func aListingOfEndlessEmptyPagesEnds() async throws {
        let domain = try TestDomain()
        let count = Lock<UInt64>(0)
        domain.provider.behave { behaviour in
            behaviour.page = { _, _, _ in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                return ItemPage(items: [], next: Array(String(number).utf8))
            }
        }
        #expect(await failure { try await domain.list() } == .badAnswer)
        #expect(count.withLock { $0 } < 200)
    }

    @Test func aListingThatHasNewItemsForEverEndsAndLeavesWhatCame() async throws {
        let domain = try TestDomain { $0.itemsInFolder = 1000 }
        let count = Lock(0)
        domain.provider.behave { behaviour in
            behaviour.page = { _, _, _ in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                let items = (0..<100).map {
                    ProviderItem(
                        identifier: "\(number)-\($0)", parent: ProviderItem.rootIdentifier, filename: "\(number)-\($0)",
                        kind: .file)
                }
                return ItemPage(items: items, next: Array(String(number).utf8))
            }
        }
        #expect(await failure { try await domain.list() } == .badAnswer)
        #expect((1000...1200).contains(try domain.names().count))
    }

    @Test func aListingThatRepeatsItsItemsForEverEnds() async throws {
        let domain = try TestDomain()
        let items = (0..<100).map {
            ProviderItem(identifier: "\($0)", parent: ProviderItem.rootIdentifier, filename: "\($0)", kind: .file)
        }
        let count = Lock<UInt64>(0)
        domain.provider.behave { behaviour in
            behaviour.page = { _, _, _ in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                return ItemPage(items: items, next: Array(String(number).utf8))
            }
        }
        #expect(await failure { try await domain.list() } == .badAnswer)
        #expect(try domain.names().count == 100)
    }

    @Test func aFolderThatWasListedAnswersAtOnceAndIsAskedForAgainBehindIt() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("one")
        try await domain.list()
        // The engine requests the changes once more by itself.
        try await domain.waitUntilIdle()
        domain.provider.hold(.changes)
        domain.provider.addFile("two")
        domain.clock.advance(by: 60)
        let outcome = Outcome()
        domain.engine.list(.root, needs: .complete) { outcome.note($0) }
        #expect(outcome.isThere)
        #expect(try domain.names() == ["one"])
        domain.provider.release(.changes)
        try await eventually { try domain.names() == ["one", "two"] }
    }

    @Test func aListedFolderIsStillThereAfterARestart() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("one")
        let number = try await domain.item("one").number
        try await domain.list()
        try domain.restart()
        domain.provider.hold(.page)
        domain.provider.hold(.changes)
        try await domain.list()
        #expect(try await domain.item("one").number == number)
        domain.provider.release(.page)
        domain.provider.release(.changes)
    }

    @Test func aDamagedIndexIsBuiltAnew() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("one", "contents")
        #expect(try await domain.read("one") == "contents")
        #expect(try await domain.engine.status().complaint == nil)
        try domain.restart {
            for name in ["data/index.db", "data/index.db-wal"] {
                let file = try domain.folder.descriptor.open(name, [.readWrite])
                try [UInt8](repeating: 0x55, count: 4096).withUnsafeBytes { try file.writeAll($0, at: 0) }
            }
        }
        #expect(try await domain.read("one") == "contents")
        #expect(domain.provider.count(.contents) == 2)
        #expect(try await domain.engine.status().complaint?.contains("is built anew") == true)
        try domain.restart()
        #expect(try await domain.engine.status().complaint == nil)
    }

    @Test func damageThatIsFoundLaterLeadsToANewIndexAtTheNextStart() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("one", "contents")
        #expect(try await domain.read("one") == "contents")
        try domain.restart { try domain.folder.file("data/index.damaged") }
        #expect(try domain.names().isEmpty)
        #expect(try await domain.read("one") == "contents")
        #expect(domain.provider.count(.contents) == 2)
        #expect(try !domain.folder.names("data").contains("index.damaged"))
    }

    /// The same happens if the index is lost between the removal and the first enumeration.
    @Test func aRemovedFolderDisappearsWithoutANotice() async throws {
        let domain = try TestDomain()
        domain.provider.addFolder("Folder", identifier: "folder")
        try await domain.list()
        let folder = try await domain.item("Folder").number
        domain.provider.behave { $0.changeLimit = 0 }
        domain.provider.remove("folder")
        #expect(await failure { try await domain.list(folder) } == .noSuchItem)
        try await eventually { try domain.names().isEmpty }
    }

    @Test func waitersFailWhenTheDomainIsClosed() async throws {
        let domain = try TestDomain()
        domain.provider.hold(.page)
        let outcome = Outcome()
        domain.engine.list(.root, needs: .complete) { outcome.note($0) }
        try await eventually { domain.provider.heldCount(.page) == 1 }
        await domain.engine.close()
        #expect(outcome.failure == .disabled)
    }
}

/// A gate that lets some pages pass, and the others once it is opened.
actor PageGate {
    private var pages: Int
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(pages: Int) { self.pages = pages - 1 }

    func pass() async {
        if isOpen { return }
        if pages > 0 {
            pages -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func open() {
        isOpen = true
        for task in waiting { task.resume() }
        waiting = []
    }
}

extension MemoryProvider.Request {
    func isPage(of folder: String) -> Bool {
        if case .page(let container, _) = self { container == folder } else { false }
    }
}

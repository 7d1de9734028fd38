import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

/// Tests of stale replies: no item returns to an earlier state.
@Suite(.ownThreads) struct LateAnswerTests {
    /// A script that holds back replies to requests of one kind after they were computed.
    private final class LateAnswers: Sendable {
        private let gate = PageGate(pages: 0)
        private let arrived = Latch()

        /// Holds back the replies to later requests for which `isLate` returns true.
        init(_ provider: MemoryProvider, _ isLate: @escaping @Sendable (MemoryProvider.Request) -> Bool) {
            provider.behave { behaviour in
                behaviour.after = { [gate, arrived] request in
                    guard isLate(request) else { return }
                    arrived.open()
                    await gate.pass()
                }
            }
        }

        /// Waits until a reply was computed.
        func madeUp() { arrived.wait() }

        func arrive(_ provider: MemoryProvider) async {
            provider.behave { $0.after = { (_) throws(ProviderError) in } }
            await gate.open()
        }
    }

    /// The names that the engine announced, in order.
    private final class Shown: Sendable {
        // Leaf lock.
        private let all = Lock<[String]>([])

        func watch(_ engine: DomainEngine) {
            engine.onEvent { [self] event in
                guard case .index(let changes) = event else { return }
                for change in changes {
                    switch change {
                    case .added(_, _, let name), .moved(_, _, _, _, let name): all.withLock { $0.append(name) }
                    case .changed, .removed: break
                    }
                }
            }
        }

        /// The names except the root's, which is revalidated as well.
        var names: [String] { all.withLock { $0.filter { $0 != "root" } } }
    }

    /// Creates a listed domain without a change feed, because the feed could repair the effect of a stale page.
    private func listedDomain() async throws -> TestDomain {
        let domain = try TestDomain { $0.refreshAge = 0 }
        domain.provider.behave { behaviour in
            behaviour.hasAnchors = false
            behaviour.hasWorkingSet = false
        }
        domain.provider.addFile("moved", "m")
        domain.provider.addFile("edited", "old")
        domain.provider.addFile("removed", "r")
        domain.provider.addFolder("Folder")
        try await domain.list()
        #expect(try await domain.read("edited") == "old")
        // Without a feed, the engine enumerates a directory once more after the first listing.
        try await domain.waitUntilIdle()
        return domain
    }

    @Test func aPageThatWasMadeUpBeforeEditsWereConfirmedTakesNothingBack() async throws {
        let domain = try await listedDomain()
        let late = LateAnswers(domain.provider) { $0.isPage(of: ProviderItem.rootIdentifier) }
        domain.clock.advance(by: 10)
        try await domain.list()
        late.madeUp()
        let moved = try await domain.item("moved").number
        try await domain.rename("moved", "renamed")
        try await domain.overwrite("edited", "longer than before")
        try await domain.remove("removed")
        try await domain.make("new", "n")
        try await domain.settle()
        let wanted = [
            "renamed": "m", "edited": "longer than before", "new": "n", "Folder": "/",
        ]
        #expect(domain.provider.tree == wanted)
        let shown = Shown()
        shown.watch(domain.engine)
        await late.arrive(domain.provider)
        try await eventually { try await domain.engine.doing { try $0.status() }.listingCount == 0 }
        #expect(shown.names.isEmpty)
        #expect(try await domain.tree() == wanted)
        #expect(try domain.row(moved).name == "renamed")
        #expect(try domain.row(try await domain.item("edited").number).content == .current)
    }

    @Test func aFolderThatWasEmptiedAndRemovedIsNotSeenAgainByAPageThatWasMadeUpBeforeItWasEmpty() async throws {
        let domain = try await listedDomain()
        let folder = try #require(domain.provider.identifier(at: "Folder"))
        domain.provider.addFile("file", "f", in: folder)
        try await domain.list(try await domain.item("Folder").number)
        let number = try await domain.item("Folder/file").number
        // Each lookup lists the directory anew. A listing that has its page already and is still running would take the
        // place of the one below, and no page would be late.
        try await domain.waitUntilIdle()
        let late = LateAnswers(domain.provider) { $0.isPage(of: folder) }
        let shown = Shown()
        shown.watch(domain.engine)
        domain.provider.hold(.delete)
        try await domain.remove("Folder/file")
        try await domain.removeFolder("Folder")
        domain.clock.advance(by: 10)
        late.madeUp()
        domain.provider.release(.delete)
        try await eventually { try domain.engine.index.itemEvenIfDeleted(number) == nil }
        await late.arrive(domain.provider)
        try await domain.settle()
        #expect(shown.names.isEmpty)
        #expect(domain.provider.tree == ["moved": "m", "edited": "old", "removed": "r"])
        #expect(try await domain.tree() == domain.provider.tree)
    }

    @Test(arguments: ["file", "folder"])
    func aFolderIsRemovedWithWhatIsStillBeingMadeInIt(kind: String) async throws {
        let domain = try await listedDomain()
        try await domain.list(try await domain.item("Folder").number)
        let late = LateAnswers(domain.provider) { request in
            if case .create = request { true } else { false }
        }
        if kind == "folder" {
            try await domain.makeFolder("Folder/new")
        } else {
            try await domain.make("Folder/new", "n")
        }
        domain.clock.advance(by: 10)
        late.madeUp()
        let shown = Shown()
        shown.watch(domain.engine)
        try await kind == "folder" ? domain.removeFolder("Folder/new") : domain.remove("Folder/new")
        try await domain.removeFolder("Folder")
        let pages = domain.provider.count(.page)
        domain.clock.advance(by: 10)
        try await eventually { domain.provider.count(.page) > pages || domain.provider.identifier(at: "Folder") == nil }
        await late.arrive(domain.provider)
        try await domain.settle()
        #expect(shown.names.isEmpty)
        #expect(domain.provider.tree == ["moved": "m", "edited": "old", "removed": "r"])
        #expect(try await domain.tree() == domain.provider.tree)
    }

    @Test func aPageThatWasMadeUpBeforeChangesWereToldTakesNothingBack() async throws {
        let domain = try TestDomain { $0.refreshAge = 1e9 }
        let folder = domain.provider.addFolder("Folder")
        let moved = domain.provider.addFile("moved", "m", in: folder)
        let removed = domain.provider.addFile("removed", "r", in: folder)
        try await domain.list()
        try await domain.list(try await domain.item("Folder").number)
        try await eventually { domain.provider.count(.currentAnchor) >= 3 }
        try await domain.waitUntilIdle()
        let number = try await domain.item("Folder/moved").number
        // The directory is enumerated anew. Meanwhile the working set's feed reports all changes.
        domain.provider.behave { $0.hasAnchors = false }
        try await domain.engine.doing { engine in
            try engine.index.write { writer throws(IndexError) in try writer.setAnchor(nil, of: folder) }
        }
        let late = LateAnswers(domain.provider) { $0.isPage(of: folder) }
        domain.engine.signal(container: folder)
        late.madeUp()
        domain.provider.rename(moved, to: "renamed")
        domain.provider.remove(removed)
        domain.engine.signal(container: nil)
        try await eventually { try domain.names(in: try await domain.item("Folder").number) == ["renamed"] }
        let pages = domain.provider.count(.page)
        let shown = Shown()
        // The index holds the change a moment before the engine announces it: only later announcements count.
        try await domain.engine.doing { engine in shown.watch(engine) }
        await late.arrive(domain.provider)
        domain.engine.signal(container: folder)
        try await eventually { domain.provider.count(.page) > pages }
        #expect(shown.names.isEmpty)
        #expect(try domain.row(number).name == "renamed")
        #expect(try domain.names(in: try await domain.item("Folder").number) == ["renamed"])
    }

    @Test func aRemovalBeforeTheFirstAnchorIsNotMissedByAListingThatBeganBeforeIt() async throws {
        let domain = try TestDomain { $0.refreshAge = 1e9 }
        let removed = domain.provider.addFile("removed", "r")
        domain.provider.addFile("other", "o")
        domain.provider.behave { $0.pageLimit = 1 }
        let late = LateAnswers(domain.provider) { request in
            if case .page(of: ProviderItem.rootIdentifier, after: .some) = request { true } else { false }
        }
        try await domain.list(needs: .item(named: "removed"))
        late.madeUp()
        domain.provider.remove(removed)
        // The first anchor is taken after the removal, so the feed does not report it.
        domain.engine.signal(container: nil)
        try await eventually {
            try domain.engine.index.anchor(of: ProviderItem.workingSetIdentifier) != nil
        }
        await late.arrive(domain.provider)
        try await eventually { try domain.names() == ["other"] }
    }

    @Test func contentsThatWereHandedOverBeforeAChangeWasToldAreNotTheNewOnes() async throws {
        let domain = try TestDomain { $0.refreshAge = 1e9 }
        let identifier = domain.provider.addFile("file", "old")
        try await domain.list()
        let number = try await domain.item("file").number
        let late = LateAnswers(domain.provider) { $0 == .contents(of: identifier) }
        let opened = try await domain.open(number)
        opened.ready { _ in }
        late.madeUp()
        domain.provider.write("newer", to: identifier)
        domain.engine.signal(container: nil)
        try await eventually { try domain.row(number).item.size == 5 }
        await late.arrive(domain.provider)
        #expect(try await opened.text() == "newer")
        try await opened.closed()
        #expect(try await domain.read("file") == "newer")
        #expect(domain.provider.count(.contents) == 2)
    }

    @Test func aConfirmationThatComesAfterANewerChangeWasToldTakesNothingBack() async throws {
        let domain = try TestDomain { $0.refreshAge = 1e9 }
        let moved = domain.provider.addFile("moved", "m")
        try await domain.list()
        try await eventually { domain.provider.count(.currentAnchor) >= 2 }
        let late = LateAnswers(domain.provider) { $0 == .move(moved) }
        try await domain.rename("moved", "renamed")
        let clock = domain.clock
        try await eventually {
            clock.advance(by: 1)
            return domain.provider.count(.move(moved)) == 1
        }
        late.madeUp()
        domain.provider.rename(moved, to: "renamed again")
        domain.engine.signal(container: nil)
        let number = try await domain.item("renamed").number
        try await eventually { try domain.row(number).item.filename == "renamed again" }
        await late.arrive(domain.provider)
        try await domain.settle()
        try await eventually { try domain.names() == ["renamed again"] }
    }

    @Test func anAnswerFromTheTrashThatComesAfterOthersHaveEmptiedItPutsNothingThere() async throws {
        let domain = try TestDomain { $0.refreshAge = 1e9 }
        let file = domain.provider.addFile("file")
        try await domain.list()
        try await eventually { domain.provider.count(.changes) == 1 }
        let late = LateAnswers(domain.provider) { $0 == .trash(file) }
        try await domain.engine.trash(try await domain.item("file").number)
        let clock = domain.clock
        try await eventually {
            clock.advance(by: 1)
            return domain.provider.count(.trash(file)) == 1
        }
        late.madeUp()
        domain.provider.remove(file)
        let count = domain.provider.count(.changes)
        domain.engine.signal(container: nil)
        try await eventually { domain.provider.count(.changes) > count }
        try await eventually { try await domain.engine.doing { try !$0.work().contains { $0.hasPrefix("changes") } } }
        await late.arrive(domain.provider)
        try await domain.settle()
        try await eventually { try domain.engine.trashed().isEmpty && domain.engine.index.revalidations().isEmpty }
        #expect(try domain.names().isEmpty)
    }

    @Test func aRemovalFromTheTrashIsSeenThoughItWasAskedForBeforeTheItemCameThere() async throws {
        let domain = try TestDomain { $0.refreshAge = 1e9 }
        let file = domain.provider.addFile("file")
        try await domain.list()
        try await domain.waitUntilIdle()
        domain.provider.hold(.changes)
        domain.engine.signal(container: nil)
        try await eventually { domain.provider.heldCount(.changes) == 1 }
        try await domain.engine.trash(try await domain.item("file").number)
        try await domain.settle()
        #expect(try domain.engine.trashed().map(\.identifier) == [file])
        domain.provider.remove(file)
        domain.provider.release(.changes)
        try await eventually { try domain.engine.trashed().isEmpty }
    }
}

import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

/// Tests of local edits of the tree, as system calls make them.
@Suite(.ownThreads)
struct LocalEditTests {
    @Test func localCreationsAreSeenAtOnceAndReachTheProvider() async throws {
        let domain = try TestDomain()
        try await domain.makeFolder("Letters")
        try await domain.make("Letters/first.txt", "Dear all")
        try await domain.makeLink("Letters/latest", to: "first.txt")
        #expect(
            try await domain.tree() == [
                "Letters": "/", "Letters/first.txt": "Dear all", "Letters/latest": "->first.txt",
            ])
        try await domain.settle()
        #expect(
            domain.provider.tree == ["Letters": "/", "Letters/first.txt": "Dear all", "Letters/latest": "->first.txt"])
        #expect(try await domain.tree() == domain.provider.tree)
    }

    @Test func anItemThatWasRemovedBeforeItWasSentLeavesNothing() async throws {
        let domain = try TestDomain()
        let number = try await domain.make("note.txt", "short-lived")
        try await domain.remove("note.txt")
        try await domain.settle()
        domain.clock.advance(by: 1000)
        #expect(domain.provider.count(.create) == 0)
        #expect(try domain.names().isEmpty)
        #expect(!domain.hasFile(number, in: "data/edits"))
    }

    @Test func theProgressOfSomeEditsIsReportedAsAShareOfAll() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("untouched")
        domain.provider.fail(.create, with: .of(.insufficientQuota))
        let untouched = try await domain.item("untouched").number
        let refused = try await domain.make("refused.txt", "much")
        try await eventually {
            domain.clock.advance(by: 1)
            return try await domain.status().items.contains { $0.failure != nil }
        }
        domain.provider.hold(.create)
        let waiting = try await domain.make("waiting.txt", "little")
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.heldCount(.create) > 0
        }
        let all = try await domain.status().items
        let some = try await domain.engine.editStatus(of: [untouched, waiting, refused])
        #expect(all.count == 2 && some.count == 2)
        for item in all { #expect(some[item.number] == item) }
        #expect(some[waiting]?.isUnderWay == true && some[refused]?.isHeld == true)
        #expect(try await domain.engine.editStatus(of: [waiting]).keys.elementsEqual([waiting]))
        domain.provider.release(.create)
    }

    @Test func namesThatAreTakenOrBadAreRefused() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file.txt", "x")
        domain.provider.addFolder("Folder")
        #expect(await errno { try await domain.make("file.txt", "") } == .fileExists)
        #expect(await errno { try await domain.makeFolder("Folder") } == .fileExists)
        #expect(await errno { try await domain.makeFolder(String(repeating: "n", count: 256)) } == .nameTooLong)
        #expect(await errno { try await domain.makeFolder("a\nb") } == .invalidArgument)
        #expect(await errno { try await domain.remove("Folder") } == .isDirectory)
        #expect(await errno { try await domain.removeFolder("file.txt") } == .notDirectory)
        #expect(await errno { try await domain.remove("nothing") } == .noSuchFile)
    }

    @Test func aFolderThatWasNeverListedIsListedBeforeItIsRemoved() async throws {
        let domain = try TestDomain()
        let folder = domain.provider.addFolder("Full")
        domain.provider.addFile("inside", "x", in: folder)
        domain.provider.addFolder("Empty")
        #expect(await errno { try await domain.removeFolder("Full") } == .notEmpty)
        #expect(await errno { try await domain.removeFolder("Empty") } == nil)
        try await domain.settle()
        #expect(domain.provider.tree == ["Full": "/", "Full/inside": "x"])
    }

    @Test func renamingFollowsTheSystemCall() async throws {
        let domain = try TestDomain()
        let folder = domain.provider.addFolder("Folder")
        domain.provider.addFile("inside", "i", in: folder)
        domain.provider.addFolder("Empty")
        domain.provider.addFile("one", "1")
        domain.provider.addFile("two", "2")
        try await domain.list()
        #expect(await errno { try await domain.rename("one", "two", .onlyToFreeName) } == .fileExists)
        #expect(await errno { try await domain.rename("one", "Folder") } == .isDirectory)
        #expect(await errno { try await domain.rename("Empty", "one") } == .notDirectory)
        #expect(await errno { try await domain.rename("Empty", "Folder") } == .notEmpty)
        #expect(await errno { try await domain.rename("Folder", "Folder/below") } == .invalidArgument)
        #expect(await errno { try await domain.rename("one", "none", .exchanging) } == .noSuchFile)
        #expect(await errno { try await domain.rename("one", "one") } == nil)
        try await domain.rename("Folder", "Empty")
        try await domain.rename("one", "two")
        #expect(try await domain.tree() == ["Empty": "/", "Empty/inside": "i", "two": "1"])
        try await domain.settle()
        #expect(domain.provider.tree == ["Empty": "/", "Empty/inside": "i", "two": "1"])
    }

    @Test func twoItemsChangePlaces() async throws {
        let domain = try TestDomain()
        let one = domain.provider.addFile("one", "1")
        let two = domain.provider.addFile("two", "2")
        let (first, second) = (try await domain.item("one").number, try await domain.item("two").number)
        try await domain.rename("one", "two", .exchanging)
        #expect(try await domain.item("one").number == second)
        #expect(try await domain.item("two").number == first)
        try await domain.settle()
        #expect(domain.provider.tree == ["one": "2", "two": "1"])
        #expect(domain.provider.item(of: one)?.filename == "two")
        #expect(domain.provider.item(of: two)?.filename == "one")
    }

    /// When two items swap names, one has another name at the provider for a while. The provider may report that name
    /// late.
    @Test func theNameOfWhatMakesWayIsNeverSeen() async throws {
        let domain = try TestDomain()
        let provider = domain.provider
        provider.addFile("one", "1")
        provider.addFile("two", "2")
        try await domain.list()
        let told = Lock<[ProviderItem]>([])
        provider.behave { behaviour in
            behaviour.after = { [weak provider] request throws(ProviderError) in
                guard case .move(let identifier) = request, let item = provider?.item(of: identifier) else { return }
                told.withLock { $0.append(item) }
            }
        }
        let seen = Lock<[String]>([])
        domain.engine.onEvent { event in
            guard case .index(let changes) = event else { return }
            for case .moved(_, _, _, _, let name) in changes { seen.withLock { $0.append(name) } }
        }
        try await domain.rename("one", "two", .exchanging)
        try await domain.settle()
        #expect(provider.tree == ["one": "2", "two": "1"])
        let inBetween = try #require(told.withLock { $0.first { $0.filename.contains(" (purvey ") } })
        var late = inBetween
        late.size = 99
        let (item, asked) = (late, provider.count(.changes))
        provider.behave { behaviour in
            behaviour.changes = { _, batch in
                var batch = batch
                batch.updated = [item]
                return batch
            }
        }
        domain.engine.signal(container: nil)
        try await eventually { provider.count(.changes) > asked }
        try await domain.waitUntilIdle()
        #expect(Set(try domain.names()) == ["one", "two"])
        // The rest of the report applies, and the engine revalidates the item.
        let row = try #require(try domain.engine.index.item(identifier: item.identifier))
        #expect(row.item.size == 99 && row.name == row.item.filename)
        provider.behave { $0.changes = nil }
        try await eventually {
            domain.clock.advance(by: 1)
            return try domain.row(row.number).item.size == 1
        }
        #expect(Set(try domain.names()) == ["one", "two"])
        #expect(!seen.withLock { $0 }.contains { $0.contains("(purvey ") })
    }

    @Test func editsThatTheProviderDoesNotAllowAreRefused() async throws {
        let domain = try TestDomain()
        let file = domain.provider.addFile("fixed", "x")
        domain.provider.update(file) { $0.capabilities = 1 }
        let folder = domain.provider.addFolder("Closed")
        domain.provider.update(folder) { $0.capabilities = 1 }
        #expect(await errno { try await domain.remove("fixed") } == .notPermitted)
        #expect(await errno { try await domain.rename("fixed", "free") } == .notPermitted)
        #expect(await errno { try await domain.make("Closed/new", "") } == .permissionDenied)
        #expect(try await domain.status().items.isEmpty)
    }

    @Test func aRenameThatIsTakenBackIsNotSent() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("one", "1")
        try await domain.list()
        try await domain.rename("one", "other")
        try await domain.rename("other", "one")
        #expect(try await domain.status().items.isEmpty)
        domain.clock.advance(by: 1000)
        #expect(domain.provider.count(.move) == 0)
    }

    @Test func savingByRenamingKeepsTheItem() async throws {
        let domain = try TestDomain()
        let identifier = domain.provider.addFile("essay.txt", "first")
        try await domain.list()
        try await domain.make(".essay.txt.swp", "second")
        try await domain.rename(".essay.txt.swp", "essay.txt")
        try await domain.settle()
        #expect(domain.provider.tree == ["essay.txt": "second"])
        #expect(domain.provider.identifier(at: "essay.txt") == identifier)
        #expect(domain.provider.count(.delete) == 0)
        #expect(try await domain.tree() == ["essay.txt": "second"])
    }

    @Test func savingWithABackupIsSentToo() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("essay.txt", "first")
        try await domain.list()
        try await domain.rename("essay.txt", "essay.txt~")
        try await domain.make("essay.txt", "second")
        try await domain.remove("essay.txt~")
        try await domain.settle()
        #expect(domain.provider.tree == ["essay.txt": "second"])
        #expect(try await domain.tree() == ["essay.txt": "second"])
    }

    @Test func datesAndModesStay() async throws {
        let domain = try TestDomain()
        let number = try await domain.make("tool", "#!/bin/sh")
        _ = try await domain.engine.doing { engine in
            try engine.setAttributes(of: number, mode: 0o755, modified: 1_234_567_890)
        }
        try await domain.settle()
        #expect(
            domain.provider.item(of: try #require(domain.provider.identifier(at: "tool")))?.modified == 1_234_567_890)
        #expect(try domain.row(number).localModified == 1_234_567_890)
        #expect(try domain.row(number).mode == 0o755)
    }

    @Test func attributesAreBoundedAndStayThroughRenamesUploadsAndANewStart() async throws {
        let domain = try TestDomain()
        let number = try await domain.make("tool", "#!/bin/sh")
        let value = [UInt8](repeating: 7, count: LocalAttributes.sizeLimit - 100)
        func set(_ name: String, _ value: [UInt8]?) async -> Errno? {
            await errno {
                try await domain.engine.doing { try $0.setExtendedAttribute(name, of: number, to: value) }
            }
        }
        #expect(await set("user.large", value) == nil)
        #expect(await set("user.other", value) == .noSpace)
        #expect(await set("user.other", [1]) == nil)
        #expect(await set("user.none", nil) == .noData)
        _ = try await domain.engine.doing { try $0.setAttributes(of: number, mode: 0o700, modified: 1_234_567_890) }
        try await domain.rename("tool", "renamed")
        try await domain.settle()
        try domain.restart()
        // The row is found by the fields that follow the attributes in it.
        let row = try #require(try domain.engine.index.item(named: "renamed", in: .root))
        #expect(row.number == number && row.mode == 0o700)
        #expect(row.extendedAttributes == ["user.large": value, "user.other": [1]])
    }
}

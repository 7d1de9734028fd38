import FileProvider
import FileProviderEngine
import FileProviderWire
import FileTesting
import ItemStore
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

/// Tests of edits that outlive the end of a process, at any moment.
@Suite(.ownThreads)
struct RecoveringEditsTests {
    @Test func editsOutliveTheIndex() async throws {
        let domain = try TestDomain()
        let folder = domain.provider.addFolder("Folder")
        domain.provider.addFile("file.txt", "old", in: folder)
        domain.provider.addFile("gone.txt", "x")
        domain.provider.addFile("moved.txt", "m")
        try await domain.list(try await domain.item("Folder").number)
        try await domain.overwrite("Folder/file.txt", "mine")
        try await domain.makeFolder("New")
        try await domain.make("New/inside", "i")
        try await domain.remove("gone.txt")
        try await domain.rename("moved.txt", "Folder/renamed.txt")
        let path = domain.configuration.dataFolder + "/index.db"
        try domain.restart { try Index.delete(path: path) }
        try await domain.settle()
        let wanted = [
            "Folder": "/", "Folder/file.txt": "mine", "Folder/renamed.txt": "m", "New": "/", "New/inside": "i",
        ]
        #expect(domain.provider.tree == wanted)
        #expect(try await domain.tree() == wanted)
    }

    /// The new file takes the numbered name that the provider's file had when it was edited.
    @Test func anEditedFileHasItsNameAtTheProviderAfterTheIndexIsLost() async throws {
        let domain = try TestDomain()
        let provider = domain.provider
        try await domain.list()
        provider.hold(.create)
        provider.hold(.replaceContents)
        let made = try await domain.make("d", "mine")
        provider.addFile("d", "theirs")
        domain.engine.signal(container: nil)
        try await eventually { try domain.names().sorted() == ["d", "d 2"] }
        try await domain.overwrite("d 2", "edited")
        provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                if case .create("d 2", _) = request { throw .of(.serverUnreachable) }
            }
        }
        provider.release(.create)
        try await eventually {
            domain.clock.advance(by: 1)
            return try domain.row(made).name == "d 2"
        }
        let path = domain.configuration.dataFolder + "/index.db"
        try domain.restart { try Index.delete(path: path) }
        provider.behave { $0.before = { (_) throws(ProviderError) in } }
        provider.release(.replaceContents)
        try await domain.settleOnProvider()
        #expect(provider.tree == ["d": "edited", "d 2": "mine"])
    }

    /// The process ends before and after every request of an upload.
    @Test(arguments: [MemoryProvider.Kind.item, .create, .replaceContents, .move, .delete], [true, false])
    func nothingIsLostWhereAProcessEnds(around kind: MemoryProvider.Kind, isAfter: Bool) async throws {
        let domain = try TestDomain()
        domain.provider.addFile("edited.txt", "old")
        domain.provider.addFile("moved.txt", "m")
        domain.provider.addFile("gone.txt", "g")
        try await domain.list()
        try await domain.overwrite("edited.txt", "mine")
        try await domain.make("new.txt", "new")
        try await domain.rename("moved.txt", "renamed.txt")
        try await domain.remove("gone.txt")
        // Every request of the kind fails at that point, and no reply arrives.
        let reached = Latch()
        domain.provider.behave { behaviour in
            let stop: @Sendable (MemoryProvider.Request) async throws(ProviderError) -> Void = {
                request throws(ProviderError) in
                guard request.kind == kind else { return }
                reached.open()
                throw ProviderError(.processEnded, message: "by the test")
            }
            if isAfter { behaviour.after = stop } else { behaviour.before = stop }
        }
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.count(kind) > 0
        }
        reached.wait()
        try domain.restart()
        domain.provider.behave { behaviour in
            behaviour.before = { (_) throws(ProviderError) in }
            behaviour.after = { (_) throws(ProviderError) in }
        }
        try await domain.settle()
        #expect(domain.provider.tree == ["edited.txt": "mine", "new.txt": "new", "renamed.txt": "m"])
        #expect(try await domain.tree() == domain.provider.tree)
    }

    @Test func filesOpenForWritingAtACrashAreSent() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file.txt", "old")
        #expect(try await domain.read("file.txt") == "old")
        let opened = try await domain.open(try await domain.item("file.txt").number, for: .writing(truncating: false))
        try await opened.write("new")
        try domain.restart()
        try await domain.settle()
        #expect(domain.provider.tree == ["file.txt": "new"])
        try? await opened.closed()
    }

    /// Regardless of the number of pending edits, unchanged ones cause neither a transaction nor an open file at the
    /// engine's start.
    @Test func aStartTouchesNoEditThatIsAsItWasLeft() async throws {
        let domain = try TestDomain()
        let provider = domain.provider
        for name in ["changed", "moved", "gone"] { provider.addFile(name, "old") }
        provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                switch request.kind {
                case .create, .replaceContents, .move, .delete: throw .of(.insufficientQuota)
                default: break
                }
            }
        }
        try await domain.makeFolder("Folder")
        for number in 0..<60 { try await domain.make("\(number)", "new") }
        try await domain.makeLink("link", to: "Folder")
        try await domain.overwrite("changed", "other")
        try await domain.rename("moved", "elsewhere")
        try await domain.remove("gone")
        try await domain.settle()
        let tree = try await domain.tree()
        let edits = try await domain.status().items.map(\.number)
        let opened = try OpenedFiles(in: domain.folder.path + "/data/edits")
        // The old engine's last connection closes later; keep it from doing so during the count.
        let before = domain.engine
        func logSize() throws -> Int { try domain.folder.status("data/index.db-wal").size }
        var size = 0
        try domain.restart {
            size = try logSize()
            _ = try opened.count()
        }
        #expect(try opened.count() == 0)
        #expect(try logSize() - size <= 64 << 10)
        #expect(try await domain.status().items.map(\.number) == edits)
        #expect(try await domain.tree() == tree)
        withExtendedLifetime(before) {}
        provider.behave { $0.before = { (_) throws(ProviderError) in } }
        await domain.engine.retry()
        try await domain.settle()
        #expect(provider.tree == tree)
    }

    @Test func writesAfterAnEditWasRecordedCount() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file.txt", "old")
        let number = try await domain.item("file.txt").number
        let opened = try await domain.open(number, for: .writing(truncating: true))
        try await opened.write("new")
        try await opened.flushed()
        try await opened.write(" and more", at: 3)
        try domain.restart()
        #expect(try domain.row(number).localSize == 12)
        try await domain.settle()
        #expect(domain.provider.tree == ["file.txt": "new and more"])
        try? await opened.closed()
    }

    @Test func bytesThatNoJournalKnowsAreKept() async throws {
        let domain = try TestDomain()
        try await domain.list()
        try domain.restart { try domain.folder.file("data/edits/4711", Array("whose?".utf8)) }
        try await domain.settle()
        #expect(domain.provider.tree == ["File 4711 (recovered)": "whose?"])
        #expect(try await domain.tree() == domain.provider.tree)
        #expect(try domain.row(ItemNumber(rawValue: 4711)).content == .current)
    }

    @Test(arguments: [("first.txt", "second.txt"), ("\u{E9}", "e\u{301}")])
    func aFileRenamedBeforeTheReplyExistsOnce(first: String, second: String) async throws {
        let domain = try TestDomain()
        domain.provider.behave { behaviour in
            behaviour.after = { request throws(ProviderError) in
                if request.kind == .create { throw ProviderError(.processEnded, message: "by the test") }
            }
        }
        try await domain.make(first, "x")
        try await eventually {
            domain.clock.advance(by: 1)
            return !domain.provider.tree.isEmpty
        }
        try await eventually { try await domain.status().items.allSatisfy { !$0.isUnderWay } }
        try domain.restart()
        domain.provider.behave { $0.after = { (_) throws(ProviderError) in } }
        try await domain.rename(first, second)
        try await domain.settle()
        #expect(domain.provider.tree == [second: "x"] && domain.provider.text(at: second) == "x")
        #expect(try await domain.tree() == [second: "x"])
    }

    @Test func aSentFileIsFoundOnALatePageOfItsFolder() async throws {
        let domain = try TestDomain { $0.refreshAge = 1e9 }
        for number in 0..<1010 { domain.provider.addFile("\(number)") }
        try await domain.list()
        domain.provider.behave { behaviour in
            behaviour.pageLimit = 1
            behaviour.after = { request throws(ProviderError) in
                if request.kind == .create { throw ProviderError(.processEnded, message: "by the test") }
            }
        }
        try await domain.make("first.txt", "x")
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.identifier(at: "first.txt") != nil
        }
        try await eventually { try await domain.status().items.allSatisfy { !$0.isUnderWay } }
        try domain.restart()
        domain.provider.behave { $0.after = { (_) throws(ProviderError) in } }
        try await domain.rename("first.txt", "second.txt")
        try await domain.settle()
        #expect(domain.provider.text(at: "second.txt") == "x")
        #expect(domain.provider.tree.count == 1011)
    }
}

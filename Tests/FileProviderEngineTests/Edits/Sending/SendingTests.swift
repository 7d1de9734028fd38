import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

/// Tests of how edits are sent to the provider.
@Suite(.ownThreads)
struct SendingTests {
    @Test func newContentsReachTheProvider() async throws {
        let domain = try TestDomain()
        let identifier = domain.provider.addFile("file.txt", "old")
        try await domain.overwrite("file.txt", "new")
        let number = try await domain.item("file.txt").number
        #expect(try domain.row(number).content == .edited)
        try await domain.settle()
        #expect(domain.provider.bytes(of: identifier) == Array("new".utf8))
        #expect(try domain.row(number).content == .current)
        #expect(!domain.hasFile(number, in: "data/edits"))
        #expect(!domain.hasFile(number, in: "data/uploads"))
        #expect(try await domain.read("file.txt") == "new")
        #expect(domain.provider.count(.contents) == 0)
    }

    @Test func filesEditedDuringTheirUploadAreSentAgain() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file.txt", "old")
        domain.provider.hold(.replaceContents)
        try await domain.overwrite("file.txt", "first")
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.heldCount(.replaceContents) == 1
        }
        try await domain.overwrite("file.txt", "second")
        domain.provider.release(.replaceContents)
        try await domain.settle()
        #expect(domain.provider.tree == ["file.txt": "second"])
        #expect(try await domain.tree() == ["file.txt": "second"])
        #expect(domain.provider.count(.contents) == 0)
    }

    @Test func anUploadThatComesBackThroughTheChangesIsNoConflict() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file.txt", "old")
        try await domain.list()
        let engine = domain.engine
        domain.provider.behave { behaviour in
            behaviour.after = { request throws(ProviderError) in
                guard request.kind == .replaceContents || request.kind == .create else { return }
                engine.signal(container: nil)
                for _ in 0..<1000 { await Task.yield() }
            }
        }
        try await domain.overwrite("file.txt", "mine")
        try await domain.make("new.txt", "mine too")
        try await domain.settle()
        #expect(domain.provider.tree == ["file.txt": "mine", "new.txt": "mine too"])
        #expect(try await domain.tree() == domain.provider.tree)
    }

    @Test func bothStayWhenBothChanged() async throws {
        let domain = try TestDomain { $0.refreshAge = 1e9 }
        let identifier = domain.provider.addFile("file.txt", "old")
        #expect(try await domain.read("file.txt") == "old")
        // Otherwise the engine may learn of their version before the edit, which would then be based on it.
        domain.provider.hold(.changes)
        domain.provider.hold(.page)
        domain.provider.write("theirs", to: identifier)
        try await domain.overwrite("file.txt", "mine")
        domain.provider.release(.changes)
        domain.provider.release(.page)
        try await domain.settle()
        let tree = domain.provider.tree
        #expect(tree.count == 2)
        #expect(tree["file.txt"] == "theirs")
        let copy = try #require(tree.first { $0.key != "file.txt" })
        #expect(copy.key.hasPrefix("file (conflicted copy 20"))
        #expect(copy.key.hasSuffix(").txt"))
        #expect(copy.value == "mine")
        #expect(try await domain.tree() == tree)
    }

    @Test func anEditThatTheProviderRemovedMeanwhileIsMadeAgain() async throws {
        let domain = try TestDomain { $0.refreshAge = 1e9 }
        let folder = domain.provider.addFolder("Folder")
        domain.provider.addFile("file.txt", "old", in: folder)
        try await domain.list(try await domain.item("Folder").number)
        // The first anchor of all makes the engine request changes, which must not report the removal before the edit.
        try await domain.waitUntilIdle()
        domain.provider.remove(folder)
        try await domain.overwrite("Folder/file.txt", "mine")
        domain.engine.signal(container: nil)
        try await domain.settle()
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.tree == ["Folder": "/", "Folder/file.txt": "mine"]
        }
        #expect(try await domain.tree() == domain.provider.tree)
    }

    @Test func transientFailuresAreRetried() async throws {
        let domain = try TestDomain()
        domain.provider.fail(
            .create, with: .of(.serverUnreachable), .of(.transient), .of(.processEnded), .of(.badAnswer))
        try await domain.make("file.txt", "x")
        try await domain.settle()
        #expect(domain.provider.tree == ["file.txt": "x"])
        #expect(domain.provider.count(.create) == 5)
    }

    @Test func failuresForTheUserAreParkedUntilARetry() async throws {
        let domain = try TestDomain()
        domain.provider.fail(.create, with: .of(.insufficientQuota))
        try await domain.make("file.txt", "x")
        try await domain.settle()
        domain.clock.advance(by: 100_000)
        let item = try #require(try await domain.status().items.first)
        #expect(item.failure?.kind == .insufficientQuota)
        #expect(item.isHeld)
        #expect(try await domain.tree() == ["file.txt": "x"])
        #expect(domain.provider.tree.isEmpty)
        try await domain.engine.doing { $0.retry() }
        try await domain.settle()
        #expect(domain.provider.tree == ["file.txt": "x"])
    }

    @Test func anItemWhoseRemovalIsRefusedComesBack() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file.txt", "x")
        domain.provider.fail(.delete, with: .of(.deletionRejected))
        try await domain.remove("file.txt")
        #expect(try domain.names().isEmpty)
        try await domain.settle()
        #expect(try domain.names() == ["file.txt"])
        #expect(try await domain.read("file.txt") == "x")
        #expect(try await domain.status().events.map(\.name) == ["file.txt"])
    }

    @Test func aRemoteChangeIsNotDeletedWithTheOldVersion() async throws {
        let domain = try TestDomain { $0.refreshAge = 1e9 }
        let identifier = domain.provider.addFile("file.txt", "old")
        let folder = domain.provider.addFolder("Folder")
        try await domain.list(try await domain.item("Folder").number)
        // The first anchor of all makes the engine enumerate directories once more.
        try await domain.waitUntilIdle()
        domain.provider.write("theirs", to: identifier)
        domain.provider.addFile("new.txt", "also theirs", in: folder)
        try await domain.remove("file.txt")
        try await domain.removeFolder("Folder")
        try await domain.settle()
        #expect(domain.provider.tree == ["file.txt": "theirs", "Folder": "/", "Folder/new.txt": "also theirs"])
        #expect(try await domain.tree() == domain.provider.tree)
    }

    @Test func aNewFileWhoseNameIsTakenGetsAnother() async throws {
        let domain = try TestDomain { $0.refreshAge = 1e9 }
        try await domain.list()
        try await domain.waitUntilIdle()
        domain.provider.hold(.changes)
        domain.provider.addFile("file.txt", "theirs")
        try await domain.make("file.txt", "mine")
        domain.provider.release(.changes)
        try await domain.settle()
        #expect(domain.provider.tree == ["file.txt": "theirs", "file 2.txt": "mine"])
        #expect(try await domain.tree() == domain.provider.tree)
    }

    @Test func aNewFileThatTheProviderHasAlreadyIsThatFile() async throws {
        let domain = try TestDomain { $0.refreshAge = 1e9 }
        try await domain.list()
        try await domain.waitUntilIdle()
        domain.provider.hold(.changes)
        domain.provider.addFile("file.txt", "same")
        let folder = domain.provider.addFolder("Folder")
        domain.provider.addFile("theirs", "x", in: folder)
        let number = try await domain.make("file.txt", "same")
        try await domain.makeFolder("Folder")
        domain.provider.release(.changes)
        try await domain.make("Folder/mine", "y")
        try await domain.settle()
        #expect(domain.provider.tree == ["file.txt": "same", "Folder": "/", "Folder/theirs": "x", "Folder/mine": "y"])
        #expect(try await domain.item("file.txt").number == number)
        #expect(try await domain.tree() == domain.provider.tree)
    }

    @Test func foldersComeBeforeWhatIsInThemAndGoAfterIt() async throws {
        let domain = try TestDomain()
        try await domain.makeFolder("a")
        try await domain.makeFolder("a/b")
        try await domain.makeFolder("a/b/c")
        for number in 0..<20 { try await domain.make("a/b/c/\(number)", "\(number)") }
        try await domain.settle()
        #expect(domain.provider.tree.count == 23)
        for number in 0..<20 { try await domain.remove("a/b/c/\(number)") }
        try await domain.removeFolder("a/b/c")
        try await domain.removeFolder("a/b")
        try await domain.removeFolder("a")
        try await domain.settle()
        #expect(domain.provider.tree.isEmpty)
    }

    @Test func aWaitingRemovalDoesNotBlockItsReplacement() async throws {
        let domain = try TestDomain()
        let folder = domain.provider.addFolder("n")
        domain.provider.addFile("kept", "k", in: folder)
        try await domain.list(try await domain.item("n").number)
        try await domain.makeFolder("m")
        try await domain.rename("n/kept", "m/kept")
        try await domain.removeFolder("n")
        try await domain.rename("m", "n")
        try await domain.settle()
        #expect(domain.provider.tree == ["n": "/", "n/kept": "k"])
        #expect(try await domain.tree() == domain.provider.tree)
    }

    @Test func itemsMovedIntoAFolderAndRemovedFirstAreRemovedToo() async throws {
        let domain = try TestDomain()
        let outer = domain.provider.addFolder("Outer")
        let inner = domain.provider.addFolder("Inner")
        let file = domain.provider.addFile("file", "f", in: inner)
        domain.provider.addFolder("Other")
        let provider = domain.provider
        provider.behave { behaviour in
            behaviour.before = { [provider] request throws(ProviderError) in
                // The removal of the file in the inner directory is sent after that of the outer one.
                guard request == .delete(file), provider.count(.delete(outer)) == 0 else { return }
                throw ProviderError(.serverUnreachable, message: "")
            }
        }
        try await domain.list()
        for name in ["Outer", "Inner", "Other"] { try await domain.list(try await domain.item(name).number) }
        // The move is never sent to the provider.
        try await domain.rename("Inner", "Outer/Inner")
        try await domain.remove("Outer/Inner/file")
        try await domain.removeFolder("Outer/Inner")
        try await domain.removeFolder("Outer")
        // The reply to the creation of this directory is lost as well.
        domain.provider.fail(.create, with: ProviderError(.serverUnreachable, message: ""))
        let new = try await domain.makeFolder("New")
        try await eventually { domain.engine.uploads[new]?.failure != nil }
        try await domain.rename("Other", "New/Other")
        try await domain.removeFolder("New/Other")
        try await domain.removeFolder("New")
        try await domain.settle()
        #expect(domain.provider.tree.isEmpty)
        #expect(try await domain.tree().isEmpty)
        #expect(domain.provider.count(.delete(outer)) == 1)
    }

    @Test(arguments: ["folder", "link"])
    func aFileWithTheNameOfARenamedUnsentOneIsAnotherItem(kind: String) async throws {
        let domain = try TestDomain()
        try await domain.list()
        func make() async throws {
            if kind == "folder" {
                try await domain.makeFolder("a")
            } else {
                try await domain.makeLink("a", to: "somewhere")
            }
        }
        // The engine cannot know whether the item was created.
        domain.provider.fail(.create, with: ProviderError(.serverUnreachable, message: ""))
        try await make()
        let first = try await domain.item("a").number
        try await eventually { domain.engine.uploads[first]?.failure != nil }
        try await domain.rename("a", "b")
        try await make()
        let second = try await domain.item("a").number
        try await eventually { try domain.row(second).isKnownToProvider }
        try await domain.settle()
        #expect(domain.provider.tree.keys.sorted() == ["a", "b"])
        #expect(try await domain.tree() == domain.provider.tree)
        #expect(try await domain.item("a").number == second)
    }

    @Test func foldersThatWereTurnedInsideOutArriveSo() async throws {
        let domain = try TestDomain()
        let outer = domain.provider.addFolder("outer")
        let inner = domain.provider.addFolder("inner", in: outer)
        domain.provider.addFile("deep", "d", in: inner)
        try await domain.list(try await domain.item("outer/inner").number)
        try await domain.rename("outer/inner", "inner")
        try await domain.rename("outer", "inner/outer")
        try await domain.rename("inner", "outer")
        try await domain.settle()
        #expect(domain.provider.tree == ["outer": "/", "outer/outer": "/", "outer/deep": "d"])
        #expect(try await domain.tree() == domain.provider.tree)
    }

    @Test func aNameThatDiffersInItsNormalFormOnlyIsAnotherName() async throws {
        let (composed, decomposed) = ("r\u{E9}sum\u{E9}", "re\u{301}sume\u{301}")
        let domain = try TestDomain()
        let identifier = domain.provider.addFile(composed, "text")
        try await domain.list()
        func isNamed(_ name: String) -> Bool {
            domain.provider.item(of: identifier)?.filename.hasSameBytes(as: name) ?? false
        }
        try await domain.rename(composed, decomposed)
        try await domain.settle()
        #expect(isNamed(decomposed))
        // The old name is free.
        try await domain.make(composed, "other")
        try await domain.settle()
        #expect(domain.provider.text(at: composed) == "other" && domain.provider.text(at: decomposed) == "text")
        #expect(try await domain.read(composed) == "other")
        #expect(try await domain.read(decomposed) == "text")
        // An item that is renamed and renamed back before the upload needs no request.
        try await domain.remove(composed)
        try await domain.settle()
        let moves = domain.provider.count(.move)
        try await domain.rename(decomposed, composed)
        try await domain.rename(composed, decomposed)
        try await domain.settle()
        #expect(isNamed(decomposed) && domain.provider.count(.move) == moves)
    }

    @Test func contentsAreKeptUntilTheServiceHasThem() async throws {
        let domain = try TestDomain()
        domain.provider.behave { $0.confirmsUploads = false }
        let number = try await domain.make("file.txt", "x")
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.tree == ["file.txt": "x"]
        }
        for _ in 0..<20 {
            domain.clock.advance(by: 1)
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(try domain.row(number).content == .edited)
        #expect(await failure { try await domain.engine.doing { try $0.evict(number) } } == .notPermitted)
        domain.provider.confirmUploads()
        domain.engine.signal(container: nil)
        try await domain.settle()
        #expect(try domain.row(number).content == .current)
        #expect(domain.provider.tree == ["file.txt": "x"])
    }

    @Test func aVersionThatTheServiceGivesLaterIsTheSameContents() async throws {
        let domain = try TestDomain()
        domain.provider.behave { $0.confirmsUploads = false }
        try await domain.make("file.txt", "x")
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.tree == ["file.txt": "x"]
        }
        let identifier = try #require(domain.provider.identifier(at: "file.txt"))
        domain.provider.update(identifier) { item in
            item.contentVersion = Array("etag".utf8)
            item.flags.insert(.uploaded)
        }
        domain.engine.signal(container: nil)
        try await domain.settle()
        #expect(domain.provider.tree == ["file.txt": "x"])
        #expect(try await domain.tree() == ["file.txt": "x"])
    }

    @Test func aNameIsReusedBeforeTheFirstCreationIsConfirmed() async throws {
        let domain = try TestDomain()
        let provider = domain.provider
        let isHeard = Lock(false)
        provider.behave { behaviour in
            behaviour.after = { request throws(ProviderError) in
                // The first reply is delayed; the reply to a second request, if one is sent meanwhile, overtakes it.
                guard request.kind == .create, provider.count(.create) == 1 else { return }
                while !isHeard.withLock({ $0 }) { await Task.yield() }
            }
        }
        try await domain.make("name", "first")
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.identifier(at: "name") != nil
        }
        try await domain.remove("name")
        try await domain.make("name", "second")
        for _ in 0..<100 {
            domain.clock.advance(by: 1)
            _ = try await domain.status()
            await Task.yield()
        }
        isHeard.withLock { $0 = true }
        try await domain.settle()
        #expect(try domain.names() == ["name"])
        #expect(try await domain.tree() == ["name": "second"])
        #expect(domain.provider.tree == ["name": "second"])
    }
}

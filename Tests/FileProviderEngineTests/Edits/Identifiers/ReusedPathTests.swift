import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import ProviderTesting
import TestThreads
import Testing

/// Tests of identifiers that are paths, where an item gets a path that another item has just left, or is leaving.
@Suite(.ownThreads) struct ReusedPathTests {
    private static func domain() throws -> TestDomain {
        let domain = try TestDomain()
        domain.provider.behave { $0.identifiersArePaths = true }
        return domain
    }

    /// Loses the replies to requests of one kind, and holds all later requests of another kind.
    private static func loseAnswers(
        to kind: MemoryProvider.Kind, of domain: TestDomain, thenHold held: MemoryProvider.Kind
    ) {
        let provider = domain.provider
        provider.behave { behaviour in
            behaviour.after = { request throws(ProviderError) in
                guard request.kind == kind else { return }
                provider.hold(held)
                throw .of(.serverUnreachable)
            }
        }
    }

    /// Lets time pass in which the engine sends what it may send.
    private static func wait(_ domain: TestDomain) async throws {
        for _ in 0..<10 {
            domain.clock.advance(by: 1)
            for _ in 0..<1_000 { await Task.yield() }
        }
    }

    private static func expectSame(
        _ domain: TestDomain, _ tree: [String: String], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        domain.provider.behave { $0.after = { (_) throws(ProviderError) in } }
        try await domain.settleOnProvider(sourceLocation: sourceLocation)
        #expect(domain.provider.tree == tree, sourceLocation: sourceLocation)
        #expect(try await domain.status().events.isEmpty, sourceLocation: sourceLocation)
    }

    @Test(arguments: [false, true])
    func aNewFileWaitsForTheMoveOfTheOneThatHadItsName(isRestarted: Bool) async throws {
        let domain = try Self.domain()
        domain.provider.addFile("file", "old")
        #expect(try await domain.read("file") == "old")
        let number = try await domain.item("file").number
        // Whether the move has happened is asked before it is repeated.
        Self.loseAnswers(to: .move, of: domain, thenHold: .item)
        try await domain.rename("file", "backup")
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.identifier(at: "backup") != nil
        }
        try await domain.make("file", "new")
        if isRestarted { try domain.restart() }
        try await Self.wait(domain)
        // The provider would create it, and the repeated move would then move it.
        #expect(domain.provider.count(.create) == 0)
        domain.provider.release(.item)
        try await Self.expectSame(domain, ["backup": "old", "file": "new"])
        #expect(try await domain.item("backup").number == number)
        #expect(domain.provider.count(.create) == 1)
    }

    @Test func aMovedFolderWaitsForTheRemovalOfTheOneThatHadItsName() async throws {
        let domain = try Self.domain()
        domain.provider.addFolder("folder")
        domain.provider.addFolder("other")
        _ = try await domain.tree()
        let number = try await domain.item("other").number
        Self.loseAnswers(to: .delete, of: domain, thenHold: .item)
        try await domain.removeFolder("folder")
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.identifier(at: "folder") == nil
        }
        try await domain.rename("other", "folder")
        try await Self.wait(domain)
        // The removal would be repeated for it.
        #expect(domain.provider.count(.move) == 0)
        domain.provider.release(.item)
        try await Self.expectSame(domain, ["folder": "/"])
        #expect(try await domain.item("folder").number == number)
    }

    /// Another client removes the folder first, and a new one gets its path, before the engine asks for its removal.
    @Test(arguments: [false, true])
    func aRemovalDoesNotReachTheFolderThatGotItsPath(isRestarted: Bool) async throws {
        let domain = try Self.domain()
        domain.provider.addFolder("folder")
        _ = try await domain.tree()
        domain.provider.hold(.item)
        try await domain.removeFolder("folder")
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.heldCount(.item) > 0
        }
        domain.provider.remove("/folder")
        try await domain.makeFolder("folder")
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.identifier(at: "folder") != nil
        }
        try await Self.wait(domain)
        if isRestarted { try domain.restart() }
        domain.provider.release(.item)
        try await Self.expectSame(domain, ["folder": "/"])
        #expect(domain.provider.count(.delete) == 0)
    }

    /// The removal is recorded with the former path of its folder when another item is about to get the path.
    @Test func aRemovalInARenamedFolderIsMadeBeforeItsPlaceIsTaken() async throws {
        let domain = try Self.domain()
        let folder = domain.provider.addFolder("folder")
        domain.provider.addFolder("inner", in: folder)
        domain.provider.addFile("file", "text")
        _ = try await domain.tree()
        let number = try await domain.item("file").number
        domain.provider.hold(.item)
        domain.provider.hold(.page)
        try await domain.removeFolder("folder/inner")
        try await domain.rename("folder", "other")
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.identifier(at: "other") != nil
        }
        try await domain.rename("file", "other/inner")
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.count(.move) == 2
        }
        domain.provider.release(.page)
        try await Self.wait(domain)
        domain.provider.release(.item)
        try await Self.expectSame(domain, ["other": "/", "other/inner": "text"])
        #expect(try await domain.item("other/inner").number == number)
    }

    @Test func aNewFileIsNotSentIntoAFolderThatIsBeingMoved() async throws {
        let domain = try Self.domain()
        for name in ["one", "two"] {
            let folder = domain.provider.addFolder(name)
            domain.provider.addFile("file", name, in: folder)
        }
        _ = try await domain.tree()
        domain.provider.hold(.move)
        try await domain.rename("one", "two", .exchanging)
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.heldCount(.move) > 0
        }
        try await domain.make("one/new", "in one")
        try await domain.make("two/new", "in two")
        try await Self.wait(domain)
        let isOneHeld = domain.provider.heldCount(.move("/one")) > 0
        #expect(domain.provider.count(.create(name: "new", in: isOneHeld ? "/one" : "/two")) == 0)
        // The folder that is not moved yet takes its file. A move that begins before the reply would make it fail.
        let sent = try await domain.item(isOneHeld ? "one/new" : "two/new").number
        try await eventually {
            domain.clock.advance(by: 1)
            return try domain.row(sent).isKnownToProvider
        }
        domain.provider.release(.move)
        try await Self.expectSame(
            domain,
            ["one": "/", "one/file": "two", "one/new": "in one", "two": "/", "two/file": "one", "two/new": "in two"])
        #expect(domain.provider.count(.create) == 2, "\(domain.provider.requests)")
    }

    /// One of the folders gets a temporary name during the upload step of the other one.
    @Test func aNewFileIsNotSentIntoAFolderThatGetsATemporaryName() async throws {
        let domain = try Self.domain()
        let provider = domain.provider
        for name in ["one", "two"] { provider.addFolder(name) }
        _ = try await domain.tree()
        provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                // The first move is refused, because its name is taken. The second one makes way for it.
                if request.kind == .move, provider.count(.move) == 1 { provider.hold(.move) }
            }
        }
        try await domain.rename("one", "two", .exchanging)
        try await eventually {
            domain.clock.advance(by: 1)
            return provider.heldCount(.move) > 0
        }
        try await domain.make("one/new", "in one")
        try await domain.make("two/new", "in two")
        try await Self.wait(domain)
        #expect(provider.count(.create) == 0)
        provider.release(.move)
        try await Self.expectSame(
            domain, ["one": "/", "one/new": "in one", "two": "/", "two/new": "in two"])
        #expect(provider.count(.create) == 2, "\(provider.requests)")
    }

    /// The folder has been listed by its new identifier when the reply to the new file comes.
    @Test func aRemovalIsBelievedAfterALateAnswer() async throws {
        let domain = try Self.domain()
        domain.provider.addFolder("folder")
        _ = try await domain.tree()
        domain.engine.signal(container: nil)
        try await domain.waitUntilIdle()
        let provider = domain.provider
        provider.behave { behaviour in
            behaviour.after = { request throws(ProviderError) in
                guard request.kind == .create else { return }
                for _ in 0..<1_000_000 where provider.count(.page(of: "/other", after: nil)) == 0 {
                    await Task.yield()
                }
                for _ in 0..<1_000 { await Task.yield() }
            }
        }
        try await domain.make("folder/new", "text")
        try await eventually {
            domain.clock.advance(by: 1)
            return provider.identifier(at: "folder/new") != nil
        }
        try await domain.rename("folder", "other")
        try await domain.settle()
        provider.remove("/other/new")
        domain.engine.signal(container: nil)
        try await Self.expectSame(domain, ["other": "/"])
    }

    /// The provider has the child under an identifier that the engine does not know yet.
    @Test func aFolderIsRemovedAfterAChildThatWasMovedInIt() async throws {
        let domain = try Self.domain()
        let folder = domain.provider.addFolder("folder")
        domain.provider.addFolder("child", in: folder)
        _ = try await domain.tree()
        let provider = domain.provider
        provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                // The child's removal is slower than the folder's.
                guard case .item("/folder/child") = request else { return }
                for _ in 0..<1_000_000 where provider.count(.page(of: folder, after: nil)) < 2 { await Task.yield() }
                for _ in 0..<1_000 { await Task.yield() }
            }
            behaviour.after = { request throws(ProviderError) in
                if request.kind == .move { throw .of(.serverUnreachable) }
            }
        }
        try await domain.rename("folder/child", "folder/moved")
        try await eventually {
            domain.clock.advance(by: 1)
            return provider.identifier(at: "folder/moved") != nil
        }
        try await domain.removeFolder("folder/moved")
        try await domain.removeFolder("folder")
        try await Self.expectSame(domain, [:])
    }

    /// The file was only moved locally, so that no bytes of it are left to send.
    @Test func aMovedFileIsGoneIfAFolderHasItsPath() async throws {
        let domain = try Self.domain()
        domain.provider.addFile("file", "text")
        _ = try await domain.tree()
        domain.engine.signal(container: nil)
        try await domain.waitUntilIdle()
        domain.provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                if request.kind == .move { throw .of(.serverUnreachable) }
            }
        }
        try await domain.rename("file", "renamed")
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.count(.move) > 0
        }
        domain.provider.remove("/file")
        domain.provider.addFolder("file")
        domain.engine.signal(container: nil)
        // A request that has to be repeated is repeated after some time.
        try await eventually {
            domain.clock.advance(by: 1)
            return try domain.engine.index.item(identifier: "/file")?.item.kind == .folder
        }
        domain.provider.behave { $0.before = { (_) throws(ProviderError) in } }
        try await Self.expectSame(domain, ["file": "/"])
        #expect(domain.provider.count(.create) == 0)
    }

    /// This happens when a log is rotated. Without the wait, the new file would be uploaded twice, or get another name.
    @Test(arguments: [false, true])
    func aNewFileWaitsForTheUploadAndMoveOfTheOneThatHadItsName(identifiersArePaths: Bool) async throws {
        let domain = try TestDomain()
        domain.provider.behave { $0.identifiersArePaths = identifiersArePaths }
        domain.provider.addFile("log", "old")
        #expect(try await domain.read("log") == "old")
        domain.provider.hold(.replaceContents)
        try await domain.overwrite("log", "changed")
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.heldCount(.replaceContents) == 1
        }
        try await domain.rename("log", "log.1")
        try await domain.make("log", "new")
        try await Self.wait(domain)
        #expect(domain.provider.count(.create) == 0)
        domain.provider.release(.replaceContents)
        try await Self.expectSame(domain, ["log": "new", "log.1": "changed"])
        #expect(domain.provider.count(.create) == 1 && domain.provider.count(.move) == 1)
    }
}

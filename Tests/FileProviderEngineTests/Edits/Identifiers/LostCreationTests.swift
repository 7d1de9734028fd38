import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

/// Tests of identifiers that are paths, where an item gets the path of another one and the reply about it is lost. The
/// known identifier may then belong to either of the two.
@Suite(.ownThreads) struct LostCreationTests {
    enum Kind: CaseIterable { case file, folder, link }

    enum Edit: CaseIterable { case none, removal, renaming }

    private static func domain() throws -> TestDomain {
        let domain = try TestDomain()
        domain.provider.behave { $0.identifiersArePaths = true }
        return domain
    }

    private static func loseAnswers(to kind: MemoryProvider.Kind, of domain: TestDomain) {
        domain.provider.behave { behaviour in
            behaviour.after = { request throws(ProviderError) in
                if request.kind == kind { throw .of(.processEnded) }
            }
        }
    }

    private static func add(_ kind: Kind, _ name: String, _ text: String, to provider: MemoryProvider) {
        switch kind {
        case .file: provider.addFile(name, text)
        case .folder: provider.addFolder(name)
        case .link: provider.addLink(name, to: text)
        }
    }

    private static func make(_ kind: Kind, _ name: String, _ text: String, in domain: TestDomain) async throws {
        switch kind {
        case .file: try await domain.make(name, text)
        case .folder: try await domain.makeFolder(name)
        case .link: try await domain.makeLink(name, to: text)
        }
    }

    private static func remove(_ kind: Kind, _ name: String, in domain: TestDomain) async throws {
        if kind == .folder { try await domain.removeFolder(name) } else { try await domain.remove(name) }
    }

    private static func tree(_ kind: Kind, _ name: String, _ text: String) -> [String: String] {
        switch kind {
        case .file: [name: text]
        case .folder: [name: "/"]
        case .link: [name: "->" + text]
        }
    }

    /// Waits until the provider has made an item, and the reply is lost.
    private static func waitUntilLost(_ name: String, in domain: TestDomain, _ seconds: Double = 1) async throws {
        try await eventually {
            guard domain.provider.identifier(at: name) != nil else {
                domain.clock.advance(by: seconds)
                return false
            }
            return try await domain.status().items.contains { $0.failure != nil }
        }
    }

    private static func expectSame(
        _ domain: TestDomain, _ tree: [String: String], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        domain.provider.behave { $0.after = { (_) throws(ProviderError) in } }
        try await domain.settleOnProvider(sourceLocation: sourceLocation)
        #expect(domain.provider.tree == tree, sourceLocation: sourceLocation)
        #expect(try await domain.status().items.isEmpty, sourceLocation: sourceLocation)
    }

    // MARK: Creations

    /// Another client removes the item first. The removal is not confirmed yet when the new item is created.
    @Test(arguments: Kind.allCases, Edit.allCases)
    func aNewItemIsNotTakenForTheRemovedOneThatHadItsPath(kind: Kind, edit: Edit) async throws {
        for former in Kind.allCases {
            for (isRestarted, isReported) in [(false, false), (true, false), (true, true)] {
                let domain = try Self.domain()
                Self.add(former, "item", "old", to: domain.provider)
                _ = try await domain.tree()
                domain.provider.hold(.item)
                try await Self.remove(former, "item", in: domain)
                try await eventually {
                    domain.clock.advance(by: 1)
                    return domain.provider.heldCount(.item) > 0
                }
                domain.provider.remove("/item")
                Self.loseAnswers(to: .create, of: domain)
                try await Self.make(kind, "item", "new", in: domain)
                try await Self.waitUntilLost("item", in: domain)
                if isRestarted { try domain.restart() }
                if isReported { try await Self.reportChanges(to: domain) }
                switch edit {
                case .none: break
                case .removal: try await Self.remove(kind, "item", in: domain)
                case .renaming: try await domain.rename("item", "renamed")
                }
                domain.provider.release(.item)
                let name = edit == .renaming ? "renamed" : "item"
                try await Self.expectSame(domain, edit == .removal ? [:] : Self.tree(kind, name, "new"))
                #expect(try await domain.status().events.isEmpty)
            }
        }
    }

    /// Another client removes the link before its move is sent.
    @Test(arguments: [false, true], [false, true])
    func aNewItemIsNotMovedInsteadOfTheOneThatHadItsPath(isRestarted: Bool, isFolder: Bool) async throws {
        let domain = try Self.domain()
        domain.provider.addLink("item", to: "old")
        _ = try await domain.tree()
        // The first anchor of all makes the engine request changes, which must not report the removal before the move.
        try await domain.waitUntilIdle()
        domain.provider.remove("/item")
        Self.loseAnswers(to: .create, of: domain)
        try await domain.rename("item", "renamed")
        try await Self.make(isFolder ? .folder : .link, "item", "new", in: domain)
        // The move is not due yet.
        try await Self.waitUntilLost("item", in: domain, 0)
        if isRestarted { try domain.restart() }
        try await Self.expectSame(domain, ["item": isFolder ? "/" : "->new"])
        #expect(domain.provider.count(.move) == 0)
    }

    /// The process ends after the index has the directory's new identifier, and before the journal has the new path of
    /// the file.
    @Test func aRemovedFileIsFoundInAFolderThatWasRenamed() async throws {
        let domain = try Self.domain()
        domain.provider.addFolder("folder")
        _ = try await domain.tree()
        Self.loseAnswers(to: .create, of: domain)
        try await domain.make("folder/new", "text")
        try await Self.waitUntilLost("folder/new", in: domain)
        domain.provider.hold(.page)
        try await domain.remove("folder/new")
        try await domain.rename("folder", "other")
        let journal = Lock<DatabaseImage?>(nil)
        let (index, path) = (domain.engine.index, domain.journalPath)
        try await domain.engine.doing { engine in
            engine.observeEdits {
                guard (try? index.item(identifier: "/other")) != nil else { return }
                journal.withLock { image in
                    if image == nil { image = try? DatabaseImage(path) }
                }
            }
        }
        try await eventually {
            domain.clock.advance(by: 1)
            return journal.withLock { $0 != nil }
        }
        try domain.restart { try journal.withLock { try $0?.restore() } }
        domain.provider.release(.page)
        try await Self.expectSame(domain, ["other": "/"])
    }

    // MARK: Paths that others use again

    /// Another client creates a file at the path that the moved file has left.
    @Test(arguments: [false, true], [false, true])
    func aMovedFileIsNotTakenForTheOneThatGotItsPath(isRemoved: Bool, isReported: Bool) async throws {
        let domain = try Self.domain()
        let provider = domain.provider
        provider.addFile("file", "old")
        #expect(try await domain.read("file") == "old")
        provider.behave { behaviour in
            behaviour.after = { request throws(ProviderError) in
                guard request.kind == .move else { return }
                provider.hold(.move)
                throw .of(.processEnded)
            }
        }
        try await domain.rename("file", "moved")
        try await Self.waitUntilLost("moved", in: domain)
        provider.addFile("file", "other")
        if isReported { try await Self.reportChanges(to: domain) }
        if isRemoved { try await domain.remove("moved") }
        provider.release(.move)
        try await Self.expectSame(domain, isRemoved ? ["file": "other"] : ["file": "other", "moved": "old"])
        #expect(provider.count(.delete) == (isRemoved ? 1 : 0))
        #expect(try await domain.status().events.isEmpty)
    }

    /// Another client removes the first file after its removal was prepared, and the second one gets its path.
    @Test func aRemovalDoesNotReachTheFileThatWasMovedToItsPath() async throws {
        let domain = try Self.domain()
        let provider = domain.provider
        provider.addFile("first", "old")
        provider.addFile("second", "text")
        _ = try await domain.tree()
        let (isPrepared, mayGoOn) = (Outcome(), Outcome())
        provider.behave { behaviour in
            behaviour.after = { request throws(ProviderError) in
                guard request == .item("/first"), !mayGoOn.isThere else { return }
                isPrepared.note(.success(()))
                while !mayGoOn.isThere { try? await Task.sleep(for: .milliseconds(2)) }
            }
        }
        try await domain.remove("first")
        try await eventually {
            domain.clock.advance(by: 1)
            return isPrepared.isThere
        }
        provider.remove("/first")
        try await domain.rename("second", "first")
        try await Self.waitUntilLost("first", in: domain)
        mayGoOn.note(.success(()))
        try await Self.expectSame(domain, ["first": "text"])
        #expect(provider.count(.delete) == 0)
    }

    /// A report removes the item before the request for its removal is sent.
    @Test func aRemovalIsNotSentForAnItemThatIsGone() async throws {
        let domain = try Self.domain()
        domain.provider.addFile("file", "old")
        _ = try await domain.tree()
        domain.provider.hold(.item)
        try await domain.remove("file")
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.heldCount(.item) > 0
        }
        let (flushed, mayGoOn) = (Latch(), Latch())
        domain.engine.durable.observe {
            flushed.open()
            mayGoOn.wait()
        }
        domain.provider.release(.item)
        flushed.wait()
        domain.provider.remove("/file")
        try await Self.reportChanges(to: domain)
        domain.provider.addFile("file", "other")
        domain.engine.durable.observe(nil)
        mayGoOn.open()
        try await Self.expectSame(domain, ["file": "other"])
        #expect(domain.provider.count(.delete) == 0)
    }

    /// The engine does not know of the directory when it sends the change.
    @Test(arguments: [false, true]) func aFolderInPlaceOfAChangedFileStays(isRemoved: Bool) async throws {
        let domain = try Self.domain()
        domain.provider.addFile("file", "old")
        _ = try await domain.tree()
        domain.provider.hold(.item)
        if isRemoved { try await domain.remove("file") } else { try await domain.overwrite("file", "mine") }
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.heldCount(.item) > 0
        }
        domain.provider.remove("/file")
        domain.provider.addFolder("file")
        domain.provider.release(.item)
        try await Self.expectSame(domain, isRemoved ? ["file": "/"] : ["file": "/", "file 2": "mine"])
    }

    /// Makes the engine apply what has changed at the provider.
    private static func reportChanges(to domain: TestDomain) async throws {
        let count = domain.provider.count(.changes)
        domain.engine.signal(container: nil)
        try await eventually {
            domain.clock.advance(by: 0.1)
            return domain.provider.count(.changes) > count
        }
        for _ in 0..<1_000 { await Task.yield() }
    }
}

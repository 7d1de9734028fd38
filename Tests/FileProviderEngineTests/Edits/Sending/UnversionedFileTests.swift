import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import ProviderTesting
import TestThreads
import Testing

/// Tests of providers that give no `itemVersion`, so that different contents have the same version.
@Suite(.ownThreads) struct UnversionedFileTests {
    private static let kinds: [MemoryProvider.Versions] = [.sizes, .missing]

    private static func domain(_ versions: MemoryProvider.Versions) throws -> TestDomain {
        let domain = try TestDomain()
        domain.provider.behave { $0.versions = versions }
        return domain
    }

    private static func expectSame(
        _ domain: TestDomain, _ tree: [String: String], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        domain.provider.behave { behaviour in
            behaviour.before = { (_) throws(ProviderError) in }
            behaviour.after = { (_) throws(ProviderError) in }
        }
        try await domain.settleOnProvider(sourceLocation: sourceLocation)
        #expect(domain.provider.tree == tree, sourceLocation: sourceLocation)
        #expect(try await domain.status().events.isEmpty, sourceLocation: sourceLocation)
    }

    /// Waits until a request of a kind has failed.
    private static func waitForFailure(of domain: TestDomain) async throws {
        try await eventually {
            domain.clock.advance(by: 1)
            return try await domain.status().items.first?.failure != nil
        }
    }

    @Test(arguments: kinds) func anEditThatKeepsTheSizeArrivesOnce(_ versions: MemoryProvider.Versions) async throws {
        let domain = try Self.domain(versions)
        domain.provider.addFile("file", "old")
        #expect(try await domain.read("file") == "old")
        try await domain.overwrite("file", "new")
        try await Self.expectSame(domain, ["file": "new"])
        #expect(domain.provider.count(.replaceContents) == 1)
    }

    /// The service has the first edit, and its version does not show that.
    @Test(arguments: kinds, [false, true])
    func anEditAfterALostReplyArrives(_ versions: MemoryProvider.Versions, isRestarted: Bool) async throws {
        let domain = try Self.domain(versions)
        domain.provider.addFile("file", "old")
        #expect(try await domain.read("file") == "old")
        domain.provider.behave { behaviour in
            behaviour.after = { request throws(ProviderError) in
                if request.kind == .replaceContents { throw .of(.serverUnreachable) }
            }
        }
        try await domain.overwrite("file", "one")
        try await Self.waitForFailure(of: domain)
        #expect(domain.provider.tree == ["file": "one"])
        try await domain.overwrite("file", "two")
        if isRestarted { try domain.restart() }
        try await Self.expectSame(domain, ["file": "two"])
    }

    @Test(arguments: kinds)
    func anEditDuringTheUploadOfAnotherArrives(_ versions: MemoryProvider.Versions) async throws {
        let domain = try Self.domain(versions)
        domain.provider.addFile("file", "old")
        #expect(try await domain.read("file") == "old")
        domain.provider.hold(.replaceContents)
        try await domain.overwrite("file", "one")
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.heldCount(.replaceContents) == 1
        }
        try await domain.save("file", "two")
        domain.provider.release(.replaceContents)
        try await Self.expectSame(domain, ["file": "two"])
    }

    /// The version of another client's file equals that of the sent one, and only the bytes differ.
    @Test(arguments: kinds, [false, true])
    func anotherClientsFileIsNotTakenForTheSentOne(
        _ versions: MemoryProvider.Versions, isRestarted: Bool
    ) async throws {
        let domain = try Self.domain(versions)
        let provider = domain.provider
        try await domain.list()
        provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                guard request.kind == .create else { return }
                if provider.identifier(at: "file") == nil { provider.addFile("file", "them") }
                throw .of(.serverUnreachable)
            }
        }
        try await domain.make("file", "mine")
        try await Self.waitForFailure(of: domain)
        if isRestarted { try domain.restart() }
        domain.provider.behave { $0.before = { (_) throws(ProviderError) in } }
        try await domain.settle()
        try await eventually {
            domain.clock.advance(by: 1)
            return try await domain.tree() == provider.tree
        }
        #expect(provider.tree.values.sorted() == ["mine", "them"])
        #expect(provider.tree["file"] == "them")
    }

    @Test(arguments: kinds) func anEditOutlivesTheIndex(_ versions: MemoryProvider.Versions) async throws {
        let domain = try Self.domain(versions)
        domain.provider.addFile("file", "old")
        domain.provider.addFile("other", "oth")
        _ = try await domain.tree()
        domain.provider.hold(.replaceContents)
        domain.provider.hold(.move)
        try await domain.overwrite("file", "new")
        try await domain.rename("other", "moved")
        let path = domain.configuration.dataFolder + "/index.db"
        try domain.restart { try Index.delete(path: path) }
        domain.provider.release(.replaceContents)
        domain.provider.release(.move)
        try await Self.expectSame(domain, ["file": "new", "moved": "oth"])
    }

    /// A change that keeps size and date is not seen. Once the local contents are gone, it is read.
    @Test(arguments: kinds)
    func aChangeThatKeepsTheVersionIsReadAfterEviction(_ versions: MemoryProvider.Versions) async throws {
        let domain = try Self.domain(versions)
        let identifier = domain.provider.addFile("file", "old")
        #expect(try await domain.read("file") == "old")
        domain.provider.write("new", to: identifier)
        domain.engine.signal(container: nil)
        try await domain.waitUntilIdle()
        let number = try await domain.item("file").number
        try await domain.engine.doing { try $0.evict(number) }
        #expect(try await domain.read("file") == "new")
        try await domain.overwrite("file", "two")
        try await Self.expectSame(domain, ["file": "two"])
    }

    /// Files of one version change their names, and each keeps its own contents.
    @Test(arguments: kinds, [false, true])
    func filesOfOneVersionChangeTheirNames(
        _ versions: MemoryProvider.Versions, identifiersArePaths: Bool
    ) async throws {
        let domain = try Self.domain(versions)
        domain.provider.behave { $0.identifiersArePaths = identifiersArePaths }
        domain.provider.addFile("a", "one")
        domain.provider.addFile("b", "two")
        _ = try await domain.tree()
        let (one, two) = (try await domain.item("a").number, try await domain.item("b").number)
        try await domain.rename("a", "b", .exchanging)
        try await Self.expectSame(domain, ["a": "two", "b": "one"])
        #expect(try await domain.item("b").number == one)
        #expect(try await domain.item("a").number == two)
        #expect(domain.provider.count(.create) == 0)
    }
}

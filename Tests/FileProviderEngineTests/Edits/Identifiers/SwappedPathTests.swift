import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

/// Tests of two items that change their names by way of a third name, at a provider whose identifiers are paths. The
/// reply to one of the moves is lost.
@Suite(.ownThreads) struct SwappedPathTests {
    private static let renames = [("a", "t"), ("b", "a"), ("t", "b")]

    /// Creates a domain with the items `a` and `b`, and loses the reply to one of the moves. All later requests that
    /// could reveal the outcome are held.
    private static func domain(
        losing position: Int, afterwards isAfter: Bool, ofFolders areFolders: Bool = false,
        versions: MemoryProvider.Versions = .counted
    ) throws -> TestDomain {
        let domain = try TestDomain()
        let provider = domain.provider
        provider.behave { behaviour in
            behaviour.identifiersArePaths = true
            behaviour.versions = versions
        }
        for (name, text) in [("a", "one"), ("b", "two")] {
            if areFolders {
                provider.addFile(text, text, in: provider.addFolder(name))
            } else {
                provider.addFile(name, text)
            }
        }
        let count = Lock(0)
        provider.behave { behaviour in
            let lose: @Sendable (MemoryProvider.Request) async throws(ProviderError) -> Void = {
                request throws(ProviderError) in
                guard request.kind == .move else { return }
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                guard number == position else { return }
                provider.hold(.item)
                provider.hold(.move)
                throw .of(.serverUnreachable)
            }
            if isAfter { behaviour.after = lose } else { behaviour.before = lose }
        }
        return domain
    }

    /// Renames the items. Each move is sent before the next rename, until the reply to one is lost.
    private static func rename(in domain: TestDomain, losing position: Int) async throws {
        for (order, (from, to)) in renames.enumerated() {
            try await domain.rename(from, to)
            guard order < position else { continue }
            try await eventually {
                domain.clock.advance(by: 1)
                let items = try await domain.status().items
                return order + 1 == position ? items.contains { $0.failure != nil } : items.isEmpty
            }
        }
    }

    private static func expectSwapped(
        _ domain: TestDomain, _ restart: TestDomain.Restart, _ tree: [String: String], _ one: ItemNumber,
        _ two: ItemNumber
    ) async throws {
        let provider = domain.provider
        try domain.restart(restart)
        provider.release(.item)
        provider.release(.move)
        try await domain.settleOnProvider()
        #expect(provider.tree == tree)
        #expect(try await domain.status().events.isEmpty)
        let sent: Set<MemoryProvider.Kind> = [.create, .replaceContents, .delete]
        #expect(provider.requests.allSatisfy { !sent.contains($0.kind) })
        // Without the index, only items with an edit keep their numbers.
        guard restart != .withoutIndex else { return }
        #expect(try await domain.item("b").number == one)
        #expect(try await domain.item("a").number == two)
    }

    @Test(arguments: 1...3, TestDomain.Restart.allCases)
    func filesKeepTheirContents(losing position: Int, _ restart: TestDomain.Restart) async throws {
        for isAfter in [true, false] {
            let domain = try Self.domain(losing: position, afterwards: isAfter)
            _ = try await domain.tree()
            let (one, two) = (try await domain.item("a").number, try await domain.item("b").number)
            try await Self.rename(in: domain, losing: position)
            try await Self.expectSwapped(domain, restart, ["a": "two", "b": "one"], one, two)
        }
    }

    @Test(arguments: 1...3, TestDomain.Restart.allCases)
    func foldersKeepTheirItems(losing position: Int, _ restart: TestDomain.Restart) async throws {
        for isAfter in [true, false] {
            let domain = try Self.domain(losing: position, afterwards: isAfter, ofFolders: true)
            _ = try await domain.tree()
            let (one, two) = (try await domain.item("a").number, try await domain.item("b").number)
            try await Self.rename(in: domain, losing: position)
            let tree = ["a": "/", "a/two": "two", "b": "/", "b/one": "one"]
            try await Self.expectSwapped(domain, restart, tree, one, two)
        }
    }

    /// The provider gives no versions, so that both files have the same one.
    @Test(arguments: 1...3, TestDomain.Restart.allCases)
    func filesOfOneVersionKeepTheirContents(losing position: Int, _ restart: TestDomain.Restart) async throws {
        for (isAfter, versions) in [(true, MemoryProvider.Versions.sizes), (true, .missing), (false, .sizes)] {
            let domain = try Self.domain(losing: position, afterwards: isAfter, versions: versions)
            _ = try await domain.tree()
            let (one, two) = (try await domain.item("a").number, try await domain.item("b").number)
            try await Self.rename(in: domain, losing: position)
            try await Self.expectSwapped(domain, restart, ["a": "two", "b": "one"], one, two)
        }
    }

    /// All renames are done before the first move is sent, so that the engine exchanges the items by a temporary name.
    @Test(arguments: 1...3, TestDomain.Restart.allCases)
    func anExchangeAtOnceIsMadeOnce(losing position: Int, _ restart: TestDomain.Restart) async throws {
        for isAfter in [true, false] {
            let domain = try Self.domain(losing: position, afterwards: isAfter)
            _ = try await domain.tree()
            let (one, two) = (try await domain.item("a").number, try await domain.item("b").number)
            for (from, to) in Self.renames { try await domain.rename(from, to) }
            try await eventually {
                domain.clock.advance(by: 1)
                let items = try await domain.status().items
                return items.isEmpty || items.contains { $0.failure?.kind == .serverUnreachable }
            }
            try await Self.expectSwapped(domain, restart, ["a": "two", "b": "one"], one, two)
        }
    }

    /// A new directory has the former name of a file that was moved into it. The steps of all items begin at the same
    /// time, whenever the user retries.
    @Test(arguments: [false, true])
    func aFileIsMovedIntoTheDirectoryWithItsName(identifiersArePaths: Bool) async throws {
        let domain = try TestDomain()
        let provider = domain.provider
        provider.behave { behaviour in
            behaviour.identifiersArePaths = identifiersArePaths
            behaviour.before = { request throws(ProviderError) in
                guard request.kind == .item else { return }
                for _ in 0..<200 { await Task.yield() }
            }
        }
        provider.addFile("c", "text")
        _ = try await domain.tree()
        // The new directory is sent first, and collides with the file.
        try await domain.rename("c", "t")
        try await domain.makeFolder("c")
        try await domain.makeFolder("c/c")
        try await domain.rename("t", "c/c/d")
        try await eventually {
            if try await domain.status().items.isEmpty { return true }
            try await domain.engine.doing { $0.retry() }
            for _ in 0..<6 {
                domain.clock.advance(by: 20)
                for _ in 0..<500 { await Task.yield() }
            }
            return false
        }
        #expect(provider.tree == ["c": "/", "c/c": "/", "c/c/d": "text"])
        #expect(try await domain.tree() == provider.tree)
    }
}

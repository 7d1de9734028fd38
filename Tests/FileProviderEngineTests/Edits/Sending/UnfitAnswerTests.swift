import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

/// Tests of replies to a creation that cannot belong to the new item: nothing is created twice because of them.
@Suite(.ownThreads) struct UnfitAnswerTests {
    /// Makes a provider that does not support links store a plain file under the link's name, or under another name.
    private func storesFiles(_ provider: MemoryProvider, as name: String? = nil) {
        provider.behave { behaviour in
            behaviour.created = { made in
                guard made.kind == .symbolicLink else { return made }
                provider.update(made.identifier) { item in
                    item.kind = .file
                    item.linkTarget = nil
                    if let name { item.filename = name }
                }
                return provider.item(of: made.identifier) ?? made
            }
        }
    }

    private func isHeld(_ domain: TestDomain, _ name: String) async throws -> Bool {
        domain.clock.advance(by: 1)
        return try await domain.status().items.contains {
            $0.name == name && $0.isHeld && $0.failure?.kind == .cannotSynchronize
        }
    }

    @Test(arguments: [nil, "stored as"]) func aLinkThatWasStoredAsAFileWaitsForTheUser(_ name: String?) async throws {
        let domain = try TestDomain()
        let provider = domain.provider
        storesFiles(provider, as: name)
        try await domain.makeLink("link", to: "target")
        try await eventually { try await isHeld(domain, "link") }
        domain.clock.advance(by: 1e6)
        try await domain.settle()
        #expect(provider.count(.create) == 1)
        #expect(try await domain.item("link").item.linkTarget == "target")
        // The failure outlives a restart.
        try domain.restart()
        try await eventually { try await isHeld(domain, "link") }
        domain.clock.advance(by: 1e6)
        try await domain.settle()
        #expect(provider.count(.create) == 1)
        #expect(provider.tree.count == 1)
    }

    @Test func aFileInPlaceOfASentLinkIsNotRecreatedByARetry() async throws {
        let domain = try TestDomain()
        let provider = domain.provider
        storesFiles(provider)
        try await domain.makeLink("link", to: "target")
        try await eventually { try await isHeld(domain, "link") }
        try await domain.engine.doing { $0.retry() }
        try await eventually { try await isHeld(domain, "link") }
        #expect(provider.count(.create) == 1)
        // Once the plain file is gone and links are supported, the link is created.
        provider.behave { $0.created = nil }
        if let stored = provider.identifier(at: "link") { provider.remove(stored) }
        try await domain.engine.doing { $0.retry() }
        try await domain.settle()
        #expect(provider.tree == ["link": "->target"])
        #expect(try await domain.tree() == provider.tree)
    }

    @Test func anItemCreatedWithAnUnreadableReplyIsFound() async throws {
        let domain = try TestDomain()
        domain.provider.behave { behaviour in
            behaviour.after = { request throws(ProviderError) in
                if request.kind == .create { throw .of(.badAnswer) }
            }
        }
        try await domain.make("file.txt", "mine")
        try await domain.settle()
        #expect(domain.provider.count(.create) == 1)
        #expect(domain.provider.tree == ["file.txt": "mine"])
        #expect(try await domain.tree() == domain.provider.tree)
    }

    @Test func anAnswerThatIsWrongAgainAndAgainWaitsForTheUser() async throws {
        let domain = try TestDomain { $0.refreshAge = 1e9 }
        let provider = domain.provider
        provider.addFile("file.txt", "x")
        provider.behave { behaviour in
            behaviour.moved = { moved in
                var answer = moved
                answer.kind = .folder
                return answer
            }
        }
        // The change feed would report that the item has been moved, and end the edit.
        provider.hold(.changes)
        try await domain.rename("file.txt", "renamed.txt")
        try await eventually { try await isHeld(domain, "renamed.txt") }
        let count = provider.count(.move)
        domain.clock.advance(by: 1e6)
        try await domain.settle()
        #expect(provider.count(.move) == count)
        provider.behave { $0.moved = nil }
        provider.release(.changes)
        try await domain.engine.doing { $0.retry() }
        try await domain.settle()
        #expect(try await domain.tree() == ["renamed.txt": "x"])
        #expect(provider.tree == ["renamed.txt": "x"])
    }

    @Test func aLinkWhoseTargetTheProviderDoesNotRepeatLeadsToItStill() async throws {
        let domain = try TestDomain()
        let provider = domain.provider
        provider.behave { behaviour in
            behaviour.created = { made in
                provider.update(made.identifier) { $0.linkTarget = nil }
                return provider.item(of: made.identifier) ?? made
            }
        }
        try await domain.makeLink("link", to: "target")
        try await domain.settle()
        #expect(try await domain.item("link").item.linkTarget == "target")
        domain.provider.addFile("sign")
        domain.engine.signal(container: nil)
        try await eventually { try domain.names().contains("sign") }
        #expect(try await domain.item("link").item.linkTarget == "target")
    }

    @Test func noLinkIsMadeForAProviderThatTakesNone() async throws {
        let domain = try TestDomain { $0.takesSymbolicLinks = false }
        let failure = await errno { try await domain.makeLink("link", to: "target") }
        #expect(failure == .notPermitted)
        #expect(try domain.names() == [])
    }
}

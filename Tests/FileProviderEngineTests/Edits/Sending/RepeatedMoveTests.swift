import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import ProviderTesting
import TestThreads
import Testing

/// Tests of moves that are repeated because their reply was lost or unfit. Another client may have used the former path
/// again.
@Suite(.ownThreads) struct RepeatedMoveTests {
    /// Renames an item to `renamed`. The provider does it, and another client changes the service before the move is
    /// repeated.
    ///
    /// - Parameter isUnfit: Whether the first reply is about an item of another kind, instead of being lost.
    private static func rename(
        _ name: String, of domain: TestDomain, isRestarted: Bool = false, isUnfit: Bool = false,
        _ others: (MemoryProvider) -> Void
    ) async throws {
        let provider = domain.provider
        provider.behave { behaviour in
            behaviour.after = { request throws(ProviderError) in
                guard request.kind == .move else { return }
                provider.hold(.item)
                provider.hold(.move)
                if !isUnfit { throw .of(.serverUnreachable) }
            }
            if isUnfit {
                behaviour.moved = { moved in
                    var answer = moved
                    answer.kind = moved.kind == .folder ? .file : .folder
                    return answer
                }
            }
        }
        try await domain.rename(name, "renamed")
        try await eventually {
            if provider.identifier(at: "renamed") == nil { domain.clock.advance(by: 1) }
            return try await domain.status().items.first?.failure != nil
        }
        provider.behave { behaviour in
            behaviour.after = { (_) throws(ProviderError) in }
            behaviour.moved = nil
        }
        others(provider)
        if isRestarted { try domain.restart() }
        provider.release(.move)
        provider.release(.item)
        try await domain.settle()
        provider.release(.changes)
        try await domain.settleOnProvider()
        #expect(provider.count(.create) == 0)
    }

    private static func domain() throws -> TestDomain {
        let domain = try TestDomain()
        domain.provider.behave { $0.identifiersArePaths = true }
        return domain
    }

    @Test(arguments: [false, true]) func aNewFolderStaysInTheFormerPlaceOfAFile(isRestarted: Bool) async throws {
        let domain = try Self.domain()
        domain.provider.addFile("item", "text")
        _ = try await domain.tree()
        try await Self.rename("item", of: domain, isRestarted: isRestarted) { provider in
            // Another client also removes the moved file, so that nothing would refuse the repeated move.
            provider.remove("/renamed")
            provider.addFolder("item")
        }
        #expect(domain.provider.tree == ["item": "/"])
    }

    /// Many small providers move with a system call that replaces what has the name.
    @Test(arguments: [false, true]) func aNewFileDoesNotReplaceTheMovedOne(isRestarted: Bool) async throws {
        let domain = try Self.domain()
        domain.provider.behave { $0.movesReplace = true }
        domain.provider.addFile("item", "old")
        _ = try await domain.tree()
        let number = try await domain.item("item").number
        try await Self.rename("item", of: domain, isRestarted: isRestarted) { $0.addFile("item", "new") }
        #expect(domain.provider.tree == ["item": "new", "renamed": "old"])
        #expect(try await domain.item("renamed").number == number)
        #expect(domain.provider.count(.move) == 1)
    }

    @Test func aNewFileDoesNotReplaceTheMovedOneAfterAnUnfitReply() async throws {
        let domain = try Self.domain()
        domain.provider.behave { $0.movesReplace = true }
        domain.provider.addFile("item", "old")
        _ = try await domain.tree()
        try await Self.rename("item", of: domain, isUnfit: true) { $0.addFile("item", "new") }
        #expect(domain.provider.tree == ["item": "new", "renamed": "old"])
        #expect(domain.provider.count(.move) == 1)
    }

    /// The reply did not fit, so that the provider has to reply once more although the item is in its place.
    @Test func aMoveWithAnUnfitReplyIsRepeated() async throws {
        let domain = try TestDomain { $0.refreshAge = 1e9 }
        domain.provider.addFile("item", "text")
        _ = try await domain.tree()
        // The change feed would report that the item has been moved, and end the edit.
        domain.provider.hold(.changes)
        try await Self.rename("item", of: domain, isUnfit: true) { _ in }
        #expect(domain.provider.count(.move) == 2)
    }

    /// A restart ends the count of unfit replies.
    @Test func aMoveWithAnUnfitReplyIsNotRepeatedAfterARestart() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("item", "text")
        _ = try await domain.tree()
        try await Self.rename("item", of: domain, isRestarted: true, isUnfit: true) { _ in }
        #expect(domain.provider.tree == ["renamed": "text"])
        #expect(domain.provider.count(.move) == 1)
    }

    /// Both are directories, and only the moved one holds what was in it.
    @Test(arguments: [false, true]) func aNewFolderStaysInTheFormerPlaceOfAFolder(isRestarted: Bool) async throws {
        let domain = try Self.domain()
        let folder = domain.provider.addFolder("item")
        domain.provider.addFile("inner", "inner", in: folder)
        _ = try await domain.tree()
        let (number, inner) = (try await domain.item("item").number, try await domain.item("item/inner").number)
        try await Self.rename("item", of: domain, isRestarted: isRestarted) { provider in
            let folder = provider.addFolder("item")
            provider.addFile("other", "other", in: folder)
        }
        let tree = ["item": "/", "item/other": "other", "renamed": "/", "renamed/inner": "inner"]
        #expect(domain.provider.tree == tree)
        #expect(try await domain.item("renamed").number == number)
        #expect(try await domain.item("renamed/inner").number == inner)
        #expect(domain.provider.count(.move) == 1)
    }

    /// The provider did not move the file. Its contents have another version, which is no reason to keep the name.
    @Test func aFileThatWasChangedMeanwhileIsMoved() async throws {
        let domain = try Self.domain()
        domain.provider.addFile("item", "old")
        _ = try await domain.tree()
        domain.provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                if request.kind == .move { throw .of(.serverUnreachable) }
            }
        }
        try await domain.rename("item", "renamed")
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.count(.move) > 0
        }
        domain.provider.write("new", to: "/item")
        domain.provider.behave { $0.before = { (_) throws(ProviderError) in } }
        try await domain.settle()
        domain.engine.signal(container: nil)
        try await eventually {
            domain.clock.advance(by: 1)
            return try await domain.tree() == ["renamed": "new"]
        }
        #expect(domain.provider.tree == ["renamed": "new"])
    }

    /// Identifiers that stay show by themselves that the item has moved.
    @Test func aMoveThatHappenedIsNotRepeated() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("item", "text")
        _ = try await domain.tree()
        try await Self.rename("item", of: domain) { _ in }
        #expect(domain.provider.tree == ["renamed": "text"])
        #expect(domain.provider.count(.move) == 1)
    }
}

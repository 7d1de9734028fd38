import FileProvider
import FileProviderEngine
import FileProviderWire
import ProviderTesting
import TestThreads
import Testing

/// Tests of moves whose reply is lost.
@Suite(.ownThreads)
struct LostMoveTests {
    /// Creates a domain in which a file was moved to a directory and back. The first move was sent, and its reply was
    /// lost.
    private func movedBack(isMoved: Bool, afterRestart: Bool) async throws -> TestDomain {
        let domain = try TestDomain { $0.refreshAge = 1e9 }
        domain.provider.addFile("file.txt", "text", in: domain.provider.addFolder("From"))
        domain.provider.addFolder("To")
        _ = try await domain.tree()
        let lost = ProviderError.of(.processEnded)
        domain.provider.behave { behaviour in
            let fail: @Sendable (MemoryProvider.Request) async throws(ProviderError) -> Void = {
                (request) throws(ProviderError) in
                if request.kind == .move { throw lost }
            }
            if isMoved { behaviour.after = fail } else { behaviour.before = fail }
        }
        try await domain.rename("From/file.txt", "To/file.txt")
        try await eventually {
            if domain.provider.count(.move) == 0 { domain.clock.advance(by: 1) }
            return try await domain.status().items.first?.failure != nil
        }
        #expect(domain.provider.tree.keys.contains("To/file.txt") == isMoved)
        if afterRestart { try domain.restart() }
        domain.provider.behave { behaviour in
            behaviour.before = { (_) throws(ProviderError) in }
            behaviour.after = { (_) throws(ProviderError) in }
        }
        try await domain.rename("To/file.txt", "From/file.txt")
        return domain
    }

    @Test(arguments: [true, false]) func aFileThatIsMovedBackStaysWhereItIs(afterRestart: Bool) async throws {
        let domain = try await movedBack(isMoved: true, afterRestart: afterRestart)
        try await domain.removeFolder("To")
        domain.engine.signal(container: nil)
        try await domain.settle()
        #expect(domain.provider.tree == ["From": "/", "From/file.txt": "text"])
        #expect(try await domain.tree() == domain.provider.tree)
    }

    @Test(arguments: [true, false]) func itemsThatNeverMovedAreNotMoved(afterRestart: Bool) async throws {
        let domain = try await movedBack(isMoved: false, afterRestart: afterRestart)
        let moves = domain.provider.count(.move)
        try await domain.settle()
        // Some providers refuse to give an item the name that it has.
        #expect(domain.provider.count(.move) == moves)
        #expect(domain.provider.tree == ["From": "/", "From/file.txt": "text", "To": "/"])
        #expect(try await domain.tree() == domain.provider.tree)
        // From then on, the item behaves as if it had never been moved.
        try await domain.rename("From/file.txt", "To/file.txt")
        try await domain.rename("To/file.txt", "From/file.txt")
        #expect(try await domain.status().items.isEmpty)
    }
}

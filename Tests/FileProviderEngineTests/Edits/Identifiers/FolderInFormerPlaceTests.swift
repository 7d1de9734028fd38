import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

/// Tests of an item that moves away and then into a new directory with its former name. The reply to the first move is
/// lost, at a provider whose identifiers are paths: the new directory gets the identifier that the item had.
@Suite(.ownThreads) struct FolderInFormerPlaceTests {
    @Test(arguments: ["file", "folder"], TestDomain.Restart.allCases)
    func theItemIsMovedIntoTheNewDirectory(kind: String, _ restart: TestDomain.Restart) async throws {
        for isAfter in [true, false] {
            let domain = try TestDomain()
            let provider = domain.provider
            provider.behave { $0.identifiersArePaths = true }
            if kind == "file" {
                provider.addFile("a", "text")
            } else {
                provider.addFile("inner", "text", in: provider.addFolder("a"))
            }
            _ = try await domain.tree()
            let number = try await domain.item("a").number
            let isLost = Lock(false)
            provider.behave { behaviour in
                let lose: @Sendable (MemoryProvider.Request) async throws(ProviderError) -> Void = {
                    request throws(ProviderError) in
                    guard request.kind == .move,
                        isLost.withLock({ lost in
                            defer { lost = true }
                            return !lost
                        })
                    else { return }
                    for kind in [MemoryProvider.Kind.item, .move, .create, .page, .changes] { provider.hold(kind) }
                    throw .of(.serverUnreachable)
                }
                if isAfter { behaviour.after = lose } else { behaviour.before = lose }
            }
            try await domain.rename("a", "t")
            try await eventually {
                domain.clock.advance(by: 1)
                return isLost.withLock { $0 }
            }
            try await domain.makeFolder("a")
            try await domain.rename("t", "a/b")
            try domain.restart(restart)
            for kind in [MemoryProvider.Kind.item, .move, .create, .page, .changes] { provider.release(kind) }
            try await domain.settleOnProvider()
            let tree = kind == "file" ? ["a": "/", "a/b": "text"] : ["a": "/", "a/b": "/", "a/b/inner": "text"]
            #expect(provider.tree == tree, "the move was \(isAfter ? "" : "not ")done")
            #expect(try await domain.tree() == tree)
            #expect(try await domain.item("a/b").number == number)
            #expect(try await domain.status().events.isEmpty)
        }
    }
}

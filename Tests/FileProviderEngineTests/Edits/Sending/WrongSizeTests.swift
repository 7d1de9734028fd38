import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemValues
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

/// Tests of providers that report a wrong size of their files.
@Suite(.ownThreads) struct WrongSizeTests {
    static let sizes: [Int64] = [0, 2, 1000]

    /// Makes the provider accept an upload, report a wrong size from then on, and lose its reply.
    private func loseAnswer(to kind: MemoryProvider.Kind, saying size: Int64, _ provider: MemoryProvider) {
        let isLost = Lock(false)
        provider.behave { behaviour in
            behaviour.after = { [unowned provider] request throws(ProviderError) in
                guard request.kind == kind, !isLost.withLock({ $0 }) else { return }
                isLost.withLock { $0 = true }
                if let identifier = provider.identifier(at: "file.txt") {
                    provider.update(identifier) { $0.size = size }
                }
                throw .of(.processEnded)
            }
        }
    }

    @Test(arguments: sizes) func anEditWhoseAnswerIsLostIsNoConflict(size: Int64) async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file.txt", "old")
        loseAnswer(to: .replaceContents, saying: size, domain.provider)
        try await domain.overwrite("file.txt", "mine")
        try await domain.settle()
        #expect(domain.provider.tree == ["file.txt": "mine"])
        #expect(try await domain.tree() == ["file.txt": "mine"])
        #expect(domain.provider.count(.replaceContents) == 1)
    }

    @Test(arguments: sizes) func aNewFileWhoseAnswerIsLostIsThereOnce(size: Int64) async throws {
        let domain = try TestDomain()
        loseAnswer(to: .create, saying: size, domain.provider)
        try await domain.make("file.txt", "mine")
        try await domain.settle()
        #expect(domain.provider.tree == ["file.txt": "mine"])
        #expect(try await domain.tree() == ["file.txt": "mine"])
    }

    @Test(arguments: sizes) func itemsSentBeforeTheirRemovalAreRemoved(size: Int64) async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file.txt", "old")
        loseAnswer(to: .replaceContents, saying: size, domain.provider)
        try await domain.overwrite("file.txt", "mine")
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.text(at: "file.txt") == "mine"
        }
        try await eventually { try await domain.status().items.allSatisfy { !$0.isUnderWay } }
        try await domain.remove("file.txt")
        try await domain.settle()
        #expect(domain.provider.tree == [:])
        #expect(try await domain.tree() == [:])
    }

    @Test func muchLargerContentsAreNotFetchedForAComparison() async throws {
        let domain = try TestDomain()
        let identifier = domain.provider.addFile("file.txt", "old")
        try await domain.overwrite("file.txt", "mine")
        domain.provider.write("theirs", to: identifier)
        domain.provider.update(identifier) { $0.size = 1 << 30 }
        try await domain.settle()
        #expect(domain.provider.count(.contents) == 0)
        #expect(domain.provider.tree.values.sorted() == ["mine", "theirs"])
    }
}

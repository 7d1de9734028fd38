import FileProvider
import FileProviderEngine
import FileTesting
import ItemStore
import ProviderTesting
import TestThreads
import Testing

/// Tests of what remains after an engine's end.
@Suite(.ownThreads)
struct ClosingTests {
    @Test func anEngineThatWasClosedLeavesNothingOpen() async throws {
        let folder = try TestFolder()
        try await use(folder)
        // The path with a slash excludes the test's own descriptor of the folder.
        try await eventually { try openDescriptors(beneath: folder.path + "/") == 0 }
    }

    /// Opens a domain, performs operations of every kind, and closes the domain while some are in progress.
    private func use(_ folder: TestFolder) async throws {
        let provider = MemoryProvider()
        provider.addFile("known", "contents")
        let clock = SimulatedClock()
        let configuration = DomainConfiguration(
            identifier: "test", displayName: "Test", dataFolder: folder.path + "/data",
            cacheFolder: folder.path + "/cache")
        let engine = try DomainEngine(configuration: configuration, provider: provider, clock: clock)
        try await engine.wait(for: .root, .complete)
        let known = try #require(try engine.index.item(named: "known", in: .root))
        try await engine.download(known.number)
        _ = try engine.search.search(SearchQuery(words: ["known"]))
        engine.search.catchUp()
        provider.hold(.create)
        try await engine.doing { engine in _ = try engine.makeFolder(named: "new", in: .root, mode: 0o755) }
        try await eventually {
            clock.advance(by: 1)
            return provider.heldCount(.create) == 1
        }
        await engine.close()
    }
}

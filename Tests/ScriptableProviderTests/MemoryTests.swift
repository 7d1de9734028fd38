import FileProviderEngine
import ItemStore
import ScriptableService
import TestThreads
import Testing

/// Extensions that take too much memory, under the limit that they run with.
@Suite(.ownThreads, .timeLimit(.minutes(20))) struct MemoryTests {
    @Test func anExtensionThatIsKilledForItsMemoryWhileItListsGoesOnFromItsLastPage() async throws {
        try await ScriptedCloudFixture.with(memory: 128) { stage in
            try stage.control.change { $0.pageLimit = 50 }
            try stage.control.fill("many", count: 800)
            let many = try stage.identifier("many")
            let engine = try DomainEngine(
                configuration: DomainConfiguration(
                    identifier: "test", displayName: "Test", dataFolder: stage.root + "/domain",
                    cacheFolder: stage.root + "/cache"), provider: stage.provider)
            try await engine.wait(for: .root, .complete)
            try stage.control.forgetRequests()
            try stage.hoard(mebibytes: 20)
            let folder = try #require(try engine.index.item(named: "many", in: .root)).number
            try await engine.wait(for: folder, .complete)

            #expect(try engine.index.childCount(of: folder) == 800)
            let pages = try stage.control.requests().compactMap { request -> Int?? in
                guard case .page(many, let after, _) = request else { return nil }
                return after
            }
            // The extension was killed more than once, each time at a page that the next process was asked for again,
            // and never at the first page.
            #expect(pages.count >= Set(pages).count + 2, "\(pages)")
            #expect(Set(pages).count == 16, "\(pages)")
            #expect(pages.count { $0 == nil } == 1, "\(pages)")
            await engine.close()
        }
    }
}

import FileProvider
import FileProviderEngine
import ProviderTesting
import TestThreads
import Testing

/// What signals do to edits that the provider has and its service has not.
@Suite(.ownThreads) struct SignalTests {
    @Test func signalsThatComeTogetherHaveUploadsLookedAtOnce() async throws {
        let domain = try TestDomain()
        domain.provider.behave { $0.confirmsUploads = false }
        try await domain.make("file.txt", "x")
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.tree == ["file.txt": "x"]
        }
        try await eventually { try await domain.engine.doing { !$0.isBusy } }
        let engine = domain.engine
        let before = await engine.signalCount
        // Nothing else is done on the engine's thread before all of them are there.
        try await engine.doing { engine in
            for number in 0..<10_000 { engine.signal(container: number % 10 == 0 ? "none \(number)" : nil) }
        }
        try await eventually { await engine.signalCount > before }
        // The signals came before this.
        #expect(await engine.signalCount == before + 1)
        domain.provider.confirmUploads()
        engine.signal(container: nil)
        try await domain.settle()
        #expect(await engine.signalCount == before + 2)
    }
}

import FileProvider
import FileProviderEngine
import ProviderTesting
import TestThreads
import Testing

/// Tests of signals while edits wait for confirmation by the provider's service.
@Suite(.ownThreads) struct SignalTests {
    @Test func signalsThatComeTogetherHaveUploadsLookedAtOnce() async throws {
        let domain = try TestDomain()
        domain.provider.behave { $0.confirmsUploads = false }
        try await domain.make("file.txt", "x")
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.tree == ["file.txt": "x"]
        }
        try await domain.waitUntilIdle()
        let engine = domain.engine
        let before = await engine.signalCount
        // The closure occupies the engine's thread until all signals have come.
        try await engine.doing { engine in
            for number in 0..<10_000 { engine.signal(container: number % 10 == 0 ? "none \(number)" : nil) }
        }
        try await eventually { await engine.signalCount > before }
        // The request for the count is queued after the signals.
        #expect(await engine.signalCount == before + 1)
        domain.provider.confirmUploads()
        engine.signal(container: nil)
        try await domain.settle()
        #expect(await engine.signalCount == before + 2)
    }
}

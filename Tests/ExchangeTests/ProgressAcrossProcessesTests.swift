import Exchange
import Foundation
import Glibc
import ItemProvider
import Synchronization
import Testing
import UniformTypeIdentifiers

@Suite struct ProgressAcrossProcessesTests {
    /// Starts a load of the board's first item, and returns its progress and its outcome.
    private func load(_ daemon: PrivateDaemon) async throws -> (Progress, Outcome) {
        let item = try #require(try await daemon.board().items().first)
        let outcome = Outcome()
        let progress = item.loadDataRepresentation(for: .png) { outcome.set($0, $1) }
        return (progress, outcome)
    }

    @Test func theProvidersProgressIsShownToTheConsumer() async throws {
        try await PrivateDaemon.run { daemon in
            let provider = try daemon.peer()
            _ = try await provider.ask("offer board slow public.png", "offered")
            let (progress, outcome) = try await load(daemon)
            #expect(!progress.isFinished)
            _ = try await provider.hear("handler called")
            for percent in [10, 45, 80] {
                provider.tell("advance \(percent)")
                await eventually { abs(progress.fractionCompleted - Double(percent) / 100) < 0.01 }
            }
            provider.tell("finish")
            #expect(try await outcome.value() == Data("done".utf8))
            #expect(progress.isFinished)
        }
    }

    @Test func cancellingReachesTheProvidersHandler() async throws {
        try await PrivateDaemon.run { daemon in
            let provider = try daemon.peer()
            _ = try await provider.ask("offer board slow public.png", "offered")
            let (progress, outcome) = try await load(daemon)
            _ = try await provider.hear("handler called")
            progress.cancel()
            await #expect(throws: CocoaError.self) { try await outcome.value() }
            _ = try await provider.hear("handler cancelled")
        }
    }

    @Test func theEndOfTheConsumerCancelsItsLoads() async throws {
        try await PrivateDaemon.run { daemon in
            let provider = try daemon.peer()
            let consumer = try daemon.peer()
            _ = try await provider.ask("offer board slow public.png", "offered")
            _ = try await consumer.ask("load board public.png data", "loading")
            _ = try await provider.hear("handler called")
            consumer.signal(SIGKILL)
            _ = try await provider.hear("handler cancelled")
            // The provider continues to serve.
            let (_, outcome) = try await load(daemon)
            _ = try await provider.hear("handler called")
            provider.tell("finish")
            #expect(try await outcome.value() == Data("done".utf8))
        }
    }

    @Test func aStoppedProviderDelaysOnlyItsLoads() async throws {
        try await PrivateDaemon.run { daemon in
            let provider = try daemon.peer()
            let other = try daemon.peer()
            _ = try await provider.ask("offer board slow public.png", "offered")
            let (progress, outcome) = try await load(daemon)
            _ = try await provider.hear("handler called")
            try provider.stop()
            // The daemon and other providers continue, and loads can be cancelled.
            _ = try await other.ask("offer other data public.png 5000", "offered")
            let item = try #require(try await daemon.board("other").items().first)
            #expect(try await item.loadDataRepresentation(for: .png).count == 5000)
            progress.cancel()
            await #expect(throws: CocoaError.self) { try await outcome.value() }
            // New loads of the stopped provider's item wait, and can be cancelled as well.
            let (second, secondOutcome) = try await load(daemon)
            second.cancel()
            await #expect(throws: CocoaError.self) { try await secondOutcome.value() }
            // When the provider continues, it is notified of the cancellation and serves again.
            provider.signal(SIGCONT)
            _ = try await provider.hear("handler cancelled")
            let (_, third) = try await load(daemon)
            await eventually {
                provider.tell("finish")
                return third.count == 1
            }
            #expect(try await third.value() == Data("done".utf8))
        }
    }

    @Test func manyConsumersOfAStoppedProviderWaitForIt() async throws {
        try await PrivateDaemon.run { daemon in
            let provider = try daemon.peer()
            _ = try await provider.ask("offer board data public.png 3", "offered")
            try provider.stop()
            // Each listing makes an item with a socket of its own. That is more than the daemon sends at a time.
            var outcomes: [Outcome] = []
            for _ in 0..<200 { outcomes.append(try await load(daemon).1) }
            provider.signal(SIGCONT)
            for outcome in outcomes { #expect(try await outcome.value().count == 3) }
        }
    }
}

/// The outcome of a load, which a test awaits.
final class Outcome: Sendable {
    private struct State {
        var result: Result<Data, any Error>?
        var count = 0
        var waiting: CheckedContinuation<Data, any Error>?
    }

    private let state = Mutex(State())

    func set(_ data: Data?, _ error: (any Error)?) {
        let result: Result<Data, any Error> =
            data.map { .success($0) } ?? .failure(error ?? Failure("neither data nor an error"))
        let waiting = state.withLock { state in
            state.result = result
            state.count += 1
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(with: result)
    }

    /// The number of calls of the completion handler.
    var count: Int { state.withLock { $0.count } }

    func value() async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            let result = state.withLock { state in
                if state.result == nil { state.waiting = continuation }
                return state.result
            }
            if let result { return continuation.resume(with: result) }
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(300)) { self.giveUp() }
        }
    }

    private func giveUp() {
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(throwing: Failure("the load did not end"))
    }
}

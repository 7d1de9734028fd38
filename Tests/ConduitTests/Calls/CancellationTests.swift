import Conduit
import ConduitTestMessages
import LinuxSystem
import Synchronization
import TestThreads
import Testing

@Suite(.timeLimit(.minutes(10)), .ownThreads) struct CancellationTests {
    @Test func aCancelledCallCompletesBeforeCancelReturnsAndTheOtherSideIsTold() async throws {
        let tests = TestService()
        let (client, _) = try Connection.pair(Service(), tests.service)
        defer { client.close() }
        let answer = Mutex<Result<Empty, ConduitError>?>(nil)
        let pending = client.call(Wait()) { result in answer.withLock { $0 = result } }
        pending.cancel()
        #expect(answer.withLock { $0 } == .failure(.cancelled))
        try await eventually { tests.cancelledWaits == 1 }
    }

    @Test func cancellingTwiceOrTooLateDoesNothing() async throws {
        let tests = TestService()
        let (client, _) = try Connection.pair(Service(), tests.service)
        defer { client.close() }
        let cancelled = Expectation<Void>()
        let pending = client.call(Wait()) { _ in cancelled.fulfill(()) }
        pending.cancel()
        pending.cancel()
        let answered = Expectation<Void>()
        let done = client.call(Echo(Parcel())) { _ in answered.fulfill(()) }
        try await answered.value()
        done.cancel()
        _ = try await client.call(Echo(Parcel()))
        #expect(cancelled.count == 1)
        #expect(answered.count == 1)
        #expect(tests.cancelledWaits == 1)
    }

    @Test func cancellingTheTaskCancelsTheCall() async throws {
        let tests = TestService()
        let (client, _) = try Connection.pair(Service(), tests.service)
        defer { client.close() }
        let task = Task { () async throws(ConduitError) -> Empty in try await client.call(Wait()) }
        try await eventually { tests.heldWaits == 1 }
        task.cancel()
        await #expect(throws: ConduitError.cancelled) { try await task.value }
        try await eventually { tests.cancelledWaits == 1 }
    }

    @Test func aCallInATaskThatIsCancelledAlreadyFailsAtOnce() async throws {
        let (client, _) = try Connection.pair(Service(), TestService().service)
        defer { client.close() }
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            _ = try await client.call(Wait())
        }
        task.cancel()
        await #expect(throws: ConduitError.cancelled) { try await task.value }
    }

    @Test func anAnswerToACancelledCallIsNotSeen() async throws {
        let tests = TestService()
        let (client, _) = try Connection.pair(Service(), tests.service)
        defer { client.close() }
        let completions = Expectation<Void>()
        let pending = client.call(Wait()) { _ in completions.fulfill(()) }
        try await eventually { tests.heldWaits == 1 }
        let exchange = try #require(tests.takeWaits().first)
        #expect(!exchange.isCancelled)
        pending.cancel()
        try await eventually { exchange.isCancelled }
        exchange.report(completed: 1, total: 2)
        exchange.reply()
        _ = try await client.call(Echo(Parcel()))
        #expect(completions.count == 1)
    }

    @Test func onCancelAfterTheCancellationRunsAtOnce() async throws {
        let tests = TestService()
        let (client, _) = try Connection.pair(Service(), tests.service)
        defer { client.close() }
        let pending = client.call(Wait()) { _ in }
        try await eventually { tests.heldWaits == 1 }
        let exchange = try #require(tests.takeWaits().first)
        pending.cancel()
        try await eventually { exchange.isCancelled }
        let calls = Mutex(0)
        exchange.onCancel { calls.withLock { $0 += 1 } }
        #expect(calls.withLock { $0 } == 1)
    }

    @Test func theCapturesOfACompletionAreReleasedWithTheCall() async throws {
        final class Witness: Sendable {
            let gone: Expectation<Void>
            init(_ gone: Expectation<Void>) { self.gone = gone }
            deinit { gone.fulfill(()) }
        }
        let (client, _) = try Connection.pair(Service(), TestService().service)
        defer { client.close() }
        let gone = Expectation<Void>()
        // Stands for an object that keeps its pending call in order to cancel it.
        let pending = { [witness = Witness(gone)] in
            client.call(Echo(Parcel())) { _ in withExtendedLifetime(witness) {} }
        }()
        try await gone.value()
        pending.cancel()
    }

    @Test func aThousandCallsCancelledFromManyThreadsCompleteOnceEach() async throws {
        let tests = TestService()
        let (client, _) = try Connection.pair(Service(), tests.service)
        defer { client.close() }
        let completions = Expectation<Void>()
        await withTaskGroup { group in
            for _ in 0..<1000 {
                group.addTask {
                    client.call(Echo(Parcel())) { _ in completions.fulfill(()) }.cancel()
                }
            }
        }
        _ = try await client.call(Echo(Parcel()))
        #expect(completions.count == 1000)
    }
}

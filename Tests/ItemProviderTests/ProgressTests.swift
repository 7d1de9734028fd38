import Foundation
import ItemProvider
import Synchronization
import Testing
import UniformTypeIdentifiers

@Suite struct ProgressTests {
    /// A provider whose handler passes its completion handler and its progress to the test.
    ///
    /// Sendable: the provider is only read after its creation, and everything else is protected by a lock.
    final class Held: @unchecked Sendable {
        let provider: NSItemProvider
        let progress: Progress
        let completion = Mutex<(@Sendable (Data?, (any Error)?) -> Void)?>(nil)
        let calls = Mutex(0)

        init(progress: Progress = Progress.discreteProgress(totalUnitCount: 100), returnsProgress: Bool = true) {
            self.progress = progress
            let made = NSItemProvider()
            provider = made
            made.registerDataRepresentation(for: .plainText) { completion in
                self.completion.withLock { $0 = completion }
                self.calls.withLock { $0 += 1 }
                return returnsProgress ? progress : nil
            }
        }

        func answer(_ data: Data?, _ error: (any Error)? = nil) {
            completion.withLock { $0 }?(data, error)
        }
    }

    @Test func aProgressIsReturnedUnfinishedAndIsFinishedAtCompletion() async throws {
        let held = Held(returnsProgress: false)
        let finishedAtCompletion = Mutex<Bool?>(nil)
        let shared = Mutex<Progress?>(nil)
        let progress = held.provider.loadDataRepresentation(for: .plainText) { _, _ in
            finishedAtCompletion.withLock { $0 = shared.withLock { $0?.isFinished } }
        }
        shared.withLock { $0 = progress }
        #expect(!progress.isFinished)
        #expect(progress.fractionCompleted < 1)
        try await until { held.calls.withLock { $0 } == 1 }
        held.answer(Data())
        try await until { finishedAtCompletion.withLock { $0 } != nil }
        #expect(finishedAtCompletion.withLock { $0 } == true)
        #expect(progress.fractionCompleted == 1)
    }

    @Test func theHandlersProgressIsMirrored() async throws {
        let held = Held()
        let progress = held.provider.loadDataRepresentation(for: .plainText) { _, _ in }
        try await until { held.calls.withLock { $0 } == 1 }
        held.progress.completedUnitCount = 50
        try await until { progress.fractionCompleted == 0.5 }
        held.progress.completedUnitCount = 80
        try await until { progress.fractionCompleted == 0.8 }
        held.answer(Data())
        try await until { progress.isFinished }
    }

    @Test func aProgressThatNeverMovesFinishesWithTheLoadAllTheSame() async throws {
        let held = Held()
        let progress = held.provider.loadDataRepresentation(for: .plainText) { _, _ in }
        try await until { held.calls.withLock { $0 } == 1 }
        held.answer(Data())
        try await until { progress.isFinished }
    }

    @Test func cancellingTheLoadCancelsTheHandlersProgressAndCompletesAtOnce() async throws {
        let held = Held()
        let outcome = Mutex<NSError?>(nil)
        let progress = held.provider.loadDataRepresentation(for: .plainText) { _, error in
            outcome.withLock { $0 = error as NSError? }
        }
        try await until { held.calls.withLock { $0 } == 1 }
        progress.cancel()
        try await until { outcome.withLock { $0 } != nil }
        #expect(outcome.withLock { $0?.isCancellation } == true)
        // The handler has been called, but may not have returned its progress yet.
        try await until { held.progress.isCancelled }
        #expect(progress.isCancelled)
        held.answer(Data("too late".utf8))
    }

    @Test func cancellingTheHandlersProgressCancelsTheLoad() async throws {
        let held = Held()
        let outcome = Mutex<NSError?>(nil)
        _ = held.provider.loadDataRepresentation(for: .plainText) { _, error in
            outcome.withLock { $0 = error as NSError? }
        }
        try await until { held.calls.withLock { $0 } == 1 }
        held.progress.cancel()
        try await until { outcome.withLock { $0 } != nil }
        #expect(outcome.withLock { $0?.isCancellation } == true)
    }

    @Test func aLoadCanBePartOfALargerProgress() async throws {
        let held = Held(returnsProgress: false)
        let whole = Progress.discreteProgress(totalUnitCount: 10)
        let progress = held.provider.loadDataRepresentation(for: .plainText) { _, _ in }
        whole.addChild(progress, withPendingUnitCount: 10)
        try await until { held.calls.withLock { $0 } == 1 }
        held.answer(Data())
        try await until { whole.isFinished }
    }

    @Test func aLoadDoesNotAttachItselfToTheCurrentProgress() {
        let whole = Progress.discreteProgress(totalUnitCount: 10)
        whole.becomeCurrent(withPendingUnitCount: 10)
        _ = Held().provider.loadDataRepresentation(for: .plainText) { _, _ in }
        whole.resignCurrent()
        #expect(whole.completedUnitCount == 10 || whole.completedUnitCount == 0)
    }

    @Test func aHandlerRunsOncePerLoadAndNeverAheadOfOne() async throws {
        let held = Held(returnsProgress: false)
        #expect(held.calls.withLock { $0 } == 0)
        for count in 1...3 {
            let done = Mutex(false)
            _ = held.provider.loadDataRepresentation(for: .plainText) { _, _ in done.withLock { $0 = true } }
            try await until { held.calls.withLock { $0 } == count }
            held.answer(Data())
            try await until { done.withLock { $0 } }
        }
        #expect(held.calls.withLock { $0 } == 3)
    }

    @Test func cancellingATaskCancelsItsLoad() async throws {
        let held = Held()
        let task = Task { try await held.load() }
        try await until { held.calls.withLock { $0 } == 1 }
        task.cancel()
        let result = await task.result
        #expect(throws: CocoaError.self) { try result.get() }
        try await until { held.progress.isCancelled }
    }
}

extension ProgressTests.Held {
    func load() async throws -> Data { try await provider.loadDataRepresentation(for: .plainText) }
}

/// Waits until a condition holds, for up to five minutes.
func until(
    _ condition: @Sendable () -> Bool, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let deadline = ContinuousClock.now + .seconds(300)
    while ContinuousClock.now < deadline {
        if condition() { return }
        try await Task.sleep(for: .milliseconds(2))
    }
    Issue.record("It did not come true in time", sourceLocation: sourceLocation)
    throw CancellationError()
}

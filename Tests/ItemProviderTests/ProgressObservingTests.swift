import Foundation
import ItemProvider
import Synchronization
import Testing

@Suite struct ProgressObservingTests {
    private final class Told<Value: Sendable>: Sendable {
        let values = Mutex<[Value]>([])
        func append(_ value: Value) { values.withLock { $0.append(value) } }
        var all: [Value] { values.withLock { $0 } }
    }

    @Test func theLastChangeIsAlwaysTold() async {
        let progress = Progress(totalUnitCount: 4)
        let told = Told<[Double?]>()
        var observation: NSKeyValueObservation?
        await withCheckedContinuation { continuation in
            observation = progress.observe(\.fractionCompleted, options: [.initial, .new, .old]) { progress, change in
                told.append([change.oldValue, change.newValue])
                if progress.isFinished { continuation.resume() }
            }
            #expect(told.all == [[nil, 0]])
            progress.completedUnitCount = 4
        }
        withExtendedLifetime(observation) { #expect(told.all == [[nil, 0], [0, 1]]) }
    }

    @Test func aParentSeesWhatItsChildrenDo() async {
        let parent = Progress(totalUnitCount: 1)
        let child = Progress(totalUnitCount: 2)
        parent.addChild(child, withPendingUnitCount: 1)
        var observation: NSKeyValueObservation?
        let fraction = await withCheckedContinuation { continuation in
            observation = parent.observe(\.fractionCompleted) { progress, change in
                #expect(change.newValue == nil && change.oldValue == nil && !change.isPrior)
                continuation.resume(returning: progress.fractionCompleted)
            }
            child.completedUnitCount = 1
        }
        withExtendedLifetime(observation) { #expect(fraction == 0.5) }
    }

    @Test func anObservationThatHasEndedTellsNothing() async throws {
        let progress = Progress(totalUnitCount: 1)
        let told = Told<Bool>()
        let invalidated = progress.observe(\.isFinished) { progress, _ in told.append(progress.isFinished) }
        invalidated.invalidate()
        invalidated.invalidate()
        _ = progress.observe(\.isFinished) { progress, _ in told.append(progress.isFinished) }
        var observation: NSKeyValueObservation?
        await withCheckedContinuation { continuation in
            observation = progress.observe(\.isFinished) { _, _ in continuation.resume() }
            progress.completedUnitCount = 1
        }
        withExtendedLifetime(observation) { #expect(told.all.isEmpty) }
    }
}

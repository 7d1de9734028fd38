import Dispatch
import Foundation
import ItemProvider
import Synchronization
import Testing
import UniformTypeIdentifiers

/// Several loads as children of one progress of the client.
@Suite struct ProgressTreeTests {
    private static let children = 12

    /// Returns files whose handlers wait for the gate, if there is one.
    private static func providers(_ file: URL, gate: DispatchSemaphore?) -> [NSItemProvider] {
        (0..<children).map { _ in
            let provider = NSItemProvider()
            provider.registerFileRepresentation(for: .plainText) { completion in
                gate?.wait()
                completion(file, false, nil)
                return nil
            }
            return provider
        }
    }

    @Test func loadsThatMoveAtTheSameTimeAddUp() async throws {
        let scratch = try Scratch()
        let file = try scratch.file("a.txt")
        for _ in 0..<200 {
            let gate = DispatchSemaphore(value: 0)
            let parent = Progress.discreteProgress(totalUnitCount: Int64(Self.children))
            let finished = Mutex(0)
            for provider in Self.providers(file, gate: gate) {
                let load = provider.loadFileRepresentation(for: .plainText) { _, _, _ in
                    finished.withLock { $0 += 1 }
                }
                parent.addChild(load, withPendingUnitCount: 1)
            }
            for _ in 0..<Self.children { gate.signal() }
            try await until { finished.withLock { $0 } == Self.children }
            #expect(parent.isFinished)
            #expect(parent.fractionCompleted == 1)
        }
    }

    @Test func loadsThatMoveWhileOthersAreAddedAddUp() async throws {
        let scratch = try Scratch()
        let file = try scratch.file("a.txt")
        for _ in 0..<400 {
            let parent = Progress.discreteProgress(totalUnitCount: Int64(Self.children))
            let finished = Mutex(0)
            for provider in Self.providers(file, gate: nil) {
                let load = provider.loadFileRepresentation(for: .plainText) { _, _, _ in
                    finished.withLock { $0 += 1 }
                }
                parent.addChild(load, withPendingUnitCount: 1)
            }
            try await until { finished.withLock { $0 } == Self.children }
            #expect(parent.isFinished)
            #expect(parent.fractionCompleted == 1)
        }
    }

    @Test func aLoadIsFinishedAtCompletionAlsoWhenItHadToWaitForAnAdding() async throws {
        let parent = Progress.discreteProgress(totalUnitCount: 100)
        let finished = Mutex(0)
        let unfinished = Mutex(0)
        for _ in 0..<100 {
            let provider = NSItemProvider(object: "text" as NSString)
            let own = Mutex<Progress?>(nil)
            let load = provider.loadDataRepresentation(for: .utf8PlainText) { _, _ in
                // The load may complete before its progress is stored in `own`.
                if own.withLock({ $0 })?.isFinished == false { unfinished.withLock { $0 += 1 } }
                finished.withLock { $0 += 1 }
            }
            parent.addChild(load, withPendingUnitCount: 1)
            own.withLock { $0 = load }
        }
        try await until { finished.withLock { $0 } == 100 }
        #expect(unfinished.withLock { $0 } == 0)
        #expect(parent.isFinished)
    }

    @Test func cancellingTheParentCancelsEveryLoad() async throws {
        let parent = Progress.discreteProgress(totalUnitCount: Int64(Self.children))
        let cancelled = Mutex(0)
        let held = (0..<Self.children).map { _ in ProgressTests.Held() }
        for item in held {
            let load = item.provider.loadDataRepresentation(for: .plainText) { _, error in
                if (error as NSError?)?.isCancellation == true { cancelled.withLock { $0 += 1 } }
            }
            parent.addChild(load, withPendingUnitCount: 1)
        }
        parent.cancel()
        try await until { cancelled.withLock { $0 } == Self.children }
    }
}

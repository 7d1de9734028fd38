import Dispatch
import Foundation
import ItemProvider
import LinuxSystem
import Synchronization
import Testing
import UniformTypeIdentifiers

/// The life of a load from start to end: its threads, its progress, and the memory and descriptors that it releases.
@Suite struct LoadLifeTests {
    /// Returns a directory that takes a while to zip.
    private static func largeFolder(_ scratch: Scratch) throws -> URL {
        var random = SystemRandomNumberGenerator()
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        for position in stride(from: 0, to: piece.count, by: 7) { piece[position] = random.next() }
        var contents = Data()
        for _ in 0..<64 { contents += piece }
        for number in 0..<12 { _ = try scratch.file("Large/\(number).bin", contents) }
        return scratch.url.appendingPathComponent("Large", isDirectory: true)
    }

    /// The consumer is the only owner of the data, so that a change is made in place.
    @Test func theConsumerMayChangeDataThatIsMapped() async throws {
        let scratch = try Scratch()
        let file = try scratch.file("a.bin", Data(repeating: 1, count: 1 << 20))
        let provider = NSItemProvider(contentsOf: file, contentType: .data)
        var data = try #require(await provider.data("public.data").data)
        data[5] = 7
        #expect(data[4...6].elementsEqual([1, 7, 1]))
        #expect(try Data(contentsOf: file) == Data(repeating: 1, count: 1 << 20))
    }

    @Test func zippingAFolderMovesTheProgress() async throws {
        let scratch = try Scratch()
        let provider = NSItemProvider(contentsOf: try Self.largeFolder(scratch), contentType: .folder)
        // A busy machine may keep the polling thread from running for as long as one zipping takes.
        for attempt in 1...20 {
            let isOver = Mutex(false)
            let progress = provider.loadDataRepresentation(for: .folder) { data, _ in
                isOver.withLock { $0 = data != nil }
            }
            // Polls on a thread of its own, because tasks may have to wait for those of other tests.
            let seen = await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    var seen: Set<Double> = []
                    while !progress.isFinished {
                        seen.insert(progress.fractionCompleted)
                        usleep(200)
                    }
                    continuation.resume(returning: seen)
                }
            }
            try await until { isOver.withLock { $0 } }
            if seen.contains(where: { $0 > 0.55 && $0 < 0.95 }) { return }
            #expect(attempt < 20)
        }
    }

    @Test func anAnswerFromAnotherThreadDoesNotWaitForTheConsumersZipping() async throws {
        let scratch = try Scratch()
        let folder = try Self.largeFolder(scratch)
        // A busy machine may keep the answering thread from running for as long as one zipping takes.
        for attempt in 1...20 {
            let progress = Mutex<Progress?>(nil)
            let finishedAtReturn = Mutex<Bool?>(nil)
            let provider = NSItemProvider()
            provider.registerFileRepresentation(for: .folder, openInPlace: true) { completion in
                DispatchQueue.global().async {
                    while progress.withLock({ $0 == nil }) { usleep(100) }
                    completion(folder, false, nil)
                    finishedAtReturn.withLock { $0 = progress.withLock { $0?.isFinished } }
                }
                return nil
            }
            let load = provider.loadDataRepresentation(for: .folder) { _, _ in }
            progress.withLock { $0 = load }
            try await until { load.isFinished && finishedAtReturn.withLock { $0 } != nil }
            if finishedAtReturn.withLock({ $0 }) == false { return }
            #expect(attempt < 20)
        }
    }

    @Test func aFileWithoutAnEndIsReleasedWhenTheLoadIsCancelled() async throws {
        // The kernel reports this file as empty, but it has an entry for each page of the address space.
        let file = URL(fileURLWithPath: "/proc/self/pagemap")
        let provider = NSItemProvider()
        provider.registerFileRepresentation(for: .data, openInPlace: true) { completion in
            completion(file, false, nil)
            return nil
        }
        let outcome = Mutex<NSError?>(nil)
        let progress = provider.loadDataRepresentation(for: .data) { _, error in
            outcome.withLock { $0 = error as NSError? }
        }
        @Sendable func isOpen() -> Bool {
            let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
            return open.contains {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))?
                    .hasSuffix("/pagemap") ?? false
            }
        }
        try await until { isOpen() }
        progress.cancel()
        try await until { outcome.withLock { $0 } != nil }
        #expect(outcome.withLock { $0?.isCancellation } == true)
        try await until { !isOpen() }
    }

    @Test func aLoadThatCanBeNeitherAnsweredNorCancelledEnds() async throws {
        final class Token: Sendable {}
        let provider = NSItemProvider()
        provider.registerDataRepresentation(for: .png) { _ in nil }
        func start() -> () -> Bool {
            let token = Token()
            _ = provider.loadDataRepresentation(for: .png) { _, _ in withExtendedLifetime(token) {} }
            weak let seen = token
            return { seen == nil }
        }
        let isGone = start()
        for _ in 0..<300_000 where !isGone() { try await Task.sleep(for: .milliseconds(1)) }
        #expect(isGone())
    }

    @Test func theErrorBelowAFailedLoadIsOneThatClientsKnow() throws {
        func below(_ error: any Error) throws -> NSError {
            let failed = ItemProviderError.cannotLoad("public.png", because: error) as NSError
            #expect(failed.isItemUnavailable)
            return try #require(failed.underlying)
        }
        let full = try below(CopyError.noSpace(path: "big.bin"))
        #expect(full.domain == NSCocoaErrorDomain && full.code == CocoaError.fileWriteOutOfSpace.rawValue)
        #expect(full.userInfo[NSFilePathErrorKey] as? String == "big.bin")
        #expect(full.localizedDescription.contains("no space left"))
        #expect(full.underlying?.domain == NSPOSIXErrorDomain && full.underlying?.code == Int(ENOSPC))
        let refused = try below(CopyError.system(.permissionDenied, path: "a/b"))
        #expect(refused.code == CocoaError.fileReadNoPermission.rawValue)
        #expect(try below(Errno.noSpace).code == CocoaError.fileWriteOutOfSpace.rawValue)
        let changed = try below(CopyError.changedDuringCopy(path: "a.txt"))
        #expect(changed.domain == NSCocoaErrorDomain && changed.localizedDescription.contains("changed"))
        let cancelled = ItemProviderError.cannotLoad("public.png", because: CopyError.cancelled) as NSError
        #expect(cancelled.isCancellation)
    }
}

// MARK: - Objects made on demand

/// A text that takes a while to be written.
final class SlowText: NSObject, NSItemProviderWriting, Sendable {
    let progress: Progress

    init(_ progress: Progress) { self.progress = progress }

    static var writableTypeIdentifiersForItemProvider: [String] { [UTType.utf8PlainText.identifier] }

    func loadData(
        withTypeIdentifier typeIdentifier: String,
        forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> Progress? {
        progress.cancellationHandler = { completionHandler(nil, CocoaError(.userCancelled)) }
        return progress
    }
}

@Suite struct ObjectProgressTests {
    private func provider(making: Progress?, writing: Progress) -> NSItemProvider {
        let provider = NSItemProvider()
        provider.registerObject(ofClass: SlowText.self, visibility: .all) { completion in
            if let making {
                making.completedUnitCount = making.totalUnitCount
            }
            completion(SlowText(writing), nil)
            return making
        }
        return provider
    }

    @Test func theWritingOfAnObjectMadeOnDemandIsSeen() async throws {
        let writing = Progress.discreteProgress(totalUnitCount: 10)
        let provider = provider(making: nil, writing: writing)
        let load = provider.loadDataRepresentation(for: .utf8PlainText) { _, _ in }
        writing.completedUnitCount = 5
        try await until { load.fractionCompleted == 0.5 }
        load.cancel()
    }

    @Test func makingAndWritingAreHalfOfTheProgressEach() async throws {
        let writing = Progress.discreteProgress(totalUnitCount: 10)
        let provider = provider(making: Progress.discreteProgress(totalUnitCount: 1), writing: writing)
        let load = provider.loadDataRepresentation(for: .utf8PlainText) { _, _ in }
        writing.completedUnitCount = 5
        try await until { load.fractionCompleted == 0.75 }
        load.cancel()
    }

    @Test func cancellingALoadCancelsTheWritingOfAnObjectMadeOnDemand() async throws {
        let writing = Progress.discreteProgress(totalUnitCount: 10)
        let provider = provider(making: nil, writing: writing)
        let outcome = Mutex<NSError?>(nil)
        let load = provider.loadDataRepresentation(for: .utf8PlainText) { _, error in
            outcome.withLock { $0 = error as NSError? }
        }
        writing.completedUnitCount = 5
        try await until { load.fractionCompleted == 0.5 }
        load.cancel()
        try await until { writing.isCancelled && outcome.withLock { $0 } != nil }
        #expect(outcome.withLock { $0?.isCancellation } == true)
    }
}

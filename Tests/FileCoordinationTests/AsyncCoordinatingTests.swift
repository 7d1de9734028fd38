import FileCoordination
import Foundation
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// Coordination in tasks.
@Suite(.timeLimit(.minutes(10)), .ownThreads) struct AsyncCoordinatingTests {
    let folder: CoordinationFolder

    init() throws { folder = try CoordinationFolder() }

    /// Expects an error that reports a deadlock and names these lines of this file.
    private func expectDeadlock(
        _ error: (any Error)?, naming lines: [Int], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let cause = (error as NSError?)?.userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(cause?.code == Int(EDEADLK), sourceLocation: sourceLocation)
        let words = error?.localizedDescription ?? "no error"
        for line in lines {
            #expect(words.contains("AsyncCoordinatingTests.swift:\(line) "), "\(words)", sourceLocation: sourceLocation)
        }
    }

    @Test func aTaskThatWouldWaitForItselfIsToldSoAndBothPlacesAreNamed() async throws {
        let file = try folder.file("a.txt")
        let outer = #line + 1
        try await NSFileCoordinator(filePresenter: nil).coordinate(with: [.writingIntent(with: file)]) {
            let inner = #line + 2
            do {
                try await NSFileCoordinator(filePresenter: nil).coordinate(with: [.readingIntent(with: file)]) {
                    () -> Void in Issue.record("the accessor ran")
                }
            } catch {
                expectDeadlock(error, naming: [outer, inner])
            }
            // Also after the task has moved to another thread.
            await Task.yield()
            try? await Task.sleep(for: .milliseconds(1))
            await #expect(throws: CocoaError.self) {
                try await NSFileCoordinator(filePresenter: nil).coordinate(with: [.writingIntent(with: file)]) {}
            }
        }
        // All claims have ended now.
        try await NSFileCoordinator(filePresenter: nil).coordinate(with: [.writingIntent(with: file)]) {}
    }

    private func writeBlocking(_ file: URL) -> NSError? {
        var error: NSError?
        NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: file, error: &error) { _ in }
        return error
    }

    @Test func aBlockingCallInsideOfAnAsyncAccessorIsToldSo() async throws {
        let file = try folder.file("a.txt")
        let outer = #line + 1
        try await NSFileCoordinator(filePresenter: nil).coordinate(with: [.writingIntent(with: file)]) {
            expectDeadlock(writeBlocking(file), naming: [outer])
        }
    }

    @Test func asyncCallsOfOneCoordinatorAreNested() async throws {
        let file = try folder.file("a.txt")
        // Sendable in effect: only this task uses the coordinator.
        nonisolated(unsafe) let coordinator = NSFileCoordinator(filePresenter: nil)
        let number = try await coordinator.coordinate(with: [.writingIntent(with: file)]) {
            try await coordinator.coordinate(with: [.readingIntent(with: file)]) { 7 }
        }
        #expect(number == 7)
    }

    @Test func aTaskThatIsBegunInAnAccessorAndNotWaitedForHasItsTurnAfterwards() async throws {
        let file = try folder.file("a.txt")
        let record = Record()
        let later = try await NSFileCoordinator(filePresenter: nil).coordinate(with: [.writingIntent(with: file)]) {
            let task = Task {
                try await NSFileCoordinator(filePresenter: nil).coordinate(with: [.writingIntent(with: file)]) {
                    record.add("later")
                }
            }
            try await Task.sleep(for: .milliseconds(5))
            record.add("first")
            return task
        }
        try await later.value
        #expect(record.all == ["first", "later"])
    }

    /// A presenter that saves through another coordinator, in the `async` form.
    private final class AsyncPresenter: NSObject, NSFilePresenter, @unchecked Sendable {
        // Sendable: it is immutable.
        let presentedItemURL: URL?
        let presentedItemOperationQueue = OperationQueue()
        let record: Record

        init(_ url: URL, _ record: Record) {
            presentedItemURL = url
            self.record = record
        }

        func savePresentedItemChanges() async throws {
            guard let url = presentedItemURL else { return }
            await Task.yield()
            do {
                try await NSFileCoordinator(filePresenter: nil).coordinate(with: [.writingIntent(with: url)]) {}
                record.add("saved")
            } catch {
                record.add("refused")
                throw error
            }
        }
    }

    @Test func anAsyncPresenterThatUsesAStrangersCoordinatorIsToldSo() async throws {
        let file = try folder.file("a.txt")
        let record = Record()
        let presenter = AsyncPresenter(file, record)
        NSFileCoordinator.addFilePresenter(presenter)
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        let error = await onThread {
            var error: NSError?
            NSFileCoordinator(filePresenter: nil).coordinate(readingItemAt: file, error: &error) { _ in
                record.add("read")
            }
            return error?.localizedDescription
        }
        #expect(error?.contains("would wait for ever") == true)
        #expect(record.all == ["refused"])
    }

    /// Runs a function while another coordinator writes a file.
    private func holding(_ file: URL, _ body: () async throws -> Void) async rethrows {
        let record = Record()
        let mayEnd = DispatchSemaphore(value: 0)
        async let holding: Void = onThread {
            NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: file, error: nil) { _ in
                record.add("holds")
                mayEnd.wait()
            }
        }
        await eventually { record.contains("holds") }
        defer { mayEnd.signal() }
        try await body()
        mayEnd.signal()
        await holding
    }

    @Test(arguments: [true, false]) func aCancelledTaskDoesNotWait(beforehand: Bool) async throws {
        let file = try folder.file("a.txt")
        await holding(file) {
            let asks = Record()
            let task = Task {
                if beforehand { while !Task.isCancelled { await Task.yield() } }
                asks.add("asks")
                try await NSFileCoordinator(filePresenter: nil).coordinate(with: [.readingIntent(with: file)]) {
                    () -> Void in
                    Issue.record("the accessor ran")
                }
            }
            if !beforehand { await eventually { asks.contains("asks") } }
            task.cancel()
            let result = await task.result
            #expect(throws: CocoaError(.userCancelled)) { try result.get() }
        }
    }

    @Test func cancellingATaskLeavesOthersOfTheSameCoordinator() async throws {
        let file = try folder.file("a.txt")
        let asks = Record()
        // A coordinator may wait on several threads at a time.
        nonisolated(unsafe) let coordinator = NSFileCoordinator(filePresenter: nil)
        var other: Task<Void, any Error>?
        await holding(file) {
            other = Task {
                asks.add("other asks")
                try await coordinator.coordinate(with: [.readingIntent(with: file)]) { () -> Void in
                    asks.add("other reads")
                }
            }
            let task = Task {
                asks.add("asks")
                try await coordinator.coordinate(with: [.readingIntent(with: file)]) { () -> Void in
                    Issue.record("the accessor ran")
                }
            }
            await eventually { asks.contains("asks") && asks.contains("other asks") }
            task.cancel()
            _ = await task.result
        }
        try await other?.value
        #expect(asks.contains("other reads"))
    }

    @Test func anUploadedFileIsFreeDuringTheAsyncAccessor() async throws {
        let file = try folder.file("a.txt", "old")
        let intent = NSFileAccessIntent.readingIntent(with: file, options: .forUploading)
        // Sendable in effect: only this task uses the intent.
        nonisolated(unsafe) let own = intent
        try await NSFileCoordinator(filePresenter: nil).coordinate(with: [intent]) {
            try await NSFileCoordinator(filePresenter: nil).coordinate(with: [.writingIntent(with: file)]) {
                try Data("new".utf8).write(to: file)
            }
            #expect(try String(contentsOf: own.url, encoding: .utf8) == "old")
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == "new")
    }
}

import FileCoordination
import Foundation
import Glibc
import LinuxSystem
import TestThreads
import Testing

@Suite(.ownThreads) struct CoordinatingTests {
    let folder: CoordinationFolder

    init() throws { folder = try CoordinationFolder() }

    @Test func anAccessorRunsOnTheCallersThreadBeforeTheCallReturns() throws {
        let file = try folder.file("a.txt", "hello")
        let thread = pthread_self()
        var text = ""
        var error: NSError?
        NSFileCoordinator(filePresenter: nil).coordinate(readingItemAt: file, options: [], error: &error) { url in
            #expect(pthread_equal(pthread_self(), thread) != 0)
            #expect(url == file)
            text = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
        }
        #expect(error == nil)
        #expect(text == "hello")
    }

    @Test func aWriterIsAloneAndReadersGoTogether() async throws {
        let file = try folder.file("a.txt")
        let state = Shared((readers: 0, writers: 0, most: 0, faults: 0))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    await onThread {
                        for round in 0..<50 {
                            let coordinator = NSFileCoordinator(filePresenter: nil)
                            if (number + round) % 4 == 0 {
                                coordinator.coordinate(writingItemAt: file, error: nil) { _ in
                                    state.withLock {
                                        $0.writers += 1
                                        if $0.writers > 1 || $0.readers > 0 { $0.faults += 1 }
                                    }
                                    sched_yield()
                                    state.withLock { $0.writers -= 1 }
                                }
                            } else {
                                coordinator.coordinate(readingItemAt: file, error: nil) { _ in
                                    state.withLock {
                                        $0.readers += 1
                                        $0.most = max($0.most, $0.readers)
                                        if $0.writers > 0 { $0.faults += 1 }
                                    }
                                    sched_yield()
                                    state.withLock { $0.readers -= 1 }
                                }
                            }
                        }
                    }
                }
            }
        }
        #expect(state.withLock { $0.faults } == 0)
    }

    @Test func theWriterOfADirectoryWaitsForTheReadersInIt() async throws {
        let file = try folder.file("in/a.txt")
        let record = Record()
        let coordination = CountedCoordination()
        let process = ProcessCoordination(shared: coordination)
        let mayEnd = DispatchSemaphore(value: 0)
        async let reading: Void = onThread {
            NSFileCoordinator(in: process).coordinate(readingItemAt: file, error: nil) { _ in
                record.add("reads")
                mayEnd.wait()
                record.add("has read")
            }
        }
        await eventually { record.contains("reads") }
        let directory = folder["in"]
        async let writing: Void = onThread {
            NSFileCoordinator(in: process).coordinate(writingItemAt: directory, error: nil) { _ in
                record.add("writes")
            }
        }
        await eventually { coordination.claimCount == 2 }
        mayEnd.signal()
        await reading
        await writing
        #expect(record.all == ["reads", "has read", "writes"])
    }

    @Test func aPackageCountsAsOneFile() async throws {
        let one = try folder.file("book.rtfd/a.txt")
        let other = try folder.file("book.rtfd/b.txt")
        let record = Record()
        let coordination = CountedCoordination()
        let process = ProcessCoordination(shared: coordination)
        let mayEnd = DispatchSemaphore(value: 0)
        async let first: Void = onThread {
            NSFileCoordinator(in: process).coordinate(writingItemAt: one, error: nil) { _ in
                record.add("one")
                mayEnd.wait()
                record.add("one is done")
            }
        }
        await eventually { record.contains("one") }
        async let second: Void = onThread {
            NSFileCoordinator(in: process).coordinate(writingItemAt: other, error: nil) { _ in
                record.add("other")
            }
        }
        await eventually { coordination.claimCount == 2 }
        mayEnd.signal()
        await first
        await second
        #expect(record.all == ["one", "one is done", "other"])
    }

    @Test func optionsHaveApplesBits() {
        let reading = NSFileCoordinator.ReadingOptions(rawValue: 0b1111)
        #expect(reading == [.withoutChanges, .resolvesSymbolicLink, .immediatelyAvailableMetadataOnly, .forUploading])
        #expect(NSFileCoordinator.ReadingOptions.forUploading.rawValue == 8)
        let writing = NSFileCoordinator.WritingOptions(rawValue: 0b11111)
        #expect(
            writing == [.forDeleting, .forMoving, .forMerging, .forReplacing, .contentIndependentMetadataOnly])
        #expect(NSFileCoordinator.WritingOptions.contentIndependentMetadataOnly.rawValue == 16)
    }

    @Test func newFilesAreWritten() throws {
        for options in [[], .forMerging, .forReplacing] as [NSFileCoordinator.WritingOptions] {
            let file = folder["new/deep/\(options.rawValue).txt"]
            var ran = false
            var error: NSError?
            NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: file, options: options, error: &error) {
                ran = $0 == file
            }
            #expect(ran && error == nil)
        }
    }

    @Test func pathsAreComparedByWhatTheyAre() async throws {
        let file = try folder.file("real/a.txt")
        try FileManager.default.createSymbolicLink(at: folder["link"], withDestinationURL: folder["real"])
        let through = folder["link/a.txt"]
        let record = Record()
        let coordination = CountedCoordination()
        let process = ProcessCoordination(shared: coordination)
        let mayEnd = DispatchSemaphore(value: 0)
        async let first: Void = onThread {
            NSFileCoordinator(in: process).coordinate(writingItemAt: file, error: nil) { _ in
                record.add("one")
                mayEnd.wait()
                record.add("one is done")
            }
        }
        await eventually { record.contains("one") }
        async let second: Void = onThread {
            NSFileCoordinator(in: process).coordinate(readingItemAt: through, error: nil) { url in
                record.add("other \(url == through)")
            }
        }
        await eventually { coordination.claimCount == 2 }
        mayEnd.signal()
        await first
        await second
        #expect(record.all == ["one", "one is done", "other true"])
    }

    @Test func linksInCirclesAreAnErrorAndTheAccessorDoesNotRun() throws {
        try FileManager.default.createSymbolicLink(at: folder["x"], withDestinationURL: folder["y"])
        try FileManager.default.createSymbolicLink(at: folder["y"], withDestinationURL: folder["x"])
        var error: NSError?
        NSFileCoordinator(filePresenter: nil).coordinate(readingItemAt: folder["x/a"], error: &error) { _ in
            Issue.record("the accessor ran")
        }
        #expect(error?.domain == NSCocoaErrorDomain)
        let cause = error?.userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(cause?.code == Int(ELOOP))
        error = nil
        NSFileCoordinator(filePresenter: nil).coordinate(
            readingItemAt: URL(string: "https://example.com")!, error: &error
        ) { _ in Issue.record("the accessor ran") }
        #expect(error?.code == CocoaError.fileReadUnsupportedScheme.rawValue)
    }

    @Test func aLinkIsResolvedWhereThatIsAsked() throws {
        let file = try folder.file("a.txt")
        try FileManager.default.createSymbolicLink(at: folder["link"], withDestinationURL: file)
        NSFileCoordinator(filePresenter: nil).coordinate(
            readingItemAt: folder["link"], options: .resolvesSymbolicLink, error: nil
        ) { #expect($0.path == file.path) }
        NSFileCoordinator(filePresenter: nil).coordinate(readingItemAt: folder["link"], error: nil) { [folder] in
            #expect($0 == folder["link"])
        }
    }

    @Test func callsOfOneCoordinatorAreNested() throws {
        let file = try folder.file("a.txt")
        let coordinator = NSFileCoordinator(filePresenter: nil)
        var order: [String] = []
        coordinator.coordinate(writingItemAt: file, error: nil) { _ in
            coordinator.coordinate(readingItemAt: file, error: nil) { _ in order.append("read") }
            order.append("written")
        }
        #expect(order == ["read", "written"])
    }

    @Test func aThreadThatReadsADirectoryMayWriteInIt() throws {
        let file = try folder.file("a.txt")
        var ran = false
        var error: NSError?
        NSFileCoordinator(filePresenter: nil).coordinate(readingItemAt: folder.url, error: nil) { _ in
            NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: file, error: &error) { _ in ran = true }
        }
        #expect(ran && error == nil)
    }

    @Test func coordinatorsOfOnePurposeDoNotWaitForEachOther() async throws {
        let file = try folder.file("a.txt")
        let isDone = await onThread {
            var isDone = false
            let first = NSFileCoordinator(filePresenter: nil)
            first.purposeIdentifier = "org.purvey.test"
            first.coordinate(writingItemAt: file, error: nil) { _ in
                let latch = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    let second = NSFileCoordinator(filePresenter: nil)
                    second.purposeIdentifier = "org.purvey.test"
                    second.coordinate(writingItemAt: file, error: nil) { _ in latch.signal() }
                }
                latch.wait()
                isDone = true
            }
            return isDone
        }
        #expect(isDone)
    }

    @Test func waitersCanBeCancelled() async throws {
        let file = try folder.file("a.txt")
        let record = Record()
        let mayEnd = DispatchSemaphore(value: 0)
        async let holding: Void = onThread {
            NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: file, error: nil) { _ in
                record.add("holds")
                mayEnd.wait()
            }
        }
        await eventually { record.contains("holds") }
        // `cancel()` may be called on another thread than the one that waits.
        nonisolated(unsafe) let coordinator = NSFileCoordinator(filePresenter: nil)
        async let code: Int? = onThread {
            var error: NSError?
            coordinator.coordinate(readingItemAt: file, error: &error) { _ in record.add("read") }
            record.add("returned")
            return error?.code
        }
        await eventually {
            coordinator.cancel()
            return record.contains("returned")
        }
        #expect(await code == CocoaError.userCancelled.rawValue)
        #expect(!record.contains("read"))
        mayEnd.signal()
        await holding
    }

    @Test func aCoordinatorThatWasCancelledRunsNoAccessorAnyMore() async throws {
        let file = try folder.file("a.txt", "hello")
        let coordinator = NSFileCoordinator(filePresenter: nil)
        coordinator.cancel()
        for times in 1...2 {
            var error: NSError?
            coordinator.coordinate(readingItemAt: file, error: &error) { _ in Issue.record("read \(times)") }
            #expect(error?.code == CocoaError.userCancelled.rawValue)
            error = nil
            coordinator.prepare(forReadingItemsAt: [file], writingItemsAt: [], error: &error) { _ in
                Issue.record("prepared \(times)")
            }
            #expect(error?.code == CocoaError.userCancelled.rawValue)
        }
        let code: Int? = await withCheckedContinuation { continuation in
            coordinator.coordinate(with: [.writingIntent(with: file)], queue: OperationQueue()) { error in
                continuation.resume(returning: (error as NSError?)?.code)
            }
        }
        #expect(code == CocoaError.userCancelled.rawValue)
        await #expect(throws: CocoaError.self) {
            try await coordinator.coordinate(with: [.readingIntent(with: file)]) { Issue.record("read in a task") }
        }
        // No claim is held.
        var ran = false
        NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: file, error: nil) { _ in ran = true }
        #expect(ran)
    }

    @Test func anAccessorMayCancelItsOwnCoordinator() throws {
        let file = try folder.file("a.txt", "hello")
        let coordinator = NSFileCoordinator(filePresenter: nil)
        var error: NSError?
        var record: [String] = []
        coordinator.coordinate(writingItemAt: file, error: &error) { url in
            coordinator.cancel()
            var inner: NSError?
            coordinator.coordinate(readingItemAt: url, error: &inner) { _ in record.append("inner") }
            record.append("outer \(inner?.code ?? 0)")
        }
        #expect(error == nil && record == ["outer \(CocoaError.userCancelled.rawValue)"])
    }

    @Test func forUploadingGivesACopyOfAFileAndAnArchiveOfADirectory() throws {
        let file = try folder.file("in/a.txt", "hello")
        var copy: URL?
        NSFileCoordinator(filePresenter: nil).coordinate(readingItemAt: file, options: .forUploading, error: nil) {
            url in
            copy = url
            #expect(url != file && url.lastPathComponent == "a.txt")
            #expect((try? String(contentsOf: url, encoding: .utf8)) == "hello")
            // Other coordinators may write meanwhile.
            var ran = false
            NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: file, error: nil) { _ in ran = true }
            #expect(ran)
        }
        #expect(copy.map { FileManager.default.fileExists(atPath: $0.path) } == false)
        NSFileCoordinator(filePresenter: nil).coordinate(
            readingItemAt: folder["in"], options: .forUploading, error: nil
        ) { url in
            #expect(url.lastPathComponent == "in.zip")
            #expect((try? Data(contentsOf: url))?.prefix(2) == Data("PK".utf8))
        }
        var error: NSError?
        NSFileCoordinator(filePresenter: nil).coordinate(
            readingItemAt: folder["missing"], options: .forUploading, error: &error
        ) { _ in Issue.record("the accessor ran") }
        #expect(error?.code == CocoaError.fileReadNoSuchFile.rawValue)
        error = nil
        #expect(mkfifo(folder["pipe"].path, 0o600) == 0)
        NSFileCoordinator(filePresenter: nil).coordinate(
            readingItemAt: folder["pipe"], options: .forUploading, error: &error
        ) { _ in Issue.record("the accessor ran") }
        #expect(error?.localizedDescription == "“pipe” cannot be copied: it is a named pipe")
    }

    @Test func intentsAreGrantedTogetherOnTheirQueue() async throws {
        let one = try folder.file("one")
        let two = try folder.file("two")
        let queue = OperationQueue()
        let intents = [NSFileAccessIntent.readingIntent(with: one), NSFileAccessIntent.writingIntent(with: two)]
        #expect(intents[1].url == two)
        let isOnQueue = await withCheckedContinuation { continuation in
            NSFileCoordinator(filePresenter: nil).coordinate(with: intents, queue: queue) { error in
                continuation.resume(returning: error == nil && OperationQueue.current == queue)
            }
        }
        #expect(isOnQueue)
        let loop = [NSFileAccessIntent.readingIntent(with: URL(string: "https://example.com")!)]
        let code = await withCheckedContinuation { continuation in
            NSFileCoordinator(filePresenter: nil).coordinate(with: loop, queue: queue) { error in
                continuation.resume(returning: (error as? CocoaError)?.code)
            }
        }
        #expect(code == .fileReadUnsupportedScheme)
    }

    @Test func aTaskCoordinatesWithoutBlocking() async throws {
        let file = try folder.file("a.txt", "hello")
        let intent = NSFileAccessIntent.readingIntent(with: file, options: .forUploading)
        let text = try await NSFileCoordinator(filePresenter: nil).coordinate(with: [intent]) {
            await Task.yield()
            return try String(contentsOf: intent.url, encoding: .utf8)
        }
        #expect(text == "hello")
        #expect(intent.url != file)
    }

    @Test func readingAndWritingAndWritingTwoAreOneClaimEach() throws {
        let one = try folder.file("one", "1")
        let two = folder["two"]
        let coordinator = NSFileCoordinator(filePresenter: nil)
        coordinator.coordinate(readingItemAt: one, writingItemAt: two, error: nil) { source, destination in
            try? FileManager.default.copyItem(at: source, to: destination)
        }
        #expect(FileManager.default.fileExists(atPath: two.path))
        coordinator.coordinate(
            writingItemAt: one, options: .forMoving, writingItemAt: folder["three"], options: .forReplacing, error: nil
        ) { source, destination in
            coordinator.item(at: source, willMoveTo: destination)
            try? FileManager.default.moveItem(at: source, to: destination)
            coordinator.item(at: source, didMoveTo: destination)
        }
        #expect(FileManager.default.fileExists(atPath: folder["three"].path))
    }

    @Test func aBatchIsPreparedOnceAndKeptUntilItsEnd() async throws {
        let one = try folder.file("one")
        let two = try folder.file("two")
        let record = Record()
        let presenter = RecordingPresenter(one, record)
        NSFileCoordinator.addFilePresenter(presenter)
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        await onThread {
            let coordinator = NSFileCoordinator(filePresenter: nil)
            var error: NSError?
            coordinator.prepare(forReadingItemsAt: [one], writingItemsAt: [two], error: &error) { done in
                coordinator.coordinate(readingItemAt: one, error: nil) { _ in record.add("reads") }
                coordinator.coordinate(writingItemAt: two, error: nil) { _ in record.add("writes") }
                done()
            }
            if error != nil { record.add("failed") }
        }
        await eventually { record.contains("from reader") }
        #expect(record.all.filter { $0 == "to reader" }.count == 1)
        #expect(record.all.prefix(4) == ["to reader", "save", "reads", "writes"])
    }

    @Test func claimsWaitInGreatNumbersAndAreAllServed() async throws {
        let folder = folder
        let served = Shared(0)
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 4
        await withCheckedContinuation { continuation in
            for number in 0..<5_000 {
                let file = folder["\(number % 100)"]
                let intent =
                    number % 3 == 0
                    ? NSFileAccessIntent.writingIntent(with: file) : NSFileAccessIntent.readingIntent(with: file)
                NSFileCoordinator(filePresenter: nil).coordinate(with: [intent], queue: queue) { _ in
                    let count = served.withLock { served in
                        served += 1
                        return served
                    }
                    if count == 5_000 { continuation.resume() }
                }
            }
        }
        #expect(served.withLock { $0 } == 5_000)
    }
}

import FileCoordination
import Foundation
import Glibc
import LinuxSystem
import TestThreads
import Testing

@Suite(.ownThreads) struct PresenterTests {
    let folder: CoordinationFolder
    let record = Record()

    init() throws { folder = try CoordinationFolder() }

    private func presenting(_ presenters: [RecordingPresenter], _ body: () async throws -> Void) async rethrows {
        for presenter in presenters { NSFileCoordinator.addFilePresenter(presenter) }
        defer { for presenter in presenters { NSFileCoordinator.removeFilePresenter(presenter) } }
        try await body()
    }

    @Test func aReaderHasPresentersSaveAndMakeWayFirst() async throws {
        let file = try folder.file("a.txt")
        await presenting([RecordingPresenter(file, record)]) {
            await onThread { [record] in
                NSFileCoordinator(filePresenter: nil).coordinate(readingItemAt: file, error: nil) { _ in
                    record.add("reads")
                }
            }
            await eventually { record.contains("from reader") }
            #expect(record.all == ["to reader", "save", "reads", "from reader"])
            await onThread { [record] in
                NSFileCoordinator(filePresenter: nil).coordinate(
                    readingItemAt: file, options: .withoutChanges, error: nil
                ) { _ in record.add("reads again") }
                NSFileCoordinator(filePresenter: nil).coordinate(
                    readingItemAt: file, options: .immediatelyAvailableMetadataOnly, error: nil
                ) { _ in record.add("looks") }
            }
            #expect(record.all.filter { $0 == "save" }.count == 1)
            #expect(record.all.filter { $0 == "to reader" }.count == 2)
        }
    }

    @Test func aWriterHasPresentersMakeWayAndLearnOfTheChange() async throws {
        let file = try folder.file("a.txt")
        let directory = RecordingPresenter(folder.url, record, name: "directory")
        await presenting([RecordingPresenter(file, record), directory]) {
            await onThread { [record] in
                NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: file, options: .forMerging, error: nil)
                {
                    record.add("writes")
                    try? Data("new".utf8).write(to: $0)
                }
            }
            await eventually { record.contains("changed") && record.contains("directory subitem a.txt changed") }
            #expect(record.all.prefix(3) == ["to writer", "save", "writes"])
            #expect(record.contains("from writer"))
        }
    }

    @Test func aDeletionIsToldBeforehandAlsoToTheDirectory() async throws {
        let file = try folder.file("a.txt")
        let directory = RecordingPresenter(folder.url, record, name: "directory")
        try await presenting([RecordingPresenter(file, record), directory]) {
            await onThread { [record] in
                NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: file, options: .forDeleting, error: nil)
                {
                    record.add("deletes")
                    try? FileManager.default.removeItem(at: $0)
                }
            }
            await eventually { record.contains("directory subitem a.txt changed") }
            let deletion = try #require(record.all.firstIndex(of: "deletes"))
            #expect(record.all[..<deletion].contains("deletion"))
            #expect(record.all[..<deletion].contains("directory deletion of a.txt"))
            #expect(!record.contains("changed"))
        }
    }

    @Test func aMoveIsNoticedWithoutBeingAnnounced() async throws {
        let file = try folder.file("a.txt")
        let directory = RecordingPresenter(folder.url, record, name: "directory")
        let presenter = RecordingPresenter(file, record)
        await presenting([presenter, directory]) {
            let folder = folder
            func move(_ from: String, _ to: String) async {
                await onThread {
                    NSFileCoordinator(filePresenter: nil).coordinate(
                        writingItemAt: folder[from], options: .forMoving, writingItemAt: folder[to],
                        options: .forReplacing, error: nil
                    ) { try? FileManager.default.moveItem(at: $0, to: $1) }
                }
            }
            await move("a.txt", "b.txt")
            await eventually { record.contains("moved to b.txt") && presenter.presentedItemURL == folder["b.txt"] }
            await move("b.txt", "c.txt")
            await eventually { record.contains("moved to c.txt") }
            await eventually { record.contains("directory subitem c.txt changed") }
            #expect(record.contains("directory subitem a.txt changed"))
            #expect(record.contains("directory subitem b.txt changed"))
            #expect(!record.contains("changed") && !record.contains("deletion"))
            // A destination that the coordinator is not notified of.
            let trash = folder["trash.txt"]
            await onThread {
                NSFileCoordinator(filePresenter: nil).coordinate(
                    writingItemAt: folder["c.txt"], options: .forMoving, error: nil
                ) { try? FileManager.default.moveItem(at: $0, to: trash) }
            }
            await eventually { record.contains("moved to trash.txt") }
        }
    }

    @Test func anAnnouncedMoveIsForgottenWithTheAccessorThatAnnouncedIt() async throws {
        let file = try folder.file("a.txt")
        let other = try folder.file("other.txt")
        let directory = RecordingPresenter(folder.url, record, name: "directory")
        let new = RecordingPresenter(file, record, name: "new")
        let folder = folder
        await presenting([directory]) {
            await onThread { [record] in
                let coordinator = NSFileCoordinator(filePresenter: nil)
                coordinator.coordinate(writingItemAt: other, error: nil) { _ in
                    coordinator.coordinate(
                        writingItemAt: file, options: .forMoving, writingItemAt: folder["b.txt"],
                        options: .forReplacing, error: nil
                    ) { source, destination in
                        try? FileManager.default.moveItem(at: source, to: destination)
                        coordinator.item(at: source, didMoveTo: destination)
                    }
                    NSFileCoordinator.addFilePresenter(new)
                    coordinator.coordinate(writingItemAt: file, error: nil) {
                        record.add("writes")
                        try? Data("new".utf8).write(to: $0)
                    }
                }
            }
            await eventually { record.contains("new changed") && record.contains("directory subitem a.txt changed") }
            NSFileCoordinator.removeFilePresenter(new)
        }
    }

    @Test func aFileInPlaceOfAnAnnouncedMoveIsAChange() async throws {
        let file = try folder.file("a.txt")
        let directory = RecordingPresenter(folder.url, record, name: "directory")
        let folder = folder
        await presenting([directory]) {
            await onThread {
                let coordinator = NSFileCoordinator(filePresenter: nil)
                coordinator.coordinate(writingItemAt: file, options: .forMoving, error: nil) { url in
                    try? FileManager.default.moveItem(at: url, to: folder["b.txt"])
                    coordinator.item(at: url, didMoveTo: folder["b.txt"])
                    try? Data("new".utf8).write(to: url)
                }
            }
            await eventually { record.contains("directory subitem a.txt changed") }
        }
    }

    @Test func aWaiterGetsTheMovedFileAtItsNewPath() async throws {
        let file = try folder.file("a.txt")
        let folder = folder
        let mayMove = DispatchSemaphore(value: 0)
        async let moving: Void = onThread { [record] in
            let coordinator = NSFileCoordinator(filePresenter: nil)
            coordinator.coordinate(writingItemAt: file, options: .forMoving, error: nil) { url in
                record.add("holds")
                mayMove.wait()
                try? FileManager.default.moveItem(at: url, to: folder["b.txt"])
                coordinator.item(at: url, didMoveTo: folder["b.txt"])
            }
        }
        await eventually { record.contains("holds") }
        // The claims are waiting when these calls return.
        func wait(with intent: NSFileAccessIntent, _ words: String) {
            // The URL is read only in the accessor, as NSFileAccessIntent requires.
            nonisolated(unsafe) let intent = intent
            NSFileCoordinator(filePresenter: nil).coordinate(with: [intent], queue: OperationQueue()) { [record] _ in
                record.add("\(words) \(intent.url.lastPathComponent)")
            }
        }
        wait(with: .readingIntent(with: file), "reads")
        wait(with: .writingIntent(with: file, options: .forReplacing), "replaces")
        mayMove.signal()
        await moving
        await eventually { record.all.count == 3 }
        #expect(record.contains("reads b.txt"))
        #expect(record.contains("replaces a.txt"))
    }

    @Test func aCoordinatorNeverMessagesItsOwnPresenter() async throws {
        let file = try folder.file("a.txt")
        let presenter = RecordingPresenter(file, record)
        let other = RecordingPresenter(file, record, name: "other")
        await presenting([presenter, other]) {
            await onThread {
                NSFileCoordinator(filePresenter: presenter).coordinate(writingItemAt: file, error: nil) {
                    try? Data("new".utf8).write(to: $0)
                }
            }
            await eventually { record.contains("other changed") }
            #expect(record.all.allSatisfy { $0.hasPrefix("other ") })
        }
    }

    @Test func aPresenterSavesThroughACoordinatorWhileAReaderWaits() async throws {
        let file = try folder.file("a.txt")
        let own = Shared<RecordingPresenter?>(nil)
        let presenter = RecordingPresenter(file, record) {
            var error: NSError?
            NSFileCoordinator(filePresenter: own.withLock { $0 }).coordinate(writingItemAt: file, error: &error) {
                try? Data("saved".utf8).write(to: $0)
            }
            return error
        }
        own.withLock { $0 = presenter }
        defer { own.withLock { $0 = nil } }
        await presenting([presenter]) {
            let text = await onThread {
                var text: String?
                NSFileCoordinator(filePresenter: nil).coordinate(readingItemAt: file, error: nil) {
                    text = try? String(contentsOf: $0, encoding: .utf8)
                }
                return text
            }
            #expect(text == "saved")
        }
    }

    @Test func aPresenterThatUsesAStrangersCoordinatorIsToldThatItWouldWaitForEver() async throws {
        let file = try folder.file("a.txt")
        let presenter = RecordingPresenter(file, record) {
            var error: NSError?
            NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: file, error: &error) { _ in }
            return error
        }
        await presenting([presenter]) {
            let error = await onThread {
                var error: NSError?
                NSFileCoordinator(filePresenter: nil).coordinate(readingItemAt: file, error: &error) { _ in }
                return error?.localizedDescription
            }
            #expect(error?.contains("would wait for ever") == true)
        }
    }

    @Test func aCallThatBlocksThePresentersQueueIsToldThatItWouldWaitForEver() async throws {
        let file = try folder.file("a.txt")
        let presenter = RecordingPresenter(file, record)
        await presenting([presenter]) {
            let words = await withCheckedContinuation { continuation in
                presenter.presentedItemOperationQueue.addOperation {
                    var error: NSError?
                    NSFileCoordinator(filePresenter: nil).coordinate(readingItemAt: file, error: &error) { _ in }
                    continuation.resume(returning: error?.localizedDescription ?? "")
                }
            }
            #expect(words.contains("presentedItemOperationQueue is the one that this call blocks"), "\(words)")
            #expect(words.contains("aCallThatBlocksThePresentersQueue"), "\(words)")
            // With intents, no thread is blocked.
            presenter.presentedItemOperationQueue.addOperation { [record] in
                let intent = NSFileAccessIntent.readingIntent(with: file)
                NSFileCoordinator(filePresenter: nil).coordinate(with: [intent], queue: OperationQueue()) { error in
                    record.add(error == nil ? "reads" : "fails")
                }
            }
            await eventually { record.contains("reads") }
        }
    }

    @Test func aCallThatKeepsAPresenterFromAnsweringAnotherReaderIsToldSo() async throws {
        let file = try folder.file("a.txt")
        let presenter = RecordingPresenter(file, record)
        let mayGoOn = DispatchSemaphore(value: 0)
        let record = record
        await presenting([presenter]) {
            // The queue is busy until the reader is waiting for the presenter.
            let words = Shared("")
            presenter.presentedItemOperationQueue.addOperation {
                mayGoOn.wait()
                var error: NSError?
                NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: file, error: &error) { _ in }
                let text = error?.localizedDescription ?? "none"
                words.withLock { $0 = text }
            }
            let intent = NSFileAccessIntent.readingIntent(with: file)
            NSFileCoordinator(filePresenter: nil).coordinate(with: [intent], queue: OperationQueue()) { error in
                record.add(error == nil ? "reads" : "fails")
            }
            mayGoOn.signal()
            await eventually { record.contains("reads") }
            #expect(words.withLock { $0 }.contains("would wait for ever"), "\(words.withLock { $0 })")
        }
    }

    @Test func apresentersErrorFailsTheReader() async throws {
        let file = try folder.file("a.txt")
        let presenter = RecordingPresenter(file, record) { CocoaError(.fileWriteOutOfSpace) }
        await presenting([presenter]) {
            let code = await onThread {
                var error: NSError?
                NSFileCoordinator(filePresenter: nil).coordinate(readingItemAt: file, error: &error) { _ in }
                return error?.code
            }
            #expect(code == CocoaError.fileWriteOutOfSpace.rawValue)
            await eventually { record.contains("from reader") }
        }
    }

    @Test func presentersAreNotKeptAliveAndMayGoAtAnyTime() async throws {
        let file = try folder.file("a.txt")
        weak var gone: Quitter?
        do {
            let presenter = Quitter(file)
            gone = presenter
            NSFileCoordinator.addFilePresenter(presenter)
            #expect(NSFileCoordinator.filePresenters.contains { $0 === presenter })
        }
        // Claims of other tests ask each presenter for its URL, and keep it alive for that moment.
        await eventually { gone == nil }
        // A presenter that releases itself, and the handler, while it is asked.
        Quitter.keep(Quitter(file))
        let ran = await onThread {
            var ran = false
            NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: file, error: nil) { _ in ran = true }
            return ran
        }
        #expect(ran)
        await eventually { !NSFileCoordinator.filePresenters.contains { $0 is Quitter } }
    }

    @Test func presentersWithAsyncFormsAreAsked() async throws {
        let file = try folder.file("a.txt")
        let presenter = AsyncPresenter(file, record)
        NSFileCoordinator.addFilePresenter(presenter)
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        await onThread { [record] in
            NSFileCoordinator(filePresenter: nil).coordinate(readingItemAt: file, error: nil) { _ in
                record.add("reads")
            }
            NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: file, options: .forDeleting, error: nil) {
                _ in
                record.add("deletes")
            }
        }
        #expect(record.all == ["saved", "reads", "deletes"])
        #expect(presenter.primaryPresentedItemURL == nil)
    }

    @Test func attributesAreToldToThoseWhoObserveThem() async throws {
        let file = try folder.file("a.txt")
        await presenting([RecordingPresenter(file, record)]) {
            let coordinator = NSFileCoordinator(filePresenter: nil)
            coordinator.item(at: file, didChangeUbiquityAttributes: [.isDirectoryKey])
            coordinator.item(at: file, didChangeUbiquityAttributes: [.nameKey])
            await eventually { record.contains("attributes") }
            #expect(record.all == ["attributes"])
        }
    }

    @Test func aPresenterThatPresentsNothingOrElsewhereIsLeftAlone() async throws {
        let file = try folder.file("a.txt")
        await presenting([
            RecordingPresenter(nil, record), RecordingPresenter(folder["b.txt"], record),
        ]) {
            await onThread {
                NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: file, error: nil) { _ in }
            }
            #expect(record.all.isEmpty)
        }
    }
}

/// A presenter that removes itself when it is deallocated, as many do. A presenter that `keep` retains releases itself
/// when it is asked to relinquish its item.
private final class Quitter: NSObject, NSFilePresenter, @unchecked Sendable {
    // Sendable: it is immutable.
    let presentedItemURL: URL?
    let presentedItemOperationQueue = OperationQueue()
    private static let kept = Lock<Quitter?>(nil)

    init(_ url: URL) { presentedItemURL = url }

    deinit { NSFileCoordinator.removeFilePresenter(self) }

    static func keep(_ presenter: Quitter) {
        NSFileCoordinator.addFilePresenter(presenter)
        kept.withLock { $0 = presenter }
    }

    func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        Self.kept.withLock { $0 = nil }
    }
}

private final class AsyncPresenter: NSObject, NSFilePresenter, @unchecked Sendable {
    // Sendable: it is immutable.
    let presentedItemURL: URL?
    let presentedItemOperationQueue = OperationQueue()
    private let record: Record

    init(_ url: URL, _ record: Record) {
        presentedItemURL = url
        self.record = record
    }

    func savePresentedItemChanges() async throws {
        await Task.yield()
        record.add("saved")
    }
}

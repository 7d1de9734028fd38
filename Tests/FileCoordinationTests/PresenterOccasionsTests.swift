import FileCoordination
import Foundation
import LinuxSystem
import TestThreads
import Testing

/// Messages to presenters on rarer occasions than a read or a write.
@Suite(.ownThreads) struct PresenterOccasionsTests {
    let folder: CoordinationFolder
    let record = Record()

    init() throws { folder = try CoordinationFolder() }

    @Test func metadataWritersExcludeOthersAndDisturbNoPresenter() async throws {
        let file = try folder.file("a.txt")
        let presenter = RecordingPresenter(file, record)
        NSFileCoordinator.addFilePresenter(presenter)
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        await onThread { [record] in
            NSFileCoordinator(filePresenter: nil).coordinate(
                writingItemAt: file, options: .contentIndependentMetadataOnly, error: nil
            ) { url in
                try? FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
                let other = NSFileCoordinator(filePresenter: nil)
                let isGranted = DispatchSemaphore(value: 0)
                other.coordinate(
                    with: [.readingIntent(with: file, options: .immediatelyAvailableMetadataOnly)],
                    queue: OperationQueue()
                ) { error in
                    record.add(error == nil ? "looks" : "was kept out")
                    isGranted.signal()
                }
                other.cancel()
                isGranted.wait()
            }
        }
        await eventually { record.contains("changed") }
        #expect(record.all == ["was kept out", "changed"])
    }

    @Test func deletingMakesAWriterLikeOthers() async throws {
        let file = try folder.file("a.txt")
        let presenter = RecordingPresenter(file, record)
        NSFileCoordinator.addFilePresenter(presenter)
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        await onThread {
            NSFileCoordinator(filePresenter: nil).coordinate(
                writingItemAt: file, options: [.forDeleting, .contentIndependentMetadataOnly], error: nil
            ) { _ in }
        }
        #expect(record.all.prefix(2) == ["to writer", "deletion"])
    }

    @Test func aPresenterIsAskedBeforeTheBytesOfItsItemAreGivenUp() async throws {
        let file = try folder.file("a.txt")
        let presenter = EvictedPresenter(file, record)
        NSFileCoordinator.addFilePresenter(presenter)
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        let evict: @Sendable () -> Int? = { [record] in
            var error: NSError?
            NSFileCoordinator(filePresenter: nil).coordinate(evictingItemAt: file, error: &error) {
                record.add("evicts")
                truncate($0.path, 0)
            }
            return error?.code
        }
        #expect(await onThread(evict) == nil)
        presenter.objects.withLock { $0 = true }
        #expect(await onThread(evict) == CocoaError.fileWriteNoPermission.rawValue)
        // A notification comes after the earlier requests.
        await onThread { NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: file, error: nil) { _ in } }
        await eventually { record.contains("changed") }
        #expect(record.all == ["eviction", "evicts", "eviction", "changed"])
    }

    @Test func aPresenterThatHasNothingAgainstEvictionIsNotWaitedFor() async throws {
        let file = try folder.file("a.txt")
        let presenter = RecordingPresenter(file, record)
        NSFileCoordinator.addFilePresenter(presenter)
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        await onThread { [record] in
            NSFileCoordinator(filePresenter: nil).coordinate(evictingItemAt: file, error: nil) { _ in
                record.add("evicts")
            }
        }
        await eventually { record.contains("from writer") }
        #expect(record.all == ["to writer", "evicts", "from writer"])
    }

    @Test func aPresenterOfSubtitlesHearsNothingOfTheFilm() async throws {
        let (film, subtitles) = (try folder.file("film.mp4"), try folder.file("film.srt"))
        let presenter = SubtitlePresenter(subtitles, record, film: film)
        #expect((presenter as any NSFilePresenter).primaryPresentedItemURL == film)
        NSFileCoordinator.addFilePresenter(presenter)
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        await onThread {
            for url in [film, subtitles] {
                NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: url, error: nil) { _ in }
            }
        }
        await eventually { record.contains("changed") }
        #expect(record.all == ["changed"])
    }

    @Test func newFilesInADirectoryAreReportedAsChanges() async throws {
        let presenter = DirectoryPresenter(folder.url, record)
        NSFileCoordinator.addFilePresenter(presenter)
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        let new = folder["new.txt"]
        await onThread {
            NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: new, error: nil) {
                try? Data("new".utf8).write(to: $0)
            }
        }
        await eventually { record.contains("new.txt changed") }
        #expect(record.all == ["new.txt changed"])
        // A program that calls the method itself gets the same implementation.
        (RecordingPresenter(folder.url, record) as any NSFilePresenter).presentedSubitemDidAppear(at: new)
        #expect(record.all.last == "subitem new.txt changed")
    }
}

/// A presenter that records the notifications about its item.
private class QuietPresenter: NSObject, NSFilePresenter, @unchecked Sendable {
    // Sendable: it is immutable.
    let presentedItemURL: URL?
    let presentedItemOperationQueue = OperationQueue()
    let record: Record

    init(_ url: URL, _ record: Record) {
        presentedItemURL = url
        self.record = record
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
    }

    func presentedItemDidChange() { record.add("changed") }
    func presentedSubitemDidChange(at url: URL) { record.add("\(url.lastPathComponent) changed") }
    func presentedSubitemDidAppear(at url: URL) { record.add("\(url.lastPathComponent) appeared") }
    func accommodatePresentedItemEviction(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        completionHandler(nil)
    }
    var primaryPresentedItemURL: URL? { nil }
}

private typealias DirectoryPresenter = QuietPresenter

private final class EvictedPresenter: QuietPresenter, @unchecked Sendable {
    // Sendable: mutable state is protected by a lock.
    let objects = Shared(false)

    override func accommodatePresentedItemEviction(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        record.add("eviction")
        completionHandler(objects.withLock { $0 } ? CocoaError(.fileWriteNoPermission) : nil)
    }
}

private final class SubtitlePresenter: QuietPresenter, @unchecked Sendable {
    // Sendable: it is immutable.
    private let film: URL

    init(_ url: URL, _ record: Record, film: URL) {
        self.film = film
        super.init(url, record)
    }

    override var primaryPresentedItemURL: URL? { film }
}

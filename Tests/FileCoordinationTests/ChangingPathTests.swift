import FileCoordination
import Foundation
import TestThreads
import Testing

/// Claims that wait for an item while links or directories on its path change.
@Suite(.ownThreads) struct ChangingPathTests {
    let folder: CoordinationFolder
    let record = Record()
    let coordination = CountedCoordination()
    let process: ProcessCoordination

    init() throws {
        folder = try CoordinationFolder()
        process = ProcessCoordination(shared: coordination)
    }

    enum Form: CaseIterable { case blocking, onAQueue }

    /// Writes `held` while a second coordinator requests `asked`, and runs `change` meanwhile. Records the text that
    /// the second coordinator reads, that `free` can be claimed, and that `guarded` cannot.
    private func write(
        _ held: URL, whileAsking asked: URL, _ form: Form, free: URL, guarded: URL,
        change: @escaping @Sendable () throws -> Void
    ) async throws {
        let mayEnd = DispatchSemaphore(value: 0)
        let (record, process) = (record, process)
        async let holding: Void = onThread {
            NSFileCoordinator(in: process).coordinate(writingItemAt: held, error: nil) { _ in
                record.add("holds")
                mayEnd.wait()
            }
        }
        await eventually { record.contains("holds") }
        @Sendable func use(_ url: URL) {
            record.add("gets \(url.lastPathComponent) \((try? String(contentsOf: url, encoding: .utf8)) ?? "nothing")")
            // Claimed on other threads: on this one, the claim would be nested in the held one.
            for (name, url) in [("free", free), ("guarded", guarded)] {
                nonisolated(unsafe) let coordinator = NSFileCoordinator(in: process)
                let ended = DispatchSemaphore(value: 0)
                let intent = NSFileAccessIntent.writingIntent(with: url)
                coordinator.coordinate(with: [intent], queue: OperationQueue()) { error in
                    record.add("\(name) \(error == nil)")
                    ended.signal()
                }
                // Ends the claim that waits. The free one is granted sooner or later.
                if name == "guarded" { coordinator.cancel() }
                ended.wait()
            }
        }
        async let asking: Void = onThread {
            nonisolated(unsafe) let intent = NSFileAccessIntent.writingIntent(with: asked)
            let done = DispatchSemaphore(value: 0)
            switch form {
            case .onAQueue:
                NSFileCoordinator(in: process).coordinate(with: [intent], queue: OperationQueue()) { _ in
                    use(intent.url)
                    done.signal()
                }
                done.wait()
            case .blocking:
                NSFileCoordinator(in: process).coordinate(writingItemAt: asked, error: nil) { use($0) }
            }
        }
        // The claim must wait first. Otherwise it would resolve its path during the change.
        await eventually { coordination.claimCount == 2 }
        try change()
        mayEnd.signal()
        await holding
        await asking
    }

    @Test(arguments: Form.allCases) func aLinkThatLeadsElsewhereByThenIsFollowedThere(_ form: Form) async throws {
        let folder = folder
        let (old, new) = (try folder.file("old/a.txt", "old"), try folder.file("new/a.txt", "new"))
        let link = folder["link"]
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder["old"])
        try await write(old, whileAsking: folder["link/a.txt"], form, free: old, guarded: new) {
            try FileManager.default.removeItem(at: link)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder["new"])
        }
        #expect(record.all == ["holds", "gets a.txt new", "free true", "guarded false"])
    }

    @Test(arguments: Form.allCases) func aFolderThatBecomesALinkIsFollowed(_ form: Form) async throws {
        let folder = folder
        let (old, new) = (try folder.file("in/a.txt", "old"), try folder.file("new/a.txt", "new"))
        try await write(old, whileAsking: old, form, free: folder["away/a.txt"], guarded: new) {
            try FileManager.default.moveItem(at: folder["in"], to: folder["away"])
            try FileManager.default.createSymbolicLink(at: folder["in"], withDestinationURL: folder["new"])
        }
        #expect(record.all == ["holds", "gets a.txt new", "free true", "guarded false"])
    }

    @Test(arguments: Form.allCases) func aFolderThatIsMovedTakesWhoWaitsAlong(_ form: Form) async throws {
        let folder = folder
        _ = try folder.file("in/a.txt", "text")
        let asked = folder["in/a.txt"]
        let (record, process) = (record, process)
        let mayMove = DispatchSemaphore(value: 0)
        async let moving: Void = onThread {
            NSFileCoordinator(in: process).coordinate(
                writingItemAt: folder["in"], options: .forMoving, writingItemAt: folder["out"], options: .forReplacing,
                error: nil
            ) {
                record.add("holds")
                mayMove.wait()
                try? FileManager.default.moveItem(at: $0, to: $1)
            }
        }
        await eventually { record.contains("holds") }
        async let asking: Void = onThread {
            nonisolated(unsafe) let intent = NSFileAccessIntent.readingIntent(with: asked)
            let done = DispatchSemaphore(value: 0)
            switch form {
            case .onAQueue:
                NSFileCoordinator(in: process).coordinate(with: [intent], queue: OperationQueue()) { _ in
                    record.add("gets \(intent.url.path.hasSuffix("/out/a.txt"))")
                    done.signal()
                }
                done.wait()
            case .blocking:
                NSFileCoordinator(in: process).coordinate(readingItemAt: asked, error: nil) {
                    record.add("gets \($0.path.hasSuffix("/out/a.txt"))")
                }
            }
        }
        await eventually { coordination.claimCount == 2 }
        mayMove.signal()
        await moving
        await asking
        #expect(record.all == ["holds", "gets true"])
    }

    @Test func aLinkThatComesToLeadInCirclesIsAnError() async throws {
        let folder = folder
        let (file, link) = (try folder.file("old/a.txt"), folder["link"])
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder["old"])
        let mayEnd = DispatchSemaphore(value: 0)
        let record = record
        async let holding: Void = onThread {
            NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: file, error: nil) { _ in
                record.add("holds")
                mayEnd.wait()
            }
        }
        await eventually { record.contains("holds") }
        let intent = NSFileAccessIntent.writingIntent(with: folder["link/a.txt"])
        NSFileCoordinator(filePresenter: nil).coordinate(with: [intent], queue: OperationQueue()) { error in
            let cause = (error as? CocoaError)?.userInfo[NSUnderlyingErrorKey] as? NSError
            record.add(cause?.code == Int(ELOOP) ? "circle" : "\(String(describing: error))")
        }
        try FileManager.default.removeItem(at: link)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: link)
        mayEnd.signal()
        await holding
        await eventually { record.all.count == 2 }
        #expect(record.all == ["holds", "circle"])
        // No claim is left: both places are free.
        var ran = 0
        for url in [file, folder["old"]] {
            NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: url, error: nil) { _ in ran += 1 }
        }
        #expect(ran == 2)
    }

    @Test func releasingAnItemReadsNoPathOfWaiters() async throws {
        let old = try folder.file("old/a.txt", "old")
        let new = try folder.file("new/a.txt", "new")
        let link = folder["link"]
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder["old"])
        let (folder, record) = (folder, record)
        let queue = OperationQueue()
        queue.isSuspended = true
        await onThread {
            NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: old, error: nil) { _ in
                nonisolated(unsafe) let intent = NSFileAccessIntent.writingIntent(
                    with: link.appendingPathComponent("a.txt"))
                NSFileCoordinator(filePresenter: nil).coordinate(with: [intent], queue: queue) { _ in
                    record.add((try? String(contentsOf: intent.url, encoding: .utf8)) ?? "nothing")
                }
                try? FileManager.default.removeItem(at: link)
                try? FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder["new"])
            }
            // The queue claims the moved item, and it is suspended, so the item is still free.
            NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: new, error: nil) { _ in record.add("free") }
        }
        #expect(record.all == ["free"])
        queue.isSuspended = false
        await eventually { record.all == ["free", "new"] }
    }
}

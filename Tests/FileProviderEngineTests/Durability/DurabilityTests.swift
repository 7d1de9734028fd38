import FileProvider
import FileProviderEngine
import FileTesting
import ItemStore
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

/// Tests of when edits are flushed to disk, and of what a power failure leaves.
@Suite(.ownThreads)
struct DurabilityTests {
    @Test func manyEditsWaitForTheDiskOnceAndTogether() async throws {
        // Edits are not sent during the test.
        let domain = try TestDomain { $0.settlingTime = 1_000 }
        try await domain.list()
        try await domain.synchronized()
        let before = domain.engine.durable.count
        for number in 0..<200 { try await domain.make("file \(number)", "text") }
        for number in 0..<100 { try await domain.rename("file \(number)", "renamed \(number)") }
        #expect(domain.engine.durable.count == before)
        #expect(!domain.engine.durable.isUpToDate)
        domain.clock.advance(by: 1)
        try await eventually { domain.engine.durable.isUpToDate }
        #expect(domain.engine.durable.count == before + 1)
    }

    @Test func callersDuringASyncAreAnsweredTogether() async throws {
        let domain = try TestDomain { $0.settlingTime = 1_000 }
        try await domain.list()
        try await domain.synchronized()
        let before = domain.engine.durable.count
        let mayGoOn = Latch()
        let isBusy = Latch()
        domain.engine.durable.observe {
            isBusy.open()
            mayGoOn.wait()
        }
        let answered = Lock(0)
        try await domain.make("first", "text")
        domain.engine.durable.synchronize { _ in answered.withLock { $0 += 1 } }
        isBusy.wait()
        for number in 0..<50 {
            try await domain.make("file \(number)", "text")
            domain.engine.durable.synchronize { _ in answered.withLock { $0 += 1 } }
        }
        #expect(answered.withLock { $0 } == 0)
        mayGoOn.open()
        try await eventually { answered.withLock { $0 } == 51 }
        #expect(domain.engine.durable.count == before + 2)
    }

    @Test func synchronizedChangesAreOnTheDiskBeforeTheReply() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("known.txt", "k")
        try await domain.list()
        let path = domain.journalPath
        let image = Lock<DatabaseImage?>(nil)
        domain.engine.durable.observe { image.withLock { $0 = try? DatabaseImage(path) } }
        let folder = try await domain.makeFolder("Folder")
        let engine = domain.engine
        let result = await withCheckedContinuation { continuation in
            engine.create("kept.txt", in: folder, mode: 0o644) { continuation.resume(returning: $0) }
        }
        let opened = try result.get().1
        try await opened.write("kept")
        try await opened.synchronized()
        let onDisk = try #require(image.withLock { $0 })
        try await domain.rename("known.txt", "lost.txt")
        try domain.restart {
            try onDisk.restore()
            try Index.delete(path: domain.indexPath)
        }
        try await domain.settle()
        #expect(domain.provider.tree == ["Folder": "/", "Folder/kept.txt": "kept", "known.txt": "k"])
        #expect(try await domain.tree() == domain.provider.tree)
        try? await opened.closed()
    }

    @Test(arguments: [true, false])
    func aRemovalThatThePowerTookBackBringsTheWholeFileBack(_ isKnown: Bool) async throws {
        let domain = try TestDomain()
        if isKnown { domain.provider.addFile("file.txt", "old") }
        try await domain.list()
        if isKnown { try await domain.overwrite("file.txt", "mine") } else { try await domain.make("file.txt", "mine") }
        try await domain.synchronized()
        let onDisk = try DatabaseImage(domain.journalPath)
        try await domain.remove("file.txt")
        try domain.restart { try onDisk.restore() }
        try await domain.settle()
        #expect(domain.provider.tree == ["file.txt": "mine"])
        #expect(try await domain.tree() == domain.provider.tree)
    }

    @Test func removedContentsGoOnceTheRemovalIsOnTheDisk() async throws {
        let domain = try TestDomain()
        try await domain.list()
        // The engine flushes what it found at its start. That flush must not be the one after the removal.
        try await domain.synchronized()
        let number = try await domain.make("file.txt", "mine")
        try await domain.remove("file.txt")
        #expect(try domain.folder.status("data/edits/\(number.rawValue).removed").size == 4)
        try await domain.synchronized()
        #expect(try domain.folder.names("data/edits") == [])
    }

    @Test func aKilledProcessBringsNothingBackThatWasRemoved() async throws {
        let domain = try TestDomain()
        try await domain.list()
        try await domain.make("file.txt", "mine")
        try await domain.remove("file.txt")
        try domain.restart()
        try await domain.settle()
        #expect(domain.provider.tree == [:])
        #expect(try domain.folder.names("data/edits") == [])
    }

    /// A file is saved by renaming over an edited file, and power fails just afterwards.
    @Test(arguments: [true, false])
    func aReplacementIsWholeWhicheverHalfOfItWasOnTheDisk(_ isJournalNewer: Bool) async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file.txt", "old")
        try await domain.list()
        try await domain.overwrite("file.txt", "first")
        try await domain.make("file.tmp", "second")
        try await domain.synchronized()
        let onDisk = try DatabaseImage(isJournalNewer ? domain.indexPath : domain.journalPath)
        try await domain.rename("file.tmp", "file.txt")
        try domain.restart { try onDisk.restore() }
        try await domain.settle()
        #expect(domain.provider.tree == ["file.txt": "second"])
        #expect(try await domain.tree() == domain.provider.tree)
    }

    @Test func aRenameThatThePowerTookBackDidNotHappen() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("known.txt", "k")
        try await domain.list()
        try await domain.make("new.txt", "n")
        try await domain.synchronized()
        let onDisk = try DatabaseImage(domain.journalPath)
        try await domain.rename("known.txt", "known 2.txt")
        try await domain.rename("new.txt", "new 2.txt")
        try domain.restart { try onDisk.restore() }
        try await domain.settle()
        #expect(domain.provider.tree == ["known.txt": "k", "new.txt": "n"])
        #expect(try await domain.tree() == domain.provider.tree)
    }
}

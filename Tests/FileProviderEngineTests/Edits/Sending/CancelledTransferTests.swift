import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

/// Tests of transfers that the user cancels: nothing is lost, and each result is told.
@Suite(.ownThreads) struct CancelledTransferTests {
    /// A domain with a file whose edit waits.
    private func edited(_ text: String = "mine") async throws -> (domain: TestDomain, number: ItemNumber) {
        let domain = try TestDomain()
        domain.provider.addFile("file.txt", "old")
        try await domain.overwrite("file.txt", text)
        return (domain, try await domain.item("file.txt").number)
    }

    private func edit(_ domain: TestDomain) async throws -> EditStatus.Item {
        try #require(try await domain.status().items.first)
    }

    @Test(arguments: [true, false])
    func aCancelledUploadStaysOnThisMachineUntilTheUserSendsIt(afterRestart: Bool) async throws {
        let (domain, number) = try await edited()
        #expect(try await domain.engine.cancelUpload(of: number) == .cancelled)
        #expect(try await domain.engine.cancelUpload(of: number) == .isOver)
        if afterRestart { try domain.restart() }
        // Neither a sign-in nor an error that is resolved sends it, and other edits are sent.
        await domain.engine.retry()
        await domain.engine.resolved()
        try await domain.make("other.txt", "other")
        try await domain.settle()
        #expect(domain.provider.tree == ["file.txt": "old", "other.txt": "other"])
        #expect(try await edit(domain).isCancelled)
        #expect(try await domain.read("file.txt") == "mine")

        try await domain.engine.sendCancelled()
        try await domain.settle()
        #expect(domain.provider.tree == ["file.txt": "mine", "other.txt": "other"])
        #expect(try await domain.status().items.isEmpty)
    }

    @Test func aCancelledNewFileIsCreatedLater() async throws {
        let domain = try TestDomain()
        let number = try await domain.make("new.txt", "mine")
        #expect(try await domain.engine.cancelUpload(of: number) == .cancelled)
        try await domain.rename("new.txt", "renamed.txt")
        try await domain.settle()
        #expect(domain.provider.tree.isEmpty)
        try await domain.engine.sendCancelled()
        try await domain.settle()
        #expect(domain.provider.tree == ["renamed.txt": "mine"])
    }

    @Test(arguments: [true, false])
    func anotherEditOfTheFileIsSent(afterRestart: Bool) async throws {
        let (domain, number) = try await edited()
        #expect(try await domain.engine.cancelUpload(of: number) == .cancelled)
        // A program that opens the file for writing and writes nothing makes no edit.
        try await domain.open(number, for: .writing(truncating: false)).closed()
        try await domain.settle()
        #expect(domain.provider.tree == ["file.txt": "old"])
        try await domain.overwrite("file.txt", "mine, later")
        #expect(try await !edit(domain).isCancelled)
        if afterRestart { try domain.restart() }
        try await domain.settle()
        #expect(domain.provider.tree == ["file.txt": "mine, later"])
    }

    @Test func theRemovalOfACancelledFileIsSent() async throws {
        let (domain, number) = try await edited()
        #expect(try await domain.engine.cancelUpload(of: number) == .cancelled)
        try await domain.remove("file.txt")
        try domain.restart()
        try await domain.settle()
        #expect(domain.provider.tree.isEmpty)
        #expect(try await domain.tree().isEmpty)
    }

    @Test func aFileThatReplacesACancelledOneIsSent() async throws {
        let (domain, number) = try await edited()
        #expect(try await domain.engine.cancelUpload(of: number) == .cancelled)
        try await domain.save("file.txt", "saved")
        try await domain.settle()
        #expect(domain.provider.tree == ["file.txt": "saved"])
        #expect(try await domain.tree() == domain.provider.tree)
    }

    @Test func anUploadThatHasBegunIsCompleted() async throws {
        let (domain, number) = try await edited()
        domain.provider.hold(.replaceContents)
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.heldCount(.replaceContents) == 1
        }
        #expect(try await domain.engine.cancelUpload(of: number) == .hasBegun)
        domain.provider.release(.replaceContents)
        try await domain.settle()
        #expect(domain.provider.tree == ["file.txt": "mine"])
        #expect(try await domain.engine.cancelUpload(of: number) == .isOver)
    }

    @Test func aCancelledLargeUploadLetsTheNextOneGo() async throws {
        let domain = try TestDomain {
            $0.largeSize = 1
            $0.largeUploadLimit = 1
        }
        domain.provider.hold(.create)
        for name in ["a", "b", "c"] { try await domain.make(name, name) }
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.heldCount(.create) == 1
        }
        let first = try #require(try await domain.status().items.first { $0.isUnderWay })
        let cancelled = first.name == "b" ? "c" : "b"
        #expect(try await domain.engine.cancelUpload(of: domain.number(cancelled)) == .cancelled)
        domain.provider.release(.create)
        try await domain.settle()
        #expect(Set(domain.provider.tree.keys) == Set(["a", "b", "c"]).subtracting([cancelled]))
        #expect(try await domain.read(cancelled) == cancelled)
    }

    @Test func aCancelledDownloadEndsForReadersAndCallers() async throws {
        let domain = try TestDomain()
        let engine = domain.engine
        domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        domain.provider.hold(.contents)
        let opened = try await domain.open(number)
        let reading = Task { await failure { _ = try await opened.whenReady() } }
        let caller = Task { await failure { try await engine.download(number) } }
        try await eventually { domain.provider.heldCount(.contents) == 1 }
        try await eventually { try await engine.status().downloads.count == 1 }
        #expect(try await engine.cancelDownload(of: number) == .cancelled)
        #expect(await caller.value == .cancelled)
        // A program repeats a system call that was interrupted, so it gets another error.
        #expect(await reading.value == .transient)
        try await eventually { try await engine.status().downloads.isEmpty }
        #expect(try await engine.cancelDownload(of: number) == .isOver)
        domain.provider.release(.contents)
        #expect(try await opened.text() == "contents")
        try await opened.closed()
    }

    @Test func aPinnedFileIsDownloadedNevertheless() async throws {
        let domain = try TestDomain()
        let engine = domain.engine
        domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        domain.provider.hold(.contents)
        try await engine.pin(number, true)
        try await eventually { domain.provider.heldCount(.contents) == 1 }
        #expect(try await engine.status().downloads.map(\.isPinned) == [true])
        #expect(try await engine.cancelDownload(of: number) == .isPinned)
        domain.provider.release(.contents)
        try await eventually { try domain.row(number).content == .current }
    }
}

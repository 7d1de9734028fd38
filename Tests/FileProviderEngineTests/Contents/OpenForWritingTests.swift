import FileProvider
import FileProviderEngine
import FileProviderWire
import FileTesting
import Glibc
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

@Suite(.ownThreads) struct OpenForWritingTests {
    @Test func aFileOpenedForWritingIsCleanIfNothingWasWritten() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        try await domain.engine.download(number)
        let opened = try await domain.open(number, for: .writing(truncating: false))
        #expect(opened.isComplete)
        #expect(domain.hasFile(number, in: "data/edits"))
        #expect(domain.engine.handles.isOpenForWriting(number))
        try await opened.flushed()
        try await opened.closed()
        #expect(domain.hasFile(number, in: "cache/content"))
        #expect(!domain.hasFile(number, in: "data/edits"))
        #expect(try domain.row(number).content == .current)
        #expect(try await domain.engine.editStatus().items.isEmpty)
    }

    @Test func writesAreJournalledBeforeTheFlushReturns() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        try await domain.engine.download(number)
        let opened = try await domain.open(number, for: .writing(truncating: false))
        try await opened.write("CON")
        try await opened.flushed()
        #expect(try domain.row(number).content == .edited)
        #expect(try await domain.engine.editStatus().items.map(\.number) == [number])
        try domain.restart()
        #expect(try await domain.read(number) == "CONtents")
        domain.clock.advance(by: 60)
        try await eventually { domain.provider.text(at: "file") == "CONtents" }
    }

    /// The kernel does not update the modification date for a write to a mapped page that is dirty since an earlier
    /// write.
    @Test func writesToAMappingAfterAnUploadReachTheProvider() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        try await domain.engine.download(number)
        let opened = try await domain.open(number, for: .writing(truncating: false))
        let file = try await opened.whenReady().reopen(.readWrite)
        let address = mmap(nil, 8, PROT_READ | PROT_WRITE, MAP_SHARED, file.rawValue, 0)
        let mapping = try #require(address == MAP_FAILED ? nil : address)
        mapping.copyMemory(from: "CON", byteCount: 3)
        try await opened.flushed()
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.text(at: "file") == "CONtents"
        }
        mapping.copyMemory(from: "end", byteCount: 3)
        munmap(mapping, 8)
        try await opened.closed()
        try await domain.settle()
        #expect(domain.provider.text(at: "file") == "endtents")
    }

    @Test func writesOfAnUnclosedFileAreFoundAfterACrash() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        try await domain.engine.download(number)
        let opened = try await domain.open(number, for: .writing(truncating: false))
        try await opened.write("CON")
        try domain.restart()
        #expect(try await domain.read(number) == "CONtents")
        #expect(try domain.row(number).content == .edited)
        domain.clock.advance(by: 60)
        try await eventually { domain.provider.text(at: "file") == "CONtents" }
    }

    @Test func aFileOpenForWritingIsCleanAfterACrashIfNothingWasWritten() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        try await domain.engine.download(number)
        _ = try await domain.open(number, for: .writing(truncating: false))
        try domain.restart()
        #expect(domain.hasFile(number, in: "cache/content"))
        #expect(try await domain.read(number) == "contents")
        #expect(try await domain.engine.editStatus().items.isEmpty)
        #expect(domain.provider.count(.contents) == 1)
    }

    /// A program that has a file open when the daemon dies can continue to write to it, because the kernel passes its
    /// writes through.
    @Test(arguments: ["", "CON"])
    func writesThroughAHandleFromBeforeACrashAreDropped(before: String) async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        try await domain.engine.download(number)
        let opened = try await domain.open(number, for: .writing(truncating: false))
        if !before.isEmpty { try await opened.write(before) }
        let stranger = try await opened.whenReady().reopen(.readWrite)
        try domain.restart()
        try stranger.overwrite(Array("later".utf8), at: 0)
        let expected = before + "contents".dropFirst(before.count)
        #expect(try await domain.read(number) == expected)
        domain.clock.advance(by: 60)
        try await domain.settle()
        #expect(domain.provider.text(at: "file") == expected)
        try stranger.overwrite(Array("LATER".utf8), at: 0)
        #expect(try await domain.read(number) == expected)
        #expect(try await domain.engine.editStatus().items.isEmpty)
        #expect(try domain.row(number).content == .current)
    }

    /// The record of open files that a dead engine left.
    enum LeftMarks: CaseIterable, Sendable { case complete, missing, tooManyToRead }

    /// The same with an edit that waits for its upload. The program that had the file open may still write to it.
    ///
    /// - Parameter marks: The state of the record of open files. An engine of an earlier version left none.
    @Test(arguments: LeftMarks.allCases)
    func anEditThatWaitsIsPartedFromWhoHadItOpenWhenTheDaemonDied(marks: LeftMarks) async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        try await domain.engine.download(number)
        let first = try await domain.open(number, for: .writing(truncating: false))
        try await first.write("CON")
        try await first.flushed()
        try await first.closed()
        // The engine ends before this handle is closed.
        let second = try await domain.open(number, for: .writing(truncating: false))
        let stranger = try await second.whenReady().reopen(.readWrite)
        try domain.restart {
            let path = domain.folder.path + "/data/writers"
            switch marks {
            case .complete: break
            case .missing: unlink(path)
            case .tooManyToRead:
                let file = try FileDescriptor.open(path, .readWrite)
                let bytes = try file.readToEnd(limit: 1 << 16)
                try file.overwrite([UInt8](repeating: 0, count: bytes.count), at: 0)
                try file.overwrite(bytes, at: 8 << 20)
            }
        }
        try stranger.overwrite(Array("later".utf8), at: 0)
        domain.clock.advance(by: 60)
        try await eventually { domain.provider.text(at: "file") == "CONtents" }
        #expect(try await domain.read(number) == "CONtents")
        withExtendedLifetime(second) {}
    }

    @Test func aFileThatWasMovedAmongTheEditsBeforeTheJournalKnewIsPutBack() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        try await domain.engine.download(number)
        try domain.restart {
            let (from, to) = (
                try domain.folder.descriptor.open("cache/content", [.readOnly]),
                try domain.folder.descriptor.open("data/edits", [.readOnly])
            )
            let name = try #require(FileName("\(number.rawValue)"))
            try from.move(name, into: to, as: name)
        }
        #expect(domain.hasFile(number, in: "cache/content"))
        #expect(try await domain.engine.editStatus().items.isEmpty)
    }

    @Test func emptyingADatalessFileFetchesNothing() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        let reader = try await domain.open(number)
        let opened = try await domain.open(number, for: .writing(truncating: true))
        #expect(opened.isComplete)
        #expect(try await reader.text() == "")
        try await opened.write("new")
        #expect(try await reader.text() == "new")
        try await opened.closed()
        try await reader.closed()
        #expect(domain.provider.count(.contents) == 0)
        domain.clock.advance(by: 60)
        try await eventually { domain.provider.text(at: "file") == "new" }
        try await eventually { try domain.row(number).content == .current }
        #expect(try await domain.read(number) == "new")
    }

    @Test func emptyingAndClosingIsAnEdit() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        let opened = try await domain.open(number, for: .writing(truncating: true))
        try await opened.closed()
        domain.clock.advance(by: 60)
        try await eventually { domain.provider.text(at: "file") == "" }
    }

    @Test func writingToADatalessFileWaitsForItsContents() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        domain.provider.hold(.contents)
        let opened = try await domain.open(number, for: .writing(truncating: false))
        #expect(!opened.isComplete)
        async let written: Void = opened.write("CON")
        try await eventually { domain.provider.heldCount(.contents) == 1 }
        domain.provider.release(.contents)
        try await written
        #expect(domain.hasFile(number, in: "data/edits"))
        try await opened.closed()
        #expect(try await domain.read(number) == "CONtents")
        domain.clock.advance(by: 60)
        try await eventually { domain.provider.text(at: "file") == "CONtents" }
    }

    @Test func readersAndWritersOfOneFileSeeTheSameBytes() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        try await domain.engine.download(number)
        let reader = try await domain.open(number)
        let writer = try await domain.open(number, for: .writing(truncating: false))
        try await writer.write("CON")
        #expect(try await reader.text() == "CONtents")
        try await writer.closed()
        let second = try await domain.open(number, for: .writing(truncating: false))
        try await second.write("TENTS", at: 3)
        #expect(try await reader.text() == "CONTENTS")
        #expect(
            try #require(reader.descriptor).status().identity == (try #require(second.descriptor).status().identity))
        try await second.closed()
        try await reader.closed()
    }

    @Test func anEditIsNeverEvicted() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "contents")
        domain.provider.hold(.replaceContents)
        let number = try await domain.item("file").number
        let opened = try await domain.open(number, for: .writing(truncating: true))
        try await opened.write("new")
        try await opened.closed()
        #expect(await failure { try await domain.engine.evict(number) } == .notPermitted)
        #expect(try await domain.read(number) == "new")
        domain.provider.release(.replaceContents)
    }

    @Test func aFileThatTheProviderRemovesWhileItIsOpenForWritingIsMadeAgain() async throws {
        let domain = try TestDomain()
        let identifier = domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        try await domain.list()
        try await domain.engine.download(number)
        let opened = try await domain.open(number, for: .writing(truncating: false))
        domain.provider.remove(identifier)
        domain.engine.signal(container: ProviderItem.rootIdentifier)
        try await eventually { domain.provider.count(.changes) > 0 }
        try await eventually { try domain.row(number).changes.contains(.created) }
        try await opened.write("CON")
        try await opened.closed()
        try await eventually {
            domain.clock.advance(by: 10)
            return domain.provider.text(at: "file") == "CONtents"
        }
    }

    @Test func aDateThatWasSetStaysWhenTheProviderRemovesTheOpenFile() async throws {
        let domain = try TestDomain()
        let identifier = domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        try await domain.list()
        try await domain.engine.download(number)
        let opened = try await domain.open(number, for: .writing(truncating: false))
        _ = try await domain.engine.doing {
            try $0.setAttributes(of: number, mode: nil, modified: 1_234_567_890)
        }
        domain.provider.remove(identifier)
        domain.engine.signal(container: ProviderItem.rootIdentifier)
        try await eventually { try domain.row(number).changes.contains(.created) }
        #expect(try domain.row(number).localModified == 1_234_567_890)
        try await opened.closed()
    }

    @Test func aFileThatIsForgottenIsClosedByItself() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        do {
            let opened = try await domain.open(number, for: .writing(truncating: true))
            try await opened.write("new")
        }
        try await eventually { !domain.engine.handles.isOpenForWriting(number) }
        #expect(try await domain.read(number) == "new")
    }
}

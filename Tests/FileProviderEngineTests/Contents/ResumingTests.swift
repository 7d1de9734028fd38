import FileProvider
import FileProviderEngine
import FileTesting
import Glibc
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

/// Tests of open files that outlive an engine, such as those of a mount that the next daemon takes over.
@Suite(.ownThreads) struct ResumingTests {
    private func inode(_ item: OpenHandle) throws -> UInt64 {
        try #require(item.descriptor).status().identity.inode
    }

    @Test func aReaderOfWhatTheProviderHasReplacedGoesOnWithTheOldBytes() async throws {
        let domain = try TestDomain()
        let identifier = domain.provider.addFile("file", "old")
        let number = try await domain.item("file").number
        try await domain.list()
        #expect(try await domain.read(number) == "old")
        let opened = try await domain.open(number)
        let file = try inode(opened)
        domain.provider.write("new", to: identifier)
        domain.engine.signal(container: ProviderItem.rootIdentifier)
        try await eventually { try domain.number("file") != number }
        try domain.restart(
            resuming: [HandleToResume(handle: 7, number: number, isForWriting: false, file: file)])
        let resumed = try #require(domain.engine.takeResumed()[7])
        #expect(domain.engine.takeResumed().isEmpty)
        #expect(try await resumed.text() == "old")
        #expect(try await domain.read("file") == "new")
        #expect(try await resumed.text() == "old")
        try await resumed.closed()
        try await eventually { !domain.hasFile(number, in: "cache/removed") }
        withExtendedLifetime(opened) {}
    }

    /// Creates a domain with a file of the contents `old`, and opens the file for writing.
    private func withFileToWriteTo() async throws -> (TestDomain, identifier: String, ItemNumber, OpenHandle) {
        let domain = try TestDomain()
        let identifier = domain.provider.addFile("file", "old")
        let number = try await domain.item("file").number
        try await domain.list()
        #expect(try await domain.read(number) == "old")
        return (domain, identifier, number, try await domain.open(number, for: .writing(truncating: false)))
    }

    @Test func aWriterKeepsTheVeryFileAndWhatItWritesLaterIsSent() async throws {
        let (domain, identifier, number, opened) = try await withFileToWriteTo()
        try await opened.write("new")
        let file = try inode(opened)
        try domain.restart(resuming: [HandleToResume(handle: 7, number: number, isForWriting: true, file: file)])
        let resumed = try #require(domain.engine.takeResumed()[7])
        // Write through the old descriptor, as the kernel does with passthrough.
        #expect(try inode(resumed) == file)
        try await opened.write("-er", at: 3)
        try await resumed.closed()
        #expect(try domain.row(number).content == .edited)
        domain.clock.advance(by: 60)
        try await eventually { domain.provider.bytes(of: identifier) == Array("new-er".utf8) }
        withExtendedLifetime(opened) {}
    }

    @Test(arguments: [false, true])
    func aWriterThatHasNotWrittenYetAndAReaderGoOnWithTheOneFile(isOutdated: Bool) async throws {
        let (domain, identifier, number, opened) = try await withFileToWriteTo()
        let file = try inode(opened)
        if isOutdated {
            domain.provider.write("newer", to: identifier)
            domain.engine.signal(container: ProviderItem.rootIdentifier)
            try await eventually { try domain.row(number).item.size == 5 }
        }
        try domain.restart(resuming: [
            HandleToResume(handle: 7, number: number, isForWriting: false, file: file),
            HandleToResume(handle: 8, number: number, isForWriting: true, file: file),
        ])
        let resumed = domain.engine.takeResumed()
        let (reader, writer) = (try #require(resumed[7]), try #require(resumed[8]))
        #expect(try (inode(reader), inode(writer)) == (file, file))
        #expect(domain.hasFile(number, in: "data/edits"))
        #expect(try await reader.text() == "old")
        try await writer.closed()
        try await reader.closed()
        // The unmodified file is clean again, and is replaced if it is outdated.
        try await eventually { (try? await domain.read("file")) == (isOutdated ? "newer" : "old") }
        #expect(try await domain.item("file").content == .current)
        #expect(try await domain.engine.editStatus().items.isEmpty)
        withExtendedLifetime(opened) {}
    }

    @Test func missingAndChangedContentsAreNotResumed() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "contents")
        let number = try await domain.item("file").number
        #expect(try await domain.read(number) == "contents")
        let file = try domain.folder.status("cache/content/\(number.rawValue)").identity.inode
        try domain.restart(resuming: [
            HandleToResume(handle: 1, number: number, isForWriting: false, file: file &+ 1),
            HandleToResume(handle: 2, number: number, isForWriting: false, file: file),
            HandleToResume(handle: 3, number: ItemNumber(rawValue: 1 << 40), isForWriting: true, file: file),
            HandleToResume(handle: 4, number: number, isForWriting: false, file: nil),
        ])
        let resumed = domain.engine.takeResumed()
        #expect(resumed.keys.sorted() == [2, 4])
        for item in resumed.values { try await item.closed() }
    }
}

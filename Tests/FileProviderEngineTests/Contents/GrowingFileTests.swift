import FileProvider
import FileProviderEngine
import ProviderTesting
import TestThreads
import Testing

/// Versions of a file with more at the end, while programs have the file open for reading.
@Suite(.ownThreads) struct GrowingFileTests {
    /// A domain with a file of which a program has read the version "first".
    private struct OpenFile {
        let domain: TestDomain
        let identifier: String
        let number: ItemNumber
        let opened: OpenItem

        init() async throws {
            domain = try TestDomain()
            identifier = domain.provider.addFile("file", "first")
            number = try await domain.item("file").number
            opened = try await domain.open(number)
            #expect(try await opened.text() == "first")
        }

        /// Changes the file at the provider, and waits until the engine knows it and has fetched what it fetches.
        func change(_ text: String) async throws {
            domain.provider.write(text, to: identifier)
            let version = domain.provider.item(of: identifier)?.contentVersion
            domain.engine.signal(container: nil)
            try await eventually { try domain.row(number).item.contentVersion == version }
            try await rest()
        }

        /// Changes the file at the provider, and waits until the provider is asked for the new contents, which it holds back.
        func beginGrowing(_ text: String) async throws {
            domain.provider.hold(.contents)
            domain.provider.write(text, to: identifier)
            domain.engine.signal(container: nil)
            try await eventually { domain.provider.heldCount(.contents) == 1 }
        }

        func rest() async throws { try await eventually { try await domain.engine.status().downloads.isEmpty } }
    }

    @Test func whatIsAddedIsSeenByAllOpenings() async throws {
        let file = try await OpenFile()
        for text in ["first and", "first and more"] {
            try await file.change(text)
            #expect(try await file.opened.text() == text)
            #expect(try await file.domain.read(file.number) == text)
        }
        try await file.opened.closed()
        #expect(try file.domain.row(file.number).localSize == 14)
        #expect(try await file.domain.read(file.number) == "first and more")
        #expect(file.domain.provider.count(.contents) == 3)
        try await file.domain.engine.evict(file.number)
        #expect(try await file.domain.engine.status().cleanBytes == 0)
    }

    @Test func anAppendAfterThatMakesNoConflict() async throws {
        let file = try await OpenFile()
        try await file.change("first and")
        let writer = try await file.domain.open(file.number, for: .writing(truncating: false))
        try await writer.write(" mine", at: 9)
        try await writer.flushed()
        try await writer.closed()
        try await file.domain.settle()
        #expect(file.domain.provider.tree == ["file": "first and mine"])
        #expect(try await file.opened.text() == "first and mine")
        try await file.opened.closed()
    }

    @Test func longerContentsThatBeginOtherwiseLeaveTheOpenFileAsItIs() async throws {
        let file = try await OpenFile()
        try await file.change("another text")
        #expect(try await file.opened.text() == "first")
        try await file.opened.closed()
        #expect(try await file.domain.read(file.number) == "another text")
    }

    @Test func aFileThatIsOpenedForWritingMeanwhileIsLeftAsItIs() async throws {
        let file = try await OpenFile()
        try await file.beginGrowing("first and")
        let writer = try await file.domain.open(file.number, for: .writing(truncating: false))
        file.domain.provider.release(.contents)
        try await file.rest()
        #expect(try await file.opened.text() == "first")
        // Once it is closed, and nothing was written, the end is added.
        try await writer.closed()
        try await eventually { try await file.opened.text() == "first and" }
        try await file.opened.closed()
    }

    @Test func whatCannotBeFetchedIsAddedAfterARetry() async throws {
        let file = try await OpenFile()
        // Another signal of the change makes it ask again.
        for _ in 0..<10 { file.domain.provider.fail(.contents, with: .of(.notPermitted)) }
        try await file.change("first and")
        #expect(try await file.opened.text() == "first")
        try await eventually {
            await file.domain.engine.retry()
            return try await file.opened.text() == "first and"
        }
        try await file.opened.closed()
    }

    @Test func aFileThatIsClosedWhileItsEndIsFetchedIsReadWholeAfterwards() async throws {
        let file = try await OpenFile()
        try await file.beginGrowing("first and")
        try await file.opened.closed()
        file.domain.provider.release(.contents)
        #expect(try await file.domain.read(file.number) == "first and")
        #expect(try await file.domain.engine.status().openFileCount == 0)
    }
}

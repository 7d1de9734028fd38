import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import ProviderTesting
import TestThreads
import Testing

/// Tests of new versions that only append to a file, while programs have it open for reading.
@Suite(.ownThreads) struct GrowingFileTests {
    @Test func appendedBytesAreSeenThroughAllHandles() async throws {
        let file = try await OpenFile()
        for text in ["first and", "first and more"] {
            try await file.changeAndFetch(text)
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
        try await file.changeAndFetch("first and")
        let writer = try await file.domain.open(file.number, for: .writing(truncating: false))
        try await writer.write(" mine", at: 9)
        try await writer.flushed()
        try await writer.closed()
        try await file.domain.settle()
        #expect(file.domain.provider.tree == ["file": "first and mine"])
        #expect(try await file.opened.text() == "first and mine")
        try await file.opened.closed()
    }

    @Test func aVersionOfTheSameBytesLeavesTheFileAsItIs() async throws {
        let file = try await OpenFile()
        try await file.changeAndFetch("first")
        let row = try file.domain.row(file.number)
        #expect(row.content == .current && row.localVersion == row.item.contentVersion)
        #expect(try await file.domain.read(file.number) == "first")
        #expect(try await file.opened.text() == "first")
        try await file.opened.closed()
        #expect(try file.domain.row(file.number).content == .current)
        #expect(file.domain.provider.count(.contents) == 2)
    }

    @Test func longerContentsThatBeginOtherwiseReplaceTheFile() async throws {
        let file = try await OpenFile()
        try await file.changeAndFetch("another text")
        #expect(try await file.opened.text() == "first")
        #expect(try file.domain.number("file") != file.number)
        #expect(try await file.domain.read("file") == "another text")
        // The contents that were fetched for the comparison are those that are read; they are not fetched again.
        #expect(file.domain.provider.count(.contents) == 2)
        try await file.opened.closed()
    }

    // MARK: Concurrent opens

    /// An open request that is in progress.
    private struct Opening {
        let outcome = Outcome()
        let item: Task<OpenHandle, any Error>
        let waiting: Cancellable

        init(_ file: OpenFile, for purpose: OpenPurpose) {
            let (stream, continuation) = AsyncStream<Result<OpenHandle, ProviderError>>.makeStream()
            waiting = file.domain.engine.handles.open(file.number, for: purpose) { [outcome] result in
                outcome.note(result)
                continuation.yield(result)
                continuation.finish()
            }
            item = Task {
                for await result in stream { return try result.get() }
                throw CancellationError()
            }
        }
    }

    @Test(arguments: [OpenPurpose.reading, .writing(truncating: false)])
    func anOpeningWaitsForTheEndThatIsFetched(_ purpose: OpenPurpose) async throws {
        let file = try await OpenFile()
        try await file.beginGrowing("first and")
        let opening = Opening(file, for: purpose)
        try await file.domain.engine.doing { _ in }
        #expect(!opening.outcome.isThere)
        file.domain.provider.release(.contents)
        let item = try await opening.item.value
        #expect(try await item.text() == "first and")
        if purpose != .reading {
            try await item.write(" mine", at: 9)
            try await item.closed()
            try await file.domain.settle()
            #expect(file.domain.provider.tree == ["file": "first and mine"])
        } else {
            try await item.closed()
        }
        try await file.opened.closed()
    }

    @Test func anOpeningIsOfAnotherNumberWhereTheVersionIsNoGrowth() async throws {
        let file = try await OpenFile()
        try await file.beginGrowing("another text")
        let opening = Opening(file, for: .writing(truncating: false))
        try await file.domain.engine.doing { _ in }
        file.domain.provider.release(.contents)
        await #expect(throws: ProviderError.self) { try await opening.item.value }
        #expect(opening.outcome.failure == .expired)
        #expect(try await file.domain.read("file") == "another text")
        try await file.opened.closed()
    }

    @Test func anOpeningThatIsGivenUpDoesNotEmptyTheFileLater() async throws {
        let file = try await OpenFile()
        try await file.beginGrowing("first and")
        let opening = Opening(file, for: .writing(truncating: true))
        try await file.domain.engine.doing { _ in }
        opening.waiting.cancel()
        #expect(opening.outcome.failure == .cancelled)
        file.domain.provider.release(.contents)
        try await file.rest()
        #expect(try await file.opened.text() == "first and")
        #expect(try await file.domain.read("file") == "first and")
        #expect(try await file.domain.status().items.isEmpty)
        try await file.opened.closed()
        #expect(try await file.domain.engine.status().openFileCount == 0)
    }

    @Test func programsReadTheLocalBytesIfTheEndCannotBeFetched() async throws {
        let file = try await OpenFile()
        let domain = file.domain
        try await file.beginGrowing("first and")
        let reader = Opening(file, for: .reading)
        let writer = Opening(file, for: .writing(truncating: false))
        try await domain.engine.doing { _ in }
        domain.provider.behave { behaviour in
            behaviour.after = { (request) throws(ProviderError) in
                if request.kind == .contents { throw .of(.notPermitted) }
            }
        }
        domain.provider.release(.contents)
        let item = try await reader.item.value
        #expect(try await item.text() == "first")
        try await item.closed()
        // A write would append to an outdated file.
        await #expect(throws: ProviderError.self) { try await writer.item.value }
        #expect(writer.outcome.failure == .notPermitted)
        // A further open does not fetch again.
        let count = domain.provider.count(.contents)
        for _ in 0..<3 { #expect(try await domain.read(file.number) == "first") }
        #expect(domain.provider.count(.contents) == count)
        domain.provider.behave { $0.after = { (_) throws(ProviderError) in } }
        domain.clock.advance(by: 31)
        #expect(try await domain.read(file.number) == "first and")
        #expect(try await file.opened.text() == "first and")
        try await file.opened.closed()
    }

    /// The provider serves a later version than the one that it reported.
    @Test func aFileThatGrowsOnWhileItsEndIsFetchedHasAllOfIt() async throws {
        let file = try await OpenFile()
        try await file.beginGrowing("first and")
        let opening = Opening(file, for: .reading)
        try await file.domain.engine.doing { _ in }
        file.domain.provider.hold(.changes)
        file.domain.provider.write("first and more", to: file.identifier)
        file.domain.provider.release(.contents)
        let item = try await opening.item.value
        #expect(try await item.text() == "first and more")
        file.domain.provider.release(.changes)
        try await item.closed()
        try await file.opened.closed()
    }

    @Test func anOpeningEndsWithTheEngine() async throws {
        let file = try await OpenFile()
        try await file.beginGrowing("first and")
        let opening = Opening(file, for: .reading)
        try await file.domain.engine.doing { _ in }
        await file.domain.engine.close()
        try await eventually { opening.outcome.isThere }
        #expect(opening.outcome.failure == .disabled)
        file.domain.provider.release(.contents)
    }

    @Test func anOpeningEndsWithTheItem() async throws {
        let file = try await OpenFile()
        try await file.beginGrowing("first and")
        let opening = Opening(file, for: .reading)
        try await file.domain.engine.doing { _ in }
        file.domain.provider.remove(file.identifier)
        file.domain.engine.signal(container: nil)
        try await eventually { opening.outcome.isThere }
        #expect(opening.outcome.failure == .noSuchItem)
        file.domain.provider.release(.contents)
        #expect(try await file.opened.text() == "first")
        try await file.opened.closed()
    }

    @Test func anOpeningGoesOnWhenTheOthersAreClosed() async throws {
        let file = try await OpenFile()
        try await file.beginGrowing("first and")
        let opening = Opening(file, for: .reading)
        try await file.domain.engine.doing { _ in }
        try await file.opened.closed()
        let item = try await opening.item.value
        file.domain.provider.release(.contents)
        #expect(try await item.text() == "first and")
        try await item.closed()
    }

    @Test func aDownloadWaitsForTheEnd() async throws {
        let file = try await OpenFile()
        try await file.beginGrowing("first and")
        let engine = file.domain.engine
        let download = Task { [number = file.number] in try await engine.download(number) }
        try await file.domain.engine.doing { _ in }
        file.domain.provider.release(.contents)
        try await download.value
        #expect(try await file.opened.text() == "first and")
        try await file.opened.closed()
    }

    @Test func bytesThatCannotBeFetchedAreAddedAfterARetry() async throws {
        let file = try await OpenFile()
        // The engine fetches again after another signal of the change.
        for _ in 0..<10 { file.domain.provider.fail(.contents, with: .of(.notPermitted)) }
        try await file.changeAndFetch("first and")
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

extension OpenFile {
    /// Changes the file at the provider, and waits until the engine has applied the change and is idle.
    fileprivate func changeAndFetch(_ text: String) async throws {
        try await change(text)
        try await rest()
    }

    /// Changes the file at the provider, and waits for the fetch of the new contents, which the provider holds back.
    fileprivate func beginGrowing(_ text: String) async throws {
        domain.provider.hold(.contents)
        domain.provider.write(text, to: identifier)
        domain.engine.signal(container: nil)
        try await eventually { domain.provider.heldCount(.contents) == 1 }
    }

    fileprivate func rest() async throws { try await eventually { try await domain.engine.status().downloads.isEmpty } }
}

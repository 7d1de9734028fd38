import Foundation
import ItemProvider
import ProgramTesting
import Testing
import UniformTypeIdentifiers

/// The 3 × 3 matrix of the article: the kind of registration × the kind of load.
@Suite struct BridgingMatrixTests {
    let scratch: Scratch
    let text = UTType.utf8PlainText.identifier

    init() throws {
        scratch = try Scratch()
    }

    private func offeringData() -> NSItemProvider {
        let provider = NSItemProvider()
        provider.registerDataRepresentation(for: .utf8PlainText) { completion in
            completion(Data("contents".utf8), nil)
            return nil
        }
        return provider
    }

    private func offeringFile(inPlace: Bool) throws -> (NSItemProvider, URL) {
        let file = try scratch.file("letter.txt")
        let provider = NSItemProvider()
        provider.registerFileRepresentation(
            forTypeIdentifier: text, fileOptions: inPlace ? .openInPlace : [], visibility: .all
        ) { completion in
            completion(file, false, nil)
            return nil
        }
        return (provider, file)
    }

    @Test func dataLoadedAsDataIsHandedOver() async throws {
        let (data, error) = await offeringData().data(text)
        #expect(data == Data("contents".utf8))
        #expect(error == nil)
    }

    @Test func dataLoadedAsACopyIsWrittenToAFile() async throws {
        let file = await offeringData().copy(text)
        #expect(file.contents == Data("contents".utf8))
        #expect(file.name.hasSuffix(".txt"))
        try await untilGone(file.path)
    }

    @Test func dataLoadedInPlaceIsWrittenToAFileThatIsNotTheOriginal() async throws {
        let file = await offeringData().original(text)
        #expect(file.contents == Data("contents".utf8))
        #expect(!file.isInPlace)
        try await untilGone(file.path)
    }

    @Test(arguments: [false, true])
    func aFileLoadedAsDataIsRead(inPlace: Bool) async throws {
        let (provider, _) = try offeringFile(inPlace: inPlace)
        #expect(await provider.data(text).data == Data("contents".utf8))
    }

    @Test(arguments: [false, true])
    func aFileLoadedAsACopyIsCopiedUnderItsName(inPlace: Bool) async throws {
        let (provider, original) = try offeringFile(inPlace: inPlace)
        let file = await provider.copy(text)
        #expect(file.contents == Data("contents".utf8))
        #expect(file.name == "letter.txt")
        #expect(file.path != original.path)
        try await untilGone(file.path)
        #expect(FileManager.default.fileExists(atPath: original.path))
    }

    @Test func aFileOfferedAsACopyIsNotOpenedInPlace() async throws {
        let (provider, original) = try offeringFile(inPlace: false)
        let file = await provider.original(text)
        #expect(!file.isInPlace)
        #expect(file.path != original.path)
        #expect(file.contents == Data("contents".utf8))
    }

    @Test func aFileOfferedInPlaceIsOpenedInPlace() async throws {
        let (provider, original) = try offeringFile(inPlace: true)
        let file = await provider.original(text)
        #expect(file.isInPlace)
        #expect(file.path == original.path)
        #expect(FileManager.default.fileExists(atPath: original.path))
    }

    @Test func aLargeFileIsLoadedAsDataByteForByte() async throws {
        let contents = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let file = try scratch.file("large.bin", contents)
        let provider = NSItemProvider(contentsOf: file, contentType: .data)
        #expect(await provider.data("public.data").data == contents)
    }

    @Test func aDirectoryLoadedAsACopyIsAWholeTree() async throws {
        let provider = NSItemProvider(contentsOf: try scratch.tree(), contentType: .folder, openInPlace: true)
        let file = await provider.copy(UTType.folder.identifier)
        #expect(file.isDirectory)
        #expect(file.names == ["a.txt", "link", "more", "more/b.txt"])
        #expect(file.name == "Notes")
        try await untilGone(file.path)
    }

    @Test func aDirectoryIsNeverOpenedInPlace() async throws {
        let root = try scratch.tree()
        let provider = NSItemProvider(contentsOf: root, contentType: .folder, openInPlace: true)
        let file = await provider.original(UTType.folder.identifier)
        #expect(!file.isInPlace)
        #expect(file.path != root.path)
        #expect(file.names.count == 4)
    }

    @Test func aDirectoryLoadedAsDataIsAZipWithTheDirectoryAsItsOnlyRoot() async throws {
        let provider = NSItemProvider(contentsOf: try scratch.tree(), contentType: .folder)
        let data = try #require(await provider.data(UTType.folder.identifier).data)
        let archive = try scratch.file("archive.zip", data)
        let names = try await run("/usr/bin/unzip", ["-Z1", archive.path]).split(separator: "\n").map(String.init)
        #expect(Set(names) == ["Notes/", "Notes/a.txt", "Notes/link", "Notes/more/", "Notes/more/b.txt"])
        #expect(try await run("/usr/bin/unzip", ["-p", archive.path, "Notes/more/b.txt"]) == "beta")
        #expect(try await run("/usr/bin/unzip", ["-p", archive.path, "Notes/link"]) == "../outside.txt")
    }

    @Test func aLoadByASupertypeTakesTheFirstConformingRepresentation() async {
        let provider = NSItemProvider()
        for (type, contents) in [(UTType.html, "html"), (.utf8PlainText, "plain")] {
            provider.registerDataRepresentation(for: type) { completion in
                completion(Data(contents.utf8), nil)
                return nil
            }
        }
        #expect(await provider.data("public.text").data == Data("html".utf8))
        #expect(await provider.data("public.plain-text").data == Data("plain".utf8))
    }

    private func run(_ program: String, _ arguments: [String]) async throws -> String {
        let run = try await RunningProgram(program, arguments).end()
        #expect(run.status == 0, "\(run)")
        return run.text
    }
}

import CoreTransferable
import Exchange
import Foundation
import ItemProvider
import Testing
import UniformTypeIdentifiers

/// Transferable values of another process.
@Suite struct TransferablesAcrossProcessesTests {
    struct Greeting: Codable, Transferable {
        var text: String
        static var transferRepresentation: some TransferRepresentation { CodableRepresentation(contentType: .json) }
    }

    struct Movie: Transferable {
        var path: String
        var contents: Data
        var wasOriginal: Bool
        static var transferRepresentation: some TransferRepresentation {
            FileRepresentation(importedContentType: .movie, shouldAttemptToOpenInPlace: true) { received in
                Movie(
                    path: received.file.path, contents: try Data(contentsOf: received.file),
                    wasOriginal: received.isOriginalFile)
            }
        }
    }

    private func load<T: Transferable & Sendable>(_ type: T.Type, _ item: NSItemProvider) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            _ = item.loadTransferable(type: type) { continuation.resume(with: $0) }
        }
    }

    @Test func aValueIsMadeAnewFromItsCode() async throws {
        try await PrivateDaemon.run { daemon in
            let peer = try daemon.peer()
            _ = try await peer.ask("offer board transferable greeting hello there", "offered")
            let item = try #require(try await daemon.board().items().first)
            #expect(item.registeredTypeIdentifiers == ["public.json", "public.utf8-plain-text"])
            #expect(try await load(Greeting.self, item).text == "hello there")
            #expect(try await load(String.self, item) == "hello there")
            await #expect(throws: (any Error).self) { try await load(Movie.self, item) }
        }
    }

    @Test func aFileArrivesInPlaceOrFailsWithItsProvidersError() async throws {
        try await PrivateDaemon.run { daemon in
            let path = daemon.work + "/a.mov"
            try Data("frames".utf8).write(to: URL(fileURLWithPath: path))
            let peer = try daemon.peer()
            _ = try await peer.ask("offer board transferable movie \(path)", "offered")
            let item = try #require(try await daemon.board().items().first)
            let movie = try await load(Movie.self, item)
            #expect(movie.contents == Data("frames".utf8))
            #expect(movie.wasOriginal)
            #expect(movie.path == path)
            try FileManager.default.removeItem(atPath: path)
            do {
                _ = try await load(Movie.self, item)
                Issue.record("a file that has gone was loaded")
            } catch {
                #expect((error as NSError).domain == NSItemProvider.errorDomain)
            }
        }
    }

    /// The file that an importing closure received, and its path.
    struct Lent: Transferable {
        var path: String
        var contents: [String]
        var wasOriginal: Bool
        static var transferRepresentation: some TransferRepresentation {
            FileRepresentation(importedContentType: .pdf, shouldAttemptToOpenInPlace: true) { received in
                Lent(
                    path: received.file.path, contents: [try String(contentsOf: received.file, encoding: .utf8)],
                    wasOriginal: received.isOriginalFile)
            }
            FileRepresentation(importedContentType: .folder) { received in
                let names = try FileManager.default.contentsOfDirectory(atPath: received.file.path)
                return Lent(path: received.file.path, contents: names.sorted(), wasOriginal: received.isOriginalFile)
            }
        }
    }

    /// A value that is imported from a page, or otherwise from text.
    struct Words: Transferable {
        var text: String
        static var transferRepresentation: some TransferRepresentation {
            DataRepresentation(importedContentType: .html) { Words(text: String(decoding: $0, as: UTF8.self)) }
            DataRepresentation(importedContentType: .plainText) { Words(text: String(decoding: $0, as: UTF8.self)) }
        }
    }

    private func report(_ daemon: PrivateDaemon) async throws -> (NSItemProvider, URL, PeerProcess) {
        let url = URL(fileURLWithPath: daemon.work + "/Year End.bin")
        try Data("pages".utf8).write(to: url)
        let peer = try daemon.peer()
        _ = try await peer.ask("offer board transferable report \(url.path)", "offered")
        return (try #require(try await daemon.board().items().first), url, peer)
    }

    @Test func aFileThatItsSenderKeepsArrivesAsACopyUnderTheSuggestedName() async throws {
        try await PrivateDaemon.run { daemon in
            let (item, url, _) = try await report(daemon)
            #expect(item.suggestedName == "Year End")
            let lent = try await load(Lent.self, item)
            #expect(!lent.wasOriginal)
            #expect(lent.contents == ["pages"])
            #expect(lent.path.hasSuffix("/Year End.pdf"))
            #expect(!FileManager.default.fileExists(atPath: lent.path))
            #expect(FileManager.default.fileExists(atPath: url.path))
        }
    }

    @Test func aConditionIsAskedInTheProvidersProcessAtEachLoad() async throws {
        try await PrivateDaemon.run { daemon in
            let (item, url, _) = try await report(daemon)
            #expect(try await load(Words.self, item).text == "<h1>public</h1>")
            try FileManager.default.removeItem(at: url)
            await #expect(throws: (any Error).self) { try await item.loadDataRepresentation(for: .html) }
            #expect(try await load(Words.self, item).text == "plain")
        }
    }

    @Test func aFolderArrivesAsATreeThatGoesWithTheImport() async throws {
        try await PrivateDaemon.run { daemon in
            let folder = daemon.work + "/Tree"
            try FileManager.default.createDirectory(atPath: folder + "/b", withIntermediateDirectories: true)
            try Data("a".utf8).write(to: URL(fileURLWithPath: folder + "/a.txt"))
            let peer = try daemon.peer()
            _ = try await peer.ask("offer board transferable folder \(folder)", "offered")
            let item = try #require(try await daemon.board().items().first)
            let lent = try await load(Lent.self, item)
            #expect(lent.contents == ["a.txt", "b"])
            #expect(!lent.wasOriginal)
            #expect(!FileManager.default.fileExists(atPath: lent.path))
        }
    }

    @Test func cancellingReachesTheExporter() async throws {
        try await PrivateDaemon.run { daemon in
            let peer = try daemon.peer()
            _ = try await peer.ask("offer board transferable endless x", "offered")
            let item = try #require(try await daemon.board().items().first)
            let results = AsyncStream.makeStream(of: Result<Data, any Error>.self)
            let progress = item.loadTransferable(type: Data.self) { results.continuation.yield($0) }
            _ = try await peer.hear("exporter called")
            progress.cancel()
            for await result in results.stream {
                #expect(throws: CocoaError.self) { try result.get() }
                break
            }
            _ = try await peer.hear("exporter cancelled")
        }
    }
}

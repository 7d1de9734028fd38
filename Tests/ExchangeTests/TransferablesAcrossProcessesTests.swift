import CoreTransferable
import Exchange
import Foundation
import ItemProvider
import Testing
import UniformTypeIdentifiers

/// Values of another process.
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
}

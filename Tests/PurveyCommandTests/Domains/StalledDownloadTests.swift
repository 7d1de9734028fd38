import Foundation
import LinuxSystem
import ProgramTesting
import ScriptableService
import TestThreads
import Testing

/// Tests of downloads for which the service sends no bytes.
@Suite(.ownThreads, .timeLimit(.minutes(10))) struct StalledDownloadTests {
    /// A program that reads a file.
    private final class Reader: Sendable {
        private let outcome = Lock<String??>(nil)

        init(_ path: String) {
            Thread.detachNewThread { [self] in
                let text = try? String(contentsOfFile: path, encoding: .utf8)
                outcome.withLock { $0 = .some(text) }
            }
        }

        var hasEnded: Bool { outcome.withLock { $0 != nil } }
        /// The text that was read; `nil` after an error.
        var text: String? { outcome.withLock { $0 ?? nil } }
    }

    /// Runs a test while a program reads a file for which no bytes come.
    private func whileAReaderWaits(_ body: @escaping (ServiceFixture, Reader) async throws -> Void) async throws {
        try await ServiceFixture.run(model: .replica) { place in
            try await place.tell { try $0.put("film.mov", "pictures") }
            try await place.tell { try $0.add(CloudRule(.hold, on: .contents, times: 1)) }
            _ = await place.names()
            let reader = Reader(place.mount + "/film.mov")
            try await place.eventually("the service is asked") { try await place.tell { try $0.held() } == 1 }
            try await body(place, reader)
        }
    }

    @Test func theStatusNamesTheFileAndSinceWhen() async throws {
        try await whileAReaderWaits { place, reader in
            let inFlight = try #require(try await place.status()["inFlight"] as? [[String: Any]])
            #expect(inFlight.first?["name"] as? String == "film.mov")
            #expect(inFlight.first?["direction"] as? String == "down")
            #expect((inFlight.first?["begun"] as? String)?.hasSuffix("Z") == true)
            try await place.eventually("the status says that nothing comes") {
                let text = try await place.succeed("status").text
                return text.contains("   down: film.mov, begun ") && text.contains(" s ago, nothing for ")
            }
            try await place.tell { try $0.removeRules() }
            try await place.eventually("the reader gets the contents") { reader.text == "pictures" }
        }
    }

    @Test func anEvictionEndsTheWaitWithAnError() async throws {
        try await whileAReaderWaits { place, reader in
            try await place.eventually("an eviction ends the transfer") {
                try await place.succeed("evict", "Cloud:film.mov")
                return reader.hasEnded
            }
            #expect(reader.text == nil)
            try await place.tell { try $0.removeRules() }
            #expect(await place.read("film.mov") == "pictures")
        }
    }
}

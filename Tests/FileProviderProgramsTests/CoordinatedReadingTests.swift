import CoordinationService
import Exchange
import Foundation
import Glibc
import Testing

/// Tests of programs that coordinate access to files of a provider's document storage, without a mount: the program,
/// the daemon and the provider are separate processes.
@Suite(.timeLimit(.minutes(20))) struct CoordinatedReadingTests {
    /// Serves files under the identifier `main`. The provider is soon notified of files that are no longer used.
    private func serving(
        _ files: [String: String], _ body: (VaultFixture, PeerProcess, _ service: String) async throws -> Void
    ) async throws {
        try await VaultFixture.run(variables: ["PURVEY_PROVIDING_TIME=0.1"]) { place in
            let (folder, app) = try await place.appWithDomain(try place.makeService(files))
            try await body(place, app, folder)
        }
    }

    @Test func aFileThatIsNotThereIsProvidedBeforeItIsReadAndGivenUpAfterwards() async throws {
        try await serving(["a.txt": "hello", "b.txt": "other"]) { place, app, folder in
            let path = place.stored("a.txt")
            let word = place.word("a.txt")
            #expect(!FileManager.default.fileExists(atPath: path))
            #expect(try await app.ask("hold \(word)", "holding") == "hello")
            #expect(place.notes(folder).suffix(3).contains("start a.txt"))
            // The program may use the file for as long as it likes.
            try await stopsProvidingAnother(place, app, folder)
            #expect(!place.notes(folder).contains("stop a.txt"))
            app.tell("release")
            #expect(try await app.hear("hold ") == "hello")
            await eventually { place.notes(folder).last == "stop a.txt" }
            #expect(!FileManager.default.fileExists(atPath: path))
            // The placeholder stays.
            #expect(try await app.ask("metadata \(word)", "metadata") == "placeholder")
            // Each read makes the provider fetch again.
            #expect(try await app.ask("read \(word)", "read") == "hello")
            let starts = place.notes(folder).filter { $0 == "start a.txt" }
            #expect(starts.count == 2)
        }
    }

    /// Reads another file, and waits until the provider is notified that it is no longer used.
    private func stopsProvidingAnother(_ place: VaultFixture, _ app: PeerProcess, _ folder: String) async throws {
        #expect(try await app.ask("read \(place.word("b.txt"))", "read") == "other")
        await eventually { place.notes(folder).contains("stop b.txt") }
    }

    @Test func readingWhatIsKnownWithoutTheBytesFetchesNothing() async throws {
        try await serving(["a.txt": "hello"]) { place, app, folder in
            let found = try await app.ask("metadata \(place.word("a.txt"))", "metadata")
            #expect(found == "placeholder")
            #expect(place.notes(folder).contains("placeholder a.txt"))
            #expect(!place.notes(folder).contains("start a.txt"))
            #expect(!FileManager.default.fileExists(atPath: place.stored("a.txt")))
        }
    }

    @Test func writesReachTheProvider() async throws {
        try await serving(["a.txt": "hello"]) { place, app, folder in
            // Existing contents are fetched before a change.
            #expect(try await app.ask("write \(place.word("a.txt")) edited", "write") == "hello")
            await eventually { await place.contents(folder + "/a.txt") == "edited" }
            await eventually { place.notes(folder).contains("changed a.txt") }
            #expect(place.notes(folder).contains("start a.txt"))
            // Contents that are replaced are not fetched first, and a new file has none at the provider.
            try FileManager.default.createDirectory(atPath: place.stored(""), withIntermediateDirectories: true)
            #expect(try await app.ask("replace \(place.word("b.txt")) other", "replace") == "none")
            #expect(try await app.ask("write \(place.word("new.txt")) fresh", "write") == "none")
            await eventually { await place.contents(folder + "/new.txt") == "fresh" }
            await eventually { await place.contents(folder + "/b.txt") == "other" }
            #expect(!place.notes(folder).contains("start b.txt"))
        }
    }

    @Test func theProvidersReasonReachesTheProgram() async throws {
        try await serving(["locked.txt": "secret"]) { place, app, folder in
            let locked = try await app.ask("read \(place.word("locked.txt"))", "read")
            #expect(locked.hasPrefix("failed NSFileProviderErrorDomain -1000"), "\(locked)")
            let missing = try await app.ask("read \(place.word("none.txt"))", "read")
            #expect(missing.hasPrefix("failed NSFileProviderErrorDomain -1005"), "\(missing)")
            // The provider ends at each request for this file.
            try Data("last words".utf8).write(to: URL(fileURLWithPath: folder + "/dying.txt"))
            let dying = try await app.ask("read \(place.word("dying.txt"))", "read")
            #expect(dying.hasPrefix("failed NSFileProviderErrorDomain"), "\(dying)")
            // No claim is left.
            try await eventually { try await place.daemon.client.call(CountClaimsCall(), attempts: 3).count == 0 }
        }
    }

    @Test func waitingForAFileCanBeGivenUpAndEndsWithTheProgram() async throws {
        try await serving(["a.txt": "hello"]) { place, app, folder in
            let slow = place.word("slow.txt")
            app.tell("wait \(slow)")
            await eventually { place.notes(folder).contains("start slow.txt") }
            #expect(try await app.ask("cancel", "cancel") == "done")
            #expect(try await app.hear("wait").hasPrefix("failed NSCocoaErrorDomain 3072"))
            await eventually { place.notes(folder).contains("stop slow.txt") }

            let other = try place.app()
            other.tell("read \(slow)")
            await eventually { place.notes(folder).count { $0 == "start slow.txt" } == 2 }
            await other.end()
            await eventually { place.notes(folder).count { $0 == "stop slow.txt" } >= 2 }
            // Neither wait delays other programs.
            try Data("at last".utf8).write(to: URL(fileURLWithPath: folder + "/slow.txt"))
            #expect(try await app.ask("read \(slow)", "read") == "at last")
            #expect(try await app.ask("read \(place.word("a.txt"))", "read") == "hello")
            try await eventually { try await place.daemon.client.call(CountClaimsCall(), attempts: 3).count == 0 }
        }
    }

    @Test func severalProgramsUseOneFileAndTheLastOneEndsIt() async throws {
        try await serving(["a.txt": "hello", "b.txt": "other"]) { place, app, folder in
            let word = place.word("a.txt")
            let other = try place.app()
            #expect(try await app.ask("hold \(word)", "holding") == "hello")
            #expect(try await other.ask("hold \(word)", "holding") == "hello")
            app.tell("release")
            try await app.hear("hold ")
            // The engine finishes with its own copy while the programs still use the file.
            try await app.ask("download main a.txt", "download done")
            try await stopsProvidingAnother(place, app, folder)
            #expect(!place.notes(folder).contains("stop a.txt"))
            await other.end()
            await eventually { place.notes(folder).contains("stop a.txt") }
        }
    }

    @Test func claimsOfFilesElsewhereAreNotHeldUp() async throws {
        try await serving([:]) { place, app, folder in
            let path = place.daemon.work + "/plain.txt"
            try Data("plain".utf8).write(to: URL(fileURLWithPath: path))
            #expect(try await app.ask("read \(path)", "read") == "plain")
            #expect(try await app.ask("read \(folder)/none", "read") == "none")
            // The path is in a document storage, but in no domain.
            #expect(try await app.ask("read \(place.word("a.txt", of: "nobodys"))", "read") == "none")
            let starts = place.notes(folder).filter { $0.hasPrefix("start") }
            #expect(starts.isEmpty)
        }
    }
}

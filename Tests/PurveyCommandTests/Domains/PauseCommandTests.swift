import Foundation
import ProgramTesting
import ScriptableService
import Testing

/// Tests of `purvey pause` and `purvey resume`.
@Suite(.timeLimit(.minutes(20))) struct PauseCommandTests {
    @Test func editsOfAPausedDomainWaitAndFilesThatAreOpenedAreFetched() async throws {
        try await ServiceFixture.run { place in
            try await place.tell { try $0.put("known.txt", "known") }
            try await place.eventually("it is listed") { await place.names() == ["known.txt"] }
            try await place.succeed("pause", "Cloud")
            try await place.write("new", to: "new.txt")
            try await place.eventually("the edit waits") {
                try await place.status()["uploads"] as? [String: Int] == ["waiting": 1, "inFlight": 0]
            }
            #expect(await place.read("known.txt") == "known")
            #expect(try await place.status()["isPaused"] as? Bool == true)
            #expect(try await place.succeed("status").text.contains("Cloud  paused  "))

            // The pause outlives the daemon.
            try await place.restartWithoutExtension()
            #expect(try await place.status()["isPaused"] as? Bool == true)
            #expect(await place.read("known.txt") == "known")
            #expect(try await place.status()["uploads"] as? [String: Int] == ["waiting": 1, "inFlight": 0])
            #expect(try await place.tell { try $0.snapshot().keys.sorted() } == ["known.txt"])

            try await place.succeed("resume")
            try await place.eventually("the edit is sent") {
                try await place.tell { try $0.snapshot().keys.sorted() } == ["known.txt", "new.txt"]
            }
            #expect(try await place.status()["isPaused"] as? Bool == false)
        }
    }

    @Test func pinnedItemsWaitWhileTheDomainIsPaused() async throws {
        try await ServiceFixture.run { place in
            try await place.tell { try $0.put("kept.txt", "old") }
            try await place.succeed("keep", "Cloud:kept.txt")
            try await place.succeed("pause")
            try await place.tell { try $0.put("kept.txt", "newer") }
            try await place.succeed("signal", "Cloud")
            try await place.eventually("it is missing") {
                try await place.status()["kept"] as? [String: Int] == ["missing": 1]
            }
            try await place.succeed("resume", "Cloud")
            try await place.eventually("it is here") {
                try await place.status()["kept"] as? [String: Int] == ["missing": 0]
            }
            let unknown = try await place.place.purvey("pause", "Clout")
            #expect(unknown.status == 1 && unknown.errors.contains("Cloud"), "\(unknown.errors)")
        }
    }
}

import Foundation
import ProgramTesting
import Testing

/// The layers of confinement that `purvey status` says a system lacks.
@Suite(.timeLimit(.minutes(20))) struct ConfinementStatusTests {
    @Test func layersThatAreMissingAreNamed() async throws {
        try await CommandFixture.run { place in
            let status = try await place.shell("PURVEY_LAYERS=landlock:2,namespaces:no \"$purvey\" status")
            for sentence in ["the system permits no namespaces", "Landlock 2: extensions can empty files"] {
                #expect(status.text.contains("\n   confinement: \(sentence)"), "\(status.text)")
            }
            // The daemon was started with these layers.
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            #expect(await cloud.contents(cloud.mount + "/a.txt") == "hello\n")
            // It is weaker than others only where those have root directories.
            #expect(try await confinement(place).allSatisfy { !$0.contains("Papers") })
        }
    }

    @Test func aProviderThatServesADirectoryHasNoRootDirectory() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            let before = try await confinement(place)
            // Without Landlock, its root directory is its confinement.
            let isWeaker = !before.contains { $0.contains("permits no namespaces") || $0.contains("no Landlock") }
            try await cloud.add()
            let added = try await confinement(place).filter { !before.contains($0) }
            #expect(added.map { $0.contains("is served by Papers: ") } == (isWeaker ? [true] : []), "\(added)")
            #expect(try await place.purvey("domains", "remove", "Papers").status == 0)
            #expect(try await confinement(place) == before)
        }
    }

    @Test func aDirectoryIsServedFromARootDirectoryWhereLandlockIsMissing() async throws {
        try await CommandFixture.run { place in
            let status = try await place.shell("PURVEY_LAYERS=landlock:0 \"$purvey\" status")
            #expect(status.text.contains("\n   confinement: the kernel has no Landlock"), "\(status.text)")
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            #expect(await cloud.contents(cloud.mount + "/inner/b.txt") == "deep\n")
            #expect(try await confinement(place).allSatisfy { !$0.contains("Papers") })
        }
    }

    private func confinement(_ place: CommandFixture) async throws -> [String] {
        let status = try await place.purvey("status", "--json")
        let object = try JSONSerialization.jsonObject(with: status.output) as? [String: Any]
        return try #require(object?["confinement"] as? [String])
    }
}

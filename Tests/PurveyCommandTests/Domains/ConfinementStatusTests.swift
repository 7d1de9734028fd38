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
            let after = try await confinement(place).joined()
            #expect(!after.contains("Papers"), "\(after)")
        }
    }

    @Test func aProviderThatServesADirectoryHasNoRootDirectory() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            let before = try await confinement(place)
            try await cloud.add()
            let after = try await confinement(place)
            Self.expectPapers(in: after, beside: before)
            let removal = try await place.purvey("domains", "remove", "Papers")
            #expect(removal.status == 0, "\(removal.errors)")
            let last = try await confinement(place)
            #expect(last == before)
        }
    }

    /// Without namespaces and without Landlock, the other sentences are about the provider, too.
    private static func expectPapers(in after: [String], beside before: [String]) {
        let added = Set(after).subtracting(before)
        for layer in ["permits no namespaces", "no Landlock"] where before.joined().contains(layer) {
            return #expect(added.isEmpty)
        }
        #expect(added.count == 1 && added.joined().contains("is served by Papers: "), "\(added)")
    }

    @Test func aDirectoryIsServedFromARootDirectoryWhereLandlockIsMissing() async throws {
        try await CommandFixture.run { place in
            let status = try await place.shell("PURVEY_LAYERS=landlock:0 \"$purvey\" status")
            #expect(status.text.contains("\n   confinement: the kernel has no Landlock"), "\(status.text)")
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            #expect(await cloud.contents(cloud.mount + "/inner/b.txt") == "deep\n")
            let after = try await confinement(place).joined()
            #expect(!after.contains("Papers"), "\(after)")
        }
    }

    private func confinement(_ place: CommandFixture) async throws -> [String] {
        let status = try await place.purvey("status", "--json")
        let object = try JSONSerialization.jsonObject(with: status.output) as? [String: Any]
        return try #require(object?["confinement"] as? [String])
    }
}

import ProgramTesting
import ScriptableService
import Testing

/// Tests of a provider whose items have no versions.
@Suite(.timeLimit(.minutes(20))) struct UnversionedItemTests {
    @Test(arguments: [StartedCloud.Model.documents, .replica])
    func aChangeAtTheServiceIsFetchedAndTheStatusTellsThatVersionsAreMissing(_ model: StartedCloud.Model) async throws {
        try await ServiceFixture.run(model: model) { place in
            try await place.tell { try $0.put("unversioned.txt", "old") }
            // Changes are applied only to directories that were listed.
            #expect(await place.names() == ["unversioned.txt"])
            #expect(await place.read("unversioned.txt") == "old")
            try await place.tell { try $0.put("unversioned.txt", "newer") }
            try await place.succeed("signal", "Cloud")
            try await place.eventually("the change is fetched") { await place.read("unversioned.txt") == "newer" }
            try await place.write("mine", to: "unversioned.txt")
            try await place.eventually("the edit arrives") {
                try await place.tell { try $0.text("unversioned.txt") } == "mine"
            }
            #expect(
                try await place.succeed("status").text.contains("   note: the provider gives files without itemVersion")
            )
            #expect(try await place.tell { try $0.snapshot().keys.sorted() } == ["unversioned.txt"])
            let check = try await place.succeed("extensions", "check", try await place.install())
            #expect(
                check.text.hasPrefix("note: in the domain Cloud, the provider gives files without itemVersion"),
                "\(check.text)")
        }
    }

    @Test(arguments: [StartedCloud.Model.documents, .replica])
    func anEditOfWhatTheServiceChangedIsAConflict(_ model: StartedCloud.Model) async throws {
        try await ServiceFixture.run(model: model) { place in
            try await place.tell { try $0.put("unversioned.txt", "old") }
            #expect(await place.read("unversioned.txt") == "old")
            // The engine does not learn of the change before the edit is made.
            try await place.tell { control in
                for request in [CloudRule.Request.changes, .page] { try control.add(CloudRule(.drop, on: request)) }
                try control.put("unversioned.txt", "theirs")
            }
            try await place.write("mine", to: "unversioned.txt")
            try await place.eventually("both are with the service") {
                try await place.tell { control in
                    try Set(control.snapshot().keys.map { try control.text($0) }) == ["theirs", "mine"]
                }
            }
            #expect(try await place.tell { try $0.text("unversioned.txt") } == "theirs")
        }
    }

    @Test func aProviderThatGivesVersionsHasNoNote() async throws {
        try await ServiceFixture.run { place in
            try await place.tell { try $0.put("a.txt", "old") }
            #expect(await place.read("a.txt") == "old")
            #expect(!(try await place.succeed("status").text.contains("itemVersion")))
        }
    }
}

import Foundation
import Glibc
import ProgramTesting
import ScriptableService
import Testing

/// Tests of recents, favorites, tags, search and pushes from the command line, through a daemon and a confined
/// provider.
@Suite(.timeLimit(.minutes(20))) struct WorkingSetCommandTests {
    /// Returns the paths that a command lists.
    private func paths(_ place: CommandFixture, _ arguments: String...) async throws -> [String] {
        let outcome = try await place.purvey(arguments + ["--json"])
        try #require(outcome.status == 0, "\(outcome.errors)")
        let items = try JSONSerialization.jsonObject(with: outcome.output) as? [[String: Any]]
        return try #require(items).compactMap { $0["path"] as? String }
    }

    @Test func theWorkingSetIsThereWithoutTheExtension() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            #expect(await cloud.contents(cloud.mount + "/a.txt") == "hello\n")
            #expect(try await paths(place, "recents") == ["a.txt"])
            #expect(try await place.purvey("ls", "Papers:inner").status == 0)
            // A missing item does not keep the others from being added.
            let added = try await place.purvey("favorites", "add", "Papers:inner", "Papers:none", "Papers:a.txt")
            #expect(added.status == 1 && added.errors.hasPrefix("purvey: favorites: Papers:none: there is no"))
            let tagged = try await place.purvey("tag", cloud.mount + "/inner/b.txt", "Work", "Später")
            #expect(tagged.text == "Work\nSpäter\n", "\(tagged.errors)")
            // Wait until the provider has the user metadata.
            try await cloud.eventually("the tags are sent") { try await sentMarks(place) == 4 }

            // The provider of a paused domain is not asked for changes when the daemon starts.
            #expect(try await place.purvey("pause", "Papers").status == 0)
            try await cloud.end()
            try await cloud.eventually("the extension has ended") { cloud.extensionProcesses.isEmpty }
            for _ in 0..<2 {
                #expect(try await paths(place, "recents") == ["a.txt"])
                #expect(try await paths(place, "favorites") == ["inner", "a.txt"])
                #expect(try await paths(place, "search", "b.tx") == ["inner/b.txt"])
                #expect(try await paths(place, "search", "--tag", "spater") == ["inner/b.txt"])
                #expect(try await paths(place, "search", "--type", "txt", "--since", "2020-01-01").count == 2)
                #expect(try await paths(place, "search", "--before", "2020-01-01").isEmpty)
            }
            #expect(cloud.extensionProcesses.isEmpty)
            #expect(try await place.purvey("tag", "Papers:inner/b.txt").text == "Work\nSpäter\n")
            #expect(try await place.purvey("recents").text.hasSuffix("  \(cloud.mount)/a.txt\n"))
            #expect(try await place.purvey("tag", "--remove", "Papers:inner/b.txt", "Work").text == "Später\n")
            #expect(try await place.purvey("favorites", "remove", "Papers:inner").status == 0)
            #expect(try await place.purvey("favorites").text == cloud.mount + "/a.txt\n")
        }
    }

    /// Returns the number of tags and ranks in the provider's catalogue.
    private func sentMarks(_ place: CommandFixture) async throws -> Int {
        let script = """
            find "$PURVEY_HOME" -name catalogue.db -print0 | xargs -0 cat | grep -aoE 'Work|[0-9]{13}' | sort -u | wc -l
            """
        let outcome = try await place.shell(script)
        // Both ranks were found, and one of the two tags stands for both.
        return (Int(outcome.text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0) >= 3 ? 4 : 0
    }

    @Test func tagsAndFavoritesThatWereSetReachTheProviderWhateverIsKilled() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            #expect(try await place.purvey("ls", cloud.mount).status == 0)
            // The stopped extension accepts nothing.
            let stopped = try await cloud.stopExtension()
            #expect(try await place.purvey("tag", "Papers:a.txt", "Kept").text == "Kept\n")
            try await cloud.end(by: SIGKILL)
            for process in stopped { kill(process, SIGKILL) }
            #expect(try await place.purvey("tag", "Papers:a.txt").text == "Kept\n")
            try await cloud.eventually("the provider has it") {
                let script = """
                    find "$PURVEY_HOME" -name catalogue.db -print0 | xargs -0 cat | grep -ac Kept
                    """
                return try await place.shell(script).text != "0\n"
            }
        }
    }

    @Test func aPushFetchesChangesThatTheServiceDidNotReport() async throws {
        try await ServiceFixture.run { place in
            try await place.tell { try $0.put("Folder/a.txt", "hello") }
            #expect(await place.read("Folder/a.txt") == "hello")
            let folder = try #require(try await place.tell { try $0.snapshot()["Folder"]?.identifier })
            try await place.tell { try $0.put("Folder/new.txt", "new") }
            let payload = "{\"container-identifier\": \"\(folder)\", \"domain\": \"Cloud\"}"
            #expect(try await place.place.purvey("push", input: Data(payload.utf8)).status == 0)
            // A search sends no request to the provider.
            try await place.eventually("the new file is in the index") {
                try await paths(place.place, "search", "new.txt") == ["Folder/new.txt"]
            }
        }
    }

    @Test func aPushIsUnderstoodOrRefused() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            #expect(try await place.purvey("ls", "Papers:").status == 0)
            try await cloud.write("new\n", to: cloud.cloud + "/new.txt")
            func push(_ payload: String) async throws -> CommandFixture.Outcome {
                try await place.purvey("push", input: Data(payload.utf8))
            }
            let root = "NSFileProviderRootContainerItemIdentifier"
            let pushed = try await push("{\"container-identifier\": \"\(root)\", \"domain\": \"Papers\"}")
            #expect(pushed.status == 0 && pushed.errors.isEmpty, "\(pushed.errors)")
            try await cloud.eventually("the new file is found") {
                try await paths(place, "search", "new.txt") == ["new.txt"]
            }
            let topic = "org.purvey.LocalFolder.pushkit.fileprovider"
            for payload in [
                "{\"container-identifier\": \"\(root)\"}",
                "{\"container-identifier\": \"\(root)\", \"topic\": \"\(topic)\", \"aps\": {}}",
                "{\"container-identifier\": \"nobody knows it\", \"domain\": \"Papers\"}",
            ] {
                #expect(try await push(payload).status == 0)
            }
            for (payload, words) in [
                ("", "is not a JSON object"), ("[]", "is not a JSON object"), ("{}", "has no \"container-identifier\""),
                ("{\"container-identifier\": 7}", "is not a text"),
                ("{\"container-identifier\": \"\(root)\", \"domain\": \"Other\"}", "there is no domain \"Other\""),
                ("{\"container-identifier\": \"\(root)\", \"topic\": \"org.example.x\"}", "is not an extension's"),
                (String(repeating: " ", count: 5000), "more than 4096 bytes"),
                (String(repeating: "[", count: 4000), "is not a JSON object"),
            ] {
                let outcome = try await push(payload)
                #expect(
                    outcome.status == 1 && outcome.errors.contains(words), "\(payload.prefix(60)) \(outcome.errors)")
            }
        }
    }

    @Test func wordsThatMakeNoSenseAreRefused() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            for (arguments, status, words) in [
                (["search"], Int32(2), "the search needs a word"), (["search", " "], 2, "the search needs a word"),
                (["search", "--since", "2026-02-30"], 2, "is not a day"),
                (["search", "a", "--limit", "0"], 2, "--limit"),
                (["search", "--type", "no-such"], 1, "purvey: search: there is no type 'no-such'\n"),
                (["search", "a", "--domain", "Other"], 1, "there is no domain"), (["recents", "x"], 2, "unexpected"),
                (["favorites", "add", "Papers:"], 1, "cannot be a favorite"),
                (["tag", "Papers:", "Work"], 1, "cannot have tags"),
                (["favorites", "add"], 2, "a path is missing"), (["favorites", "drop"], 2, "add or remove"),
                (["tag"], 2, "a path is missing"), (["tag", "Papers:a.txt", "a,b"], 1, "comma"),
                (["tag", "Papers:none", "x"], 1, "Papers:none: there is no such"),
                (["tag", "--remove", "Papers:a.txt"], 2, "the tags to remove"),
            ] {
                let outcome = try await place.purvey(arguments)
                #expect(outcome.status == status && outcome.errors.contains(words), "\(arguments) \(outcome.errors)")
            }
            #expect(try await place.purvey("tag", "Papers:a.txt").text.isEmpty)
        }
    }
}

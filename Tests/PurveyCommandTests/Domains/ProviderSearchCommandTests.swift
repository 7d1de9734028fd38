import Foundation
import LinuxSystem
import ProgramTesting
import ScriptableService
import Testing

/// Tests of `purvey search --provider`, across a daemon, a confined provider and its service.
@Suite(.timeLimit(.minutes(20))) struct ProviderSearchCommandTests {
    private func found(_ place: ServiceFixture, _ arguments: String...) async throws -> [[String: Any]] {
        let outcome = try await place.place.purvey(["search", "--provider", "--json"] + arguments)
        try #require(outcome.status == 0, "\(outcome.errors)")
        return try #require(try JSONSerialization.jsonObject(with: outcome.output) as? [[String: Any]])
    }

    @Test func theServiceFindsItemsOfFoldersThatWereNotListedYet() async throws {
        // The files are older than the domain, so the change feed does not report them.
        let files: KeyValuePairs = [
            "report.txt": "known", "deep/inner/report two.txt": "unknown", "letter.txt": "another",
        ]
        try await ServiceFixture.run(filling: files) { place in
            try await place.tell { control in try control.change { $0.pageLimit = 1 } }
            try await place.succeed("ls", "Cloud:")
            let items = try await found(place, "report")
            #expect(items.map { $0["name"] as? String } == ["report.txt", "report two.txt"])
            #expect(items.map { $0["path"] as? String } == ["report.txt", nil])
            #expect(items.map { $0["mountedPath"] as? String } == [place.mount + "/report.txt", nil])
            #expect(items.map { $0["type"] as? String } == ["public.plain-text", "public.plain-text"])
            #expect(items.map { $0["size"] as? Int } == [5, 7])
            #expect(items.allSatisfy { $0["modified"] is String && $0["created"] is NSNull })
            let identifier = try #require(items[1]["identifier"] as? String)
            let lines = try await place.succeed("search", "--provider", "report").text
            #expect(lines == "\(place.mount)/report.txt\nCloud: report two.txt  \(identifier)\n")
            #expect(try await found(place, "two.txt", "--domain", "Cloud").count == 1)
            #expect(try await found(place, "report", "--limit", "1").count == 1)
            #expect(try await found(place, "nothing like that").isEmpty)
            // Items that the provider found are not added to the index.
            #expect(try await place.succeed("search", "two").text.isEmpty)
            try await place.succeed("ls", "Cloud:deep")
            try await place.succeed("ls", "Cloud:deep/inner")
            #expect(try await found(place, "two.txt").first?["path"] as? String == "deep/inner/report two.txt")
        }
    }

    @Test func unsupportedSearchesPrintOneLine() async throws {
        try await ServiceFixture.run { place in
            let long = String(repeating: "x", count: 1001)
            for (arguments, status, words) in [
                ([], Int32(2), "needs the words to search for"), ([" "], 2, "needs the words to search for"),
                (["--tag", "Work", "x"], 2, "--tag cannot be used with"), (["--limit", "0", "x"], 2, "--limit"),
                (["--domain", "Nowhere", "x"], 1, "there is no domain \"Nowhere\""), ([long], 1, "1001 bytes"),
            ] {
                let outcome = try await place.place.purvey(["search", "--provider"] + arguments)
                #expect(outcome.status == status && outcome.errors.contains(words), "\(arguments): \(outcome.errors)")
                #expect(outcome.errors.split(separator: "\n").first?.hasPrefix("purvey: search: ") == true)
            }
            try await place.tell { try $0.add(CloudRule(.fail(.broken), on: .search, times: 2)) }
            for domain in [["--domain", "Cloud"], []] {
                let outcome = try await place.place.purvey(["search", "--provider", "x"] + domain)
                #expect(outcome.status == 1 && outcome.errors.hasPrefix("purvey: search: Cloud: "), "\(outcome.errors)")
            }
            #expect(try await place.succeed("search", "--provider", "x").text.isEmpty)
        }
    }

    @Test func aProviderThatDoesNotSearchIsLeftOutUnlessItIsMeant() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            for domain in [["--domain", "Papers"], []] {
                let outcome = try await place.purvey(["search", "--provider", "a.txt"] + domain)
                #expect(outcome.status == 1 && outcome.errors.contains("without --provider"), "\(outcome.errors)")
            }
        }
    }
}

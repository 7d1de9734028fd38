import Foundation
import ProgramTesting
import Testing

/// The text of the README and of the documents that it leads to: their programs, and the commands that they name.
@Suite struct ReadmeTests {
    @Test func programsAreShownAsTheyAre() throws {
        let blocks = try swiftBlocks(in: "Documentation/Programs.md")
        let handOff = try String(contentsOfFile: Repository.path("Examples/HandOff/main.swift"), encoding: .utf8)
        // The README shows two parts of it, without their indentation.
        let parts = try swiftBlocks(in: "README.md")
        #expect(parts.count == 2)
        for part in parts {
            let lines = part.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            let indented = lines.map { "        \($0)\n" }.joined()
            #expect(part.heading == "A hand-off in Swift" && handOff.contains(indented), "\(part)")
        }
        #expect(blocks.contains { $0.heading == "A hand-off in Swift" && $0.text == handOff })
        let logbook = try String(contentsOfFile: Repository.path("Examples/Logbook/main.swift"), encoding: .utf8)
        #expect(blocks.contains { $0.heading == "Files that several programs use" && logbook.contains($0.text) })
        // The other programs are complete packages. Scripts/check-client builds them.
        let packages = blocks.filter { $0.text.hasPrefix("// swift-tools-version: ") }
        #expect(packages.count == 2)
        #expect(blocks.count == packages.count + 2)
        let shown = parts.count + blocks.count
        #expect(try MarkdownBlock.documents.flatMap(swiftBlocks).count == shown)
    }

    private func swiftBlocks(in document: String) throws -> [MarkdownBlock] {
        try MarkdownBlock.all(in: document).filter { $0.language == "swift" }
    }

    @Test func goalsThatAreNamedAreGoalsOfMake() async throws {
        let documents = ["README", "CommandLine", "Configuration", "Extensions", "Programs", "Benchmarks", "Modules"]
        let texts = try documents.map { name in
            let path = name == "README" ? "README.md" : "Documentation/\(name).md"
            return try String(contentsOfFile: Repository.path(path), encoding: .utf8)
        }
        let goals = Set(
            texts.joined(separator: "\n").matches(of: /(?m)(?:`|^)make ([a-z-]+)/).map { String($0.1) })
        try #require(goals.isSuperset(of: ["build", "demo", "install", "run", "test"]))
        for goal in goals.sorted() {
            // Prints the commands without running them.
            let run = try await Repository.make("--dry-run", goal)
            #expect(run.status == 0, "make \(goal): \(run)")
        }
    }

    @Test func makeBuildsWhatTheBlocksUse() async throws {
        let targets = [
            "purvey": "PurveyCommand", "purveyd": "PurveyDaemon", "purvey-keeper": "PurveyKeeper",
            "purvey-pictures": "PurveyPictures", "purvey-bus": "PurveyBus", "purvey-passthrough": "PurveyPassthrough",
            "hand-off": "HandOff", "logbook": "Logbook", "mirror": "Mirror",
        ]
        let run = try await Repository.make("--dry-run", "build")
        let words = Set(run.text.split { !($0.isLetter || $0.isNumber) })
        for program in FreshHome.built {
            #expect(words.contains(Substring(targets[program] ?? program)), "\(program) is not in: \(run)")
        }
        // As in the command that replaces make for the blocks.
        for (goal, command) in [("run", "/demonstrate-file-provider "), ("demo", "/purvey-demo Examples")] {
            let run = try await Repository.make("--dry-run", goal)
            #expect(run.text.contains(command), "\(run)")
        }
    }
}

/// Comparison of samples of output with the output itself.
@Suite struct SampleOutputTests {
    private let output = "one  1.5 ms\n\ntwo of 2026-01-01T00:00:00Z\nthree\nfour: /tmp/a.txt\n"

    @Test(arguments: [
        "one 20 ms\ntwo of 1999-12-31T23:59:59Z", "one 1 ms\n…\nthree", "four: …/a.txt", "…\nthree\n…", "three\nfour…",
    ])
    func outputHasWhatASampleShows(sample: String) { #expect(SampleOutput.missing(sample, in: output) == []) }

    @Test(arguments: [
        "one 20 ms\nthree", "three\n…\none 1 ms", "five", "four: …/b.txt", "thre", "four: /tmp/a.txt\nfive",
    ])
    func aLineThatIsMissingOrElsewhereIsFound(sample: String) {
        #expect(SampleOutput.missing(sample, in: output).count == 1)
    }
}

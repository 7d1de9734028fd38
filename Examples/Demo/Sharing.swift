import Foundation
import LinuxSystem

/// The second part of the demonstration: files are shared with the two example extensions, each a confined process.
struct Sharing {
    private let stage: Stage
    private let examples: URL

    /// The files for one extension, and the answer that the extension is expected to return.
    private struct Share {
        let files: [String]
        let extensionName: String
        let identifier: String
        let answer: String
    }

    private static let shares = [
        Share(
            files: ["Ridge.png"], extensionName: "ThumbnailAction", identifier: "org.purvey.example.thumbnail",
            answer: "A thumbnail of 256 by 160 pixels"),
        Share(
            files: ["Ridge.jpeg", "About Purvey.txt"], extensionName: "FileAway",
            identifier: "org.purvey.example.file-away", answer: "Filed: About Purvey.txt, Ridge.jpeg"),
    ]

    init(_ stage: Stage, examples: URL) {
        self.stage = stage
        self.examples = examples
    }

    /// Installs the extensions, shares the files and prints the answers. Returns whether all were as expected.
    func show(in table: Table) throws -> Bool {
        try table.say(
            "\nThe example extensions, each a process of its own that reaches nothing but what it is handed:\n")
        var isGood = true
        for share in Self.shares {
            try install(share.extensionName)
            let files = share.files.map { examples.appendingPathComponent($0).path }
            let start = ContinuousClock.now
            let answer = try purvey(["share"] + files + ["--with", share.identifier])
            let milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
            isGood = isGood && answer.ending == .exited(0) && answer.lines.first == share.answer
            try table.say("\(share.files.joined(separator: ", ")) → \(share.identifier)  \(Int(milliseconds)) ms")
            for line in answer.lines { try table.say("  \(line)") }
        }
        return isGood
    }

    private func install(_ name: String) throws {
        let assembling = try Child.run(
            URL(fileURLWithPath: "/bin/sh"),
            [
                examples.deletingLastPathComponent().appendingPathComponent("Scripts/assemble-extension").path,
                examples.appendingPathComponent(name).path, try Program.path.deletingLastPathComponent().path,
                stage.home.path,
            ])
        guard assembling.ending == .exited(0) else {
            throw Stage.Failure(description: "the extension \(name) could not be assembled")
        }
        let outcome = try purvey(["extensions", "install", stage.home.appendingPathComponent("\(name).appex").path])
        guard outcome.ending == .exited(0) else {
            throw Stage.Failure(description: "the extension \(name) could not be installed")
        }
    }

    private func purvey(_ arguments: [String]) throws -> (ending: ChildProgram.Ending, lines: [String]) {
        let run = try Child.run(Program.sibling("purvey"), arguments, environment: stage.environment)
        return (run.ending, run.text.split(separator: "\n").map(String.init))
    }
}

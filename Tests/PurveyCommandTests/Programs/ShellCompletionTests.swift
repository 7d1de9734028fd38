import FileTesting
import Foundation
import ProgramTesting
import Testing

/// Tests of the completions, in the shells themselves.
@Suite(.timeLimit(.minutes(10))) struct ShellCompletionTests {
    /// Runs a test with a domain "Papers", and with the script of a shell in a directory of its own.
    ///
    /// - Parameter body: Gets the directory of the script, and the variables for the shell.
    private func run(
        _ shell: String, as name: String, _ body: (CommandFixture, String, [String: String?]) async throws -> Void
    ) async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            let script = try await place.purvey("--completions", shell)
            #expect(script.status == 0 && script.errors.isEmpty, "\(script)")
            let folder = place.path("completions")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try script.output.write(to: URL(fileURLWithPath: folder + "/" + name))
            let programs = (try BuiltProgram.path("purvey") as NSString).deletingLastPathComponent
            try await body(
                place, folder,
                [
                    "PATH": programs + ":/usr/bin:/bin", "HOME": place.home, "TERM": "dumb", "PURVEY_HOME": place.home,
                    "HISTFILE": nil, "ZDOTDIR": place.home, "XDG_CONFIG_HOME": place.home,
                    "XDG_DATA_HOME": place.home + "/shell",
                ])
            try await cloud.end()
        }
    }

    /// Types words and a tab, and waits for what the shell adds.
    private func complete(_ user: PersonAtTerminal, _ typed: String, to text: String) async throws {
        // Control-U removes what was typed before.
        try await user.types("\u{15}purvey \(typed)\t")
        try await user.sees(text)
    }

    private func completeEach(_ user: PersonAtTerminal) async throws {
        try await complete(user, "untra", to: "untrash")
        try await complete(user, "offer --visi", to: "--visibility")
        try await complete(user, "offer --visibility pro", to: "process")
        try await complete(user, "retry Pap", to: "Papers")
        try await complete(user, "stat Papers:inner/b", to: "inner/b.txt")
        try await complete(user, "extensions remove org.purvey.Loc", to: "org.purvey.LocalFolder")
        try await user.types("\u{15}exit\n")
        _ = try await user.end()
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: bashFunctions) || Requirement.isEnforced))
    func bashCompletesWords() async throws {
        try await run("bash", as: "purvey") { place, folder, variables in
            let user = try PersonAtTerminal(
                place, environment: variables, path: "/bin/bash", ["--norc", "--noprofile", "-i"])
            try await user.types(". \(Self.bashFunctions); . \(folder)/purvey; PS1=; echo re''ady\n")
            try await user.sees("ready")
            try await completeEach(user)
        }
    }

    @Test(.enabled(if: Requirement.isWanted(program: "zsh")))
    func zshCompletesWords() async throws {
        try await run("zsh", as: "_purvey") { place, folder, variables in
            let user = try PersonAtTerminal(place, environment: variables, path: "/usr/bin/zsh", ["-f", "-i"])
            try await user.types("fpath=(\(folder) $fpath); autoload -U compinit; compinit -u -D; PS1=; echo re''ady\n")
            try await user.sees("ready")
            try await completeEach(user)
        }
    }

    @Test(.enabled(if: Requirement.isWanted(program: "fish")))
    func fishCompletesWordsWithTheirSummaries() async throws {
        try await run("fish", as: "purvey.fish") { place, folder, variables in
            for (typed, expected) in [
                ("untra", "untrash\trestore items from a service's trash\n"), ("offer --visibility pro", "process\n"),
                ("retry Pap", "Papers\torg.purvey.LocalFolder\n"),
                ("stat Papers:inner/b", "Papers:inner/b.txt\tdataless\n"),
            ] {
                let run = try await RunningProgram(
                    "/usr/bin/fish",
                    ["--no-config", "-c", "source \(folder)/purvey.fish; complete -C 'purvey \(typed)'"],
                    environment: variables, in: folder
                ).end()
                #expect(run.text == expected, "\(run)")
            }
        }
    }

    @Test func noDaemonIsStartedToCompleteAWord() async throws {
        try await CommandFixture.run { place in
            let run = try await place.purvey("--complete", "retry", "")
            #expect(run.status == 0 && run.text.isEmpty && run.errors.isEmpty, "\(run)")
            #expect(!FileManager.default.fileExists(atPath: place.home + "/run/daemon.socket"))
        }
    }

    private static let bashFunctions = "/usr/share/bash-completion/bash_completion"
}

import FileTesting
import Foundation
import ProgramTesting
import Testing

/// Tests of the manual pages that programs print of themselves.
@Suite(.timeLimit(.minutes(10))) struct ManualPageTests {
    @Test(
        .enabled(if: Requirement.isWanted(program: "man")),
        arguments: [
            "purvey", "purveyd", "purvey-keeper", "purvey-bus", "purvey-passthrough", "purvey-pictures", "purvey-files",
        ])
    func thePageIsShownWithoutWarnings(_ name: String) async throws {
        let page = try await RunningProgram(BuiltProgram.path(name), ["--manual-page"]).end()
        #expect(page.status == 0 && page.errors.isEmpty, "\(page)")
        let shown = try await RunningProgram(
            "/usr/bin/man", ["--warnings", "--local-file", "-"],
            environment: ["MANPAGER": "cat", "MANWIDTH": "80", "MAN_KEEP_FORMATTING": nil], input: .bytes(page.output)
        ).end()
        #expect(shown.status == 0 && shown.errors.isEmpty, "\(shown)")
        let help = try await RunningProgram(BuiltProgram.path(name), ["--help"]).end().text
        for option in help.split(separator: "\n").filter({ $0.hasPrefix("  --") }) {
            let spelling = String(option.split(separator: " ")[0])
            #expect(shown.text.contains(spelling), "\(spelling) is not in the page of \(name)")
        }
    }

    @Test func thePageOfTheCommandExplainsEachCommand() async throws {
        let page = try await RunningProgram(BuiltProgram.path("purvey"), ["--manual-page"]).end().text
        let help = try await RunningProgram(BuiltProgram.path("purvey"), ["help"]).end().text
        let rows = help.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
        let commands = rows.map { $0.split(separator: " ")[0] }
        #expect(commands.count > 20)
        for command in commands {
            #expect(page.contains("\n.SS " + command.replacing("-", with: "\\-") + "\n"), "\(command) is missing")
        }
    }

    @Test func aShellWithoutCompletionsIsRefused() async throws {
        for name in ["purvey", "purveyd"] {
            let run = try await RunningProgram(BuiltProgram.path(name), ["--completions", "csh"]).end()
            #expect(
                run.status == 2 && run.output.isEmpty
                    && run.errors
                        == "\(name): there are no completions for 'csh': bash, zsh or fish; see '\(name) --help'\n"
            )
        }
    }
}

import FileTesting
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import Testing

/// Tests that every program describes itself, and refuses unknown arguments.
@Suite(.timeLimit(.minutes(10))) struct ProgramManualTests {
    private static let programs = [
        "purvey", "purveyd", "purvey-keeper", "purvey-bus", "purvey-passthrough", "purvey-pictures", "purvey-demo",
        "purvey-benchmark", "purvey-faults", "purvey-files", "mirror", "hand-off", "logbook", "LocalFolder",
        "Nextcloud", "WebDAV", "FileAway", "NewNote", "ThumbnailAction",
    ]
    /// The examples, whose complaints consist of their usage.
    private static let examples = ["mirror", "hand-off", "logbook"]

    /// Runs a program to its end in an empty directory, which has to be empty afterwards.
    private func run(_ name: String, _ arguments: String...) async throws -> ProgramRun {
        try await run(name, arguments)
    }

    private func run(_ name: String, _ arguments: [String]) async throws -> ProgramRun {
        let folder = NSTemporaryDirectory() + "/pvm-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let run = try await RunningProgram(
            BuiltProgram.path(name), arguments, environment: ["PURVEY_HOME": folder], in: folder
        ).end()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty, "\(name) \(arguments)")
        return run
    }

    @Test(arguments: programs, ["--help", "-h"])
    func helpIsPrintedAndNothingElseIsDone(_ name: String, _ option: String) async throws {
        let run = try await run(name, option)
        #expect(run.status == 0 && run.errors.isEmpty, "\(run)")
        #expect(run.text.hasPrefix("usage: \(name) ") && run.text.hasSuffix("\n"), "\(run)")
    }

    @Test(arguments: programs) func theVersionIsThatOfAllPrograms(_ name: String) async throws {
        let run = try await run(name, "--version")
        #expect(run.status == 0 && run.errors.isEmpty && run.text == "\(name) \(PurveyVersion.text)\n", "\(run)")
    }

    @Test(arguments: programs.filter { !examples.contains($0) })
    func anUnknownOptionIsRefusedInOneLineWithTheOneThatWasMeant(_ name: String) async throws {
        let run = try await run(name, "--verison")
        #expect(run.status == 2 && run.output.isEmpty, "\(run)")
        #expect(
            run.errors
                == "\(name): unknown option '--verison' (did you mean '--version'?); see '\(name) --help'\n")
    }

    @Test(arguments: [
        ("purvey-files", "--show", "recent", "recents"), ("purvey-faults", "--scenario", "rename", "renames"),
    ])
    func aMisspelledValueIsRefusedWithTheOneThatWasMeant(
        _ name: String, _ option: String, _ word: String, _ meant: String
    ) async throws {
        let run = try await RunningProgram(BuiltProgram.path(name), [option, word]).end()
        #expect(run.status == 2 && run.output.isEmpty, "\(run)")
        #expect(
            run.errors == "\(name): \(option) cannot be '\(word)' (did you mean '\(meant)'?); see '\(name) --help'\n")
    }

    @Test(arguments: programs.filter { !examples.contains($0) })
    func aValueOfAnOptionWithoutOneIsRefused(_ name: String) async throws {
        let run = try await run(name, "--help=1")
        #expect(run.status == 2 && run.output.isEmpty, "\(run)")
        #expect(run.errors == "\(name): option '--help' takes no value; see '\(name) --help'\n")
    }

    @Test(arguments: [
        ("purveyd", "x"), ("purvey-keeper", "x"), ("purvey-pictures", "x"), ("purvey-bus", "--x"),
        ("purvey-passthrough", "--socket"), ("purvey-passthrough", "-s"), ("purvey-passthrough", ""), ("mirror", "x"),
        ("purvey-demo", "--x"), ("purvey-benchmark", "x"), ("purvey-faults", "x"), ("LocalFolder", "x"),
    ])
    func aSurplusArgumentIsRefusedInOneLine(_ name: String, _ argument: String) async throws {
        let run = try await run(name, argument)
        #expect(run.status == 2 && run.output.isEmpty && run.errors.count { $0 == "\n" } == 1, "\(run)")
    }

    @Test(arguments: [
        (["--completions"], "option '--completions' needs a shell: bash, zsh or fish"),
        (["--completions", "bash", "x"], "unexpected argument 'x'"),
        (["--manual-page", "x"], "unexpected argument 'x'"),
    ])
    func aRequestOfTheInstallationSaysWhatIsWrongWithIt(_ words: [String], _ complaint: String) async throws {
        for name in ["purvey", "purveyd", "purvey-files"] {
            let run = try await RunningProgram(BuiltProgram.path(name), words).end()
            #expect(run.status == 2 && run.output.isEmpty, "\(run)")
            #expect(run.errors == "\(name): \(complaint); see '\(name) --help'\n")
        }
    }

    @Test func aSecondSocketIsRefusedBeforeTheFirstIsMade() async throws {
        let run = try await run("purvey-passthrough", "one", "two")
        #expect(run.status == 2, "\(run)")
        #expect(run.errors == "purvey-passthrough: unexpected argument 'two'; see 'purvey-passthrough --help'\n")
    }

    @Test(arguments: ["help", "\u{2013}help", "\u{2013}-help"])
    func aWordThatIsNoPathIsNotTheNameOfASocket(_ word: String) async throws {
        let run = try await run("purvey-passthrough", word)
        #expect(run.status == 2 && run.output.isEmpty, "\(run)")
        #expect(
            run.errors == """
                purvey-passthrough: the socket '\(word)' is not a path, because it has no '/'; \
                see 'purvey-passthrough --help'

                """)
    }

    @Test func aSocketThatCannotBeMadeIsNamed() async throws {
        for (path, cause) in [
            ("/proc/version", "Address already in use"), ("/proc/none/x", "No such file or directory"),
        ] {
            let run = try await run("purvey-passthrough", path)
            #expect(run.status == 1 && run.errors == "purvey-passthrough: \(path): \(cause)\n", "\(run)")
        }
    }

    @Test(arguments: [("purvey-keeper", [String]()), ("purvey-pictures", []), ("purvey-bus", ["unix:path=/none"])])
    func aHelperThatIsStartedByHandSaysByWhomItIsStarted(_ name: String, _ arguments: [String]) async throws {
        let run = try await RunningProgram(BuiltProgram.path(name), arguments).end()
        #expect(run.status == 2 && run.output.isEmpty, "\(run)")
        #expect(run.errors == "\(name): this program is started by purveyd; see '\(name) --help'\n")
        #expect(try await self.run(name, "--help").text.contains("purveyd starts it"))
    }

    @Test(arguments: ["purvey-keeper", "purvey-pictures", "purvey-bus unix:path=/none"])
    func aHelperWhoseDescriptorIsNotASocketFailsWithOneLine(_ words: String) async throws {
        let name = String(words.prefix { $0 != " " })
        let run = try await RunningProgram(
            "/bin/sh", ["-c", "exec \"$0\"\(words.dropFirst(name.count)) 3</dev/null", try BuiltProgram.path(name)]
        ).end()
        #expect([1, 2].contains(run.status) && run.output.isEmpty, "\(run)")
        #expect(run.errors.hasPrefix("\(name): ") && run.errors.count { $0 == "\n" } == 1, "\(run)")
    }

    @Test(arguments: [("/dev/full", "No space left on device"), ("&-", "Bad file descriptor")])
    func helpThatCannotBePrintedIsAnError(_ output: String, _ cause: String) async throws {
        for name in ["purvey-keeper", "purvey", "mirror", "hand-off", "logbook"] {
            let run = try await RunningProgram(
                "/bin/sh", ["-c", "exec \"$0\" --help >\(output)", try BuiltProgram.path(name)]
            ).end()
            #expect(run.status == 1 && run.errors == "\(name): standard output: \(cause)\n", "\(run)")
        }
    }

    @Test(arguments: programs) func closedStandardDescriptorsAreNoFault(_ name: String) async throws {
        for (option, status) in [("--version", 1), ("--verison", 2)] {
            let run = try await RunningProgram(
                "/bin/sh", ["-c", "exec \"$0\" \(option) <&- >&- 2>&-", try BuiltProgram.path(name)]
            ).end()
            #expect(run.status == status && run.output.isEmpty && run.errors.isEmpty, "\(run)")
        }
    }

    @Test(arguments: ["hand-off", "logbook"])
    func examplesPrintTheirUsageOnDemand(_ name: String) async throws {
        let help = try await run(name, "--help")
        #expect(help.text.hasPrefix("usage: \(name) "))
        let misuse = try await RunningProgram(BuiltProgram.path(name), ["none"]).end()
        #expect(misuse.status == 2 && misuse.output.isEmpty && misuse.errors == help.text, "\(misuse)")
    }

    @Test(arguments: [
        ("logbook", ["add", "--help"]), ("logbook", ["watch", "-h"]), ("logbook", ["add", "file", "--help"]),
        ("hand-off", ["--help", "load"]), ("hand-off", ["load", "-h"]), ("mirror", [".", "--help"]),
        ("purvey-passthrough", ["./socket", "--help"]),
    ])
    func helpIsPrintedWhereverItIsRequested(_ name: String, _ words: [String]) async throws {
        let run = try await run(name, words)
        #expect(run.status == 0 && run.errors.isEmpty && run.text.hasPrefix("usage: \(name) "), "\(run)")
    }

    @Test(arguments: [
        ("logbook", ["add", "-file", "words"]), ("logbook", ["watch", "--"]), ("logbook", ["add"]),
        ("hand-off", ["load", "x"]), ("hand-off", []), ("mirror", ["-x", "."]),
    ])
    func anExampleDoesNothingWithWordsThatItDoesNotKnow(_ name: String, _ words: [String]) async throws {
        let run = try await run(name, words)
        #expect(run.status == 2 && run.output.isEmpty && run.errors.hasPrefix("usage: \(name) "), "\(run)")
    }

    @Test(arguments: ["FusePeer", "PickerPeer", "BookmarkPeer"], [[], ["--help"], ["open"], ["make"]])
    func aPeerOfTheTestsPrintsItsUsage(_ name: String, _ words: [String]) async throws {
        // FusePeer takes any word as a path.
        if name == "FusePeer", !words.isEmpty { return }
        let run = try await run(name, words)
        #expect(run.status == 2 && (run.text + run.errors).hasPrefix("usage: \(name) "), "\(run)")
    }

    @Test func anExtensionThatNoHostStartedSaysSo() async throws {
        let run = try await run("LocalFolder")
        #expect(run.status == 1 && run.output.isEmpty, "\(run)")
        #expect(
            run.errors
                == "LocalFolder: this program is an extension, which only a host starts; see 'LocalFolder --help'\n")
    }

    @Test func anExtensionHasTheVersionOfItsBundle() async throws {
        let folder = try TestFolder()
        try folder.file(
            "Info.plist",
            Array(#"<plist><dict><key>CFBundleShortVersionString</key><string>7.8</string></dict></plist>"#.utf8))
        // Another process copies the program. If this process did, a fork could hold the file open for writing, and the
        // file could not be executed.
        let script = #"cp "$0" . && exec ./LocalFolder --version 3</dev/null"#
        let run = try await RunningProgram(
            "/bin/sh", ["-c", script, try BuiltProgram.path("LocalFolder")], in: folder.path
        ).end()
        #expect(run.status == 0 && run.text == "LocalFolder 7.8\n", "\(run)")
    }

    @Test func theBenchmarkSaysWhichSectionRuns() async throws {
        let program = try RunningProgram(
            "/bin/sh", ["-c", "exec \"$0\" --allow-missing-peers zip copy 2>&1", BuiltProgram.path("purvey-benchmark")])
        #expect(try await program.hasPrinted("purvey-benchmark: section 1 of 2: copy\n"))
        program.send(SIGTERM)
        _ = try await program.end()
    }

    @Test func wordsThatAreWrongInAProgramsOwnWayHaveASuggestion() async throws {
        for (name, arguments, complaint) in [
            ("purveyd", ["--log", "inof"], "--log cannot be 'inof' (did you mean 'info'?)"),
            ("purveyd", ["--foregroud"], "unknown option '--foregroud' (did you mean '--foreground'?)"),
            ("purveyd", ["--log", "x"], "--log cannot be 'x': error, warning, info or debug"),
            ("purvey-files", ["--choose", "--flders"], "unknown option '--flders' (did you mean '--folders'?)"),
            ("purvey-files", ["--save", "x", "--folders"], "--folders goes with --choose"),
            ("purvey-files", ["--save", "x", "--files-and-folders"], "--files-and-folders goes with --choose"),
            ("purvey-benchmark", ["tpyes"], "there is no section 'tpyes' (did you mean 'types'?)"),
            ("purvey-faults", ["--sede", "1"], "unknown option '--sede' (did you mean '--seed'?)"),
            (
                "purvey-faults", ["--fault", "kil:x"],
                "--fault cannot be 'kil:x': there is no kind 'kil' (did you mean 'kill'?)"
            ),
            ("purvey-faults", ["--fault", "kill"], "--fault cannot be 'kill': the step after the kind is missing"),
            (
                "purvey-faults", ["--fault", "kill:service.reqest"],
                "--fault cannot be 'kill:service.reqest': there is no step 'service.reqest' (did you mean 'service.request'?)"
            ),
            (
                "purvey-faults", ["--fault", "lie:service.answer"],
                "--fault cannot be 'lie:service.answer': at service.answer there are only kill, disconnect"
            ),
            (
                "purvey-faults", ["--fault", "kill:service.answer:0"],
                "--fault cannot be 'kill:service.answer:0': the count after the step is a number from 1 on"
            ),
        ] {
            let run = try await RunningProgram(BuiltProgram.path(name), arguments).end()
            #expect(run.status == 2 && run.output.isEmpty, "\(run)")
            #expect(run.errors == "\(name): \(complaint); see '\(name) --help'\n")
        }
    }
}

import Foundation
import Glibc
import ProgramTesting
import Testing

/// Tests of commands that find no daemon, or one with other directories.
@Suite(.timeLimit(.minutes(10))) struct DaemonReachTests {
    /// Runs a script with a runtime directory and home directories of the test's own, and without `PURVEY_HOME`.
    private func shell(_ script: String, _ place: CommandFixture) async throws -> ProgramRun {
        try await place.shell(
            """
            cd "$PURVEY_HOME"; unset PURVEY_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_CONFIG_HOME
            mkdir -p -m 700 session good other; export HOME=$PWD/good XDG_RUNTIME_DIR=$PWD/session
            \(script)
            """)
    }

    /// Ends the daemon at the session's socket, and waits until it has ended.
    private func endDaemon(_ place: CommandFixture) async throws {
        for _ in 0..<3_000 {
            let daemons = place.processes(of: place.home + "/session/purvey/daemon.socket")
            if daemons.isEmpty { return }
            for daemon in daemons { kill(daemon, SIGTERM) }
            try await Task.sleep(for: .milliseconds(100))
        }
        Issue.record("the daemon does not end")
    }

    @Test func aCommandWithoutADaemonsProgramSaysWhereItWasLookedFor() async throws {
        try await CommandFixture.run { place in
            try FileManager.default.createDirectory(atPath: place.path("alone"), withIntermediateDirectories: true)
            try FileManager.default.linkItem(atPath: BuiltProgram.path("purvey"), toPath: place.path("alone/purvey"))
            for (path, words) in [
                ("/nonexistent/bin:relative:/var/empty", "nor in PATH (/nonexistent/bin, /var/empty)"),
                ("", "nor in PATH, which has no folder"),
            ] {
                let run = try await place.shell("unset PURVEY_DAEMON; PATH='\(path)' alone/purvey list")
                #expect(run.status == 1 && run.output.isEmpty)
                #expect(
                    run.errors == """
                        purvey: list: the Purvey daemon cannot be reached: the program purveyd is neither beside this program \
                        (\(place.path("alone"))) \(words), and PURVEY_DAEMON, which can name it, is not set

                        """)
            }
        }
    }

    @Test(arguments: [
        ("HOME=$PWD/missing", "/missing does not exist"), ("HOME=$PWD/file", "/file is not a folder"),
        ("HOME=/proc", "the folder /proc/.local/share/purvey cannot be used: "),
        ("XDG_DATA_HOME=$PWD/file", "/file/purvey cannot be used: Not a directory"),
        ("XDG_CACHE_HOME=$PWD/file/x", "/file/x/purvey cannot be used: Not a directory"),
        ("PURVEY_HOME=/proc/purvey", "the folder /proc/purvey/data cannot be used: "),
    ])
    func aDaemonWithoutItsFoldersDoesNotTakeThePlace(_ setting: String, _ words: String) async throws {
        try await CommandFixture.run { place in
            let run = try await shell("echo >file; env \(setting) \"$purvey\" list", place)
            #expect(run.status == 1 && run.output.isEmpty)
            #expect(run.errors.hasPrefix("purvey: list: the Purvey daemon cannot be reached: purveyd: "), "\(run)")
            #expect(run.errors.contains(words) && run.errors.count { $0 == "\n" } == 1, "\(run)")
            #expect(!FileManager.default.fileExists(atPath: place.home + "/session/purvey"))
            #expect(!FileManager.default.fileExists(atPath: place.home + "/missing"))
            // `purveyd` itself prints the same message, and later commands get a daemon at the usual place.
            let daemon = try await shell("env \(setting) \"$(dirname \"$purvey\")/purveyd\"", place)
            #expect(daemon.status == 1 && daemon.errors.contains(words) && daemon.errors.hasPrefix("purveyd: "))
            let next = try await shell("\"$purvey\" list", place)
            #expect(next.status == 0 && next.errors.isEmpty, "\(next)")
            #expect(FileManager.default.fileExists(atPath: place.home + "/good/.local/share/purvey"))
            try await endDaemon(place)
        }
    }

    @Test(arguments: ["", "--foreground"]) func aSocketInAMissingFolderIsRefused(_ option: String) async throws {
        try await CommandFixture.run { place in
            let run = try await shell("\"$(dirname \"$purvey\")/purveyd\" \(option) --socket missing/socket", place)
            let folder = place.home + "/missing"
            #expect(
                run.errors
                    == "purveyd: the socket \(folder)/socket cannot be made: there is no folder \(folder); make it, for you alone\n"
            )
            #expect(run.status == 1 && !FileManager.default.fileExists(atPath: folder), "\(run)")
        }
    }

    @Test(.enabled(if: getuid() == 0, "only root can make a folder of another user"))
    func theDataOfAnotherUserIsNotUsed() async throws {
        try await CommandFixture.run { place in
            let run = try await shell(
                """
                mkdir -p other/.local/share/purvey; chown 12345 other/.local/share/purvey
                HOME=$PWD/other "$purvey" list
                """, place)
            #expect(run.status == 1 && run.errors.contains("cannot be used: it belongs to another user"), "\(run)")
        }
    }

    @Test func aDaemonOfAnotherHomeFolderIsNotWhatServes() async throws {
        try await CommandFixture.run { place in
            let offering = try await shell(
                """
                echo >file; "$purvey" offer file >ids & offer=$!; while [ ! -s ids ]; do sleep 0.01; done
                for words in list bundles domains "extensions install $PWD/none" "status --json"; do
                    HOME=$PWD/other "$purvey" $words; echo $?
                done
                ln -s good link; HOME=$PWD/link "$purvey" list; echo $?
                XDG_DATA_HOME=$PWD/other "$purvey" list; echo $?
                kill $offer; wait $offer
                """, place)
            let lines = offering.errors.split(separator: "\n")
            let data =
                "keeps its data in \(place.home)/good/.local/share/purvey, and this program would keep its own in "
            for (index, command) in ["list", "bundles", "domains"].enumerated() {
                let line = lines.count > index ? String(lines[index]) : ""
                #expect(
                    line.hasPrefix(
                        "purvey: \(command): the daemon at \(place.home)/session/purvey/daemon.socket \(data)"),
                    "\(offering)")
                #expect(line.contains("\(place.home)/other/.local/share/purvey: end that daemon (process "), "\(line)")
            }
            #expect(
                lines.count == 6 && lines[5].contains("would keep its own in \(place.home)/other/purvey: "),
                "\(offering)")
            let statuses = offering.text.split(separator: "\n").compactMap { Int($0) }
            // The same directory under another name is accepted.
            #expect(statuses.filter { $0 < 2 } == [1, 1, 1, 1, 1, 0, 1], "\(offering)")
            #expect(!FileManager.default.fileExists(atPath: place.home + "/other/.local/share/purvey"))
            try await endDaemon(place)
            // Without that daemon, the other home directory gets a daemon of its own.
            #expect(try await shell("HOME=$PWD/other \"$purvey\" list", place).status == 0)
            try await endDaemon(place)
        }
    }

    @Test func domainsThatADaemonOfAnotherSessionServesAreRefusedAtOnceAndServedAfterItsEnd() async throws {
        try await CommandFixture.run { place in
            // Each session has a daemon of its own, in the same home directory.
            let run = try await shell(
                """
                mkdir -m 700 elsewhere
                XDG_RUNTIME_DIR=$PWD/elsewhere "$purvey" domains
                XDG_RUNTIME_DIR=$PWD/elsewhere "$purvey" status --json | sed -n 's/.*"daemon" : \\([0-9]*\\).*/\\1/p'
                "$purvey" domains || echo refused
                """, place)
            let lines = run.text.split(separator: "\n")
            let first = try #require(lines.first.flatMap { pid_t($0) }, "\(run)")
            #expect(lines.dropFirst() == ["refused"], "\(run)")
            #expect(
                run.errors == """
                    purvey: domains: another daemon serves the domains in \(place.home)/good/.local/share/purvey/domains, \
                    and listens at \(place.home)/elsewhere/purvey/daemon.socket: end that daemon (process \(first)), \
                    or set XDG_RUNTIME_DIR as it has it

                    """)
            kill(first, SIGTERM)
            for _ in 0..<3_000 where !place.processes(of: place.home + "/elsewhere/purvey/daemon.socket").isEmpty {
                try await Task.sleep(for: .milliseconds(100))
            }
            // The daemon of this session serves the domains now.
            let next = try await shell("\"$purvey\" domains", place)
            #expect(next.status == 0 && next.errors.isEmpty, "\(next)")
            try await endDaemon(place)
        }
    }

    @Test(arguments: [
        ("$PWD/missing", "which does not exist"), ("relative", "which is not an absolute path"),
        ("$PWD/file", "which is not a folder"), ("$PWD/open", "which others may write to"),
    ])
    func aBadRuntimeDirectoryIsReportedOncePerCommand(_ folder: String, _ reason: String) async throws {
        try await CommandFixture.run { place in
            // The command reads the extensions by itself. A daemon would be that of the user who runs the tests.
            let run = try await shell(
                """
                echo >file; mkdir open; chmod 777 open; export XDG_RUNTIME_DIR=\(folder)
                "$purvey" extensions list; "$purvey" types file >types; "$purvey" help list >help
                PURVEY_HOME=$PWD/own "$purvey" extensions list
                """, place)
            #expect(run.status == 0 && run.output.isEmpty, "\(run)")
            let named = folder.replacing("$PWD", with: place.home)
            #expect(run.errors.hasPrefix("purvey: warning: XDG_RUNTIME_DIR is '\(named)', \(reason): /"), "\(run)")
            #expect(run.errors.hasSuffix(" is used instead\n"), "\(run)")
            #expect(run.errors.count { $0 == "\n" } == 1, "\(run)")
            // `purveyd` warns when a user starts it, but not when a program does. With this home directory it cannot
            // run.
            let daemon = try await shell(
                "export XDG_RUNTIME_DIR=\(folder) HOME=/proc; \"$(dirname \"$purvey\")/purveyd\"", place)
            let warning = "purveyd: warning: XDG_RUNTIME_DIR is '\(named)', \(reason): /"
            #expect(daemon.errors.hasPrefix(warning), "\(daemon)")
            #expect(daemon.status == 1 && daemon.errors.count { $0 == "\n" } == 2, "\(daemon)")
            let onDemand = try await shell("export XDG_RUNTIME_DIR=\(folder) HOME=/proc; \"$purvey\" list", place)
            #expect(onDemand.status == 1 && onDemand.errors.count { $0 == "\n" } == 2, "\(onDemand)")
        }
    }

    @Test func aStoppedDaemonIsNamedWhileACommandWaitsForIt() async throws {
        try await CommandFixture.run { place in
            let daemon = try await place.daemon()
            kill(daemon, SIGSTOP)
            let run = try await place.shell(
                """
                "$purvey" list 2>errors & command=$!
                while [ ! -s errors ] && kill -0 $command; do sleep 0.05; done
                kill -CONT \(daemon); wait $command
                """)
            #expect(run.status == 0 && run.output.isEmpty && run.errors.isEmpty, "\(run)")
            let socket = place.home + "/run/daemon.socket"
            #expect(
                try place.read("errors")
                    == "purvey: list: the daemon at \(socket) (process \(daemon)) does not answer; waiting for it\n")
        }
    }

    @Test(.enabled(if: getuid() == 0, "only root can have a /tmp of its own"))
    func programsWithoutARuntimeFolderMeetAtItsReplacement() async throws {
        try await CommandFixture.run { place in
            let run = try await shell(
                """
                exec unshare --mount sh -c '
                    mount -t tmpfs none /run && mount -t tmpfs none /tmp || exit 9
                    mkdir /tmp/home; export HOME=/tmp/home XDG_RUNTIME_DIR=/nonexistent
                    "$purvey" list
                    daemon=$("$purvey" status --json 2>errors | sed -n "s/.*daemon.* : \\([0-9]*\\).*/\\1/p")
                    ls /tmp/purvey-0; kill $daemon; while [ -e /tmp/purvey-0/daemon.socket ]; do sleep 0.01; done'
                """, place)
            let warning =
                "purvey: warning: XDG_RUNTIME_DIR is '/nonexistent', which does not exist: /tmp/purvey-0 is used instead\n"
            #expect(run.status == 0 && run.errors == warning, "\(run)")
            #expect(run.text.contains("daemon.socket\n"), "\(run)")
            #expect(try String(contentsOfFile: place.home + "/errors", encoding: .utf8) == warning)
        }
    }
}

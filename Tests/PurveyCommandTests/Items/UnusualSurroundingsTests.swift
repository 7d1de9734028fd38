import Foundation
import Glibc
import ProgramTesting
import Testing

/// Tests of commands with a closed descriptor, a signal, a path to a special file, or a wrong environment.
@Suite struct UnusualSurroundingsTests {
    @Test func aClosedStandardInputIsNotCopied() async throws {
        try await CommandFixture.run { place in
            _ = try await place.purvey("copy", input: Data("before".utf8))
            let copy = try await place.shell("\"$purvey\" copy <&-")
            #expect(copy.status == 1)
            #expect(copy.errors.contains("standard input cannot be copied: Bad file descriptor"))
            #expect(try await place.purvey("paste").text == "before")
        }
    }

    @Test func outputWithoutAReaderIsAnError() async throws {
        try await CommandFixture.run { place in
            try place.write("text", to: "file.txt")
            let offer = try await place.offer("file.txt")
            for command in ["list", "load -o -", "types file.txt", "list --json"] {
                let outcome = try await place.shell("\"$purvey\" \(command) >&-")
                #expect(outcome.status == 1, "\(command)")
                #expect(outcome.errors.contains("Bad file descriptor"), "\(command)")
            }
            // Without a descriptor for the message, the command ends all the same.
            #expect(try await place.shell("\"$purvey\" list <&- >&- 2>&-").status == 1)
            try await offer.end()
        }
    }

    @Test func aNameThatIsNotTextIsRefusedInsteadOfMistaken() async throws {
        try await CommandFixture.run { place in
            let outcome = try await place.shell(
                "printf x >\"$(printf 'bad\\377')\"; \"$purvey\" copy \"$(printf 'bad\\377')\"")
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("is not UTF-8"))
        }
    }

    @Test func aDeviceOrPipeIsWrittenToByWhateverPath() async throws {
        try await CommandFixture.run { place in
            try place.write("through", to: "file.txt")
            let offer = try await place.offer("file.txt")
            for path in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"] {
                let outcome = try await place.shell("ln -sf /proc/self/fd/1 link; \"$purvey\" load -o \(path) | cat")
                #expect(outcome.status == 0, "\(path)")
                #expect(outcome.text == "throughcopy\n", "\(path)")
            }
            // The same holds if the path leads to a file, which is written from its present offset.
            for path in ["/dev/stdout", "/dev/fd/1", "link"] {
                let script = "(echo first; \"$purvey\" load -o \(path)) >file; cat file"
                #expect(try await place.shell(script).text == "first\nthroughcopy\n", "\(path)")
            }
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: place.path("link")) == "/proc/self/fd/1")
            #expect(
                try await place.shell("\"$purvey\" load -o >(cat >got); while [ ! -s got ]; do sleep 0.01; done").status
                    == 0)
            #expect(try place.read("got") == "through")
            try await offer.end()
        }
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func aLoadThatIsInterruptedLeavesNothing(_ number: Int32) async throws {
        try await CommandFixture.run { place in
            try place.write("text", to: "file.txt")
            let offer = try await place.offer("file.txt")
            // The copy has arrived, and waits for a reader of the pipe.
            let script = """
                set -m; mkfifo pipe; "$purvey" load -o pipe 2>errors & load=$!
                while [ -z "$(ls -A ../data/loads 2>&-)" ]; do sleep 0.01; done
                kill -\(number) $load; wait $load
                """
            #expect(try await place.shell(script).status == 1)
            #expect(try place.read("errors") == "purvey: load: the load was cancelled\n")
            #expect(try FileManager.default.contentsOfDirectory(atPath: place.home + "/data/loads").isEmpty)
            try await offer.end()
        }
    }

    @Test func aLoadFromAProcessThatIsStoppedCanBeInterrupted() async throws {
        try await CommandFixture.run { place in
            try place.write("text", to: "file.txt")
            let offer = try await place.offer("file.txt")
            offer.program.send(SIGSTOP)
            // The signal's delivery does not wait until every thread has stopped.
            var information = siginfo_t()
            #expect(waitid(P_PID, id_t(offer.program.processID), &information, WSTOPPED) == 0)
            let script = """
                set -m; "$purvey" load -o copy 2>errors & load=$!
                sleep 0.2; kill -INT $load; wait $load
                """
            // The signal may come before the program has installed its handler.
            let status = try await place.shell(script).status
            #expect(status == 1 || status == 128 + SIGINT)
            #expect(!FileManager.default.fileExists(atPath: place.path("copy")))
            offer.program.send(SIGCONT)
            try await offer.end()
        }
    }

    @Test func anOfferThatWasStartedToStayStaysAtAHangUp() async throws {
        try await CommandFixture.run { place in
            try place.write("text", to: "file.txt")
            let script = """
                trap '' HUP; "$purvey" offer file.txt >ids & offer=$!
                while [ ! -s ids ]; do sleep 0.01; done
                kill -HUP $offer; sleep 0.2; "$purvey" list; kill -TERM $offer; wait $offer
                """
            let outcome = try await place.shell(script)
            #expect(outcome.status == 0)
            #expect(outcome.text.contains("public.plain-text"))
        }
    }

    @Test func aRelativeHomeIsAnErrorAndNotTheUsersOwnDaemon() async throws {
        try await CommandFixture.run { place in
            for command in ["list", "extensions list", "share file --list"] {
                try place.write("text", to: "file")
                let outcome = try await place.shell("PURVEY_HOME=relative \"$purvey\" \(command)")
                #expect(outcome.status == 1, "\(command)")
                #expect(outcome.errors.contains("PURVEY_HOME is 'relative', and has to be an absolute path"))
            }
        }
    }

    @Test func theDaemonThatIsNamedIsTheOneThatIsStarted() async throws {
        try await CommandFixture.run { place in
            let outcome = try await place.shell("PURVEY_DAEMON=/nowhere/purveyd \"$purvey\" list")
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("PURVEY_DAEMON is '/nowhere/purveyd'"))
        }
    }

    @Test func aLogThatCannotBeWrittenIsNamed() async throws {
        try await CommandFixture.run { place in
            try FileManager.default.createDirectory(
                atPath: place.home + "/run/daemon.log", withIntermediateDirectories: true)
            let outcome = try await place.purvey("list")
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("/run/daemon.log cannot be written: Is a directory"))
        }
    }

    @Test func anEmptyPathOrBoardIsWrongUsage() async throws {
        try await CommandFixture.run { place in
            for command in [
                ["load", "-o", ""], ["paste", "-o", ""], ["list", "--board", ""], ["load", "--board=", "-o", "x"],
            ] {
                let outcome = try await place.purvey(command)
                #expect(outcome.status == 2, "\(command)")
            }
        }
    }
}

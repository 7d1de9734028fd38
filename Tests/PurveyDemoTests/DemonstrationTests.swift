import Foundation
import Glibc
import ProgramTesting
import Testing

/// The first programs that a newcomer runs: the demonstration and the README's program.
@Suite(.timeLimit(.minutes(10))) struct DemonstrationTests {
    @Test func aFolderWithoutTheExamplesIsRefused() async throws {
        try await withHome { home in
            let run = try await start("purvey-demo", [home.path], home).end()
            #expect(run.status == 1)
            #expect(run.output.isEmpty)
        }
    }

    @Test(arguments: [
        (#"exec "$0" Examples >/dev/full"#, "purvey-demo: standard output: No space left on device\n"),
        (#"exec "$0" Examples >&-"#, "purvey-demo: standard output: Bad file descriptor\n"),
        // A closed reader needs no message.
        (#"mkfifo "$HOME/pipe"; { exec <"$HOME/pipe"; } & exec "$0" Examples >"$HOME/pipe""#, ""),
    ])
    func aTableThatCannotBePrintedEndsTheDemonstration(_ script: String, _ complaint: String) async throws {
        try await withHome { home in
            let run = try await RunningProgram(
                "/bin/sh", ["-c", script, try BuiltProgram.path("purvey-demo")], environment: ["HOME": home.path],
                in: Repository.folder.path
            ).end()
            #expect(run.status == 1 && run.errors == complaint, "\(run)")
        }
    }

    @Test func aGreetingOfTheReadmesProgramReachesAnotherProcess() async throws {
        try await withHome { home in
            let daemon = try start("purveyd", ["--foreground", "--log", "warning"], home)
            do {
                try await greet(at: daemon, home)
            } catch {
                try await end(daemon)
                throw error
            }
            try await end(daemon)
        }
    }

    @Test func theReadmesProgramWithoutADaemonInReachSaysSoInOneLine() async throws {
        try await withHome { home in
            let alone = home.appendingPathComponent("hand-off").path
            try FileManager.default.linkItem(atPath: BuiltProgram.path("hand-off"), toPath: alone)
            let environment: [String: String?] = [
                "PURVEY_HOME": home.path, "PURVEY_DAEMON": nil, "PATH": "/nonexistent",
            ]
            let run = try await RunningProgram(alone, ["load"], environment: environment).end()
            #expect(run.status == 1 && run.output.isEmpty, "\(run)")
            #expect(run.errors.hasPrefix("hand-off: the Purvey daemon cannot be reached: "), "\(run)")
            #expect(run.errors.contains(home.path) && run.errors.count { $0 == "\n" } == 1, "\(run)")
        }
    }

    private func greet(at daemon: RunningProgram, _ home: URL) async throws {
        // A program that starts before the daemon listens would start another daemon.
        let socket = home.appendingPathComponent("run/daemon.socket").path
        while daemon.isRunning, !FileManager.default.fileExists(atPath: socket) {
            try await Task.sleep(for: .milliseconds(10))
        }
        let provider = try start("hand-off", ["offer"], home, input: .pipe)
        // Before the greeting is offered, nothing is found and nothing fails.
        var consumer: ProgramRun
        repeat {
            consumer = try await start("hand-off", ["load"], home).end()
            #expect(consumer.status == 0, "\(consumer)")
        } while consumer.output.isEmpty && consumer.status == 0 && provider.isRunning
        #expect(consumer.text == "Hello from process \(provider.processID)!\n")
        provider.closeInput()
        #expect(try await provider.end().status == 0)
        // The two programs met at this daemon, not at another one that they started because it had ended.
        #expect(daemon.isRunning)
    }

    /// Starts a program that was built with the tests, in the repository's directory.
    private func start(
        _ name: String, _ arguments: [String], _ home: URL, input: RunningProgram.Input = .nothing
    ) throws -> RunningProgram {
        try RunningProgram(
            BuiltProgram.path(name), arguments, environment: ["PURVEY_HOME": home.path], in: Repository.folder.path,
            input: input)
    }

    /// Terminates a program and waits for its end, because it may still write to its directory.
    private func end(_ program: RunningProgram) async throws {
        program.send(SIGTERM)
        _ = try await program.end()
    }

    /// Runs a function with a directory for all files of Purvey, and removes it afterwards.
    private func withHome(_ body: (URL) async throws -> Void) async throws {
        let home = FileManager.default.temporaryDirectory.appendingPathComponent("demo-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        defer {
            // A removal that races with a process that is still writing leaves the rest, so it is repeated.
            for _ in 0..<1_000 where FileManager.default.fileExists(atPath: home.path) {
                try? FileManager.default.removeItem(at: home)
            }
        }
        try await body(home)
    }
}

import Foundation
import Glibc
import ProgramTesting
import Synchronization
import Testing

/// A directory for one test with a daemon, the test's files, and the commands that run in it. All files and processes
/// are removed afterwards.
final class CommandFixture: Sendable {
    let home: String
    private let offers = Mutex<[RunningOffer]>([])

    typealias Outcome = ProgramRun

    static func run(_ body: (CommandFixture) async throws -> Void) async throws {
        let place = try CommandFixture()
        do {
            try await body(place)
        } catch {
            await place.end()
            throw error
        }
        await place.end()
    }

    private init() throws {
        let temporary = (NSTemporaryDirectory() as NSString).standardizingPath
        home = temporary + "/pvc-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: home + "/work", withIntermediateDirectories: true)
    }

    /// Returns the path of one of the test's files.
    func path(_ name: String) -> String { home + "/work/" + name }

    @discardableResult
    func write(_ contents: String, to name: String) throws -> String {
        try Data(contents.utf8).write(to: URL(fileURLWithPath: path(name)))
        return path(name)
    }

    func read(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

    /// Runs `purvey` to its end.
    func purvey(_ arguments: String..., input: Data? = nil) async throws -> Outcome {
        try await purvey(arguments, input: input)
    }

    /// Runs a shell script to its end, with the program's path in `$purvey`.
    func shell(_ script: String) async throws -> Outcome {
        try await start("/bin/bash", ["-c", script]).end()
    }

    func purvey(_ arguments: [String], input: Data? = nil) async throws -> Outcome {
        try await start(BuiltProgram.path("purvey"), arguments, input: input.map { .bytes($0) } ?? .nothing).end()
    }

    /// Starts `purvey offer` and waits for the identifiers of its items.
    func offer(_ arguments: String..., items: Int = 1) async throws -> RunningOffer {
        let program = try start(BuiltProgram.path("purvey"), ["offer"] + arguments)
        let lines = try await program.lines(items)
        try #require(lines.count == items)
        let offer = RunningOffer(program: program, identifiers: lines)
        offers.withLock { $0.append(offer) }
        return offer
    }

    private func start(
        _ path: String, _ arguments: [String], input: RunningProgram.Input = .nothing
    ) throws -> RunningProgram {
        try RunningProgram(
            path, arguments, environment: ["PURVEY_HOME": home, "purvey": try BuiltProgram.path("purvey")],
            in: home + "/work", input: input)
    }

    private func end() async {
        for offer in offers.withLock({ $0 }) {
            do {
                try await offer.end()
            } catch {
                Issue.record("an offer does not end: \(error)")
            }
        }
        // End the daemon that the commands started.
        let socket = Data((home + "/run/daemon.socket").utf8)
        let deadline = ContinuousClock.now + .seconds(300)
        while ContinuousClock.now < deadline {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
            let daemons = names.compactMap { pid_t($0) }.filter {
                FileManager.default.contents(atPath: "/proc/\($0)/cmdline")?.range(of: socket) != nil
            }
            // A keeper without a daemon starts one, or ends.
            if daemons.isEmpty, PurveyCommandTests.processes("purvey-keeper", of: self).isEmpty { break }
            for daemon in daemons { kill(daemon, SIGTERM) }
            try? await Task.sleep(for: .milliseconds(10))
        }
        // The daemon's children may write to the directory until they have ended, a moment after the daemon.
        while ContinuousClock.now < deadline {
            try? FileManager.default.removeItem(atPath: home)
            if !FileManager.default.fileExists(atPath: home) { return }
            try? await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("\(home) cannot be removed")
    }
}

/// A `purvey offer` that serves.
struct RunningOffer: Sendable {
    let program: RunningProgram
    let identifiers: [String]

    /// Ends the program as a user would, and returns its exit status.
    @discardableResult
    func end() async throws -> Int32 {
        program.send(SIGINT)
        return try await exit()
    }

    func exit() async throws -> Int32 { try await program.end().status }
}

/// Runs a blocking closure on a thread that may block.
func offPool<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}

import Foundation
import Glibc
import Synchronization
import Testing

/// A folder with a daemon of its own and the files of a test, and the commands run in it. All of it is gone afterwards.
final class CommandPlace: Sendable {
    let home: String
    private let offers = Mutex<[RunningOffer]>([])

    struct Outcome: Sendable {
        let status: Int32
        let output: Data
        let errors: String
        var text: String { String(decoding: output, as: UTF8.self) }
    }

    static func run(_ body: (CommandPlace) async throws -> Void) async throws {
        let place = try CommandPlace()
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

    /// The path of a file of the test's.
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

    /// Runs a script of the shell to its end, in which `$purvey` is the program.
    func shell(_ script: String) async throws -> Outcome {
        let process = process(["-c", script])
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        return try await run(process)
    }

    /// Runs `purvey` to its end.
    func purvey(_ arguments: [String], input: Data? = nil) async throws -> Outcome {
        try await run(process(arguments), input: input)
    }

    private func run(_ process: Process, input: Data? = nil) async throws -> Outcome {
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        if let input {
            let name = path(".input-" + UUID().uuidString)
            try input.write(to: URL(fileURLWithPath: name))
            process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: name))
        }
        try process.run()
        async let said = offPool { try? output.fileHandleForReading.readToEnd() }
        async let complained = offPool { try? errors.fileHandleForReading.readToEnd() }
        let (out, err) = (await said ?? Data(), await complained ?? Data())
        await offPool { process.waitUntilExit() }
        return Outcome(status: process.terminationStatus, output: out, errors: String(decoding: err, as: UTF8.self))
    }

    /// Starts `purvey offer` and waits for the identifiers of its items.
    func offer(_ arguments: String..., items: Int = 1) async throws -> RunningOffer {
        let process = process(["offer"] + arguments)
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let lines = await offPool { () -> [String] in
            var bytes = Data()
            while bytes.count(where: { $0 == UInt8(ascii: "\n") }) < items {
                let more = output.fileHandleForReading.availableData
                if more.isEmpty { break }
                bytes += more
            }
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        }
        try #require(lines.count == items)
        let offer = RunningOffer(process: process, identifiers: lines)
        offers.withLock { $0.append(offer) }
        return offer
    }

    private func process(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.program)
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: home + "/work")
        var environment = ProcessInfo.processInfo.environment
        environment["PURVEY_HOME"] = home
        environment["purvey"] = Self.program
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        return process
    }

    private static let program = program("purvey")

    /// The path of a program that was built beside the tests.
    static func program(_ name: String) -> String {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        for path in [own] + CommandLine.arguments {
            let candidate = (path as NSString).deletingLastPathComponent + "/" + name
            if access(candidate, X_OK) == 0 { return candidate }
        }
        return name
    }

    private func end() async {
        for offer in offers.withLock({ $0 }) { await offer.end() }
        // The daemon that the commands started.
        let socket = Data((home + "/run/daemon.socket").utf8)
        let deadline = ContinuousClock.now + .seconds(300)
        while ContinuousClock.now < deadline {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
            let daemons = names.compactMap { pid_t($0) }.filter {
                FileManager.default.contents(atPath: "/proc/\($0)/cmdline")?.range(of: socket) != nil
            }
            if daemons.isEmpty { break }
            for daemon in daemons { kill(daemon, SIGTERM) }
            try? await Task.sleep(for: .milliseconds(10))
        }
        // What the daemon ran may write there until it has ended, a moment after the daemon.
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
    let process: Process
    let identifiers: [String]

    /// Ends it as a person would, and tells its exit status.
    @discardableResult
    func end() async -> Int32 {
        if process.isRunning { process.interrupt() }
        return await exit()
    }

    func exit() async -> Int32 {
        await offPool { process.waitUntilExit() }
        return process.terminationStatus
    }
}

/// Runs something that blocks on a thread that may.
func offPool<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}

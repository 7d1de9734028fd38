import Foundation
import Glibc
import LinuxSystem

/// Another process that executes a test's commands. See `Script` in its program.
final class PeerProcess: Sendable {
    private let program: ChildProgram
    private let channel: FileDescriptor

    private struct State {
        var lines: [String] = []
        var history: [String] = []
        var hasEnded = false
        var ending: ChildProgram.Ending?
        var waiting: (prefix: String, continuation: CheckedContinuation<String, any Error>, token: UInt64)?
        var token: UInt64 = 0
    }

    private let state = Lock(State())
    private let reading = DispatchGroup()

    init(_ path: String, arguments: [String] = [], environment: [String]) throws {
        (program, channel) = try Self.start(path, arguments, environment)
        Thread.detachNewThread { [channel, weak self] in
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                var request = pollfd(fd: channel.rawValue, events: CShort(POLLIN), revents: 0)
                _ = poll(&request, 1, -1)
                let count = read(channel.rawValue, &buffer, buffer.count)
                if count < 0, errno == EAGAIN || errno == EINTR { continue }
                if count <= 0 { break }
                bytes += buffer[..<count]
                while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                    self?.heard(String(decoding: bytes[..<end], as: UTF8.self))
                    bytes.removeSubrange(...end)
                }
            }
            self?.fellSilent()
        }
    }

    /// Starts the child. When this returns, only the child has the other end of the channel.
    private static func start(
        _ path: String, _ arguments: [String], _ environment: [String]
    ) throws -> (ChildProgram, FileDescriptor) {
        let (ours, theirs) = try StartChannel.make()
        let errors = try FileDescriptor.copy(of: STDERR_FILENO)
        let program = try ChildProgram.start(
            path, arguments: arguments, environment: environment, descriptors: [theirs, theirs, errors])
        return (program, ours)
    }

    var processID: pid_t { program.processID }

    /// Sends a command.
    func tell(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(channel.rawValue, bytes, bytes.count)
    }

    /// Waits for a line with this prefix, leaving other lines for later, and returns the rest of it.
    @discardableResult
    func hear(_ prefix: String, within seconds: Int = 300) async throws -> String {
        let line = try await withCheckedThrowingContinuation { continuation in
            let token = state.withLock { state -> UInt64? in
                state.token += 1
                if let position = state.lines.firstIndex(where: { $0.hasPrefix(prefix) }) {
                    continuation.resume(returning: state.lines.remove(at: position))
                    return nil
                }
                if state.hasEnded {
                    continuation.resume(throwing: Failure("the process ended without saying '\(prefix)'"))
                    return nil
                }
                state.waiting = (prefix, continuation, state.token)
                return state.token
            }
            guard let token else { return }
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) { [weak self] in
                self?.giveUp(token)
            }
        }
        return line.dropFirst(prefix.count).trimmingCharacters(in: .whitespaces)
    }

    /// Sends a command and waits for its reply.
    @discardableResult
    func ask(_ line: String, _ prefix: String, within seconds: Int = 300) async throws -> String {
        tell(line)
        return try await hear(prefix, within: seconds)
    }

    /// All lines received.
    var history: [String] { state.withLock { $0.history } }

    /// The lines that were received and not yet consumed by `hear`.
    var unheard: [String] { state.withLock { $0.lines } }

    /// Whether the process has closed its end of the channel.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    func signal(_ number: CInt) { kill(processID, number) }

    /// Stops the process and returns once none of its threads runs. Sending the signal alone does not wait for that.
    func stop() throws {
        signal(SIGSTOP)
        try waitUntilStopped()
    }

    /// Blocks until the process is stopped.
    func waitUntilStopped() throws {
        var information = siginfo_t()
        try retrying { waitid(P_PID, id_t(processID), &information, WSTOPPED) }
    }

    /// Tells the process to return from main, and waits for its end.
    func quit() async -> ChildProgram.Ending? {
        tell("quit")
        return await wait()
    }

    /// Kills the process and reaps it.
    func end() async {
        if state.withLock({ $0.ending }) != nil { return }
        signal(SIGKILL)
        _ = await wait()
    }

    func wait() async -> ChildProgram.Ending? {
        let ending = await offPool { [program] in try? program.wait() }
        state.withLock { $0.ending = ending ?? .unknown }
        return ending
    }

    private func heard(_ line: String) {
        let waiting = state.withLock { state -> CheckedContinuation<String, any Error>? in
            state.history.append(line)
            if let waiting = state.waiting, line.hasPrefix(waiting.prefix) {
                state.waiting = nil
                return waiting.continuation
            }
            state.lines.append(line)
            return nil
        }
        waiting?.resume(returning: line)
    }

    private func fellSilent() {
        let waiting = state.withLock { state in
            state.hasEnded = true
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.continuation.resume(throwing: Failure("the process ended without saying '\(waiting?.prefix ?? "")'"))
    }

    private func giveUp(_ token: UInt64) {
        let (waiting, lines) = state.withLock { state in
            guard state.waiting?.token == token else {
                return (nil as CheckedContinuation<String, any Error>?, [String]())
            }
            defer { state.waiting = nil }
            return (state.waiting?.continuation, state.lines)
        }
        waiting?.resume(throwing: Failure("the process did not say it; it said \(lines)"))
    }
}

/// A channel that a child can use as its standard input and output.
enum StartChannel {
    static func make() throws -> (FileDescriptor, FileDescriptor) {
        var ends: (CInt, CInt) = (-1, -1)
        try retrying {
            withUnsafeMutableBytes(of: &ends) {
                socketpair(
                    AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0,
                    $0.assumingMemoryBound(to: CInt.self).baseAddress)
            }
        }
        return (FileDescriptor(owning: ends.0), FileDescriptor(owning: ends.1))
    }
}

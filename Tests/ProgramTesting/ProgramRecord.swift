import Glibc
import LinuxSystem

/// The output of a program so far and the way in which it ended, and the tasks that wait for either.
final class ProgramRecord: Sendable {
    struct Heard: Sendable {
        var output: [UInt8] = []
        var errors: [UInt8] = []
        var ending: ChildProgram.Ending?
        /// Whether a wait has exceeded its deadline.
        var tookTooLong = false
    }

    private struct Waiting {
        let deadline: ContinuousClock.Instant
        let isEnough: @Sendable (Heard) -> Bool
        let goOn: @Sendable () -> Void
    }

    private struct State {
        var heard = Heard()
        /// Whether the record will not change any more.
        var isComplete = false
        var waiting: [Waiting] = []
    }

    // Leaf lock: waits are ended after it is released.
    private let state = Lock(State())

    var heard: Heard { state.withLock { $0.heard } }

    /// Waits until a condition holds, or the record is complete.
    ///
    /// - Parameter goOn: A closure that is called once, on any thread.
    func wait(
        until isEnough: @escaping @Sendable (Heard) -> Bool, for patience: Duration,
        _ goOn: @escaping @Sendable () -> Void
    ) {
        let isOver = state.withLock { state in
            if state.isComplete || isEnough(state.heard) { return true }
            state.waiting.append(Waiting(deadline: .now + patience, isEnough: isEnough, goOn: goOn))
            return false
        }
        if isOver { goOn() }
    }

    /// The milliseconds between two checks of the deadlines.
    private static let pause: CInt = 1_000

    /// Reads a program's output until the program has ended and no other process can write to it either. Blocks.
    func keep(of program: ChildProgram, _ process: ProcessDescriptor, output: FileDescriptor, errors: FileDescriptor) {
        var output: FileDescriptor? = output
        var errors: FileDescriptor? = errors
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let running = heard.ending == nil ? process.descriptor : nil
            var requests = [output, errors, running].map {
                pollfd(fd: $0?.rawValue ?? -1, events: CShort(POLLIN), revents: 0)
            }
            // A failed call, such as for lack of memory, is repeated.
            if poll(&requests, nfds_t(requests.count), Self.pause) < 0 { continue }
            if let stream = output, requests[0].revents != 0 {
                let bytes = Self.read(stream, &piece)
                if bytes.isEmpty { output = nil } else { change { $0.output += bytes } }
            }
            if let stream = errors, requests[1].revents != 0 {
                let bytes = Self.read(stream, &piece)
                if bytes.isEmpty { errors = nil } else { change { $0.errors += bytes } }
            }
            if requests[2].revents != 0 {
                let ending = (try? program.wait()) ?? .unknown
                change { $0.ending = ending }
            }
            if isOverdue {
                try? process.send(signal: SIGKILL)
                (output, errors) = (nil, nil)
                change { $0.tookTooLong = true }
            }
            if output == nil, errors == nil, heard.ending != nil { break }
        }
        let waiting = state.withLock { state in
            state.isComplete = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiting in waiting { waiting.goOn() }
    }

    /// Reads a piece of a stream. Returns no bytes at the end, or if reading fails.
    private static func read(_ stream: FileDescriptor, _ piece: inout [UInt8]) -> [UInt8] {
        let count = (try? piece.withUnsafeMutableBytes { try stream.read(into: $0) }) ?? 0
        return Array(piece[..<count])
    }

    private var isOverdue: Bool {
        state.withLock { state in state.waiting.contains { $0.deadline < .now } }
    }

    private func change(_ body: (inout Heard) -> Void) {
        let over = state.withLock { state in
            body(&state.heard)
            let heard = state.heard
            let over = state.waiting.filter { $0.isEnough(heard) }
            state.waiting.removeAll { $0.isEnough(heard) }
            return over
        }
        for waiting in over { waiting.goOn() }
    }
}

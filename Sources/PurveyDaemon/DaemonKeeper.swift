import Exchange
import Glibc
import LinuxSystem

/// The process that starts a daemon again that has died, for as long as it has domains: programs that use their mounts would get
/// errors until somebody runs the next command.
final class DaemonKeeper: Sendable {
    private let program: String
    private let kept: KeptProgram
    private let log: DaemonLog

    private struct State {
        var isWanted = false
        var hasEnded = false
        /// What it is told over. It ends when this closes after a farewell.
        var line: SequencedPacketSocket?
    }

    // Held while the keeper is started, which takes a moment, so that it is not started twice and none is left.
    private let state = Lock(State())

    /// - Parameter deaths: how many daemons have died before this one, each soon after its start.
    /// - Returns: `nil` where the program is not installed beside this one.
    init?(_ options: DaemonOptions, deaths: Int, locations: Locations, log: DaemonLog) {
        guard let own = try? FileDescriptor.open("/proc/self/exe", .pathOnly).path,
            let slash = own.lastIndex(of: "/")
        else { return nil }
        program = own[..<slash] + "/purvey-keeper"
        guard access(program, X_OK) == 0 else { return nil }
        kept = KeptProgram(
            path: own, arguments: ["--socket", locations.socket, "--log", "\(options.level)"],
            folder: locations.domains, deaths: deaths)
        self.log = log
    }

    /// Says whether there is a reason for a keeper now. It is started and ended in the background.
    func want(_ isWanted: Bool) {
        let isChanged = state.withLock { state in
            defer { state.isWanted = isWanted }
            return state.isWanted != isWanted
        }
        if isChanged { HandlerThreads.shared.run { self.settle() } }
    }

    /// The daemon ends, and is not to be started again.
    func end() {
        state.withLock { state in
            state.hasEnded = true
            Self.dismiss(&state)
        }
    }

    private func settle() {
        state.withLock { state in
            guard state.isWanted, !state.hasEnded else { return Self.dismiss(&state) }
            guard state.line == nil else { return }
            do {
                state.line = try start()
            } catch {
                log.warning("\(program) cannot be started: \(error); a daemon that dies is not started again by itself")
            }
        }
    }

    private func start() throws(Errno) -> SequencedPacketSocket {
        let (ours, theirs) = try SequencedPacketSocket.pair()
        try kept.introduce(over: ours)
        let child = try ChildProgram.start(
            program, arguments: [], descriptors: [nil, nil, .copy(of: STDERR_FILENO), theirs.descriptor],
            workingFolder: "/", newSession: true)
        // Nobody else waits for it.
        HandlerThreads.shared.run { _ = try? child.wait() }
        return ours
    }

    private static func dismiss(_ state: inout State) {
        guard let line = state.line.take() else { return }
        // One that has been killed needs no farewell.
        try? KeptProgram.sayFarewell(over: line)
    }
}

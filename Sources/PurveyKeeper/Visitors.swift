import Glibc
import LinuxSystem
import MountTakeover

/// The clients that are connected to the keeper's socket: daemons that request the mounts.
///
/// Clients do not block each other. A client is disconnected if it does not introduce itself in time, runs a program
/// other than the daemon's, or belongs to another user.
struct Visitors {
    private struct Visitor {
        let line: SequencedPacketSocket
        let limit: ContinuousClock.Instant
        var program: KeptProgram?
        var claims = false
    }

    private let program: KeptProgram
    private var listener: SequencedPacketSocket?
    /// The identity of the socket file that this process created; `nil` if it has created none.
    private var identity: FileStatus.Identity?
    private var visitors: [Visitor] = []
    /// Whether a client that had introduced itself has closed its connection.
    var hasLost = false
    /// Whether a client has sent a farewell, so that the daemon must not be restarted.
    private(set) var hasLeft = false

    private static let visitorLimit = 32
    private static let patience = Duration.seconds(5)
    private static let tick = Duration.seconds(1)

    init(_ program: KeptProgram) {
        self.program = program
        listen()
    }

    /// Listens on the socket. Listens again if the socket's file was removed.
    private mutating func listen() {
        guard !program.socket.isEmpty else { return }
        let found = (try? FileStatus.of(program.socket, followingLinks: false))?.identity
        guard listener == nil || found == nil || found != identity else { return }
        // Removes the socket of a dead keeper. There is only one keeper at a time, because there is only one daemon.
        unlink(program.socket)
        do throws(Errno) {
            let socket = try SequencedPacketSocket.bound(to: LocalSocketAddress(path: program.socket))
            try socket.listen()
            listener = socket
            identity = try FileStatus.of(program.socket, followingLinks: false).identity
        } catch {
            listener = nil
            complain("no client can connect to \(program.socket): \(error)")
        }
    }

    /// Prepares for a start of the daemon, which connects to the socket.
    mutating func begin() {
        listen()
        (hasLost, hasLeft) = (false, false)
    }

    func close() {
        let found = (try? FileStatus.of(program.socket, followingLinks: false))?.identity
        if found != nil, found == identity { unlink(program.socket) }
    }

    /// Whether a client has introduced itself and has not claimed the mounts yet.
    var hasIntroduced: Bool { visitors.contains { $0.program != nil } }

    /// Removes and returns the client that claims the mounts; `nil` if there is none.
    mutating func takeClaimant() -> (SequencedPacketSocket, KeptProgram)? {
        guard let index = visitors.firstIndex(where: \.claims) else { return nil }
        let visitor = visitors.remove(at: index)
        return visitor.program.map { (visitor.line, $0) }
    }

    /// Waits for an event, and handles the clients' messages. Without clients and without a deadline, waits without
    /// limit; otherwise waits for at most a second.
    mutating func wait(besides others: [FileDescriptor], until end: ContinuousClock.Instant? = nil) {
        let descriptors = others + [listener?.descriptor].compactMap(\.self) + visitors.map(\.line.descriptor)
        var waited = descriptors.map { pollfd(fd: $0.rawValue, events: CShort(POLLIN), revents: 0) }
        let limits = visitors.filter { $0.program == nil }.map(\.limit) + (end.map { [$0] } ?? [])
        // Without clients, the keeper sleeps until a client connects.
        var left: CInt = -1
        if !visitors.isEmpty || end != nil {
            let until = min(limits.min() ?? .now + Self.tick, .now + Self.tick)
            left = CInt(max(0, ((until - .now) / .milliseconds(1)).rounded(.up)))
        }
        withExtendedLifetime(descriptors) { _ = poll(&waited, nfds_t(waited.count), left) }
        accept()
        for index in visitors.indices.reversed() where !hear(index) {
            if visitors[index].program != nil, !hasLeft { hasLost = true }
            visitors.remove(at: index)
        }
    }

    private mutating func accept() {
        while let line = try? listener?.accept() {
            // Closing the descriptors that a client sends may block, so another thread closes them.
            line.descriptor.close(on: DescriptorCloseQueue())
            guard visitors.count < Self.visitorLimit, isOfThisUser(line) else { continue }
            visitors.append(Visitor(line: line, limit: .now + Self.patience))
        }
    }

    private func isOfThisUser(_ line: SequencedPacketSocket) -> Bool {
        (try? line.peerCredentials().userID) == getuid()
    }

    /// Whether a client runs the daemon's program, regardless of the process that started it.
    private func isProgram(_ line: SequencedPacketSocket) -> Bool {
        guard let process = try? line.peerProcess(), let executable = try? process.executable() else { return false }
        return executable.path == program.path
    }

    /// Handles a client's messages.
    ///
    /// - Returns: Whether the client stays connected.
    private mutating func hear(_ index: Int) -> Bool {
        while true {
            switch KeeperMessage.receive(from: visitors[index].line) {
            case .message(.introduction(let other)):
                // This check does not block, because it only examines the peer's process.
                guard visitors[index].program == nil, isProgram(visitors[index].line) else { return false }
                visitors[index].program = other
            case .message(.claim):
                guard visitors[index].program != nil else { return false }
                visitors[index].claims = true
            case .message(.farewell):
                if visitors[index].program != nil { hasLeft = true }
                return false
            case .nothing: return visitors[index].program != nil || visitors[index].limit > .now
            case .message, .gone, .malformed: return false
            }
        }
    }
}

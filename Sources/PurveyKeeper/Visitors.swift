import Glibc
import Keeping
import LinuxSystem

/// Who comes to the keeper's socket: programs that want to be the next one.
///
/// Nobody is waited for, and none stands in another's way: who does not introduce itself in time is sent away, and so is who runs
/// another program or belongs to another user.
struct Visitors {
    private struct Visitor {
        let line: SequencedPacketSocket
        let limit: ContinuousClock.Instant
        var program: KeptProgram?
        var claims = false
    }

    private let program: KeptProgram
    private var listener: SequencedPacketSocket?
    /// Of the socket's file, while it is ours.
    private var identity: FileStatus.Identity?
    private var visitors: [Visitor] = []
    /// Whether one has gone that had introduced itself.
    var hasLost = false
    /// Whether one has gone that has said so: it is not to be started again.
    private(set) var hasLeft = false

    private static let visitorLimit = 32
    private static let patience = Duration.seconds(5)
    private static let tick = Duration.seconds(1)

    init(_ program: KeptProgram) {
        self.program = program
        listen()
    }

    /// Listens, anew where somebody has removed the socket's file.
    private mutating func listen() {
        guard !program.socket.isEmpty else { return }
        let found = (try? FileStatus.of(program.socket, followingLinks: false))?.identity
        guard listener == nil || found == nil || found != identity else { return }
        // One of a keeper that has gone: there is one at a time, because there is one program at a time.
        unlink(program.socket)
        do throws(Errno) {
            let socket = try SequencedPacketSocket.bound(to: LocalSocketAddress(path: program.socket))
            try socket.listen()
            listener = socket
            identity = try FileStatus.of(program.socket, followingLinks: false).identity
        } catch {
            listener = nil
            complain("nobody can come to \(program.socket): \(error)")
        }
    }

    /// The program is about to be started, and has to find this.
    mutating func begin() {
        listen()
        (hasLost, hasLeft) = (false, false)
    }

    func close() {
        let found = (try? FileStatus.of(program.socket, followingLinks: false))?.identity
        if found != nil, found == identity { unlink(program.socket) }
    }

    /// Whether somebody is here who runs the program and has claimed nothing yet.
    var hasIntroduced: Bool { visitors.contains { $0.program != nil } }

    /// Who claims the mounts.
    mutating func takeClaimant() -> (SequencedPacketSocket, KeptProgram)? {
        guard let index = visitors.firstIndex(where: \.claims) else { return nil }
        let visitor = visitors.remove(at: index)
        return visitor.program.map { (visitor.line, $0) }
    }

    /// Waits until there is something to do, for a moment at most, and takes what visitors say.
    mutating func wait(besides others: [FileDescriptor], until end: ContinuousClock.Instant? = nil) {
        let descriptors = others + [listener?.descriptor].compactMap(\.self) + visitors.map(\.line.descriptor)
        var waited = descriptors.map { pollfd(fd: $0.rawValue, events: CShort(POLLIN), revents: 0) }
        let limits = visitors.filter { $0.program == nil }.map(\.limit) + (end.map { [$0] } ?? [])
        // With nobody there it sleeps until somebody comes.
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
            guard visitors.count < Self.visitorLimit, isOfThisUser(line) else { continue }
            visitors.append(Visitor(line: line, limit: .now + Self.patience))
        }
    }

    private func isOfThisUser(_ line: SequencedPacketSocket) -> Bool {
        (try? line.peerCredentials().userID) == getuid()
    }

    /// Whether it is the program that is kept, whoever started it.
    private func isProgram(_ line: SequencedPacketSocket) -> Bool {
        guard let process = try? line.peerProcess(), let executable = try? process.executable() else { return false }
        return executable.path == program.path
    }

    /// - Returns: whether it stays.
    private mutating func hear(_ index: Int) -> Bool {
        while true {
            switch KeeperMessage.receive(from: visitors[index].line) {
            case .message(.introduction(let other)):
                // It looks at a process, which has no reason to answer late.
                guard visitors[index].program == nil, isProgram(visitors[index].line) else { return false }
                visitors[index].program = other
            case .message(.claim):
                guard visitors[index].program != nil else { return false }
                visitors[index].claims = true
            case .message(.farewell):
                hasLeft = visitors[index].program != nil
                return false
            case .nothing: return visitors[index].program != nil || visitors[index].limit > .now
            case .message, .gone, .malformed: return false
            }
        }
    }
}

import AttackTesting
import Conduit
import Glibc
import LinuxSystem

/// An attack on a process that sends requests to this one. The first request gets a correct reply, so that the process
/// sends further ones. Between the replies, hostile packets are sent.
struct Conversation {
    private let socket: SequencedPacketSocket
    private let samples: [FrameSample]
    private let role: HostileRole

    /// The number of times that the attack waits for a request. Most hosts send fewer requests.
    private static let rounds = 20
    private static let pauseMilliseconds: CInt = 50

    struct NoSocket: Error {}

    init(_ line: Line, _ role: HostileRole) throws {
        guard let socket = line.socket else { throw NoSocket() }
        self.socket = socket
        self.role = role
        samples = try line.samples
    }

    /// Attacks until the connection has ended, or all packets are sent.
    func hold() {
        var assault = Assault(seed: role.seed, samples, lingers: false)
        greet()
        for _ in 0..<Self.rounds {
            var request = pollfd(fd: socket.descriptor.rawValue, events: CShort(POLLIN), revents: 0)
            poll(&request, 1, Self.pauseMilliseconds)
            guard assault.hear(socket), assault.sendLasting(1 + role.packets / Self.rounds, over: socket) else { break }
        }
        assault.sendAnything(role.packets, over: socket)
    }

    /// Replies to the first request as a correct provider that has started.
    private func greet() {
        var request = pollfd(fd: socket.descriptor.rawValue, events: CShort(POLLIN), revents: 0)
        poll(&request, 1, 60_000)
        var buffer = [UInt8](repeating: 0, count: 70_000)
        let count = (try? buffer.withUnsafeMutableBytes { try socket.receive(into: $0).byteCount }) ?? 0
        let frame = buffer[..<count].withUnsafeBytes { try? CBORValue(decoding: $0) }
        guard case .array(let elements)? = frame, elements.count > 1, role.kind == .provider else { return }
        let reply: [CBORValue] = [
            .unsigned(FrameSample.Kind.reply.rawValue), elements[1], .unsigned(0), .map([(.unsigned(0), .map([]))]),
        ]
        try? HostilePacket(CBORValue.array(reply).encoded).send(over: socket)
    }
}

import AttackTesting
import Conduit
import Glibc
import LinuxSystem

/// A conversation with a process that asks this one. The first question is answered well, so that others follow; among
/// the answers come packets that are none.
struct Conversation {
    private let socket: SequencedPacketSocket
    private let samples: [FrameSample]
    private let role: HostileRole

    /// Questions that are waited for. Most hosts ask less.
    private static let rounds = 20
    private static let pauseMilliseconds: CInt = 50

    struct NoSocket: Error {}

    init(_ line: Line, _ role: HostileRole) throws {
        guard let socket = line.socket else { throw NoSocket() }
        self.socket = socket
        self.role = role
        samples = try line.samples
    }

    /// Attacks until the connection has ended, or everything is sent.
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

    /// Answers the first question as a provider of good will does, which has begun.
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

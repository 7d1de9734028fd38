import Conduit
import Glibc
import LinuxSystem

/// An attack on a listening process, over several connections one after the other. The same seed results in the same
/// attack.
package struct Assault {
    private var frames: HostileFrames
    /// Connections that stay open until the attack ends.
    private var kept: [SequencedPacketSocket] = []
    /// The source of sockets whose close(2) waits; `nil` if none are sent.
    private var lingering: LingeringDescriptors?

    /// The maximum number of attempts to send a packet while the socket's buffer is full, with a pause between them.
    private static let attempts = 40
    private static let pauseMilliseconds: CInt = 5
    private static let keptLimit = 8

    /// - Parameters:
    ///   - samples: frames that the attacked process understands.
    ///   - lingers: whether the attack also sends sockets whose close(2) waits until the attack ends.
    package init(seed: UInt64, _ samples: [FrameSample], lingers: Bool = true) {
        frames = HostileFrames(samples, HostileDescriptors(), seed: seed)
        lingering = lingers ? LingeringDescriptors() : nil
    }

    // MARK: One connection

    /// Sends packets that do not end the connection.
    ///
    /// - Returns: whether the connection accepts further packets.
    @discardableResult
    package mutating func sendLasting(_ count: Int, over socket: SequencedPacketSocket) -> Bool {
        for _ in 0..<count where !send(frames.lasting(), over: socket) { return false }
        return true
    }

    /// Sends packets of any kind, until the connection has ended.
    package mutating func sendAnything(_ count: Int, over socket: SequencedPacketSocket) {
        for _ in 0..<count where !send(frames.anything(), over: socket) { return }
    }

    /// Sends a packet. If the socket's buffer is full, reads the received packets and tries again.
    ///
    /// - Returns: whether the connection accepts further packets.
    private mutating func send(
        _ packet: HostilePacket, over socket: SequencedPacketSocket, reads: Bool = true
    ) -> Bool {
        for _ in 0..<Self.attempts {
            do throws(Errno) {
                try packet.send(over: socket)
                return true
            } catch {
                switch error {
                case .wouldBlock, .tooManyDescriptorsInFlight, .noBufferSpace, .outOfMemory: break
                // The packet, and not the connection, cannot be used.
                case .messageTooLong, .invalidArgument, .permissionDenied, .notPermitted:
                    return true
                default: return false
                }
            }
            if reads, !hear(socket) { return false }
            var request = pollfd(fd: socket.descriptor.rawValue, events: CShort(POLLOUT), revents: 0)
            poll(&request, 1, Self.pauseMilliseconds)
        }
        // The other side reads no more for now: descriptors of this side's wait to be closed there, say.
        return false
    }

    /// Receives the packets that have arrived, and records the numbers of the calls among them.
    ///
    /// - Returns: whether the connection is still open.
    @discardableResult
    package mutating func hear(_ socket: SequencedPacketSocket) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 70_000)
        for _ in 0..<256 {
            do throws(Errno) {
                let count = try Self.receive(from: socket, into: &buffer)
                if count == 0 { return false }
                note(buffer[..<count])
            } catch {
                return error == .wouldBlock
            }
        }
        return true
    }

    private static func receive(from socket: SequencedPacketSocket, into buffer: inout [UInt8]) throws(Errno) -> Int {
        try buffer.withUnsafeMutableBufferPointer { bytes throws(Errno) in
            try socket.receive(into: UnsafeMutableRawBufferPointer(bytes)).byteCount
        }
    }

    private mutating func note(_ bytes: ArraySlice<UInt8>) {
        let frame = bytes.withUnsafeBytes { try? CBORValue(decoding: $0) }
        guard case .array(let elements)? = frame, elements.count > 1, elements[0] == .unsigned(0),
            case .unsigned(let call) = elements[1]
        else { return }
        if frames.heardCalls.count >= 64 { frames.heardCalls.removeFirst() }
        frames.heardCalls.append(call)
    }

    // MARK: Many connections

    /// Attacks a listening process over several connections.
    ///
    /// - Parameters:
    ///   - packets: the approximate number of packets for each connection.
    ///   - connect: makes a connection, or fails if the process accepts no more.
    package mutating func attack(
        connections: Int, packets: Int, _ connect: () throws -> SequencedPacketSocket
    ) throws {
        for _ in 0..<connections {
            let deed = frames.choice(below: 8)
            if deed == 0 {
                for _ in 0..<1 + frames.choice(below: 50) { _ = try connect() }
                continue
            }
            let socket = try connect()
            let count = 1 + frames.choice(below: packets)
            if frames.choice(below: 3) == 0 { lingering?.send(frames.lasting().bytes, over: socket) }
            switch deed {
            case 1: sendLasting(count, over: socket)
            case 2: sendAnything(count, over: socket)
            case 3:
                sendLasting(count, over: socket)
                shutdown(socket.descriptor.rawValue, CInt(SHUT_WR))
            case 4:
                shutdown(socket.descriptor.rawValue, CInt(SHUT_RD))
                sendLasting(count, over: socket)
            case 5: callWithoutReading(20 * packets, over: socket)
            case 6:
                // The connection itself is among what waits to be received.
                _ = send(HostilePacket(frames.lasting().bytes, [socket.descriptor]), over: socket)
                sendLasting(count, over: socket)
            default:
                sendLasting(count, over: socket)
                sendAnything(1, over: socket)
            }
            if kept.count < Self.keptLimit, frames.choice(below: 3) == 0 { kept.append(socket) }
        }
    }

    /// Makes calls without reading the replies, until the socket's buffer is full.
    package mutating func callWithoutReading(_ count: Int, over socket: SequencedPacketSocket) {
        for _ in 0..<count {
            guard let packet = frames.wellFormed(), send(packet, over: socket, reads: false) else { return }
        }
    }

    /// Closes the connections that are still open.
    package mutating func end() {
        kept = []
        lingering?.end()
    }
}

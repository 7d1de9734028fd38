import Conduit
import ConduitTestMessages
import Glibc
import LinuxSystem

/// The other end of a connection, without the protocol: it sends given packets and returns received ones.
final class RawPeer: Sendable {
    let socket: SequencedPacketSocket
    let connection: Connection
    let tests = TestService()

    /// - Parameters:
    ///   - limits: the limits of the connection that is tested.
    ///   - isConfined: whether the tested connection treats this end as a confined process.
    init(limits: ConnectionLimits = .init(), isConfined: Bool = false) throws {
        let (near, far) = try SequencedPacketSocket.pair()
        socket = near
        connection = try Connection(far, service: tests.service, limits: limits, isPeerConfined: isConfined)
    }

    deinit {
        connection.close()
    }

    /// The kinds of frames, with their numbers in packets.
    enum Kind: UInt64 { case request, reply, failure, progress, cancel, notice }

    func send(_ bytes: [UInt8], _ descriptors: [FileDescriptor] = []) throws {
        try bytes.withUnsafeBytes { try socket.send($0, descriptors: descriptors) }
    }

    func send(
        _ kind: Kind, call: UInt64, declaring count: Int? = nil, _ rest: [CBORValue],
        _ descriptors: [FileDescriptor] = []
    ) throws {
        let start: [CBORValue] = [
            .unsigned(kind.rawValue), .unsigned(call), .unsigned(UInt64(count ?? descriptors.count)),
        ]
        try send(CBORValue.array(start + rest).encoded, descriptors)
    }

    func sendEcho(call: UInt64, number: UInt64) throws {
        let parcel: CBORValue = .map([(.unsigned(0), .unsigned(number)), (.unsigned(2), .bytes([]))])
        try send(.request, call: call, [.unsigned(Echo.method), .map([(.unsigned(0), parcel)])])
    }

    /// Waits for the next packet. Returns `nil` at the end of the connection.
    func receive() throws -> (frame: CBORValue, descriptors: [FileDescriptor])? {
        var buffer = [UInt8](repeating: 0, count: 70_000)
        while true {
            try socket.descriptor.waitUntilReadable()
            do {
                let packet = try buffer.withUnsafeMutableBytes { try socket.receive(into: $0) }
                guard packet.byteCount > 0 else { return nil }
                let frame = try buffer.withUnsafeBytes {
                    try CBORValue(decoding: UnsafeRawBufferPointer(rebasing: $0[..<packet.byteCount]))
                }
                return (frame, packet.descriptors)
            } catch let error as Errno where error == .connectionReset {
                // The connection ended with packets unread. The messages that it sent before come next.
                continue
            }
        }
    }

    /// Waits for the next packet, which must fail the call, and returns the failure's code.
    func receiveFailure(of call: UInt64) throws -> RemoteError.ConduitCode? {
        guard case .array(let elements)? = try receive()?.frame, elements.count == 7,
            elements[0] == .unsigned(Kind.failure.rawValue), elements[1] == .unsigned(call),
            elements[3] == .text(RemoteError.conduitDomain), case .unsigned(let code) = elements[4]
        else { return nil }
        return RemoteError.ConduitCode(rawValue: Int64(code))
    }

    /// Sends a packet, after waiting for room if there is none.
    func sendWaiting(_ bytes: [UInt8], _ descriptors: [FileDescriptor]) throws {
        while true {
            do {
                return try send(bytes, descriptors)
            } catch let error as Errno where error == .wouldBlock || error == .tooManyDescriptorsInFlight {
                usleep(1000)
            }
        }
    }

    /// Whether the connection still answers calls.
    func isAlive(call: UInt64 = 1_000_000) throws -> Bool {
        while true {
            do {
                try sendEcho(call: call, number: call)
                break
            } catch let error as Errno where error == .wouldBlock {
                var waiting = pollfd(fd: socket.descriptor.rawValue, events: CShort(POLLOUT), revents: 0)
                try retrying { poll(&waiting, 1, -1) }
            } catch let error as Errno where error == .brokenPipe || error == .connectionReset {
                return false
            }
        }
        while let (frame, _) = try receive() {
            guard case .array(let elements) = frame, elements.count > 1 else { return false }
            if elements[0] == .unsigned(Kind.reply.rawValue), elements[1] == .unsigned(call) { return true }
        }
        return false
    }
}

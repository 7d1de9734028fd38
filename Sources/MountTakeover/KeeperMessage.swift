import Glibc
package import LinuxSystem

/// A mount in the form in which the keeper stores it. The keeper is a process that holds descriptors of the daemon's
/// mounts, and restarts the daemon if it dies. Because of these descriptors, a mount outlives the daemon that serves
/// it.
package struct KeptMount: Sendable {
    /// The domain's identifier, by which the next daemon recognizes the mount.
    package let identifier: String
    /// The state of the mount, which the keeper does not interpret.
    package let record: [UInt8]
    /// The open descriptors of the FUSE device, and other descriptors that belong to the mount.
    package let descriptors: [FileDescriptor]

    package init(identifier: String, record: [UInt8], descriptors: [FileDescriptor]) {
        self.identifier = identifier
        self.record = record
        self.descriptors = descriptors
    }

    /// The maximum number of descriptors of one mount.
    package static let descriptorLimit = 8
}

/// A message between a daemon and its keeper. Each message is one packet.
///
/// A daemon starts its keeper with one end of a socket pair, and sends ``introduction(_:)``.
///
/// Alternatively, a daemon takes over the keeper of a dead daemon. It connects to the socket that the dead daemon named
/// in its introduction (``KeptProgram/socket``), and sends its own ``introduction(_:)`` and then ``claim``. The keeper
/// replies with a ``mount(_:)`` for each mount, followed by ``end``, and is the new daemon's keeper from then on.
///
/// The daemon reports each new mount (``hold(_:)``) and each mount that has ended (``drop(identifier:)``), and sends
/// ``farewell`` before it exits. If the connection closes without a farewell, the daemon has crashed or was killed.
package enum KeeperMessage: Sendable {
    case introduction(KeptProgram)
    case hold(KeptMount)
    case drop(identifier: String)
    case farewell
    /// The daemon claims the mounts, which it serves from now on.
    case claim
    /// One of the claimed mounts.
    case mount(KeptMount)
    /// The end of the claimed mounts.
    case end

    private static let sizeLimit = 32 << 10

    private var code: UInt8 {
        switch self {
        case .introduction: 1
        case .hold: 2
        case .drop: 3
        case .farewell: 4
        case .claim: 5
        case .mount: 6
        case .end: 7
        }
    }

    /// Sends the message. Waits for space in the socket's buffer for up to ``timeout``.
    ///
    /// - Throws: `timedOut` if the buffer stays full, `messageTooLong`, or another error of the socket.
    package func send(over line: SequencedPacketSocket) throws(Errno) {
        var bytes = [code]
        var descriptors: [FileDescriptor] = []
        switch self {
        case .introduction(let program): bytes += program.words.joined(separator: "\0").utf8
        case .hold(let mount), .mount(let mount):
            bytes += mount.identifier.utf8
            bytes += [0]
            bytes += mount.record
            descriptors = mount.descriptors
        case .drop(let identifier): bytes += identifier.utf8
        case .farewell, .claim, .end: break
        }
        guard bytes.count <= Self.sizeLimit else { throw .messageTooLong }
        let end = ContinuousClock.now + Self.timeout
        while true {
            do throws(Errno) {
                return try bytes.withUnsafeBufferPointer { bytes throws(Errno) in
                    try line.send(UnsafeRawBufferPointer(bytes), descriptors: descriptors)
                }
            } catch .wouldBlock {
                guard try line.waits(for: .room, until: end) else { throw .timedOut }
            }
        }
    }

    /// The time limit for sending a message.
    package static let timeout = Duration.seconds(5)

    /// The result of an attempt to receive a message.
    package enum Arrival: Sendable {
        case message(KeeperMessage)
        /// There is no message at present.
        case nothing
        /// The peer has closed the connection.
        case gone
        /// The message is unknown or truncated, so the peer is not a daemon or keeper of this version.
        case malformed
    }

    /// Receives one message if it has arrived, without waiting. If the descriptor of `line` is closed on a queue, the
    /// received descriptors are closed on the same queue when they are released.
    package static func receive(from line: SequencedPacketSocket) -> Arrival {
        var buffer = [UInt8](repeating: 0, count: sizeLimit)
        let packet: ReceivedPacket
        do throws(Errno) {
            packet = try buffer.withUnsafeMutableBufferPointer { bytes throws(Errno) in
                try line.receive(into: UnsafeMutableRawBufferPointer(bytes), closingOn: line.descriptor.closingLane)
            }
        } catch {
            return error == .wouldBlock ? .nothing : .gone
        }
        if packet.byteCount == 0 { return .gone }
        guard !packet.isTruncated else { return .malformed }
        return KeeperMessage(buffer[..<packet.byteCount], packet.descriptors).map { .message($0) } ?? .malformed
    }

    private init?(_ bytes: ArraySlice<UInt8>, _ descriptors: [FileDescriptor]) {
        let rest = bytes.dropFirst()
        switch bytes.first {
        case 1:
            let words = rest.split(separator: 0, omittingEmptySubsequences: false)
            guard let program = KeptProgram(words: words.map { String(decoding: $0, as: UTF8.self) }) else {
                return nil
            }
            self = .introduction(program)
        case 2, 6:
            guard let end = rest.firstIndex(of: 0), descriptors.count <= KeptMount.descriptorLimit else { return nil }
            let mount = KeptMount(
                identifier: String(decoding: rest[..<end], as: UTF8.self), record: Array(rest[(end + 1)...]),
                descriptors: descriptors)
            self = bytes.first == 2 ? .hold(mount) : .mount(mount)
        case 3: self = .drop(identifier: String(decoding: rest, as: UTF8.self))
        case 4: self = .farewell
        case 5: self = .claim
        case 7: self = .end
        default: return nil
        }
    }

    /// Waits for the next message until a deadline.
    package static func next(from line: SequencedPacketSocket, until end: ContinuousClock.Instant) -> Arrival {
        while true {
            let arrival = receive(from: line)
            guard case .nothing = arrival, (try? line.waits(for: .packets, until: end)) == true else { return arrival }
        }
    }
}

/// The information with which the keeper restarts a daemon that died: the daemon's command line, and the address at
/// which the next daemon finds the keeper.
package struct KeptProgram: Sendable, Equatable {
    package let path: String
    package let arguments: [String]
    /// The directory of the daemon's domains. If it does not exist, the daemon is not restarted.
    package let folder: String
    /// The path of the socket on which the keeper waits for the next daemon.
    package let socket: String
    /// The number of consecutive daemons that died soon after their start.
    package let deaths: Int

    package init(path: String, arguments: [String], folder: String, socket: String, deaths: Int) {
        self.path = path
        self.arguments = arguments
        self.folder = folder
        self.socket = socket
        self.deaths = deaths
    }

    var words: [String] { [folder, "\(deaths)", socket, path] + arguments }

    init?(words: [String]) {
        guard words.count >= 4, let deaths = Int(words[1]), deaths >= 0 else { return nil }
        self.init(path: words[3], arguments: Array(words[4...]), folder: words[0], socket: words[2], deaths: deaths)
    }
}

extension SequencedPacketSocket {
    package enum Readiness: Sendable { case packets, room }

    /// Waits until a packet or the end of the connection can be received, or until there is space to send.
    ///
    /// - Returns: Whether the socket was ready before the deadline.
    package func waits(for readiness: Readiness, until end: ContinuousClock.Instant) throws(Errno) -> Bool {
        let events = readiness == .packets ? POLLIN : POLLOUT
        var waited = pollfd(fd: descriptor.rawValue, events: CShort(events), revents: 0)
        let left = (end - .now) / .milliseconds(1)
        return try retrying { poll(&waited, 1, CInt(min(max(0, left.rounded(.up)), 1e9))) } > 0
    }
}

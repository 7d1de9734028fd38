package import LinuxSystem

/// A mount that outlives who serves it: what its keeper has of it.
package struct KeptMount: Sendable {
    /// Of what is mounted: the next one who serves it knows it by that.
    package let identifier: String
    /// What is to be known of it, which the keeper does not look into.
    package let record: [UInt8]
    /// The opens of the device, and whatever belongs to them.
    package let descriptors: [FileDescriptor]

    package init(identifier: String, record: [UInt8], descriptors: [FileDescriptor]) {
        self.identifier = identifier
        self.record = record
        self.descriptors = descriptors
    }

    /// The most descriptors of one.
    package static let descriptorLimit = 8
}

/// What a program and its keeper say to each other. Each message is one packet.
///
/// The program starts its keeper with one end of a pair of sockets, and introduces itself. Or it finds, at the socket of which the
/// introduction tells, the keeper of one that has died: then it introduces itself there and claims the mounts, which the keeper
/// answers with each of them and the end. From then on that keeper is its own. The program tells of each mount that is to be kept and
/// of each that is over, and says farewell before it ends. A socket that closes without a farewell is that of a program that was
/// killed or has crashed.
package enum KeeperMessage: Sendable {
    case introduction(KeptProgram)
    case hold(KeptMount)
    case drop(identifier: String)
    case farewell
    /// The program is the one that serves the mounts from now on.
    case claim
    /// What was claimed: one of several.
    case mount(KeptMount)
    /// All was said that there is.
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

    /// Sends it. Waits for room where there is none, but not for long: who does not take what is said counts as gone.
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
        let end = ContinuousClock.now + Self.patience
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

    /// How long a message may take on its way.
    package static let patience = Duration.seconds(5)

    /// What has come, or nothing yet.
    package enum Arrival: Sendable {
        case message(KeeperMessage)
        /// There is nothing at the moment.
        case nothing
        /// The other one is gone.
        case gone
        /// It is none that is known; the other one is no program of ours.
        case malformed
    }

    /// Takes what has come, without waiting.
    package static func receive(from line: SequencedPacketSocket) -> Arrival {
        var buffer = [UInt8](repeating: 0, count: sizeLimit)
        let packet: ReceivedPacket
        do throws(Errno) {
            packet = try buffer.withUnsafeMutableBufferPointer { bytes throws(Errno) in
                try line.receive(into: UnsafeMutableRawBufferPointer(bytes))
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

    /// Waits for what comes next, until a moment.
    package static func next(from line: SequencedPacketSocket, until end: ContinuousClock.Instant) -> Arrival {
        while true {
            let arrival = receive(from: line)
            guard case .nothing = arrival, (try? line.waits(for: .packets, until: end)) == true else { return arrival }
        }
    }
}

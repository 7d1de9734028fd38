import Conduit
import FileTesting
import LinuxSystem

/// Packets for a connection that violate its protocol in some detail, or completely.
package struct HostileFrames {
    private let samples: [FrameSample]
    private let descriptors: HostileDescriptors
    private var numbers: RandomNumbers
    /// The number of the last call. It is far from the numbers that a ``Connection`` at the same end of the socket
    /// assigns to its calls.
    private var lastCall: UInt64 = 1 << 40
    /// The numbers of calls that the attacked process has made.
    package var heardCalls: [UInt64] = []

    package init(_ samples: [FrameSample], _ descriptors: HostileDescriptors, seed: UInt64) {
        self.samples = samples
        self.descriptors = descriptors
        numbers = RandomNumbers(seed: seed)
    }

    // MARK: Frames that end no connection

    /// Returns a packet that does not end the connection: the attacked process replies to it or ignores it.
    package mutating func lasting() -> HostilePacket {
        let handed = descriptors.some(&numbers)
        switch numbers.below(12) {
        case 0...4: return sampled(handed) { HostileValues.mutated($0, &$1).encoded }
        case 5...6: return sampled(handed) { HostileBytes.broken(HostileValues.mutated($0, &$1).encoded, &$1) }
        case 7: return large()
        case 8: return answer(handed)
        case 9:
            let kind: FrameSample.Kind = numbers.below(2) == 0 ? .request : .notice
            let method = numbers.below(3) == 0 ? numbers.next() : UInt64(numbers.below(200))
            return frame(kind, method, HostileValues.any(&numbers).encoded, handed)
        case 10:
            // The call's number may be one of ours, which is being served.
            let call = numbers.below(2) == 0 ? lastCall : numbers.next()
            let head: [CBORValue] = [.unsigned(FrameSample.Kind.cancel.rawValue), .unsigned(call), .unsigned(0)]
            return HostilePacket(CBORValue.array(head).encoded)
        default:
            // A kind of a later version, or a number of descriptors that did not come.
            let kind = 6 + UInt64(numbers.below(1000))
            let head: [CBORValue] = [.unsigned(kind), .unsigned(numbers.next()), .unsigned(UInt64(numbers.below(300)))]
            return HostilePacket(CBORValue.array(head + [HostileValues.any(&numbers)]).encoded, handed)
        }
    }

    /// Returns a well-formed packet, if a sample without descriptors exists.
    package mutating func wellFormed() -> HostilePacket? {
        let whole = samples.filter { $0.descriptorCount == 0 }
        guard !whole.isEmpty else { return nil }
        let sample = whole[numbers.below(whole.count)]
        return frame(sample.kind, sample.method, sample.body.encoded, [])
    }

    private mutating func sampled(
        _ handed: [FileDescriptor], _ change: (CBORValue, inout RandomNumbers) -> [UInt8]
    ) -> HostilePacket {
        guard !samples.isEmpty else { return frame(.request, numbers.next(), [0xA0], handed) }
        let sample = samples[numbers.below(samples.count)]
        return frame(sample.kind, sample.method, change(sample.body, &numbers), handed)
    }

    private mutating func frame(
        _ kind: FrameSample.Kind, _ method: UInt64, _ body: [UInt8], _ handed: [FileDescriptor]
    ) -> HostilePacket {
        var declared = handed.count
        if numbers.below(20) == 0 { declared = numbers.below(300) }
        lastCall += 1
        let head: [CBORValue] = [
            .unsigned(kind.rawValue), .unsigned(kind == .notice ? 0 : lastCall), .unsigned(UInt64(declared)),
            .unsigned(method),
        ]
        // An array of five elements: the body may not be well-formed.
        return HostilePacket([0x85] + head.flatMap(\.encoded) + body, handed)
    }

    /// Returns a packet whose body is in a memory file. The file may be unsealed, and its size may differ from the one
    /// in the frame.
    private mutating func large() -> HostilePacket {
        let sample = samples.isEmpty ? nil : samples[numbers.below(samples.count)]
        var body = HostileValues.mutated(sample?.body ?? .map([]), &numbers).encoded
        if numbers.below(2) == 0 { body = HostileBytes.broken(body, &numbers) }
        let sizes: [UInt64] = [
            UInt64(body.count), UInt64(body.count), UInt64(body.count) + 1, 0, 4096, 1 << 24, (1 << 24) + 1, 1 << 40,
            .max,
        ]
        let size = CBORValue.unsigned(sizes[numbers.below(sizes.count)])
        var handed = descriptors.some(&numbers)
        if numbers.below(4) > 0, let file = try? MemoryFile.create(name: "hostile body") {
            try? body.withUnsafeBytes { try file.writeAll($0) }
            if numbers.below(4) > 0 { try? MemoryFile.seal(file) }
            if handed.count >= HostilePacket.descriptorLimit { handed.removeLast() }
            handed.append(file)
        }
        let kind: FrameSample.Kind = sample?.kind ?? .request
        return frame(kind, sample?.method ?? numbers.next(), size.encoded, handed)
    }

    /// Returns a reply to a call that was never made, or to one whose caller expects another reply.
    private mutating func answer(_ handed: [FileDescriptor]) -> HostilePacket {
        let isHeard = !heardCalls.isEmpty && numbers.below(3) > 0
        let call = isHeard ? heardCalls[numbers.below(heardCalls.count)] : numbers.next() >> UInt64(numbers.below(64))
        func head(_ kind: FrameSample.Kind, _ count: Int) -> [CBORValue] {
            [.unsigned(kind.rawValue), .unsigned(call), .unsigned(UInt64(count))]
        }
        switch numbers.below(4) {
        case 0:
            let counts: [CBORValue] = (0..<2).map { _ in
                numbers.below(2) == 0
                    ? .unsigned(numbers.next() >> 1) : .negative(numbers.next() >> UInt64(1 + numbers.below(63)))
            }
            return HostilePacket(CBORValue.array(head(.progress, 0) + counts).encoded)
        case 1:
            let words: [CBORValue] = [
                .text("x"), .unsigned(UInt64(numbers.below(300))), .text(String(repeating: "w", count: 1000)), .null,
            ]
            return HostilePacket(CBORValue.array(head(.failure, 0) + words).encoded)
        default:
            // As replies of ours are: a map, with the value of a question to a provider under the key 0.
            let body: CBORValue =
                switch numbers.below(3) {
                case 0: HostileValues.any(&numbers)
                case 1: .map([(.unsigned(0), HostileValues.any(&numbers))])
                default: .map([(.unsigned(0), .map([(.unsigned(0), HostileValues.any(&numbers))]))])
                }
            return HostilePacket(CBORValue.array(head(.reply, handed.count) + [body]).encoded, handed)
        }
    }

    // MARK: Anything

    /// Returns a packet of any kind. Most of these packets end the connection.
    package mutating func anything() -> HostilePacket {
        switch numbers.below(6) {
        case 0: return HostilePacket(numbers.bytes(1 + numbers.below(2000)), descriptors.some(&numbers))
        case 1: return HostilePacket(numbers.bytes(60_000 + numbers.below(80_000)), descriptors.some(&numbers))
        case 2: return HostilePacket(HostileValues.any(&numbers).encoded, descriptors.some(&numbers))
        case 3: return HostilePacket([], descriptors.some(&numbers))
        default:
            var packet = lasting()
            packet.bytes = HostileBytes.broken(packet.bytes, &numbers)
            return packet
        }
    }

    /// Returns a random number by which the caller chooses an attack.
    package mutating func choice(below bound: Int) -> Int { numbers.below(bound) }
}

import Fuse
import FuseTesting
import Glibc
import LinuxSystem
import Testing

/// Requests as the kernel writes them, whole and cut off.
@Suite struct RequestTests {
    /// Stands in for the device: what is answered can be read at the other end.
    private final class Device {
        let answers: SequencedPacketSocket
        let channel: Channel
        let requests = RequestTable()

        init() throws {
            let (ours, theirs) = try SequencedPacketSocket.pair()
            answers = ours
            channel = Channel(theirs.descriptor, requests: requests, buffers: BufferPool(size: 1 << 16))
        }

        /// The answers that have come: the request's number, the error and the bytes.
        func take() throws -> [(unique: UInt64, error: Int32, body: [UInt8])] {
            var all: [(UInt64, Int32, [UInt8])] = []
            var buffer = [UInt8](repeating: 0, count: 1 << 17)
            while true {
                let packet: ReceivedPacket
                do {
                    packet = try buffer.withUnsafeMutableBytes { try answers.receive(into: $0) }
                } catch let error as Errno where error == .wouldBlock {
                    return all
                }
                let (length, error, unique) = buffer.withUnsafeBytes { bytes in
                    (
                        bytes.load(as: UInt32.self), bytes.load(fromByteOffset: 4, as: Int32.self),
                        bytes.load(fromByteOffset: 8, as: UInt64.self)
                    )
                }
                #expect(Int(length) == packet.byteCount)
                all.append((unique, error, Array(buffer[16..<max(16, packet.byteCount)])))
            }
        }
    }

    private static let headerSize = 40

    /// A request; the length that its header tells is the number of bytes, whatever they are.
    private func request(_ opcode: UInt32, _ body: [UInt8], unique: UInt64 = 4, length: Int? = nil) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.headerSize) + body
        bytes.withUnsafeMutableBytes { raw in
            raw.storeBytes(of: UInt32(length ?? raw.count), as: UInt32.self)
            raw.storeBytes(of: opcode, toByteOffset: 4, as: UInt32.self)
            raw.storeBytes(of: unique, toByteOffset: 8, as: UInt64.self)
            raw.storeBytes(of: 1, toByteOffset: 16, as: UInt64.self)
        }
        return bytes
    }

    private func serve(_ bytes: [UInt8], by files: any FileSystem, on device: Device) -> Bool {
        bytes.withUnsafeBytes { raw in
            guard let request = Request(raw) else { return false }
            Dispatcher(files).serve(request, on: device.channel)
            return true
        }
    }

    private static let unanswered: Set<Opcode> = [.forget, .batchForget, .notifyReply]

    /// Bodies in which every place could be a number or the beginning of a name.
    private static let bodies: [[UInt8]] = [
        [UInt8](repeating: 0, count: 160),
        [UInt8](repeating: 0xFF, count: 160),
        [UInt8](repeating: UInt8(ascii: "a"), count: 160),
        Array(repeating: [UInt8(ascii: "a"), 0], count: 80).flatMap { $0 },
        [0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 60) + Array("name\0other\0".utf8),
    ]

    @Test(arguments: Opcode.allCases) func aRequestThatIsCutOffAnywhereIsAnsweredOnceAndHarmsNothing(
        opcode: Opcode
    ) throws {
        let device = try Device()
        final class Nothing: FileSystem {}
        for body in Self.bodies {
            for count in 0...body.count {
                let bytes = request(opcode.rawValue, Array(body.prefix(count)))
                for files in [Nothing(), MemoryFileSystem()] as [any FileSystem] {
                    #expect(serve(bytes, by: files, on: device))
                    let answers = try device.take()
                    if Self.unanswered.contains(opcode) || opcode == .interrupt {
                        #expect(answers.count <= 1)
                    } else {
                        #expect(answers.count == 1, "\(opcode) with \(count) bytes")
                        #expect(answers.first?.unique == 4)
                    }
                }
            }
        }
        #expect(device.requests.count == 0)
    }

    @Test func whatIsNoRequestIsNotTakenForOne() {
        let good = request(1, Array("name\0".utf8))
        for count in 0..<good.count {
            good.prefix(count).withUnsafeBytes { #expect(Request($0) == nil) }
        }
        for length in [0, 1, 39, good.count - 1, good.count + 1, Int(UInt32.max)] {
            request(1, Array("name\0".utf8), length: length).withUnsafeBytes { #expect(Request($0) == nil) }
        }
        var extended = good
        // It has more extensions than bytes.
        extended[36] = 0xFF
        extended.withUnsafeBytes { #expect(Request($0) == nil) }
    }

    @Test func anOpcodeThatIsNotKnownIsAnsweredWithENOSYS() throws {
        let device = try Device()
        for opcode: UInt32 in [0, 7, 19, 52, 1000, .max] {
            #expect(serve(request(opcode, []), by: MemoryFileSystem(), on: device))
            #expect(try device.take().map(\.error) == [-ENOSYS])
        }
    }

    @Test func aReplyThatIsLetGoOfAnswersWithEIOAndASecondAnswerIsIgnored() throws {
        final class Forgetful: FileSystem {
            func lookup(_ name: Name, in parent: NodeID, _ reply: Reply<Entry>) {}
            func readLink(_ node: NodeID, _ reply: Reply<Bytes>) {
                reply.reply(Bytes([1, 2, 3]))
                reply.reply(Bytes([4]))
                reply.fail(.noSuchFile)
            }
        }
        let device = try Device()
        let files = Forgetful()
        #expect(serve(request(1, Array("name\0".utf8)), by: files, on: device))
        #expect(try device.take().map(\.error) == [-EIO])
        #expect(serve(request(5, []), by: files, on: device))
        let answers = try device.take()
        #expect(answers.map(\.body) == [[1, 2, 3]])
        #expect(device.requests.count == 0)
    }

    @Test func anInterruptReachesTheRequestBeforeAndAfterItSaysWhatToDo() throws {
        final class Slow: FileSystem {
            let replies = Lock<[Reply<Bytes>]>([])
            func readLink(_ node: NodeID, _ reply: Reply<Bytes>) { replies.withLock { $0.append(reply) } }
        }
        let device = try Device()
        let files = Slow()
        func interrupt(_ unique: UInt64) {
            let body = withUnsafeBytes(of: unique) { Array($0) }
            _ = serve(request(36, body, unique: unique | 1), by: files, on: device)
        }
        // One that is not there is to come again.
        interrupt(10)
        #expect(try device.take().map(\.error) == [-EAGAIN])

        #expect(serve(request(5, [], unique: 10), by: files, on: device))
        #expect(serve(request(5, [], unique: 12), by: files, on: device))
        let (first, second) = files.replies.withLock { ($0[0], $0[1]) }
        first.onInterrupt { first.fail(.interrupted) }
        interrupt(10)
        #expect(try device.take().map(\.error) == [-EINTR])
        interrupt(12)
        #expect(second.isInterrupted && !first.isInterrupted)
        #expect(try device.take().isEmpty)
        second.onInterrupt { second.fail(.interrupted) }
        #expect(try device.take().map(\.error) == [-EINTR])
        files.replies.withLock { $0 = [] }
        #expect(device.requests.count == 0)
    }

    @Test func namesAreTheSameWhereTheirBytesAre() {
        let composed = Name("caf\u{E9}")
        let decomposed = Name("cafe\u{301}")
        #expect(composed != decomposed)
        #expect(composed == Name(bytes: composed.bytes))
        let raw = Name(bytes: [0xFF, 0xFE])
        #expect(raw.text == nil && raw.bytes == [0xFF, 0xFE] && raw.count == 2)
        #expect(raw.withCString { strlen($0) } == 2)
        #expect(Set([composed, decomposed, raw, Name(bytes: [0xFF, 0xFE])]).count == 3)
        #expect(Name("a") < Name("b") && composed < raw)
        #expect(Name(bytes: [65, 0, 66]) == Name("A") && Name("A\0B") == Name("A"))
    }

}

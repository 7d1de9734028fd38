import Fuse
import FuseTesting
import Glibc
import LinuxSystem
import Testing

/// Tests of requests in the kernel's format, whole and truncated.
@Suite struct RequestTests {
    private func request(_ opcode: UInt32, _ body: [UInt8], unique: UInt64 = 4, length: Int? = nil) -> [UInt8] {
        RequestDevice.request(opcode, body, unique: unique, length: length)
    }

    private static let unanswered: Set<Opcode> = [.forget, .batchForget, .notifyReply]

    /// Bodies in which every offset could hold a number or the beginning of a name.
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
        let device = try RequestDevice()
        final class Nothing: FileSystem {}
        for body in Self.bodies {
            for count in 0...body.count {
                let bytes = request(opcode.rawValue, Array(body.prefix(count)))
                for files in [Nothing(), MemoryFileSystem()] as [any FileSystem] {
                    #expect(device.serve(bytes, by: files))
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

    @Test func malformedRequestsAreRejected() {
        let good = request(1, Array("name\0".utf8))
        for count in 0..<good.count {
            good.prefix(count).withUnsafeBytes { #expect(Request($0) == nil) }
        }
        for length in [0, 1, 39, good.count - 1, good.count + 1, Int(UInt32.max)] {
            request(1, Array("name\0".utf8), length: length).withUnsafeBytes { #expect(Request($0) == nil) }
        }
        var extended = good
        // The header announces more extensions than there are bytes.
        extended[36] = 0xFF
        extended.withUnsafeBytes { #expect(Request($0) == nil) }
    }

    @Test func anOpcodeThatIsNotKnownIsAnsweredWithENOSYS() throws {
        let device = try RequestDevice()
        for opcode: UInt32 in [0, 7, 19, 52, 1000, .max] {
            #expect(device.serve(request(opcode, []), by: MemoryFileSystem()))
            #expect(try device.take().map(\.error) == [-ENOSYS])
        }
    }

    @Test func aReplyThatIsReleasedFailsWithEIOAndASecondReplyIsIgnored() throws {
        final class Forgetful: FileSystem {
            func lookup(_ name: Name, in parent: NodeID, _ reply: Reply<Entry>) {}
            func readLink(_ node: NodeID, _ reply: Reply<Bytes>) {
                reply.reply(Bytes([1, 2, 3]))
                reply.reply(Bytes([4]))
                reply.fail(.noSuchFile)
            }
        }
        let device = try RequestDevice()
        let files = Forgetful()
        #expect(device.serve(request(1, Array("name\0".utf8)), by: files))
        #expect(try device.take().map(\.error) == [-EIO])
        #expect(device.serve(request(5, []), by: files))
        let answers = try device.take()
        #expect(answers.map(\.body) == [[1, 2, 3]])
        #expect(device.requests.count == 0)
    }

    @Test func anInterruptReachesTheRequestBeforeAndAfterItSaysWhatToDo() throws {
        final class Slow: FileSystem {
            let replies = Lock<[Reply<Bytes>]>([])
            func readLink(_ node: NodeID, _ reply: Reply<Bytes>) { replies.withLock { $0.append(reply) } }
        }
        let device = try RequestDevice()
        let files = Slow()
        func interrupt(_ unique: UInt64) {
            let body = withUnsafeBytes(of: unique) { Array($0) }
            _ = device.serve(request(36, body, unique: unique | 1), by: files)
        }
        // An interrupt for an unknown request has to be repeated.
        interrupt(10)
        #expect(try device.take().map(\.error) == [-EAGAIN])

        #expect(device.serve(request(5, [], unique: 10), by: files))
        #expect(device.serve(request(5, [], unique: 12), by: files))
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

    @Test func forgottenInodesAreKeptWhileOpen() throws {
        let device = try RequestDevice()
        let files = MemoryFileSystem()
        func ask(_ opcode: Opcode, _ body: [UInt8], _ node: UInt64 = 1) throws -> [UInt8] {
            #expect(device.serve(RequestDevice.request(opcode.rawValue, body, node: node), by: files))
            let answers = try device.take()
            #expect(answers.allSatisfy { $0.error == 0 })
            return answers.first?.body ?? []
        }
        /// Makes a file, opens it and removes it.
        func make(_ name: String) throws -> UInt64 {
            let text = Array(name.utf8) + [0]
            let flags = RequestDevice.numbers(.short(UInt32(O_RDWR)), .short(S_IFREG | 0o644), .short(0), .short(0))
            let made = try ask(.create, flags + text)
            _ = try ask(.unlink, text)
            return made.withUnsafeBytes { $0.load(as: UInt64.self) }
        }
        func close(_ node: UInt64) throws {
            _ = try ask(.release, RequestDevice.numbers(.long(7), .short(0), .short(0), .long(0)), node)
        }
        let nodes = [try make("one"), try make("two"), try make("three")]
        #expect(files.nodeCount == 4)
        try close(nodes[0])
        #expect(files.nodeCount == 4)
        _ = try ask(.forget, RequestDevice.numbers(.long(1)), nodes[0])
        #expect(files.nodeCount == 3)
        // Several nodes are forgotten at a time; one of them is still open.
        try close(nodes[1])
        _ = try ask(
            .batchForget,
            RequestDevice.numbers(.short(2), .short(0), .long(nodes[1]), .long(1), .long(nodes[2]), .long(1)))
        #expect(files.nodeCount == 2)
        try close(nodes[2])
        #expect(files.nodeCount == 1)
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

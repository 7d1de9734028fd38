import Conduit
import ConduitTestMessages
import FileTesting
import LinuxSystem
import TestThreads
import Testing

/// Packets that a `Connection` never sends.
@Suite(.timeLimit(.minutes(10)), .ownThreads) struct MalformedPacketTests {
    private let echo = CBORValue.unsigned(Echo.method)

    @Test(
        arguments: [
            [0x00], [0x80], [0x82, 0x00, 0x01], [0xFF], [0x63, 0x61, 0x62, 0x63], [0x9B], [0x83, 0x00, 0x01],
            [0x84, 0x00, 0x20, 0x00, 0x01], [0x85, 0x00, 0x01, 0x18, 0x00, 0x61],
            // A failure without its message, progress without its numbers, a notice without its method.
            [0x83, 0x02, 0x01, 0x00], [0x84, 0x03, 0x01, 0x00, 0x01], [0x83, 0x05, 0x00, 0x00],
        ] as [[UInt8]])
    func aPacketThatIsNotAFrameEndsTheConnectionAndSaysWhy(bytes: [UInt8]) async throws {
        let peer = try RawPeer()
        let bystander = try RawPeer()
        let closed = Expectation<CloseReason>()
        peer.connection.onClose { closed.fulfill($0) }
        let pending = Expectation<Result<Empty, ConduitError>>()
        peer.connection.call(Wait()) { pending.fulfill($0) }
        try peer.send(bytes)
        let reason = try await closed.value()
        guard case .protocolViolation = reason else {
            Issue.record("\(reason)")
            return
        }
        #expect(try await pending.value() == .failure(.disconnected(reason)))
        _ = try peer.receive()
        #expect(try peer.receive() == nil)
        #expect(try bystander.isAlive())
    }

    @Test func anEmptyPacketEndsTheConnection() async throws {
        let peer = try RawPeer()
        let closed = Expectation<CloseReason>()
        peer.connection.onClose { closed.fulfill($0) }
        try peer.send([])
        #expect(try await closed.value() == .closedByPeer)
    }

    @Test func aRequestThatCannotBeUnderstoodFailsAlone() throws {
        let peer = try RawPeer()
        let bodies: [CBORValue] = [
            .map([]), .array([]), .text("x"), .map([(.unsigned(0), .unsigned(1))]), .map([(.text("0"), .map([]))]),
            .null,
        ]
        for (number, body) in bodies.enumerated() {
            let call = UInt64(number + 1)
            try peer.send(.request, call: call, [echo, body])
            #expect(try peer.receiveFailure(of: call) == .malformedRequest)
        }
        // The body is truncated.
        try peer.send([0x85, 0x00, 0x18, 0x63, 0x00, 0x01, 0xA1, 0x00, 0xA2])
        #expect(try peer.receiveFailure(of: 99) == .malformedRequest)
        #expect(try peer.isAlive())
    }

    @Test func aRequestForAnUnknownCallFailsAlone() throws {
        let peer = try RawPeer()
        try peer.send(.request, call: .max, [.unsigned(.max), .map([])])
        #expect(try peer.receiveFailure(of: .max) == .unknownMethod)
        #expect(try peer.isAlive())
    }

    @Test func aPacketThatIsTooLargeFailsTheCallItBelongsTo() throws {
        let peer = try RawPeer()
        let large: CBORValue = .map([(.unsigned(0), .bytes([UInt8](repeating: 0, count: 66_000)))])
        try peer.send(.request, call: 5, [echo, large])
        #expect(try peer.receiveFailure(of: 5) == .oversized)
        #expect(try peer.isAlive())
    }

    @Test func anAnswerThatIsTooLargeFailsTheCallItBelongsTo() async throws {
        let peer = try RawPeer()
        let answer = Expectation<Result<Empty, ConduitError>>()
        peer.connection.call(Wait()) { answer.fulfill($0) }
        _ = try peer.receive()
        try peer.send(.reply, call: 1, [.map([(.unsigned(0), .bytes([UInt8](repeating: 0, count: 66_000)))])])
        guard case .failure(.oversized) = try await answer.value() else {
            Issue.record("the answer was taken")
            return
        }
        #expect(try peer.isAlive())
    }

    @Test(arguments: [0, 1, 3, 33, Int.max])
    func aRequestWhoseDescriptorsDoNotAddUpFailsAlone(declared: Int) throws {
        let peer = try RawPeer()
        let file = try MemoryFile.create(name: "test")
        try peer.send(.request, call: 5, declaring: declared, [echo, .map([])], [file, file])
        #expect(try peer.receiveFailure(of: 5) == .descriptorsLost)
        #expect(try peer.isAlive())
    }

    @Test func aRequestWithMoreDescriptorsThanAMessageMayHaveFailsAlone() throws {
        let peer = try RawPeer()
        let file = try MemoryFile.create(name: "test")
        let files = [FileDescriptor](repeating: file, count: ConnectionLimits.descriptorsPerMessage + 2)
        try peer.send(.request, call: 5, [echo, .map([])], files)
        #expect(try peer.receiveFailure(of: 5) == .tooManyDescriptors)
        #expect(try peer.isAlive())
    }

    @Test func anAnswerThatCannotBeUnderstoodFailsTheCall() async throws {
        let peer = try RawPeer()
        for (call, body): (UInt64, CBORValue) in [(1, .map([])), (2, .text("")), (3, .unsigned(10)), (4, .null)] {
            let answer = Expectation<Result<Parcel, ConduitError>>()
            peer.connection.call(Echo(Parcel())) { answer.fulfill($0) }
            _ = try peer.receive()
            try peer.send(.reply, call: call, [body])
            guard case .failure(.malformed) = try await answer.value() else {
                Issue.record("\(body) was taken")
                continue
            }
        }
        #expect(try peer.isAlive())
    }

    @Test func packetsOfNoCallAreIgnored() throws {
        let peer = try RawPeer()
        let file = try MemoryFile.create(name: "test")
        try peer.send(.reply, call: 77, [.map([])], [file])
        try peer.send(
            .failure, call: 77, [.text("d"), .negative(3), .text("m"), .null])
        try peer.send(.progress, call: 77, [.unsigned(1), .unsigned(2)])
        try peer.send(.cancel, call: 77, [])
        try peer.send(.notice, call: 0, [.unsigned(12345), .map([])])
        try peer.send(.notice, call: 0, [.unsigned(Remark.method), .map([])])
        // A frame kind, and trailing elements, that a newer peer may send.
        try peer.send(CBORValue.array([.unsigned(99), .unsigned(1), .unsigned(0), .text("?")]).encoded)
        try peer.send(.cancel, call: 77, [.text("?"), .null])
        #expect(try peer.isAlive())
        #expect(peer.tests.remarks.isEmpty)
    }

    @Test func aNumberUsedForTwoCallsAtOnceEndsTheConnection() async throws {
        let peer = try RawPeer()
        let closed = Expectation<CloseReason>()
        peer.connection.onClose { closed.fulfill($0) }
        for _ in 0..<2 { try peer.send(.request, call: 5, [.unsigned(Wait.method), .map([])]) }
        guard case .protocolViolation = try await closed.value() else {
            Issue.record("two calls were served under one number")
            return
        }
        #expect(peer.tests.cancelledWaits == 1)
    }

    @Test func callsBeyondTheLimitAreRefusedOneByOne() throws {
        let peer = try RawPeer(limits: ConnectionLimits(callsInFlight: 3))
        for call: UInt64 in 1...5 { try peer.send(.request, call: call, [.unsigned(Wait.method), .map([])]) }
        #expect(try peer.receiveFailure(of: 4) == .tooManyCalls)
        #expect(try peer.receiveFailure(of: 5) == .tooManyCalls)
        peer.tests.dropWaits()
        for call: UInt64 in 1...3 { #expect(try peer.receiveFailure(of: call) == .unanswered) }
        #expect(try peer.isAlive())
    }

    @Test func mutatedPacketsAreAnsweredOrEndTheirOwnConnection() throws {
        var random = RandomNumbers(seed: 4)
        let bystander = try RawPeer()
        let file = try MemoryFile.create(name: "test")
        let parcel: CBORValue = .map([
            (.unsigned(0), .negative(4)), (.unsigned(1), .text("words")), (.unsigned(2), .bytes([1, 2])),
        ])
        func frame(_ kind: RawPeer.Kind, _ rest: [CBORValue]) -> [UInt8] {
            CBORValue.array([.unsigned(kind.rawValue), .unsigned(1), .unsigned(0)] + rest).encoded
        }
        let seeds = [
            frame(.request, [echo, .map([(.unsigned(0), parcel)])]), frame(.reply, [parcel]),
            frame(.failure, [.text("domain"), .unsigned(1), .text("words"), .null]),
            frame(.progress, [.unsigned(1), .unsigned(2)]), frame(.cancel, []),
            frame(.notice, [.unsigned(1), .map([(.unsigned(0), .text("words"))])]),
        ]
        var peer = try RawPeer()
        var endings = 0
        for round in 0..<20_000 {
            do {
                try peer.send(seeds[round % seeds.count].mutated(using: &random), round % 50 == 0 ? [file] : [])
                // Reads the replies from time to time.
                if round % 100 != 0 { continue }
            } catch let error as Errno where [.brokenPipe, .connectionReset, .wouldBlock].contains(error) {
                // The connection has ended, or the replies were not read.
            }
            if try peer.isAlive() { continue }
            peer = try RawPeer()
            endings += 1
        }
        #expect(endings > 0)
        #expect(try bystander.isAlive())
    }
}

import Conduit
import ConduitTestMessages
import FileTesting
import LinuxSystem
import TestThreads
import Testing

/// Peers whose misbehaviour must not delay other connections.
@Suite(.timeLimit(.minutes(10)), .ownThreads) struct ConfinedPeerTests {
    /// Returns a notice whose text has the given number of bytes.
    private func remark(of size: Int) -> [UInt8] {
        CBORValue.map([(.unsigned(0), .text(String(repeating: "w", count: size)))]).encoded
    }

    @Test func aConfinedPeerIsServedAsAnyOther() throws {
        let peer = try RawPeer(isConfined: true)
        for call: UInt64 in 1...100 { #expect(try peer.isAlive(call: call)) }
    }

    /// `true` for a peer that is confined.
    @Test(arguments: [false, true])
    func aLingeringSocketInAStrayFrameDelaysNoOtherConnection(isConfined: Bool) throws {
        let peer = try RawPeer(isConfined: isConfined)
        let bystander = try RawPeer()
        var receivers: [FileDescriptor] = []
        for _ in 0..<4 {
            let socket = try LingeringSocket()
            receivers.append(socket.receiver)
            try peer.send(.reply, call: 77, [.map([])], [socket.sender])
        }
        #expect(try bystander.isAlive())
        #expect(try peer.isAlive())
        withExtendedLifetime(receivers) {}
    }

    @Test(arguments: [false, true])
    func aLingeringSocketThatIsUnreadWhenAConnectionEndsDelaysNoOther(isConfined: Bool) async throws {
        let peer = try RawPeer(isConfined: isConfined)
        let bystander = try RawPeer()
        let closed = Expectation<CloseReason>()
        peer.connection.onClose { closed.fulfill($0) }
        // The first packet ends the connection, so that the second one is closed with the socket.
        try peer.send([0xFF])
        let socket = try LingeringSocket()
        try? peer.send(.reply, call: 77, [.map([])], [socket.sender])
        _ = try await closed.value()
        #expect(try bystander.isAlive())
        withExtendedLifetime(socket.receiver) {}
    }

    @Test func otherConnectionsAreServedWhileAConfinedPeersMessageIsDealtWith() async throws {
        let (gate, entered) = (Latch(), Expectation<Void>())
        var service = Service()
        service.on(Remark.self) { _, _ in
            entered.fulfill(())
            gate.wait()
        }
        let (near, far) = try SequencedPacketSocket.pair()
        let confined = try Connection(far, service: service, isPeerConfined: true)
        let sender = try Connection(near)
        defer { for connection in [confined, sender] { connection.close() } }
        let bystander = try RawPeer()
        try sender.notify(Remark("slow"))
        try await entered.value()
        #expect(try bystander.isAlive())
        gate.open()
    }

    @Test func queuedMessagesOfADeadPeerAreDropped() async throws {
        let (gate, entered) = (Latch(), Expectation<Void>())
        let tests = TestService()
        let remarks = Lock<[Int]>([])
        var service = Service()
        service.on(Remark.self) { remark, _ in
            let isFirst = remarks.withLock { remarks in
                remarks.append(remark.words.utf8.count)
                return remarks.count == 1
            }
            guard isFirst else { return }
            entered.fulfill(())
            gate.wait()
        }
        service.on(Wait.self) { _, call in tests.hold(call) }
        let (near, far) = try SequencedPacketSocket.pair()
        let confined = try Connection(far, service: service, isPeerConfined: true)
        let ended = Expectation<CloseReason>()
        confined.onClose { ended.fulfill($0) }
        let sender = try Connection(near)
        let gone = Expectation<CloseReason>()
        sender.onClose { gone.fulfill($0) }
        try sender.notify(Remark("f"))
        try await entered.value()
        for _ in 0..<20 {
            sender.call(Wait()) { _ in }
            try sender.notify(Remark(String(repeating: "w", count: 200_000)))
        }
        // The last words of a process that has done something count.
        try sender.notify(Remark("last"))
        sender.close()
        _ = try await gone.value()
        gate.open()
        #expect(try await ended.value() == .closedByPeer)
        #expect(remarks.withLock { $0 } == [1, 4])
        #expect(tests.heldWaits == 0)
    }

    @Test func aLargerNoticeThanAConfinedPeerMaySendEndsItsConnectionUnread() async throws {
        let peer = try RawPeer(limits: ConnectionLimits(messageSize: 1000), isConfined: true)
        let closed = Expectation<CloseReason>()
        peer.connection.onClose { closed.fulfill($0) }
        let body = remark(of: 2000)
        let file = try MemoryFile.sealed(body)
        try peer.send(.notice, call: 0, [.unsigned(Remark.method), .unsigned(UInt64(body.count))], [file])
        guard case .protocolViolation = try await closed.value() else {
            Issue.record("it was taken")
            return
        }
        #expect(peer.tests.remarks.isEmpty)
    }

    @Test func aConfinedPeersConnectionThatHasEndedStillSaysSo() async throws {
        let peer = try RawPeer(isConfined: true)
        let closed = Expectation<CloseReason>()
        peer.connection.onClose { closed.fulfill($0) }
        peer.socket.shutDown()
        #expect(try await closed.value() == .closedByPeer)
        // The thread that served it ends now.
        for _ in 0..<100 {
            let late = Expectation<CloseReason>()
            peer.connection.onClose { late.fulfill($0) }
            #expect(try await late.value() == .closedByPeer)
            await #expect(throws: ConduitError.disconnected(.closedByPeer)) { try await peer.connection.call(Wait()) }
        }
    }

    // MARK: Limits

    @Test func requestsThatTakeTooMuchTogetherAreRefused() throws {
        let peer = try RawPeer(limits: ConnectionLimits(servedBytes: 1000, servedDescriptors: 3))
        // A call that says more than is asked for.
        let body: CBORValue = .map([(.unsigned(9), .bytes([UInt8](repeating: 1, count: 600)))])
        try peer.send(.request, call: 1, [.unsigned(Wait.method), body])
        try peer.send(.request, call: 2, [.unsigned(Wait.method), body])
        #expect(try peer.receiveFailure(of: 2) == .tooManyCalls)
        let file = try MemoryFile.create(name: "test")
        try peer.send(.request, call: 3, [.unsigned(Wait.method), .map([])], [file, file])
        try peer.send(.request, call: 4, [.unsigned(Wait.method), .map([])], [file, file])
        #expect(try peer.receiveFailure(of: 4) == .tooManyCalls)
        peer.tests.dropWaits()
        for call: UInt64 in [1, 3] { #expect(try peer.receiveFailure(of: call) == .unanswered) }
        // One is served regardless of its cost, and those that are answered take nothing.
        try peer.send(.request, call: 5, [.unsigned(Wait.method), .map([])], [file, file, file, file])
        try peer.send(.request, call: 6, [.unsigned(Wait.method), .map([])], [file])
        #expect(try peer.receiveFailure(of: 6) == .tooManyCalls)
        #expect(peer.tests.heldWaits == 1)
    }

    @Test func aPeerThatDoesNotReadIsGivenUpAfterSoManyMessages() async throws {
        let peer = try RawPeer(limits: ConnectionLimits(queuedMessages: 100))
        let closed = Expectation<CloseReason>()
        peer.connection.onClose { closed.fulfill($0) }
        for _ in 0..<10_000 where peer.connection.closeReason == nil { try? peer.connection.notify(Remark("w")) }
        guard case .peerTooSlow = try await closed.value() else {
            Issue.record("\(peer.connection.closeReason as Any)")
            return
        }
    }

    @Test func descriptorsThatComeFasterThanTheyAreClosedWaitInTheSocket() throws {
        let peer = try RawPeer(limits: ConnectionLimits(unclosedDescriptors: 0), isConfined: true)
        let file = try MemoryFile.create(name: "test")
        let files = [FileDescriptor](repeating: file, count: 20)
        let stray = CBORValue.array([.unsigned(1), .unsigned(77), .unsigned(20), .map([])]).encoded
        for _ in 0..<500 { try peer.sendWaiting(stray, files) }
        #expect(try peer.isAlive())
    }

    /// A message with a list of at most three numbers.
    private struct Few: Message {
        var numbers: [Int]

        init(from decoder: inout MessageDecoder) throws(MessageError) {
            numbers = try decoder.decodeArray(forKey: 0, atMost: 3)
        }

        func encode(to encoder: inout MessageEncoder) { encoder.encode(numbers, forKey: 0) }
    }

    private func few(_ bytes: [UInt8]) -> Result<Few, MessageError> {
        bytes.withUnsafeBytes { bytes in
            var decoder = MessageDecoder(bytes)
            do throws(MessageError) {
                return .success(try Few.read(from: &decoder))
            } catch {
                return .failure(error)
            }
        }
    }

    @Test func anArrayBeyondItsLimitIsNotReadToItsEnd() throws {
        #expect(try few([0xA1, 0x00, 0x83, 1, 2, 3]).get().numbers == [1, 2, 3])
        #expect(try few([0xA1, 0x00, 0x9F, 1, 2, 3, 0xFF]).get().numbers == [1, 2, 3])
        #expect(try few([0xA0]).get().numbers == [])
        #expect(try few([0xA1, 0x00, 0xF6]).get().numbers == [])
        // The rest is no CBOR, which goes unnoticed.
        for bytes: [UInt8] in [[0xA1, 0x00, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0xA1, 0x00, 0x9F, 1, 2, 3, 0xFE]] {
            guard case .failure(.invalid) = few(bytes) else {
                Issue.record("\(few(bytes))")
                continue
            }
        }
    }
}

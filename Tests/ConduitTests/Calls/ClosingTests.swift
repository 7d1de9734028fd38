import Conduit
import ConduitTestMessages
import LinuxSystem
import Synchronization
import TestThreads
import Testing

@Suite(.timeLimit(.minutes(10)), .ownThreads) struct ClosingTests {
    @Test func closingFailsCallsInFlightOnBothSides() async throws {
        let tests = TestService()
        let (client, server) = try Connection.pair(Service(), tests.service)
        let answer = Expectation<Result<Empty, ConduitError>>()
        client.call(Wait()) { answer.fulfill($0) }
        try await eventually { tests.heldWaits == 1 }
        let ended = Expectation<CloseReason>()
        server.onClose { ended.fulfill($0) }
        client.close()
        client.close()
        #expect(try await answer.value() == .failure(.disconnected(.closedHere)))
        #expect(try await ended.value() == .closedByPeer)
        #expect(tests.cancelledWaits == 1)
        let exchange = try #require(tests.takeWaits().first)
        #expect(exchange.isCancelled)
        exchange.reply()
    }

    @Test func aHandlerMayCloseItsOwnConnection() async throws {
        var service = Service()
        service.on(Wait.self) { _, exchange in
            exchange.connection.close()
            exchange.reply()
        }
        let (client, server) = try Connection.pair(Service(), service)
        let error = await #expect(throws: ConduitError.self) { try await client.call(Wait()) }
        #expect(error == .disconnected(.closedByPeer))
        try await eventually { server.closeReason == .closedHere }
    }

    @Test func aCloseHandlerRunsAfterTheCallsHaveFailed() async throws {
        let peer = try RawPeer()
        let log = Mutex<[String]>([])
        let order = Expectation<[String]>()
        peer.connection.call(Wait()) { _ in log.withLock { $0.append("call") } }
        peer.connection.onClose { _ in order.fulfill(log.withLock { $0 + ["close"] }) }
        peer.socket.shutDown()
        #expect(try await order.value() == ["call", "close"])
    }

    @Test func lastMessagesOfAPeerArriveThoughItReadLittle() async throws {
        var ends: (near: SequencedPacketSocket, far: SequencedPacketSocket)? = try SequencedPacketSocket.pair()
        let connection = try Connection(#require(ends?.far))
        let ended = Expectation<CloseReason>()
        connection.onClose { ended.fulfill($0) }
        let heard = Expectation<Result<Empty, ConduitError>>()
        connection.call(Wait()) { heard.fulfill($0) }
        for number in 0..<50 { try connection.notify(Remark("unread \(number)")) }
        let reply: CBORValue = .array([.unsigned(1), .unsigned(1), .unsigned(0), .map([])])
        try reply.encoded.withUnsafeBytes { _ = try ends?.near.send($0) }
        // Closes the peer's end with unread packets. The kernel then reports the error before the data.
        ends = nil
        #expect(try await heard.value().get() == Empty())
        #expect(try await ended.value() == .closedByPeer)
    }

    @Test func callsMadeOnAClosedConnectionFailOnceAndLater() async throws {
        let (client, _) = try Connection.pair()
        let closed = Expectation<CloseReason>()
        client.onClose { closed.fulfill($0) }
        client.close()
        #expect(try await closed.value() == .closedHere)
        let answer = Expectation<Result<Empty, ConduitError>>()
        client.call(Wait()) { answer.fulfill($0) }.cancel()
        #expect(try await answer.value() == .failure(.disconnected(.closedHere)))
        #expect(answer.count == 1)
    }
}

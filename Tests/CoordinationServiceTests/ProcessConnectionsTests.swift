import Conduit
import CoordinationService
import Exchange
import FileCoordination
import Foundation
import TestThreads
import Testing

/// The limit of connections over which one process may coordinate.
@Suite(.timeLimit(.minutes(10)), .ownThreads) struct ProcessConnectionsTests {
    private func connect(_ daemon: PrivateDaemon, _ hearing: Service = Service()) async throws -> Connection {
        let socket = daemon.locations.socket
        return try await offPool { try Connection.connect(to: socket, service: hearing) }
    }

    /// Whether the daemon lets a process coordinate over a connection.
    private func begins(_ connection: Connection) async -> Bool {
        await withCheckedContinuation { continuation in
            connection.call(CoordinateCall()) { result in
                if case .success = result {
                    continuation.resume(returning: true)
                } else {
                    continuation.resume(returning: false)
                }
            }
        }
    }

    private func claim(_ path: ExactPath) -> EventNotice {
        EventNotice(
            .claim(
                ClaimRequest(number: 1, accesses: [Access(path: path, key: path, traits: .writes)], purpose: "p")))
    }

    @Test func aProcessHasOnlySoManyAndOthersHaveTheirs() async throws {
        try await PrivateDaemon.run { daemon in
            var connections: [Connection] = []
            defer { for connection in connections { connection.close() } }
            for _ in 0..<ClaimUsage.connectionLimit {
                let connection = try await connect(daemon)
                connections.append(connection)
                #expect(await begins(connection))
            }
            let oneMore = try await connect(daemon)
            #expect(await !begins(oneMore))
            // Events of a connection that was refused, or has not asked, are ignored and close it.
            try oneMore.notify(claim("/a"))
            await eventually { oneMore.closeReason != nil }
            #expect(try await daemon.client.call(CountClaimsCall(), attempts: 3).count == 0)
            let path = daemon.work + "/a"
            try Data("text".utf8).write(to: URL(fileURLWithPath: path))
            let peer = try daemon.peer(program: TestProcess.program("CoordinationPeer"))
            try await peer.ask("write \(path)", "asked")
            try await peer.hear("granted")
            try await daemon.hasClaims(1)
            connections.removeLast().close()
            try await eventually {
                let connection = try await connect(daemon)
                if await begins(connection) {
                    connections.append(connection)
                    return true
                }
                connection.close()
                return false
            }
        }
    }

    @Test func stateOfAReconnectingProcessIsBounded() async throws {
        try await PrivateDaemon.run { daemon in
            var taken = 0
            for number in 0..<100 {
                let (granted, continuation) = AsyncStream.makeStream(of: Void.self)
                var hearing = Service()
                hearing.on(EffectsNotice.self) { _, _ in continuation.yield() }
                let connection = try await connect(daemon, hearing)
                if await begins(connection) {
                    try connection.notify(claim(ExactPath("/a/\(number)")))
                    for await _ in granted { break }
                    taken += 1
                }
                connection.close()
            }
            #expect(taken >= ClaimUsage.connectionLimit)
            let kept = try await daemon.client.call(CountClaimsCall(), attempts: 3).count
            #expect(kept <= ClaimUsage.connectionLimit)
        }
    }
}

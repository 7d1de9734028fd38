import Exchange
import Foundation
import Glibc
import ItemProvider
import LinuxSystem
import Testing
import UniformTypeIdentifiers

@Suite struct DaemonLifeTests {
    @Test func theDaemonStartsOnDemandAndEndsInGoodOrder() async throws {
        try await PrivateDaemon.run(starting: false) { daemon in
            let provider = try daemon.peer()
            _ = try await provider.ask("offer board data public.png 10", "offered")
            #expect(try await daemon.board().items().count == 1)
            let status = try await daemon.client.call(StatusCall())
            await eventually { daemon.daemonProcesses == [status.processID] }
            #expect(status.offers == 1)
            kill(status.processID, SIGTERM)
            await eventually { daemon.daemonProcesses.isEmpty }
            #expect(!FileManager.default.fileExists(atPath: daemon.locations.socket))
        }
    }

    @Test func startersThatRaceEndWithOneDaemon() async throws {
        try await PrivateDaemon.run(starting: false) { daemon in
            let environment = TestProcess.environment(home: daemon.home)
            let endings = try await withThrowingTaskGroup(of: ChildProgram.Ending.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await offPool {
                            try ChildProgram.start(
                                TestProcess.program("purveyd"), arguments: ["--socket", daemon.locations.socket],
                                environment: environment, descriptors: [nil, nil, nil]
                            ).wait()
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(endings == Array(repeating: .exited(0), count: 8))
            let status = try await daemon.client.call(StatusCall())
            await eventually { daemon.daemonProcesses == [status.processID] }
        }
    }

    @Test func aSecondDaemonInTheForegroundSaysThatThereIsOne() async throws {
        try await PrivateDaemon.run { daemon in
            let (ours, theirs) = try StartMessages.channel()
            let second = try ChildProgram.start(
                TestProcess.program("purveyd"), arguments: ["--foreground"],
                environment: TestProcess.environment(home: daemon.home), descriptors: [nil, nil, theirs])
            #expect(await offPool { try? second.wait() } == .exited(1))
            var buffer = [UInt8](repeating: 0, count: 1000)
            let count = read(ours.rawValue, &buffer, buffer.count)
            #expect(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).contains("already"))
        }
    }

    @Test func aDaemonWhoseSocketWasRemovedListensAgain() async throws {
        try await PrivateDaemon.run(starting: false) { daemon in
            let provider = try daemon.peer()
            let identifier = try await provider.ask("offer board data public.png 10", "offered")
            // The process that started the daemon may end a moment later.
            await eventually { daemon.daemonProcesses.count == 1 }
            let process = try #require(daemon.daemonProcesses.first)
            unlink(daemon.locations.socket)
            // Another process, which has no connection yet.
            let consumer = try daemon.peer()
            await eventually { FileManager.default.fileExists(atPath: daemon.locations.socket) }
            #expect(try await consumer.ask("list board", "listed") == "1")
            #expect(try await daemon.board().remoteItems().map(\.manifest.identifier.uuidString) == [identifier])
            #expect(daemon.daemonProcesses == [process])
        }
    }

    @Test func anOfferComesBackWhenTheDaemonsFolderWasRemoved() async throws {
        try await PrivateDaemon.run(starting: false) { daemon in
            let provider = try daemon.peer()
            let identifier = try await provider.ask("offer board data public.png 10", "offered")
            try FileManager.default.removeItem(atPath: daemon.locations.runtime)
            // Either the daemon creates its socket again, or a daemon that was started meanwhile serves there.
            await eventually {
                let client = ExchangeClient(daemon.locations)
                defer { client.disconnect() }
                let items = try? await Board("board", client: client).remoteItems()
                return items?.map(\.manifest.identifier.uuidString) == [identifier]
            }
            await eventually { daemon.daemonProcesses.count == 1 }
        }
    }

    @Test func offersComeBackAfterTheDaemonWasKilledAndRestarted() async throws {
        try await PrivateDaemon.run { daemon in
            let provider = try daemon.peer()
            let identifier = try await provider.ask("offer board data public.png 5000", "offered")
            let item = try #require(try await daemon.board().items().first)
            #expect(try await item.loadDataRepresentation(for: .png).count == 5000)
            let unopened = try #require(try await daemon.board().items().first)

            await daemon.kill()
            // A load over an open socket needs no daemon.
            #expect(try await item.loadDataRepresentation(for: .png).count == 5000)
            // A load without an open socket does: the client starts the daemon, and the provider connects again.
            await eventually { (try? await unopened.loadDataRepresentation(for: .png).count) == 5000 }
            await eventually {
                (try? await daemon.board().remoteItems().map(\.manifest.identifier.uuidString)) == [identifier]
            }
            // A daemon that was started at the same time ends once it has found the other.
            await eventually { daemon.daemonProcesses.count == 1 }
        }
    }

    @Test func aDaemonThatWasToldToEndStaysDownUntilItIsNeeded() async throws {
        try await PrivateDaemon.run { daemon in
            let provider = try daemon.peer()
            let identifier = try await provider.ask("offer board data public.png 10", "offered")
            #expect(await daemon.stop() == .exited(0))
            #expect(daemon.daemonProcesses.isEmpty)
            try await daemon.start()
            await eventually {
                (try? await daemon.board().remoteItems().map(\.manifest.identifier.uuidString)) == [identifier]
            }
        }
    }

    @Test func theContentsOfAPasteboardDoNotPushOutNewerOnesAfterARestart() async throws {
        try await PrivateDaemon.run { daemon in
            let first = try daemon.peer()
            _ = try await first.ask("replace general data public.png 10", "replaced")
            // Stopped, so that it reconnects last.
            try first.stop()
            await daemon.kill()
            try await daemon.start()
            let second = try daemon.peer()
            _ = try await second.ask("replace general data public.jpeg 10", "replaced")
            first.signal(SIGCONT)
            _ = try await first.ask("offer other data public.png 10", "offered")
            await eventually {
                (try? await daemon.board("general").items().map(\.registeredTypeIdentifiers)) == [["public.jpeg"]]
            }
        }
    }

    @Test(.enabled(if: getuid() == 0, "only root can become another user"))
    func otherUsersAreRefused() async throws {
        try await PrivateDaemon.run { daemon in
            let stranger = try daemon.peer()
            // Even if the file modes would admit another user.
            for path in [TestProcess.folder, daemon.home, daemon.locations.runtime] { chmod(path, 0o755) }
            chmod(daemon.locations.socket, 0o666)
            #expect(try await stranger.ask("knock \(daemon.locations.socket)", "answered").isEmpty)
            #expect(try await stranger.ask("become 65534", "became") == "65534")
            #expect(try await stranger.ask("knock \(daemon.locations.socket)", "closed").isEmpty)
            // A client refuses another user's daemon, too.
            #expect(try await stranger.ask("list board", "failed").contains("another user"))
        }
    }

    @Test func protocolViolationsHarmOnlyTheirSender() async throws {
        try await PrivateDaemon.run { daemon in
            let provider = try daemon.peer()
            let identifier = try #require(
                UUID(uuidString: try await provider.ask("offer board data public.png 5000", "offered")))
            let item = try #require(try await daemon.board().items().first)
            for packet in Malformed.packets(seed: 7) {
                let raw = try SequencedPacketSocket.connect(to: LocalSocketAddress(path: daemon.locations.socket))
                for _ in 0..<3 { try? packet.withUnsafeBytes { try raw.send($0) } }
                // The same packets to the provider's own socket.
                let socket = try await daemon.client.call(OpenCall(identifier: identifier)).socket
                let direct = try SequencedPacketSocket(checking: socket)
                for _ in 0..<3 { try? packet.withUnsafeBytes { try direct.send($0) } }
            }
            #expect(try await item.loadDataRepresentation(for: .png).count == 5000)
            #expect(try await daemon.client.call(StatusCall()).processID == daemon.processID)
            #expect(try await provider.ask("list board", "listed") == "1")
        }
    }
}

/// Packets that no correct peer sends.
enum Malformed {
    static func packets(seed: UInt64) -> [[UInt8]] {
        var packets: [[UInt8]] = [
            [0xFF], [0x00], [0x9F, 0xFF], [0x85, 0x00, 0x01, 0x00, 0x02], [0xFB, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0],
            // A request that refers to a body in a memory file, without the file.
            [0x85, 0x00, 0x01, 0x00, 0x01, 0x1B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            // A string that is longer than the packet.
            [0x85, 0x00, 0x01, 0x00, 0x01, 0xA1, 0x00, 0x7B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            // Deeply nested arrays.
            [0x85, 0x00, 0x01, 0x00, 0x01] + [UInt8](repeating: 0x81, count: 20_000),
            // More bytes than a packet may have.
            [0x85, 0x00, 0x01, 0x00, 0x01, 0xA0] + [UInt8](repeating: 0, count: 100_000),
        ]
        // Existing calls with random bodies.
        var state = seed
        for method in 1...13 {
            for length in [1, 7, 40] {
                var noise: [UInt8] = []
                for _ in 0..<length {
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    noise.append(UInt8(truncatingIfNeeded: state >> 33))
                }
                packets.append([0x85, 0x00, 0x02, 0x00, UInt8(method), 0xA2, 0x00] + noise)
            }
        }
        return packets
    }
}

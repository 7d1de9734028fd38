import Conduit
import CoordinationService
import Exchange
import FileCoordination
import Foundation
import Glibc
import TestThreads
import Testing

/// Faults and crashes of one process, which must not harm its own claims or those of others.
@Suite(.timeLimit(.minutes(10)), .ownThreads) struct LostConnectionTests {
    private func peers(_ count: Int, of daemon: PrivateDaemon) throws -> [PeerProcess] {
        try (0..<count).map { _ in try daemon.peer(program: TestProcess.program("CoordinationPeer")) }
    }

    private func file(_ daemon: PrivateDaemon, _ name: String) throws -> String {
        let path = daemon.work + "/" + name
        try Data("text".utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func hold(_ peer: PeerProcess, _ path: String) async throws {
        try await peer.ask("write \(path)", "asked")
        try await peer.hear("granted")
    }

    @Test func aProcessThatLosesItsConnectionGoesOnHoldingWhatItHolds() async throws {
        try await PrivateDaemon.run { daemon in
            let (path, other) = (try file(daemon, "a"), try file(daemon, "b"))
            let peers = try peers(3, of: daemon)
            for _ in 0..<5 {
                try await hold(peers[0], path)
                try await peers[1].ask("write \(path)", "asked")
                try await daemon.hasClaims(2)
                try await peers[0].ask("sever", "severed")
                // Both connections are used after that, so both processes have noticed the loss.
                try await peers[0].ask("contents \(other)", "contents")
                try await peers[2].ask("contents \(other)", "contents")
                try await daemon.hasClaims(2)
                #expect(peers[1].unheard.isEmpty)
                try await peers[0].ask("end", "ended")
                try await peers[1].hear("granted")
                try await peers[1].ask("end", "ended")
                try await daemon.hasClaims(0)
            }
        }
    }

    @Test func claimsEndedWhileDisconnectedAreReleasedOnReconnection() async throws {
        try await PrivateDaemon.run { daemon in
            let (path, other) = (try file(daemon, "a"), try file(daemon, "b"))
            let peers = try peers(2, of: daemon)
            try await hold(peers[0], path)
            try await hold(peers[0], other)
            try await peers[1].ask("write \(other)", "asked")
            // The loss and the end may arrive in either order.
            peers[0].tell("sever")
            try await peers[0].ask("end", "ended")
            try await peers[1].hear("granted")
            try await peers[1].ask("end", "ended")
            try await daemon.hasClaims(1)
        }
    }

    @Test func aProcessThatDiesWithoutAConnectionGivesFreeWhatItHeld() async throws {
        try await PrivateDaemon.run { daemon in
            let (path, other) = (try file(daemon, "a"), try file(daemon, "b"))
            let peers = try peers(3, of: daemon)
            try await hold(peers[0], path)
            try await peers[1].ask("write \(path)", "asked")
            try await daemon.hasClaims(2)
            peers[0].tell("severandstop")
            let stopped = peers[0]
            try await offPool { try stopped.waitUntilStopped() }
            try await peers[2].ask("contents \(other)", "contents")
            try await daemon.hasClaims(2)
            #expect(peers[1].unheard.isEmpty)
            peers[0].signal(SIGKILL)
            try await peers[1].hear("granted")
        }
    }

    /// Returns a connection of this process, over which the test sends a coordinator's messages itself.
    private func connect(_ daemon: PrivateDaemon) async throws -> Connection {
        let locations = daemon.locations
        let connection = try await offPool { () throws in try DaemonConnector { locations }.connect(Service()) }
        _ = try await connection.call(CoordinateCall())
        return connection
    }

    private func claim(_ number: UInt64, _ path: String) -> EventNotice {
        let access = Access(path: ExactPath(path), key: ExactPath(path), traits: .writes)
        return EventNotice(.claim(ClaimRequest(number: number, accesses: [access], purpose: "\(number)")))
    }

    @Test func littleIsKeptForAProcessThatComesAndGoes() async throws {
        try await PrivateDaemon.run { daemon in
            let before = try threads(of: daemon)
            for number in UInt64(1)...100 {
                let connection = try await connect(daemon)
                try connection.notify(claim(number, "/purvey-absent/\(number)"))
                // The reply comes after the claim was accepted.
                _ = try await connection.call(CoordinateCall())
                connection.close()
            }
            // The daemon notices ended and new connections in their order, but the last ones may still be open.
            #expect(try await daemon.client.call(CountClaimsCall(), attempts: 3).count <= 20)
            #expect(try threads(of: daemon) < before + 50)
            // Other processes continue.
            let path = try file(daemon, "a")
            try await peers(1, of: daemon)[0].ask("contents \(path)", "contents")
        }
    }

    private func threads(of daemon: PrivateDaemon) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon.processID)/task").count
    }

    @Test func aDaemonThatIsBusyIsToldAllThatAProcessClaims() async throws {
        try await PrivateDaemon.run { daemon in
            let connection = try await connect(daemon)
            let stopped = daemon.processID
            kill(stopped, SIGSTOP)
            try await offPool { () throws in
                var information = siginfo_t()
                while waitid(P_PID, id_t(stopped), &information, WSTOPPED) < 0, errno == EINTR {}
            }
            // 24 MB, which no socket buffers at once.
            let folder = "/purvey-absent" + String(repeating: "/" + String(repeating: "x", count: 200), count: 15)
            for number in UInt64(1)...8_000 { try connection.notify(claim(number, folder + "/\(number)")) }
            kill(stopped, SIGCONT)
            try await daemon.hasClaims(8_000)
            _ = try await connection.call(CoordinateCall())
            connection.close()
        }
    }

    @Test func aPresentersErrorOfAnyLengthEndsOneClaimAndNothingElse() async throws {
        try await PrivateDaemon.run { daemon in
            let (path, other) = (try file(daemon, "a"), try file(daemon, "b"))
            let peers = try peers(3, of: daemon)
            try await hold(peers[0], path)
            try await peers[0].ask("wordy \(other)", "presenting")
            try await peers[1].ask("write \(path)", "asked")
            let words = try await peers[2].ask("contents \(other)", "failed")
            #expect(words.hasPrefix("words words") && words.utf8.count <= 8 * 1_024)
            try await daemon.hasClaims(2)
            #expect(peers[1].unheard.isEmpty)
            // The presenter was asked only once.
            try await peers[0].ask("end", "ended")
            try await peers[1].hear("granted")
            #expect(peers[0].history.filter { $0 == "told to reader" }.count == 1)
        }
    }

    @Test func aClaimThatIsTooLargeFailsAtOnce() async throws {
        try await PrivateDaemon.run { daemon in
            let path = try file(daemon, "a")
            let peer = try peers(1, of: daemon)[0]
            #expect(try await peer.ask("purpose 2000 \(path)", "failed").contains("at most 1000 bytes"))
            try await peer.ask("purpose 1000 \(path)", "read")
        }
    }

    @Test func aPresenterThatComesToPresentSomethingElseHearsOfThat() async throws {
        try await PrivateDaemon.run { daemon in
            let path = try file(daemon, "a")
            let peers = try peers(2, of: daemon)
            try await peers[0].ask("presentnothing", "presenting")
            try await peers[1].ask("replace \(path) new", "replaced")
            #expect(!peers[0].history.contains { $0.hasPrefix("told") })
            try await peers[0].ask("shift \(path)", "shifted")
            // The time at which the coordinator notices the change is unspecified.
            try await eventually {
                peers[1].tell("replace \(path) newer")
                try await peers[1].hear("replaced")
                return peers[0].history.contains("told changed")
            }
        }
    }
}

import AttackTesting
import FileTesting
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// Clients of the same user that send the daemon arbitrary data.
@Suite(.ownThreads, .timeLimit(.minutes(TestSample.minutes(20)))) struct DaemonAttackTests {
    /// Each seed takes up to half a minute: so long does the daemon keep the claims of a process that has disconnected
    /// and is alive.
    @Test func clientsThatSendAnythingHarmNoOther() async throws {
        try await AttackedDaemon.run { daemon in
            let samples = try DaemonSamples.all
            try await daemon.withstands(TestSample.count(3, of: 60)) { seed in
                var assault = Assault(seed: seed, samples)
                try assault.attack(connections: 12, packets: 60) { try daemon.connect() }
                try await daemon.expectAnswers(seed)
                assault.end()
            }
        }
    }

    /// The clients make more calls than the daemon replies to while a client does not read.
    @Test func clientsThatReadNoAnswersHarmNoOther() async throws {
        try await AttackedDaemon.run { daemon in
            let samples = try DaemonSamples.all
            try await daemon.withstands(TestSample.count(1, of: 20)) { seed in
                var assault = Assault(seed: seed, samples, lingers: false)
                let sockets = try (0..<3).map { _ in try daemon.connect() }
                for socket in sockets { assault.callWithoutReading(TestSample.count(3_000, of: 20_000), over: socket) }
                try await daemon.expectAnswers(seed)
                withExtendedLifetime(sockets) {}
            }
        }
    }

    @Test func connectionsThatAreDroppedAtOnceHarmNoOther() async throws {
        try await AttackedDaemon.run { daemon in
            try await daemon.withstands(TestSample.count(1, of: 20)) { seed in
                var numbers = RandomNumbers(seed: seed)
                for _ in 0..<TestSample.count(300, of: 3_000) {
                    let socket = try daemon.connect()
                    let direction = [SHUT_RD, SHUT_WR, SHUT_RDWR][numbers.below(3)]
                    if numbers.below(2) == 0 { shutdown(socket.descriptor.rawValue, CInt(direction)) }
                    if numbers.below(4) == 0 { try? HostilePacket(numbers.bytes(numbers.below(9))).send(over: socket) }
                }
            }
        }
    }
}

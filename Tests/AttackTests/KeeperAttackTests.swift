import AttackTesting
import FileTesting
import Glibc
import LinuxSystem
import MountTakeover
import ProgramTesting
import TestThreads
import Testing

/// Clients that send arbitrary data to the keeper of mounts, while it waits for the end of its program, which is this
/// process.
@Suite(.ownThreads, .timeLimit(.minutes(TestSample.minutes(20)))) struct KeeperAttackTests {
    /// - Parameter socket: the path at which the keeper listens. The keeper starts no program, because the directory
    ///   that its program needs does not exist.
    private static func program(_ socket: String) throws -> KeptProgram {
        let path = try #require(try ProcessDescriptor.open(getpid()).executable().path)
        return KeptProgram(path: path, arguments: [], folder: socket + "-none", socket: socket, deaths: 0)
    }

    private static func connect(_ socket: String) throws -> SequencedPacketSocket {
        try .connect(to: LocalSocketAddress(path: socket), timeoutMilliseconds: 300_000)
    }

    /// Returns a message, unchanged or with a fault.
    private static func packet(
        _ program: KeptProgram, _ descriptors: HostileDescriptors, _ numbers: inout RandomNumbers
    ) -> HostilePacket {
        let words = [program.folder, "0", program.socket, program.path].joined(separator: "\0")
        let texts = [words, "\0\0\0", "a\0-1\0b\0c", "a\0\(Int.max)\0b\0c", "name\0record", "", "name"]
        var bytes = [UInt8(numbers.below(9))] + Array(texts[numbers.below(texts.count)].utf8)
        switch numbers.below(6) {
        case 0: bytes = HostileBytes.broken(bytes, &numbers)
        case 1: bytes = numbers.bytes(numbers.below(50_000))
        default: break
        }
        return HostilePacket(bytes, descriptors.some(&numbers))
    }

    private static func attack(_ program: KeptProgram, _ seed: UInt64) throws {
        var numbers = RandomNumbers(seed: seed)
        let descriptors = HostileDescriptors()
        var lingering = LingeringDescriptors()
        var kept: [SequencedPacketSocket] = []
        for _ in 0..<60 {
            let socket = try connect(program.socket)
            if numbers.below(4) == 0 { continue }
            if numbers.below(5) == 0 { lingering.send([1], over: socket) }
            for _ in 0..<1 + numbers.below(30) {
                do throws(Errno) { try packet(program, descriptors, &numbers).send(over: socket) } catch { break }
            }
            if numbers.below(4) == 0 { shutdown(socket.descriptor.rawValue, CInt(SHUT_WR)) }
            if numbers.below(3) == 0, kept.count < 20 { kept.append(socket) }
        }
        withExtendedLifetime(kept) {}
        lingering.end()
    }

    /// Waits until the keeper has read all earlier messages. It reads the messages of all clients, the latest client
    /// first, and then accepts further clients.
    private static func expectTurn(_ program: KeptProgram, _ seed: UInt64) async throws {
        let stranger = try connect(program.socket)
        try HostilePacket([0]).send(over: stranger)
        try await eventually("seed \(seed): a visitor that says nothing of sense is sent away") { stranger.isHungUp }
    }

    @Test func visitorsThatSendAnythingHarmNoOther() async throws {
        let folder = try TestFolder()
        for seed in 0..<UInt64(TestSample.count(3, of: 200)) {
            try await withSeed(seed) {
                let program = try Self.program(folder.path + "/keeper-\(seed)")
                let (ours, theirs) = try SequencedPacketSocket.pair()
                let keeper = try ChildProgram.start(
                    BuiltProgram.path("purvey-keeper"), arguments: [],
                    descriptors: [nil, nil, .copy(of: STDERR_FILENO), theirs.descriptor])
                defer {
                    kill(keeper.processID, SIGKILL)
                    _ = try? keeper.wait()
                }
                try KeeperMessage.introduction(program).send(over: ours)
                let file = try MemoryFile.create(name: "device")
                let mount = KeptMount(identifier: "m", record: [0], descriptors: [file])
                try KeeperMessage.hold(mount).send(over: ours)
                try await eventually("seed \(seed): the keeper listens") {
                    (try? Self.connect(program.socket)) != nil
                }
                try await Self.expectTurn(program, seed)
                let footprint = try await settledFootprint(of: keeper.processID)
                try Self.attack(program, seed)
                try await Self.expectTurn(program, seed)
                try await expectRestored(keeper.processID, from: footprint, seed)
                try await Self.expectHandedOver(program, by: ours, seed)
                #expect(try keeper.wait() == .exited(0), "seed \(seed)")
                #expect((try? FileStatus.of(program.socket, followingLinks: false)) == nil, "seed \(seed)")
            }
        }
    }

    /// Expects that the keeper passes the mounts to the next program, and ends the keeper.
    private static func expectHandedOver(
        _ program: KeptProgram, by line: SequencedPacketSocket, _ seed: UInt64
    ) async throws {
        let next = try connect(program.socket)
        try KeeperMessage.introduction(program).send(over: next)
        try KeeperMessage.claim.send(over: next)
        try await expectTurn(program, seed)
        line.shutDown()
        guard case .message(.mount(let mount)) = KeeperMessage.next(from: next, until: .now + .seconds(300)) else {
            throw AttackError(description: "no mount is handed over")
        }
        #expect(mount.identifier == "m" && mount.record == [0] && mount.descriptors.count == 1, "seed \(seed)")
        guard case .message(.end) = KeeperMessage.next(from: next, until: .now + .seconds(300)) else {
            throw AttackError(description: "the mounts have no end")
        }
        // Nothing of ours is mounted.
        try KeeperMessage.drop(identifier: "m").send(over: next)
        try KeeperMessage.farewell.send(over: next)
    }
}

import AttackTesting
import FileTesting
import Fuse
import FuseTesting
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// Clients that send arbitrary data to the helper of mounts, which runs with a privilege of root.
@Suite(.ownThreads, .timeLimit(.minutes(TestSample.minutes(20))), .enabled(if: TestMount.isWanted))
struct PassthroughAttackTests {
    /// Returns a request, unchanged or with a fault.
    private static func packet(_ descriptors: HostileDescriptors, _ numbers: inout RandomNumbers) -> HostilePacket {
        let kinds: [Int32] = [PassthroughMessage.greeting, PassthroughMessage.open, PassthroughMessage.close, -1, .max]
        let values: [Int32] = [0, 1, -1, .min, .max, Int32(truncatingIfNeeded: numbers.next())]
        let question: PassthroughMessage.Request = (
            kinds[numbers.below(kinds.count)], values[numbers.below(values.count)]
        )
        var bytes = withUnsafeBytes(of: question) { [UInt8]($0) }
        switch numbers.below(6) {
        case 0: bytes = HostileBytes.broken(bytes, &numbers)
        case 1: bytes = numbers.bytes(numbers.below(100))
        default: break
        }
        var handed = descriptors.some(&numbers)
        if numbers.below(3) == 0, let device = try? FileDescriptor.open("/dev/fuse", .readWrite) {
            handed.insert(device, at: 0)
        }
        return HostilePacket(bytes, Array(handed.prefix(HostilePacket.descriptorLimit)))
    }

    private static func attack(_ helper: AttackedHelper, _ seed: UInt64) throws {
        var numbers = RandomNumbers(seed: seed)
        let descriptors = HostileDescriptors()
        var lingering = LingeringDescriptors()
        var kept: [SequencedPacketSocket] = []
        for _ in 0..<20 {
            let socket = try helper.connect()
            switch numbers.below(5) {
            case 0: continue
            case 1: shutdown(socket.descriptor.rawValue, CInt([SHUT_RD, SHUT_WR][numbers.below(2)]))
            case 2: try? packet(descriptors, &numbers).send(over: socket)
            default: try socket.waitForPacket(milliseconds: 300_000)
            }
            if numbers.below(3) == 0 { lingering.send([0], over: socket) }
            // None of the answers is read.
            for _ in 0..<1 + numbers.below(200) {
                do throws(Errno) { try packet(descriptors, &numbers).send(over: socket) } catch { break }
            }
            if numbers.below(3) == 0 { kept.append(socket) }
        }
        withExtendedLifetime(kept) {}
        lingering.end()
    }

    @Test func clientsThatSendAnythingHarmNoOther() async throws {
        let folder = try TestFolder()
        let helper = try await AttackedHelper(in: folder.path)
        var footprint: ProcessFootprint?
        for seed in 0...UInt64(TestSample.count(2, of: 100)) {
            try await withSeed(seed) {
                try Self.attack(helper, seed)
                try await expectServes(helper, seed)
                try await eventually("seed \(seed): the servers of clients that have gone have ended") {
                    try children(of: helper.processID).isEmpty
                }
                if let footprint { try await expectRestored(helper.processID, from: footprint, seed) }
            }
            if footprint == nil { footprint = try await settledFootprint(of: helper.processID) }
        }
    }

    private func expectServes(_ helper: AttackedHelper, _ seed: UInt64) async throws {
        let connection = try #require(try await helper.servedConnection())
        let device = try FileDescriptor.open("/dev/fuse", .readWrite)
        #expect(try AttackedHelper.ask(connection, PassthroughMessage.greeting, device) == 0, "seed \(seed)")
        #expect(try AttackedHelper.ask(connection, 99) == -ENOSYS, "seed \(seed)")
    }

    private func children(of process: pid_t) throws -> [UInt8] {
        let path = "/proc/\(process)/task/\(process)/children"
        return try FileDescriptor.open(path, .readOnly).readToEnd(limit: 1 << 16)
    }
}

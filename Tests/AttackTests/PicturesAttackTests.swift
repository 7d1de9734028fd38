import AttackTesting
import Conduit
import ExtensionHost
import FileProvider
import FileProviderWire
import FileTesting
import Foundation
import Glibc
import Images
import LinuxSystem
import ProgramTesting
import TestThreads
import Testing

/// Attacks on the process that decodes pictures, and on the process that requests the decoding.
@Suite(.ownThreads, .timeLimit(.minutes(TestSample.minutes(20)))) struct PicturesAttackTests {
    private static func picture() throws -> FileDescriptor {
        let pixels = Data(repeating: 80, count: 64 * 64 * 4)
        let bytes = [UInt8](try ImageCodec.encode(pixels, width: 64, height: 64, as: .png))
        return try file(bytes)
    }

    private static func file(_ bytes: [UInt8]) throws -> FileDescriptor {
        let file = try MemoryFile.create(name: "picture")
        try bytes.withUnsafeBytes { try file.writeAll($0) }
        try MemoryFile.seal(file)
        return file
    }

    @Test func aConnectionThatSaysAnythingEndsOrIsServedOn() async throws {
        let picture = try Self.picture()
        let samples = [try FrameSample(of: ShrinkPictureCall(picture: picture, sides: [16, 32]))]
        let bytes = try picture.readToEnd(limit: 1 << 20)
        for seed in 0..<UInt64(TestSample.count(3, of: 300)) {
            try await withSeed(seed) {
                let (ours, program) = try Self.start()
                defer {
                    kill(program.processID, SIGKILL)
                    _ = try? program.wait()
                }
                var assault = Assault(seed: seed, samples)
                assault.sendLasting(100, over: ours)
                // The same connection, with calls that are meant well, and with pictures that cannot be read.
                let connection = try Connection(ours)
                defer { connection.close() }
                var numbers = RandomNumbers(seed: seed)
                for _ in 0..<20 {
                    let broken = try Self.file(HostileBytes.broken(bytes, &numbers))
                    _ = try? await connection.call(ShrinkPictureCall(picture: broken, sides: [16]))
                }
                let reply = try await connection.call(ShrinkPictureCall(picture: picture, sides: [16]))
                #expect(reply.sizes.count == 1, "seed \(seed)")
            }
        }
    }

    @Test func aConnectionThatSpeaksNoProtocolEndsTheProcessInGoodOrder() async throws {
        let samples = [try FrameSample(of: ShrinkPictureCall(picture: Self.picture(), sides: [16]))]
        for seed in 0..<UInt64(TestSample.count(3, of: 300)) {
            try await withSeed(seed) {
                let (ours, program) = try Self.start()
                var assault = Assault(seed: seed, samples, lingers: false)
                assault.sendAnything(40, over: ours)
                ours.shutDown()
                #expect(try program.wait() == .exited(0), "seed \(seed)")
            }
        }
    }

    private static func start() throws -> (SequencedPacketSocket, ChildProgram) {
        let (ours, theirs) = try SequencedPacketSocket.pair()
        let program = try ChildProgram.start(
            BuiltProgram.path("purvey-pictures"), arguments: [], descriptors: [nil, nil, nil, theirs.descriptor])
        return (ours, program)
    }

    /// A malicious picture may have taken control of the decoding process.
    @Test func theProcessMayAnswerAnything() async throws {
        let folder = try TestFolder()
        let picture = try Self.picture()
        for seed in 0..<UInt64(TestSample.count(2, of: 100)) {
            let program = folder.path + "/" + HostileRole(.pictures, seed: seed, packets: 100).name
            try AttackedDaemon.copyProgram(to: program)
            let process = PictureProcess(program: program, data: folder.path)
            // Most often there are no pictures in what it answers.
            _ = try? await process.shrink(picture, sides: [16])
            await process.close()
            unlink(program)
        }
        let process = PictureProcess(program: try BuiltProgram.path("purvey-pictures"), data: folder.path)
        #expect(try await process.shrink(picture, sides: [16]).ranges.count == 1)
        await process.close()
    }
}

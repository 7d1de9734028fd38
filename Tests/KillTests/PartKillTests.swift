import DaemonTesting
import FileProviderEngine
import Foundation
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// Tests of a provider and a daemon that die while parts of a large file are fetched, with real processes and a real
/// mount.
@Suite(.ownThreads, .timeLimit(.minutes(20))) struct PartKillTests {
    static let steps: [EngineStep] = [.partFetched, .partsMoved]

    /// The size of a sparse file, which takes no room.
    private static let size = 1 << 30
    private static let end = Array("the end".utf8)

    private func makeFiles(in cloud: String) throws {
        let large = try FileDescriptor.open(cloud + "/large", [.writeOnly, .create, .exclusive])
        try large.truncate(to: Self.size)
        try Self.end.withUnsafeBytes { try large.writeAll($0, at: Self.size - Self.end.count) }
        try Array("middle".utf8).withUnsafeBytes { try large.writeAll($0, at: Self.size / 2) }
        for step in Self.steps {
            try Data((0..<5 << 20).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) })
                .write(to: URL(fileURLWithPath: cloud + "/" + step.rawValue))
        }
    }

    private func localBytes(_ place: DaemonFixture) throws -> Int {
        // A dataless file reports one block.
        let allocated = try FileStatus.of(place.mount + "/large").allocatedSize
        return allocated > 512 ? allocated : 0
    }

    @Test func partsSurviveBothAndNothingElseIsFetched() async throws {
        try await DaemonFixture.run { place in
            try makeFiles(in: place.cloud)
        } _: { place in
            try place.start()
            try await place.add()
            let file = place.mount + "/large"
            let start = Self.size - Self.end.count
            #expect(try FileStatus.of(file).size == Self.size)
            #expect(try Files.read(file, at: start, 100) == Self.end)
            try await eventually("the part is written down") { try localBytes(place) > 0 }
            #expect(try localBytes(place) <= 512 << 10)
            #expect(try place.purvey("stat", file).text.contains("partial"))

            let before = try localBytes(place)
            for provider in place.providers { Glibc.kill(provider, SIGKILL) }
            #expect(try Files.read(file, at: Self.size / 2, 6) == Array("middle".utf8))
            try await eventually("the part is written down") { try localBytes(place) > before }
            #expect(try localBytes(place) <= 1 << 20)

            // The provider of a paused domain is not asked for changes when the daemon starts.
            #expect(try place.purvey("pause").ending == .exited(0))
            place.kill()
            try place.start()
            try await place.mounted()
            // Local parts are read without the service.
            rename(place.cloud, place.cloud + "-away")
            #expect(try Files.read(file, at: start, 100) == Self.end)
            #expect(try Files.read(file, at: Self.size / 2, 6) == Array("middle".utf8))
            rename(place.cloud + "-away", place.cloud)
            #expect(try place.purvey("evict", file).ending == .exited(0))
            #expect(try localBytes(place) == 0)
            #expect(try Files.read(file, at: start, 100) == Self.end)
            place.stop()
            try place.expectNothingLeft()
        }
    }

    @Test func aDaemonThatIsKilledAtEachStepReadsTheSameAgain() async throws {
        try await DaemonFixture.run { place in
            try makeFiles(in: place.cloud)
        } _: { place in
            try place.start()
            try await place.add()
            _ = try FileDescriptor.open(place.mount, [.readOnly, .directory]).entries()
            place.stop()
            for step in Self.steps {
                let path = place.mount + "/" + step.rawValue
                try place.start(dyingAt: step.rawValue)
                try await place.mounted()
                _ = try? Files.read(path, at: 0, 5 << 20)
                place.expectDeath(at: step.rawValue)
                try place.start()
                try await place.mounted()
                #expect(
                    try Files.read(path, at: 0, 5 << 20)
                        == Files.read(place.cloud + "/" + step.rawValue, at: 0, 5 << 20))
                place.stop()
            }
            try place.expectNothingLeft()
        }
    }
}

import DaemonTesting
import FileProviderEngine
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// Tests in which the daemon is killed again while it recovers from its first death.
@Suite(.ownThreads, .timeLimit(.minutes(20))) struct SecondDeathTests {
    static let recovery: [EngineStep] = [
        .recoveredRows, .recoveredMissing, .recoveredOpenFiles, .recoveredIdentities, .recoveredRemovals,
        .recoveredPlaces, .recoveredContents, .recoveredFiles,
    ]

    /// All edits are made while the service cannot be reached, and the daemon is killed with files open.
    @Test func editsSurviveADaemonThatIsKilledAtEachStepOfItsRecovery() async throws {
        let edits: [Edit] = Edit.allCases
        try await DaemonFixture.run { place in
            for edit in edits { try Tree.make(Edit.before, in: place.cloud + "/" + edit.rawValue) }
            try Tree.make(["open.txt": "open"], in: place.cloud)
        } _: { place in
            try place.start()
            try await place.add()
            // Local contents are usable without the service.
            _ = try Tree.read(place.mount)
            rename(place.cloud, place.cloud + "-away")
            for edit in edits { try edit.make(in: place.mount + "/" + edit.rawValue) }
            let open = try FileDescriptor.open(place.mount + "/open.txt", .readWrite)
            try Array("OPEN".utf8).withUnsafeBytes { try open.writeAll($0, at: 0) }
            try open.synchronize()
            place.kill()
            for step in Self.recovery { try place.startAndDie(at: step.rawValue) }

            try place.start()
            try await place.mounted()
            for edit in edits {
                #expect(try Tree.read(place.mount + "/" + edit.rawValue) == edit.after, "\(edit) in the mount")
            }
            #expect(try Files.read(place.mount + "/open.txt") == "OPEN")
            rename(place.cloud + "-away", place.cloud)
            #expect(try place.purvey("retry", DaemonFixture.domain).ending == .exited(0))
            try await place.settled()
            for edit in edits {
                try await place.holds(edit.after, at: edit.rawValue)
            }
            #expect(try Files.read(place.cloud + "/open.txt") == "OPEN")
            #expect(
                try Set(Tree.read(place.cloud).keys.filter { !$0.contains("/") })
                    == Set(edits.map(\.rawValue) + ["open.txt"]))
            place.stop()
            try place.expectNothingLeft()
        }
    }
}

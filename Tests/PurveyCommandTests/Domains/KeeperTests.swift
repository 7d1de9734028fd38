import FileTesting
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import Testing

/// Daemons that die, and who starts them again.
@Suite(.timeLimit(.minutes(20))) struct KeeperTests {
    @Test func aDaemonThatWasKilledIsBackWithItsMountsWithoutAnyCommand() async throws {
        try await CommandPlace.run { place in
            let cloud = try await CloudPlace(place)
            try await cloud.add()
            for death in 0..<3 {
                try await cloud.eventually("the daemon has a keeper") { keptDaemon(of: place) != nil }
                try await cloud.write("edit \(death)\n", to: cloud.mount + "/a.txt")
                kill(try #require(keptDaemon(of: place)), SIGKILL)
                try await cloud.eventually("the mount works again") {
                    await cloud.contents(cloud.mount + "/a.txt") == "edit \(death)\n"
                }
                try await cloud.eventually("the edit reaches the folder") {
                    await cloud.contents(cloud.cloud + "/a.txt") == "edit \(death)\n"
                }
            }
            #expect(await cloud.contents(cloud.mount + "/inner/b.txt") == "deep\n")
            let mounts = try MountTable.current().mounts.count { $0.point == cloud.mount }
            #expect(mounts == 1, "a stale mount is there beside the new one")
        }
    }

    /// The kernel may write for a program whose mount is dead: `fsync` tells the program, and nobody else sees any of it.
    @Test func whatIsWrittenIntoADeadMountIsNeitherShownNorSent() async throws {
        try await CommandPlace.run { place in
            let cloud = try await CloudPlace(place)
            try await cloud.add()
            #expect(await cloud.contents(cloud.mount + "/a.txt") == "hello\n")
            try await cloud.eventually("the daemon has a keeper") { keptDaemon(of: place) != nil }
            let file = try await onThread { try FileDescriptor.open(cloud.mount + "/a.txt", .readWrite) }
            kill(try #require(keptDaemon(of: place)), SIGKILL)
            try await cloud.eventually("the mount works again") {
                await cloud.contents(cloud.mount + "/a.txt") == "hello\n"
            }
            let (_, isSafe) = try await onThread {
                ((try? file.overwrite(Array("lost".utf8), at: 0)), (try? file.synchronize()) != nil)
            }
            #expect(!isSafe)
            #expect(await cloud.contents(cloud.mount + "/a.txt") == "hello\n")
            try await cloud.write("kept\n", to: cloud.mount + "/b.txt")
            try await cloud.eventually("what comes after it is sent") {
                await cloud.contents(cloud.cloud + "/b.txt") == "kept\n"
            }
            #expect(await cloud.contents(cloud.cloud + "/a.txt") == "hello\n")
        }
    }

    @Test func aDaemonThatIsToldToEndStaysEndedAndSoDoesItsKeeper() async throws {
        try await CommandPlace.run { place in
            let cloud = try await CloudPlace(place)
            try await cloud.add()
            try await cloud.eventually("the daemon has a keeper") { keptDaemon(of: place) != nil }
            try await cloud.end()
            // Without a keeper there is nobody to start a daemon.
            try await cloud.eventually("the keeper has ended") { processes("purvey-keeper", of: place).isEmpty }
            #expect(processes("purveyd", of: place).isEmpty)
            #expect(!FileManager.default.fileExists(atPath: cloud.mount))
            #expect(try await place.purvey("ls", cloud.mount).status == 0)
        }
    }

    @Test func theKeeperEndsWithTheLastDomainAndIsThereWithTheNext() async throws {
        try await CommandPlace.run { place in
            let cloud = try await CloudPlace(place)
            #expect(processes("purvey-keeper", of: place).isEmpty)
            for _ in 0..<2 {
                try await cloud.add()
                try await cloud.eventually("the daemon has a keeper") { keptDaemon(of: place) != nil }
                #expect(try await place.purvey("domains", "remove", "Papers").status == 0)
                try await cloud.eventually("the keeper has ended") { processes("purvey-keeper", of: place).isEmpty }
            }
        }
    }

    @Test func aProgramThatCannotBeStartedIsTriedAgainForAsLongAsItHasAPurpose() async throws {
        try await onThread {
            let folder = try TestFolder()
            try folder.folder("purpose")
            // The first two die of their start, and the third does not.
            let script = #"echo "$*" >>"$0/log"; test "$2" = 3"#
            let keeper = try Keeper(
                KeptProgram(
                    path: "/bin/sh", arguments: ["-c", script, folder.path], folder: folder.path + "/purpose", deaths: 0
                ))
            keeper.die()
            #expect(try keeper.program.wait() == .exited(0))
            #expect(
                String(decoding: try folder.content("log"), as: UTF8.self) == "--deaths 1\n--deaths 2\n--deaths 3\n")

            let useless = try Keeper(
                KeptProgram(
                    path: "/bin/sh", arguments: ["-c", script, folder.path], folder: folder.path + "/none", deaths: 0))
            useless.die()
            #expect(try useless.program.wait() == .exited(0))
            #expect(String(decoding: try folder.content("log"), as: UTF8.self).split(separator: "\n").count == 3)

            // One that says so before it ends is not started, and one that was too often neither.
            let polite = try Keeper(
                KeptProgram(path: "/bin/sh", arguments: ["-c", script, folder.path], folder: folder.path, deaths: 0))
            try polite.sayFarewell()
            polite.die()
            #expect(try polite.program.wait() == .exited(0))
            let hopeless = try Keeper(
                KeptProgram(path: "/bin/sh", arguments: ["-c", script, folder.path], folder: folder.path, deaths: 12))
            hopeless.die()
            #expect(try hopeless.program.wait() == .exited(1))
            #expect(String(decoding: try folder.content("log"), as: UTF8.self).split(separator: "\n").count == 3)
        }
    }

    /// The daemon that has a keeper now: that is a child of it.
    private func keptDaemon(of place: CommandPlace) -> pid_t? {
        let parents = Set(processes("purvey-keeper", of: place).compactMap(parent))
        return processes("purveyd", of: place).first(where: parents.contains)
    }

    private func parent(of process: pid_t) -> pid_t? {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("PPid:") }
        return line.flatMap { pid_t($0.dropFirst(5).trimmingCharacters(in: .whitespaces)) }
    }

    /// The processes of a program that belong to a place, dead ones left out.
    private func processes(_ name: String, of place: CommandPlace) -> [pid_t] {
        let home = Data("PURVEY_HOME=\(place.home)\0".utf8)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { process in
            // Empty for one that is dead.
            FileManager.default.contents(atPath: "/proc/\(process)/environ")?.range(of: home) != nil
                && (try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)) == name + "\n"
        }
    }
}

/// A keeper of a program that this one pretends to be.
private final class Keeper: Sendable {
    let program: ChildProgram
    private let line: Lock<SequencedPacketSocket?>

    init(_ kept: KeptProgram) throws {
        let (ours, theirs) = try SequencedPacketSocket.pair()
        program = try ChildProgram.start(
            try BuiltProgram.path("purvey-keeper"), arguments: [], descriptors: [nil, nil, nil, theirs.descriptor])
        try kept.introduce(over: ours)
        line = Lock(ours)
    }

    func sayFarewell() throws {
        if let line = line.withLock({ $0 }) { try KeptProgram.sayFarewell(over: line) }
    }

    func die() { line.withLock { $0 = nil } }
}

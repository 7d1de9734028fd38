import FileTesting
import Foundation
import Fuse
import FuseTesting
import Glibc
import LinuxSystem
import MountTakeover
import ProgramTesting
import ScriptableService
import Testing

/// Tests of daemons that die, and of the keeper that starts them again.
@Suite(.timeLimit(.minutes(20))) struct KeeperTests {
    /// Whether a keeper runs, and holds a mount if mounts can be handed over.
    private func hasKeeper(_ place: CommandFixture) -> Bool {
        !processes("purvey-keeper", of: place).isEmpty && (!Kernel.handsOver || keptDevices(of: place) > 0)
    }

    @Test func aDaemonThatWasKilledIsBackWithItsMountsWithoutAnyCommand() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            try await cloud.eventually("the daemon has a keeper") { hasKeeper(place) }
            for death in 0..<3 {
                try await cloud.write("edit \(death)\n", to: cloud.mount + "/a.txt")
                let old = try #require(runningDaemon(of: place))
                kill(old, SIGKILL)
                try await cloud.eventually("the mount works again") {
                    await cloud.contents(cloud.mount + "/a.txt") == "edit \(death)\n"
                }
                try await cloud.eventually("the edit reaches the folder") {
                    await cloud.contents(cloud.cloud + "/a.txt") == "edit \(death)\n"
                }
                #expect(runningDaemon(of: place) != old)
            }
            #expect(await cloud.contents(cloud.mount + "/inner/b.txt") == "deep\n")
            let mounts = try MountTable.current().mounts.count { $0.point == cloud.mount }
            #expect(mounts == 1, "a stale mount is there beside the new one")
        }
    }

    @Test func aQuestionThatADaemonDiesUnderIsAnsweredByTheNext() async throws {
        try await ServiceFixture.run { service in
            let place = service.place
            try await service.tell { try $0.put("a.txt", "a") }
            try await service.succeed("ls", "Cloud:")
            try await service.eventually("the daemon has a keeper") { hasKeeper(place) }
            let daemon = try #require(runningDaemon(of: place))
            // The service accepts one request, and does not reply.
            try await service.tell { try $0.add(CloudRule(.hold, on: .act)) }
            async let acted = place.purvey("actions", "Cloud:a.txt", "Touch")
            try await service.eventually("the action is asked for") { try await service.tell { try $0.held() } == 1 }
            // The stopped daemon accepts the other connection, and does not reply any more.
            kill(daemon, SIGSTOP)
            async let listed = place.purvey("ls", "Cloud:")
            try await Task.sleep(for: .seconds(1))
            kill(daemon, SIGKILL)
            let outcome = try await listed
            #expect(outcome.status == 0 && outcome.text.contains("a.txt"), "\(outcome)")
            // An action that may have been performed is not repeated.
            let refused = try await acted
            #expect(refused.status != 0 && refused.errors.contains("did not answer"), "\(refused)")
            #expect(try await service.tell { try $0.count(.act) } == 1)
        }
    }

    /// A killed daemon accepts connections until the last reference to its socket is closed, which may be after its
    /// keeper has started the next daemon.
    @Test func aDaemonThatIsDyingIsNotTakenForOneThatRuns() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            try await cloud.end()
            let dead = try await onThread { try DeadListener(at: place.home + "/run/daemon.socket") }
            async let listed = place.purvey("ls", "Papers:")
            try await cloud.eventually("the next daemon waits") { !processes("purveyd", of: place).isEmpty }
            try await Task.sleep(for: .seconds(1))
            dead.close()
            let outcome = try await listed
            #expect(outcome.status == 0 && outcome.text.contains("a.txt"), "\(outcome)")
        }
    }

    /// If the keeper dies with the daemon, no process takes over the mount. The kernel may still accept writes of a
    /// program to the dead mount: `fsync` fails for that program, and no other process sees the data.
    @Test func writesIntoADeadMountAreNeitherShownNorSent() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            #expect(await cloud.contents(cloud.mount + "/a.txt") == "hello\n")
            try await cloud.eventually("the daemon has a keeper") { hasKeeper(place) }
            let file = try await onThread { try FileDescriptor.open(cloud.mount + "/a.txt", .readWrite) }
            let (daemon, keeper) = (try #require(runningDaemon(of: place)), processes("purvey-keeper", of: place))
            // A stopped daemon starts no other keeper.
            kill(daemon, SIGSTOP)
            for process in keeper + [daemon] { kill(process, SIGKILL) }
            try await cloud.eventually("both are gone") {
                processes("purveyd", of: place).isEmpty && processes("purvey-keeper", of: place).isEmpty
            }
            let listed = try await place.purvey("ls", cloud.mount)
            #expect(listed.status == 0, "\(listed)")
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
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            try await cloud.eventually("the daemon has a keeper") { hasKeeper(place) }
            try await cloud.end()
            // Without a keeper no process can start a daemon.
            try await cloud.eventually("the keeper has ended") { processes("purvey-keeper", of: place).isEmpty }
            #expect(processes("purveyd", of: place).isEmpty)
            #expect(!FileManager.default.fileExists(atPath: cloud.mount))
            #expect(try await place.purvey("ls", cloud.mount).status == 0)
        }
    }

    @Test func theKeeperEndsWithTheLastDomainAndIsThereWithTheNext() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            #expect(processes("purvey-keeper", of: place).isEmpty)
            for _ in 0..<2 {
                try await cloud.add()
                try await cloud.eventually("the daemon has a keeper") { hasKeeper(place) }
                #expect(try await place.purvey("domains", "remove", "Papers").status == 0)
                try await cloud.eventually("the keeper has ended") { processes("purvey-keeper", of: place).isEmpty }
            }
        }
    }

    @Test func aProgramThatCannotBeStartedIsTriedAgainForAsLongAsItHasAPurpose() async throws {
        try await onThread {
            let folder = try TestFolder()
            try folder.folder("purpose")
            // The first two daemons fail to start, and the third starts.
            let script = #"echo "$*" >>"$0/log"; test "$2" = 3"#
            let keeper = try Keeper(
                KeptProgram(
                    path: "/bin/sh", arguments: ["-c", script, folder.path], folder: folder.path + "/purpose",
                    socket: "", deaths: 0
                ))
            keeper.die()
            #expect(try keeper.program.wait() == .exited(0))
            #expect(
                String(decoding: try folder.content("log"), as: UTF8.self) == "--deaths 1\n--deaths 2\n--deaths 3\n")

            let useless = try Keeper(
                KeptProgram(
                    path: "/bin/sh", arguments: ["-c", script, folder.path], folder: folder.path + "/none", socket: "",
                    deaths: 0))
            useless.die()
            #expect(try useless.program.wait() == .exited(0))
            #expect(String(decoding: try folder.content("log"), as: UTF8.self).split(separator: "\n").count == 3)

            // A program that says farewell before it ends is not restarted, and neither is one that has died too
            // often.
            let polite = try Keeper(
                KeptProgram(
                    path: "/bin/sh", arguments: ["-c", script, folder.path], folder: folder.path, socket: "", deaths: 0)
            )
            try polite.sayFarewell()
            polite.die()
            #expect(try polite.program.wait() == .exited(0))
            let hopeless = try Keeper(
                KeptProgram(
                    path: "/bin/sh", arguments: ["-c", script, folder.path], folder: folder.path, socket: "", deaths: 12
                ))
            hopeless.die()
            #expect(try hopeless.program.wait() == .exited(1))
            #expect(String(decoding: try folder.content("log"), as: UTF8.self).split(separator: "\n").count == 3)
        }
    }

    @Test func aKeeperThatHasAllThatItTakesTakesWhatItKnowsAnewAndNothingElse() async throws {
        try await onThread {
            let folder = try TestFolder()
            let log = try folder.file("log")
            let keeper = try Keeper(
                KeptProgram(path: "/bin/true", arguments: [], folder: folder.path, socket: "", deaths: 0), log: log)
            defer {
                kill(keeper.program.processID, SIGKILL)
                _ = try? keeper.program.wait()
            }
            func hold(_ identifier: String, _ name: String) throws {
                let file = try MemoryFile.create(name: name)
                try keeper.say(.hold(KeptMount(identifier: identifier, record: [0], descriptors: [file])))
            }
            for number in 0..<256 { try hold("\(number)", "first") }
            try hold("one more", "refused")
            try hold("7", "renewed")
            func count(_ name: String) throws -> Int { try keeper.files().count { $0.hasPrefix("/memfd:" + name) } }
            for _ in 0..<12_000 {
                // The old descriptor is closed after the new one is stored.
                if try count("renewed") > 0, try count("first") < 256 { break }
                usleep(10_000)
            }
            #expect(try count("renewed") == 1)
            #expect(try count("first") == 255)
            #expect(try count("refused") == 0)
            #expect(
                String(decoding: try folder.content("log"), as: UTF8.self).contains("the mount one more is not kept"))
        }
    }

    /// A daemon may drop the connection to a keeper that does not receive messages in time, and then starts another
    /// keeper.
    @Test(.enabled(if: Kernel.handsOver && TestMount.isWanted))
    func aServedMountStaysWhenItsKeeperLosesTheConnection() async throws {
        try await onThread {
            let folder = try TestFolder()
            let mount = try TestMount()
            let session = try #require(mount.session.handover)
            let file = try MemoryFile.create(name: "other")
            // The program has died so often that it is not restarted.
            let keeper = try Keeper(
                KeptProgram(path: "/bin/true", arguments: [], folder: folder.path, socket: "", deaths: 12))
            try keeper.say(
                .hold(
                    KeptMount(
                        identifier: "mount", record: [0] + session.record, descriptors: [file] + session.devices)))
            keeper.die()
            #expect(try keeper.program.wait() == .exited(1))
            #expect(try MountTable.current().mounts.contains { $0.point == mount.session.path })
            try mount.files.add("file", [1])
            #expect(try FileStatus.of(mount.path + "/file").size == 1)
        }
    }

    @Test func silentPeersDelayNothingAtTheKeeperAndStrangersGetNothing() async throws {
        try await onThread {
            let folder = try TestFolder()
            let script = #"echo "$*" >>"$0/log""#
            let socket = folder.path + "/keeper"
            let keeper = try Keeper(
                KeptProgram(
                    path: "/bin/sh", arguments: ["-c", script, folder.path], folder: folder.path, socket: socket,
                    deaths: 0))
            let secret = try MemoryFile.create(name: "secret")
            try keeper.say(.hold(KeptMount(identifier: "one", record: [0, 1], descriptors: [secret, secret])))
            var address = try? LocalSocketAddress(path: socket)
            var silent: [SequencedPacketSocket] = []
            while silent.count < 100 {
                address = try LocalSocketAddress(path: socket)
                guard let address, let line = try? SequencedPacketSocket.connect(to: address) else {
                    usleep(10_000)
                    continue
                }
                silent.append(line)
            }
            // This process is not the kept program, regardless of its messages.
            let stranger = silent[0]
            let other = KeptProgram(path: "/bin/sh", arguments: [], folder: folder.path, socket: socket, deaths: 0)
            try? KeeperMessage.introduction(other).send(over: stranger)
            try? KeeperMessage.claim.send(over: stranger)
            guard case .gone = KeeperMessage.next(from: stranger, until: .now + .seconds(60)) else {
                Issue.record("the keeper speaks to a stranger")
                return
            }
            // An invalid message ends the connection as well.
            try? [UInt8(200), 1, 2].withUnsafeBytes { try silent[1].send($0) }
            guard case .gone = KeeperMessage.next(from: silent[1], until: .now + .seconds(60)) else {
                Issue.record("the keeper listens to garbage")
                return
            }
            keeper.die()
            // The program was restarted. The keeper ends without a claim, as nothing is mounted.
            #expect(try keeper.program.wait() == .exited(0))
            #expect(String(decoding: try folder.content("log"), as: UTF8.self) == "--deaths 1\n")
            #expect(access(socket, F_OK) < 0)
        }
    }
}

/// A keeper whose kept program is this process.
private final class Keeper: Sendable {
    let program: ChildProgram
    private let line: Lock<SequencedPacketSocket?>

    /// - Parameter log: A file for the keeper's standard error.
    init(_ kept: KeptProgram, log: FileDescriptor? = nil) throws {
        let (ours, theirs) = try SequencedPacketSocket.pair()
        program = try ChildProgram.start(
            try BuiltProgram.path("purvey-keeper"), arguments: [], descriptors: [nil, nil, log, theirs.descriptor])
        try KeeperMessage.introduction(kept).send(over: ours)
        line = Lock(ours)
    }

    func say(_ message: KeeperMessage) throws {
        if let line = line.withLock({ $0 }) { try message.send(over: line) }
    }

    func sayFarewell() throws { try say(.farewell) }

    func die() { line.withLock { $0 = nil } }

    /// Returns the names of the files that the keeper has open.
    func files() throws -> [String] {
        let folder = "/proc/\(program.processID)/fd"
        return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { name in
            try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + name)
        }
    }
}

import FileTesting
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import Testing

/// Tests of a daemon under a service manager, as the systemd unit runs it: the manager's descriptor store keeps the
/// mounts when the daemon dies. The test acts as systemd, following sd_notify(3) and sd_listen_fds(3).
@Suite(.timeLimit(.minutes(20)), .enabled(if: Kernel.handsOver)) struct ServiceStoreTests {
    private func begin(_ place: CommandFixture) async throws -> (Manager, CloudFixture) {
        let manager = try Manager(place)
        try await manager.start()
        let cloud = try await CloudFixture(place)
        try await cloud.add()
        try await cloud.eventually("the manager has the mount") { try manager.mounts.count == 1 }
        return (manager, cloud)
    }

    @Test func aServiceThatDiesGoesOnWithItsMounts() async throws {
        try await CommandFixture.run { place in
            let (manager, cloud) = try await begin(place)
            let reader = try await onThread { try FileDescriptor.open(cloud.mount + "/a.txt", .readOnly) }
            // The writer is another process: this one starts the daemon, and would wait for the daemon to flush the
            // file.
            let (theirs, words) = try FileDescriptor.pipe()
            let writer = try await onThread {
                try ChildProgram.start(
                    "/bin/sh",
                    arguments: [
                        "-c", #"for n in 0 1 2; do read -r word; echo "$word"; done >"$0/long.txt""#, cloud.mount,
                    ],
                    descriptors: [theirs, nil, nil])
            }
            try await cloud.eventually("the writer has its file") {
                FileManager.default.fileExists(atPath: cloud.mount + "/long.txt")
            }
            let names = try manager.names
            for death in 0..<3 {
                try await manager.kill()
                // No daemon replies yet, and nothing fails.
                let path = cloud.mount + "/inner/b.txt"
                let waiting = Task { try await onThread { try FileStatus.of(path).size } }
                try await manager.start()
                let size = try await waiting.value
                #expect(size == 5)
                try await onThread {
                    let text = String(decoding: try reader.everything(), as: UTF8.self)
                    #expect(text == "hello\n")
                    try Array("line \(death)\n".utf8).withUnsafeBytes { try words.writeAll($0) }
                }
                #expect(try manager.names == names)
            }
            // Only the manager restarts the daemon; no keeper runs.
            #expect(processes("purvey-keeper", of: place).isEmpty)
            let ending = try await onThread { try writer.wait() }
            #expect(ending == .exited(0))
            #expect(await cloud.contents(cloud.mount + "/long.txt") == "line 0\nline 1\nline 2\n")
            // Removal is refused while an edit is not sent.
            try await cloud.eventually("the domain is removed") {
                try await place.purvey("domains", "remove", "Papers").status == 0
            }
            try await cloud.eventually("the manager lets go of it") { try manager.names == [] }
            try await cloud.add()
            try await cloud.eventually("the manager has the next") { try manager.mounts.count == 1 }
            #expect(try await manager.end() == .exited(0))
            #expect(try manager.names == [])
            #expect(!FileManager.default.fileExists(atPath: cloud.mount))
            withExtendedLifetime(reader) {}
        }
    }

    @Test func incompleteStateIsReleasedAndAMountThatManyDiedWithIsMadeAnew() async throws {
        try await CommandFixture.run { place in
            let (manager, cloud) = try await begin(place)
            let first = try manager.mounts
            let folder = try await onThread {
                try FileDescriptor.open(cloud.mount + "/inner", [.readOnly, .directory])
            }
            try await manager.kill()
            manager.keep(try MemoryFile.create(name: "other"), as: "other")
            manager.keep(try MemoryFile.create(name: "part"), as: "purvey-5-1")
            manager.keep(try MemoryFile.create(name: "nonsense"), as: "purvey-6-0")
            try manager.noteDeaths(6, of: try #require(first.first))
            try await manager.start()
            try await cloud.eventually("the mount is made anew") {
                await cloud.contents(cloud.mount + "/a.txt") == "hello\n"
            }
            let entries = await offPool { try? folder.entries() }
            #expect(entries == nil, "the old mount is still there")
            try await cloud.eventually("the manager has the new one, and nothing else") {
                let (mounts, names) = (try manager.mounts, try manager.names)
                return mounts.count == 1 && mounts != first
                    && names.allSatisfy { $0 == "other" || $0.hasPrefix(mounts[0]) }
            }
            let mounts = try MountTable.current().mounts.count { $0.point == cloud.mount }
            #expect(mounts == 1, "a stale mount is there beside the new one")
            #expect(try await manager.end() == .exited(0))
            #expect(try manager.names == ["other"])
        }
    }

    @Test func theNewerOfTwoStoredMountsIsTakenOver() async throws {
        try await CommandFixture.run { place in
            let (manager, cloud) = try await begin(place)
            let names = try manager.names
            let folder = try await onThread {
                try FileDescriptor.open(cloud.mount + "/inner", [.readOnly, .directory])
            }
            try await manager.kill()
            manager.keepOnceMore(try #require(try manager.mounts.first), as: "purvey-1-")
            try await manager.start()
            try await cloud.eventually("the manager lets go of the older") { try manager.names == names }
            let entries = try await onThread { try folder.entries() }
            #expect(!entries.isEmpty)
            #expect(try await manager.end() == .exited(0))
        }
    }

    @Test func clientsWaitForTheRestartOfTheService() async throws {
        try await CommandFixture.run { place in
            let (manager, cloud) = try await begin(place)
            let reader = try await onThread { try FileDescriptor.open(cloud.mount + "/a.txt", .readOnly) }
            let names = try manager.names
            try await manager.kill()
            async let listed = place.purvey("domains")
            try await cloud.eventually("a daemon is wanted") { !place.processes(of: manager.socket).isEmpty }
            try await manager.start()
            #expect(try await listed.status == 0)
            let text = try await onThread { String(decoding: try reader.everything(), as: UTF8.self) }
            #expect(text == "hello\n")
            #expect(try manager.names == names)
            #expect(FileManager.default.fileExists(atPath: manager.mark))
            #expect(try await manager.end() == .exited(0))
            // No client waits for a daemon that was told to end.
            #expect(!FileManager.default.fileExists(atPath: manager.mark))
        }
    }

    @Test func anUnresponsiveManagerDelaysOnlyItsOwnMount() async throws {
        try await CommandFixture.run { place in
            let (manager, cloud) = try await begin(place)
            let names = try manager.names
            // The daemon asks the manager to drop a mount that cannot be replaced.
            #expect(try await place.shell("umount -l '\(cloud.mount)'").status == 0)
            try await cloud.eventually("the daemon knows") {
                try await place.purvey("domains").text.contains("was unmounted")
            }
            try FileManager.default.createDirectory(atPath: cloud.mount, withIntermediateDirectories: true)
            try await cloud.write("in the way", to: cloud.mount + "/other.txt")
            try manager.fillQueue()
            async let retried = place.purvey("retry", "Papers")
            // Wait until the daemon has sent its message, which must not time out.
            try await Task.sleep(for: .seconds(2))
            #expect(try await place.purvey("domains").status == 0)
            // The manager receives again. The daemon's message may be among those received.
            _ = try manager.names
            _ = try await retried
            #expect(try manager.names.count < names.count)
            try FileManager.default.removeItem(atPath: cloud.mount + "/other.txt")
            #expect(try await manager.end() == .exited(0))
        }
    }

    @Test func aClientStartsADaemonIfTheServiceIsNotRestarted() async throws {
        try await CommandFixture.run { place in
            let (manager, cloud) = try await begin(place)
            try await manager.kill()
            manager.letGo()
            #expect(try await place.purvey("domains").status == 0)
            #expect(!FileManager.default.fileExists(atPath: manager.mark))
            try await cloud.eventually("it is mounted") { await cloud.contents(cloud.mount + "/a.txt") == "hello\n" }
        }
    }
}

/// A service manager that runs the daemon, stores descriptors for it, and passes them to the next one.
private final class Manager: Sendable {
    private struct State {
        var kept: [(name: String, descriptor: FileDescriptor)] = []
        var daemon: ChildProgram?
    }

    private let place: CommandFixture
    private let path: String
    private let line: FileDescriptor
    private let state = Lock(State())

    /// The path of the daemon's socket.
    var socket: String { place.home + "/run/daemon.socket" }
    /// The path of the file that marks the daemon as a service.
    var mark: String { socket + ".service" }

    init(_ place: CommandFixture) throws {
        self.place = place
        path = place.home + "/notify"
        let kind = CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        line = FileDescriptor(owning: try retrying { Glibc.socket(AF_UNIX, kind, 0) })
        let number = line.rawValue
        try withAddress { address, size in try retrying { bind(number, address, size) } }
    }

    private func withAddress(_ body: (UnsafePointer<sockaddr>?, socklen_t) throws -> Void) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        try withUnsafeBytes(of: &address) { bytes in
            try body(
                bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }

    // MARK: Descriptor store

    /// Receives the daemon's messages and applies them to the store.
    private func hear() throws {
        try state.withLock { state in
            while let (text, descriptors) = try message() {
                let words = Dictionary(
                    text.split(separator: "\n").compactMap { word in
                        word.split(separator: "=", maxSplits: 1).count == 2
                            ? (word.prefix { $0 != "=" }, word.drop { $0 != "=" }.dropFirst()) : nil
                    }
                ) { first, _ in first }
                let name = String(words["FDNAME"] ?? "")
                if words["FDSTORE"] == "1" { state.kept += descriptors.map { (name, $0) } }
                if words["FDSTOREREMOVE"] == "1" { state.kept.removeAll { $0.name == name } }
            }
        }
    }

    /// Fills the socket's queue, so that the daemon's messages block until the next `hear`.
    func fillQueue() throws {
        let (kind, word) = (
            CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), Array("X=1".utf8)
        )
        let other = FileDescriptor(owning: try retrying { Glibc.socket(AF_UNIX, kind, 0) })
        try withAddress { address, size in try retrying { connect(other.rawValue, address, size) } }
        while send(other.rawValue, word, word.count, 0) == word.count {}
    }

    private func message() throws(Errno) -> (String, [FileDescriptor])? {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
        defer { room.deallocate() }
        let packet: ReceivedPacket
        do throws(Errno) {
            packet = try SequencedPacketSocket(line).receive(into: room)
        } catch {
            if error == .wouldBlock { return nil }
            throw error
        }
        return (String(decoding: room.prefix(packet.byteCount), as: UTF8.self), packet.descriptors)
    }

    /// The names of the stored descriptors.
    var names: [String] {
        get throws {
            try hear()
            return state.withLock { $0.kept.map(\.name) }
        }
    }

    /// The common name prefixes of the mounts that are stored completely.
    var mounts: [String] {
        get throws { try names.filter { $0.hasPrefix("purvey-") && $0.hasSuffix("-0") }.map { String($0.dropLast()) } }
    }

    /// Empties the store.
    func letGo() { state.withLock { $0.kept = [] } }

    func keep(_ descriptor: FileDescriptor, as name: String) {
        state.withLock { $0.kept.append((name, descriptor)) }
    }

    /// Stores a mount a second time, under an older name.
    func keepOnceMore(_ mount: String, as older: String) {
        state.withLock { state in
            state.kept += state.kept.filter { $0.name.hasPrefix(mount) }.map {
                (older + $0.name.dropFirst(mount.count), $0.descriptor)
            }
        }
    }

    /// Records that a number of daemons have died with a mount, the last of them just started.
    func noteDeaths(_ count: UInt64, of mount: String) throws {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        let note = try #require(state.withLock { state in state.kept.first { $0.name == mount + "0" } })
        try withUnsafeBytes(of: (count, UInt64(time.tv_sec) + 600)) { try note.descriptor.writeAll($0, at: 0) }
    }

    // MARK: The service

    /// Starts the daemon, and waits until it listens.
    func start() async throws {
        try hear()
        let kept = state.withLock { $0.kept }
        var environment = ProcessInfo.processInfo.environment
        environment["PURVEY_COORDINATION"] = nil
        let more = [
            "PURVEY_HOME": place.home, "PURVEY_BUS": "none", "NOTIFY_SOCKET": path, "LISTEN_FDS": "\(kept.count)",
            "LISTEN_FDNAMES": kept.map(\.name).joined(separator: ":"),
        ]
        let variables = environment.merging(more) { $1 }.map { "\($0.key)=\($0.value)" }
        try await onThread { [self] in
            let log = try FileDescriptor.open(place.path("daemon.log"), [.writeOnly, .create, .append])
            let daemon = try ChildProgram.start(
                "/bin/sh",
                arguments: [
                    "-c", #"export LISTEN_PID=$$; exec "$0" --foreground --log debug --socket "$1""#,
                    try BuiltProgram.path("purveyd"), socket,
                ],
                environment: variables, descriptors: [nil, log, log] + kept.map(\.descriptor))
            state.withLock { $0.daemon = daemon }
            for _ in 0..<30_000 {
                let address = try? LocalSocketAddress(path: socket)
                if let address, (try? SequencedPacketSocket.connect(to: address)) != nil { return }
                usleep(10_000)
            }
            Issue.record("the daemon does not listen")
        }
    }

    private func signal(_ signal: CInt) async throws -> ChildProgram.Ending {
        let daemon = try #require(state.withLock { $0.daemon.take() })
        Glibc.kill(daemon.processID, signal)
        return try await onThread { try daemon.wait() }
    }

    func kill() async throws { #expect(try await signal(SIGKILL) == .signalled(SIGKILL)) }

    func end() async throws -> ChildProgram.Ending { try await signal(SIGTERM) }
}

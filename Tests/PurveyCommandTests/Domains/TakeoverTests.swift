import DaemonTesting
import FileTesting
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import Testing

/// Tests of daemons that are killed while programs use a mount that the next daemon takes over.
///
/// If the kernel cannot hand over a mount, it is mounted anew, which ``KeeperTests`` covers.
@Suite(.timeLimit(.minutes(20)), .enabled(if: Kernel.handsOver)) struct TakeoverTests {
    /// Kills the daemon and waits until another one serves the mount.
    private func replaceDaemon(of cloud: CloudFixture) async throws {
        let old = try #require(runningDaemon(of: cloud.place))
        kill(old, SIGKILL)
        try await cloud.eventually("another daemon serves the mount") {
            guard let new = runningDaemon(of: cloud.place), new != old else { return false }
            return await cloud.contents(cloud.mount + "/inner/b.txt") == "deep\n"
        }
    }

    private func begin(_ place: CommandFixture) async throws -> CloudFixture {
        let cloud = try await CloudFixture(place)
        try await cloud.add()
        try await cloud.eventually("the keeper has the mount") { keptDevices(of: place) > 0 }
        return cloud
    }

    @Test func programsAtWorkSeeNothingOfFiveDaemonsThatAreKilled() async throws {
        try await CommandFixture.run { place in
            let cloud = try await begin(place)
            let stop = place.path("stop")
            let script = """
                set -e
                cd "$1/inner"
                n=0
                while [ ! -e "$2" ]; do
                    n=$((n + 1))
                    mkdir "d$3.$n"
                    echo "line $n" >"d$3.$n/new"
                    mv "d$3.$n/new" "d$3.$n/file"
                    read -r line <"d$3.$n/file"
                    [ "$line" = "line $n" ]
                    [ "$(ls "d$3.$n")" = file ]
                    rm "d$3.$n/file"
                    rmdir "d$3.$n"
                    echo $n >"$4"
                done
                echo "done $3" >"$3.txt"
                """
            let log = try FileDescriptor.open(place.path("log"), [.writeOnly, .create, .append])
            let programs = try await onThread {
                try (1...3).map { number in
                    try ChildProgram.start(
                        "/bin/sh",
                        arguments: ["-c", script, "sh", cloud.mount, stop, "\(number)", place.path("count \(number)")],
                        descriptors: [nil, log, log])
                }
            }
            func counts() -> [Int] {
                (1...3).map { Int((try? place.read("count \($0)"))?.dropLast() ?? "") ?? 0 }
            }
            let reader = try await onThread { try FileDescriptor.open(cloud.mount + "/a.txt", .readOnly) }
            let writer = try await onThread {
                try FileDescriptor.open(cloud.mount + "/long.txt", [.writeOnly, .create])
            }
            for death in 0..<5 {
                let before = counts()
                try await cloud.eventually("the programs get on") {
                    zip(counts(), before).allSatisfy { $0 > $1 } || !programs.allSatisfy(isRunning)
                }
                try await replaceDaemon(of: cloud)
                try await onThread {
                    var buffer = [UInt8](repeating: 0, count: 100)
                    let count = try buffer.withUnsafeMutableBytes { try reader.read(into: $0, at: 0) }
                    #expect(String(decoding: buffer.prefix(count), as: UTF8.self) == "hello\n")
                    try Array("line \(death)\n".utf8).withUnsafeBytes { try writer.writeAll($0, at: death * 7) }
                }
            }
            try place.write("", to: "stop")
            for program in programs {
                let ending = try await onThread { try program.wait() }
                #expect(ending == .exited(0), "\((try? place.read("log")) ?? "")")
            }
            #expect(try place.read("log") == "")
            let status = try await onThread { () throws in
                try writer.synchronize()
                return try writer.status().size
            }
            #expect(status == 35)
            for number in 1...3 {
                try await cloud.eventually("what they wrote is sent") {
                    await cloud.contents(cloud.cloud + "/inner/\(number).txt") == "done \(number)\n"
                }
            }
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: cloud.mount + "/inner").sorted()
                    == ["1.txt", "2.txt", "3.txt", "b.txt"])
        }
    }

    @Test func aFileThatIsWrittenWhileDaemonsDieReachesTheProviderWhole() async throws {
        try await CommandFixture.run { place in
            let cloud = try await begin(place)
            let program = try await onThread {
                try ChildProgram.start(
                    "/bin/sh",
                    arguments: [
                        "-c", "for n in 1 2 3 4 5 6; do read -r word; echo $n; done >\"$0/out.txt\"", cloud.mount,
                    ],
                    descriptors: [
                        .open(fifo(place.path("words")), .readWrite), nil,
                        .open(place.path("errors"), [.writeOnly, .create]),
                    ])
            }
            let words = try await onThread { try FileDescriptor.open(place.path("words"), .readWrite) }
            for _ in 0..<3 {
                try Array("one\ntwo\n".utf8).withUnsafeBytes { try words.writeAll($0) }
                try await replaceDaemon(of: cloud)
            }
            let ending = try await onThread { try program.wait() }
            #expect(ending == .exited(0), "\((try? place.read("errors")) ?? "")")
            try await cloud.eventually("all of it is sent") {
                await cloud.contents(cloud.cloud + "/out.txt") == "1\n2\n3\n4\n5\n6\n"
            }
        }
    }

    /// With passthrough, no daemon is notified of a program's writes while the next daemon recovers.
    @Test func writesToAMappingDuringATakeoverReachTheProvider() async throws {
        try await CommandFixture.run { place in
            // Every daemon stops itself at this point, the first time that it opens a domain.
            let first = try await place.shell("PURVEY_FAULT_POINT=engine.recovery.identities:1:stop $purvey status")
            try #require(first.status == 0, "\(first.errors)")
            // A daemon without clients ends, and the next one would not stop itself.
            let user = try await place.offer(try place.write("text", to: "offered.txt"))
            let cloud = try await CloudFixture(place)
            async let added: Void = cloud.add()
            kill(try await stoppedDaemon(of: cloud), SIGCONT)
            try await added
            try await user.end()
            try await cloud.eventually("the keeper has the mount") { keptDevices(of: place) > 0 }
            // A file that is complete when it is opened is passed through.
            let file = cloud.mount + "/a.txt"
            #expect(try await place.purvey("download", file).status == 0)
            let program = try RunningProgram(
                BuiltProgram.path("MappingPeer"), ["write-later", file, "0", "HELLO"], input: .pipe)
            #expect(try await program.lines(1) == ["mapped"])
            let old = try #require(runningDaemon(of: place))
            kill(old, SIGKILL)
            let new = try await stoppedDaemon(of: cloud, besides: old)
            try program.write("write\n")
            #expect(try await program.lines(2) == ["mapped", "written"])
            kill(new, SIGCONT)
            try await cloud.eventually("another daemon serves the mount") {
                await cloud.contents(cloud.mount + "/inner/b.txt") == "deep\n"
            }
            try program.write("end\n")
            #expect(try await program.end().status == 0)
            try await cloud.eventually("what was written is sent") {
                await cloud.contents(cloud.cloud + "/a.txt") == "HELLO\n"
            }
            #expect(await cloud.contents(file) == "HELLO\n")
        }
    }

    @Test func aKeeperThatDiesIsReplacedAndTheNextOneHasTheMounts() async throws {
        try await CommandFixture.run { place in
            let cloud = try await begin(place)
            let file = try await onThread { try FileDescriptor.open(cloud.mount + "/a.txt", .readOnly) }
            let keeper = try #require(processes("purvey-keeper", of: place).first)
            kill(keeper, SIGKILL)
            try await cloud.eventually("another keeper has the mount") {
                processes("purvey-keeper", of: place).contains { $0 != keeper } && keptDevices(of: place) > 0
            }
            try await replaceDaemon(of: cloud)
            let text = try await onThread { String(decoding: try file.readToEnd(limit: 100), as: UTF8.self) }
            #expect(text == "hello\n")
            let counts = [keptDevices(of: place)]
            for _ in 0..<3 { try await replaceDaemon(of: cloud) }
            // The keeper has the next daemon's descriptors a moment before it closes the last one's.
            try await cloud.eventually("the keeper has as many descriptors as before") {
                [keptDevices(of: place)] == counts
            }
        }
    }

    @Test(.enabled(if: FullDisk.isWanted)) func aReaderOfPartsGoesOnWithTheNextDaemonOnAFullDisk() async throws {
        try await CommandFixture.run { place in
            // Parts are stored beside the edits if the cache is on another disk; the index is on the same disk.
            let disk = try await onThread { try FullDisk(megabytes: 10, at: place.home + "/data/domains") }
            let contents = pattern(12 << 20)
            let cloud = try await CloudFixture(place)
            try Data(contents).write(to: URL(fileURLWithPath: cloud.cloud + "/large"))
            try await cloud.add()
            try await cloud.eventually("the keeper has the mount") { keptDevices(of: place) > 0 }
            let file = try await onThread { try FileDescriptor.open(cloud.mount + "/large", .readOnly) }
            let (first, second) = (1_000, 10_000_000)
            #expect(try await read(file, at: first) == Array(contents[first..<first + 1000]))
            try await onThread { try disk.fill() }
            let old = try #require(runningDaemon(of: place))
            kill(old, SIGKILL)
            try await cloud.eventually("there is another daemon") {
                runningDaemon(of: place).map { $0 != old } ?? false
            }
            // Drop the page cache, so that the read reaches the daemon.
            #expect(posix_fadvise(file.rawValue, 0, 0, POSIX_FADV_DONTNEED) == 0)
            #expect(try await read(file, at: first) == Array(contents[first..<first + 1000]))
            let failure = await offPool { Self.failure(of: file, at: second) }
            #expect(failure == .noSpace)
            try await onThread { try disk.makeRoom() }
            #expect(try await read(file, at: second) == Array(contents[second..<second + 1000]))
            withExtendedLifetime((disk, file)) {}
        }
    }

    @Test func aDaemonThatIsToldToEndInTheMidstOfATakeoverLeavesNoDeadMount() async throws {
        try await CommandFixture.run { place in
            let cloud = try await begin(place)
            let old = try #require(runningDaemon(of: place))
            kill(old, SIGKILL)
            try await cloud.eventually("another daemon has been started") {
                runningDaemon(of: place).map { $0 != old } ?? false
            }
            kill(try #require(runningDaemon(of: place)), SIGTERM)
            try await cloud.eventually("the keeper has ended") {
                processes("purvey-keeper", of: place).isEmpty && processes("purveyd", of: place).isEmpty
            }
            #expect(try !MountTable.current().mounts.contains { $0.point == cloud.mount })
            #expect(try await place.purvey("ls", cloud.mount).status == 0)
        }
    }

    /// Waits until the daemon has stopped itself, and returns its process.
    private func stoppedDaemon(of cloud: CloudFixture, besides old: pid_t? = nil) async throws -> pid_t {
        try await cloud.eventually("the daemon stands still") {
            runningDaemon(of: cloud.place).map { $0 != old && ProcessState.isStopped($0) } ?? false
        }
        return try #require(runningDaemon(of: cloud.place))
    }

    // MARK: Parts

    private func read(_ file: FileDescriptor, at offset: Int) async throws -> [UInt8] {
        try await onThread { try Self.bytes(of: file, at: offset) }
    }

    private static func failure(of file: FileDescriptor, at offset: Int) -> Errno? {
        do throws(Errno) {
            _ = try bytes(of: file, at: offset)
            return nil
        } catch {
            return error
        }
    }

    private static func bytes(of file: FileDescriptor, at offset: Int) throws(Errno) -> [UInt8] {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1000, alignment: 1)
        defer { room.deallocate() }
        let count = try file.read(into: room, at: offset)
        return Array(room.prefix(count))
    }

    @Sendable private func isRunning(_ program: ChildProgram) -> Bool {
        guard let status = try? String(contentsOfFile: "/proc/\(program.processID)/stat", encoding: .utf8) else {
            return false
        }
        return !status.contains(") Z ")
    }

}

/// Makes a named pipe, and returns its path.
private func fifo(_ path: String) throws -> String {
    try retrying { mkfifo(path, 0o600) }
    return path
}

/// Returns the live processes of a program that belong to a place.
func processes(_ name: String, of place: CommandFixture) -> [pid_t] {
    let home = Data("PURVEY_HOME=\(place.home)\0".utf8)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { pid_t($0) }.filter { process in
        // The file is empty for a dead process.
        FileManager.default.contents(atPath: "/proc/\(process)/environ")?.range(of: home) != nil
            && (try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)) == name + "\n"
    }
}

/// Returns the daemon that listens or is about to, rather than the process that starts it.
func runningDaemon(of place: CommandFixture) -> pid_t? {
    processes("purveyd", of: place).first { process in
        FileManager.default.contents(atPath: "/proc/\(process)/cmdline")?.range(of: Data("--foreground\0".utf8)) != nil
    }
}

/// Returns the number of descriptors of /dev/fuse that the keepers hold.
func keptDevices(of place: CommandFixture) -> Int {
    processes("purvey-keeper", of: place).reduce(0) { count, process in
        let folder = "/proc/\(process)/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return count
            + names.count {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + $0)) == "/dev/fuse"
            }
    }
}

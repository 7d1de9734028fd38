import FileTesting
import Foundation
import Glibc
import ProgramTesting
import Testing

/// Tests of disks that are unplugged and plugged in at the path of a served directory, while the domain runs.
@Suite(.timeLimit(.minutes(20))) struct DiskReplacementTests {
    /// Two file systems in memory, which are mounted at the served path in turn.
    private struct Disks {
        let cloud: CloudFixture
        let right: String
        let wrong: String

        init(_ cloud: CloudFixture) throws {
            self.cloud = cloud
            (right, wrong) = (cloud.place.path("right"), cloud.place.path("wrong"))
            for disk in [right, wrong] {
                try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
                try Self.run("/bin/mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", disk)
                try Data("\(disk)\n".utf8).write(to: URL(fileURLWithPath: disk + "/a.txt"))
            }
        }

        func plug(_ disk: String) throws { try Self.run("/bin/mount", "--bind", disk, cloud.cloud) }

        func unplug() throws { try Self.run("/bin/umount", "-l", cloud.cloud) }

        func remove() {
            for path in [cloud.cloud, right, wrong] { umount2(path, CInt(MNT_DETACH)) }
        }

        private static func run(_ program: String, _ arguments: String...) throws {
            let end = try RunningProgram(program, arguments).waitForEnd()
            try #require(end.status == 0, "\(end.errors)")
        }
    }

    @Test(.enabled(if: Requirement.isEnforced || geteuid() == 0, "mounts need root"))
    func anEditWaitsForItsDiskAndIsNotWrittenToAnother() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            let disks = try Disks(cloud)
            defer { disks.remove() }
            try disks.plug(disks.right)
            try await cloud.add()
            let file = cloud.mount + "/a.txt"
            #expect(await cloud.contents(file) == "\(disks.right)\n")
            try disks.unplug()
            let advice = "is another folder than the one that was handed to the domain: mount the disk of that folder"
            try await cloud.eventually("status says what to do about the missing disk") {
                try await place.purvey("status").text.contains(advice)
            }
            try disks.plug(disks.wrong)
            try await cloud.write("mine\n", to: file)
            try await cloud.eventually("status says what to do about the wrong disk") {
                try await place.purvey("status").text.contains(advice)
            }
            #expect(await cloud.contents(file) == "mine\n")
            #expect(await cloud.contents(disks.wrong + "/a.txt") == "\(disks.wrong)\n")
            #expect(try FileManager.default.contentsOfDirectory(atPath: disks.wrong) == ["a.txt"])
            try disks.unplug()
            try disks.plug(disks.right)
            try await cloud.eventually("the edit is sent") {
                await cloud.contents(disks.right + "/a.txt") == "mine\n"
            }
            try await cloud.eventually("nothing is wrong any more") {
                try await !place.purvey("status").text.contains("error")
            }
            // Changes on the disk are noticed again.
            try await cloud.write("new\n", to: disks.right + "/b.txt")
            try await cloud.eventually("a new file is seen") { await cloud.contents(cloud.mount + "/b.txt") == "new\n" }
            #expect(await cloud.contents(disks.wrong + "/a.txt") == "\(disks.wrong)\n")
        }
    }
}

import DaemonTesting
import FileProvider
import FileProviderEngine
import FileTesting
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// A disk is full: the service's, that of the edits, that of the cache. Nothing is lost, and all goes on by itself when there is room.
@Suite(.ownThreads, .timeLimit(.minutes(20)), .enabled(if: FullDisk.isWanted)) struct FullDiskTests {
    private static let small = String(repeating: "0123456789abcde\n", count: 1 << 16)
    private static let large = String(repeating: "0123456789abcde\n", count: 1 << 18)

    @Test func editsThatTheServiceHasNoRoomForAreKeptAndToldOf() async throws {
        try await DaemonPlace.run { place in
            try Tree.make(["one.txt": "one"], in: place.cloud)
        } _: { place in
            let disk = try FullDisk(megabytes: 16, at: place.cloud + "/disk")
            try Tree.make(["two.txt": "two"], in: place.cloud + "/disk")
            try place.start()
            try await place.add()
            #expect(try Files.read(place.mount + "/disk/two.txt") == "two")
            try disk.fill()
            try Files.write(Self.large, to: place.mount + "/disk/two.txt", O_RDWR)
            try Files.write(Self.large, to: place.mount + "/disk/new.txt", O_WRONLY | O_CREAT)
            try await eventually("the status says why") {
                let faults = try await place.activity().faults
                return faults.contains { $0.hasPrefix("two.txt: ") } && faults.contains { $0.hasPrefix("new.txt: ") }
            }
            let status = try place.purvey("status")
            #expect(status.text.contains("error: two.txt: ") && status.text.contains("error: new.txt: "), "\(status)")
            #expect(status.text.contains("space"), "\(status)")
            // Others' edits are not held up.
            try Files.write("other", to: place.mount + "/one.txt", O_WRONLY | O_TRUNC)
            try await eventually("another edit is sent") { try Files.read(place.cloud + "/one.txt") == "other" }
            #expect(try Files.read(place.cloud + "/disk/two.txt") == "two")

            try disk.makeRoom()
            try await place.settled()
            let tree = try Tree.read(place.cloud + "/disk")
            #expect(tree.keys.sorted() == ["new.txt", "two.txt"])
            #expect(tree.values.allSatisfy { $0 == Self.large })
            place.stop()
            try place.expectNothingLeft()
        }
    }

    @Test func anActionThatThereIsNoRoomForFailsAndLeavesNothing() async throws {
        try await DaemonPlace.run { place in
            try Tree.make(["one.txt": "one"], in: place.cloud)
        } _: { place in
            let disk = try FullDisk(megabytes: 4, at: place.cloud + "/disk")
            try Tree.make(["two.txt": Self.small], in: place.cloud + "/disk")
            try place.start()
            try await place.add()
            #expect(try Files.read(place.mount + "/disk/two.txt") == Self.small)
            try disk.fill()
            let refused = try place.purvey("actions", place.mount + "/disk/two.txt", "Duplicate")
            #expect(
                refused.ending == .exited(1) && refused.text.hasPrefix("purvey: actions: Duplicate: "), "\(refused)")
            #expect(refused.text.contains("space") && refused.text.count { $0 == "\n" } == 1, "\(refused)")
            try disk.makeRoom()
            #expect(try Tree.read(place.cloud + "/disk").keys.sorted() == ["two.txt"])
            let done = try place.purvey("actions", place.mount + "/disk/two.txt", "Duplicate")
            #expect(done.ending == .exited(0), "\(done)")
            #expect(try Tree.read(place.cloud + "/disk")["two copy.txt"] == Self.small)
            try await place.settled()
            place.stop()
            try place.expectNothingLeft()
        }
    }

    @Test func aFullDiskUnderTheEditsMakesRoomOfWhatCanBeHadAgainAndThenFailsWrites() async throws {
        try await DaemonPlace.run { place in
            try Tree.make(["clean.txt": Self.large + Self.large, "one.txt": "one"], in: place.cloud)
        } _: { place in
            try await Self.fillUnderEdits(place)
        }
    }

    private static func fillUnderEdits(_ place: DaemonPlace) async throws {
        // Journal, index, edits and, as the cache is on another disk, clean contents.
        let disk = try FullDisk(megabytes: 24, at: place.domains)
        try place.start()
        try await place.add()
        let clean = place.mount + "/clean.txt"
        #expect(try Files.read(clean).utf8.count == 2 * Self.large.utf8.count)
        #expect(try Files.read(place.mount + "/one.txt") == "one")
        #expect(try await place.isHere("clean.txt"))
        try disk.fill()
        // Clean contents go for it.
        try Files.write(Self.small, to: place.mount + "/new.txt", O_WRONLY | O_CREAT)
        #expect(try await !place.isHere("clean.txt"))
        try await eventually("it is sent") { (try? Files.read(place.cloud + "/new.txt")) == Self.small }
        try await place.settled()

        // Now nothing can go.
        try Files.write("kept", to: place.mount + "/one.txt", O_RDWR)
        var open: FileDescriptor? = try .open(place.mount + "/one.txt", .readWrite)
        try disk.fill()
        var failure: Errno?
        do throws(Errno) {
            for number in 0..<64 {
                try Files.write(Self.large, to: place.mount + "/more-\(number).txt", O_WRONLY | O_CREAT)
                try disk.fill()
            }
        } catch {
            failure = error
        }
        #expect(failure == .noSpace)
        // Removing works on a full disk.
        try Files.remove(place.mount + "/new.txt")
        _ = open
        open = nil
        #expect(try Files.read(place.mount + "/one.txt") == "kept")

        try disk.makeRoom()
        try await place.settled()
        #expect(try Files.read(place.cloud + "/one.txt") == "kept")
        #expect(!Files.isThere(place.cloud + "/new.txt"))
        try Files.write("after", to: place.mount + "/after.txt", O_WRONLY | O_CREAT)
        try await eventually("edits go on") { (try? Files.read(place.cloud + "/after.txt")) == "after" }
        try await place.settled()
        #expect(try Tree.read(place.cloud) == Tree.read(place.mount))
        place.stop()
        try place.expectNothingLeft()
    }

    @Test func aFullDiskUnderTheCacheKeepsNoDomainFromStarting() async throws {
        try await DaemonPlace.run { place in
            try Tree.make(["one.txt": "one"], in: place.cloud)
        } _: { place in
            let disk = try FullDisk(megabytes: 1, at: place.cache)
            try disk.fill()
            try disk.takeNames()
            try place.start()
            try await place.add()
            #expect(try Files.read(place.mount + "/one.txt") == "one")
            try Files.write("edited", to: place.mount + "/one.txt", O_RDWR)
            try await place.settled()
            #expect(try Files.read(place.cloud + "/one.txt") == "edited")
            place.stop()
            try place.start()
            try await place.mounted()
            #expect(try Files.read(place.mount + "/one.txt") == "edited")
            place.stop()
            try place.expectNothingLeft()
        }
    }
}

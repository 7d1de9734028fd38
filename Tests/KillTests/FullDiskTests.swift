import DaemonTesting
import DomainMessages
import FileProvider
import FileProviderEngine
import FileTesting
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// Tests of a full disk of the service, of the edits, or of the cache. Nothing is lost, and work continues by itself
/// when there is room.
@Suite(.ownThreads, .timeLimit(.minutes(20)), .enabled(if: FullDisk.isWanted)) struct FullDiskTests {
    private static let small = String(repeating: "0123456789abcde\n", count: 1 << 16)
    private static let large = String(repeating: "0123456789abcde\n", count: 1 << 18)

    @Test func editsBeyondTheServicesQuotaAreKeptAndReported() async throws {
        try await DaemonFixture.run { place in
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
            // Edits elsewhere are not delayed.
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
        try await DaemonFixture.run { place in
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
        try await DaemonFixture.run { place in
            try Tree.make(["clean.txt": Self.large + Self.large, "one.txt": "one"], in: place.cloud)
        } _: { place in
            try await Self.fillUnderEdits(place)
        }
    }

    private static func fillUnderEdits(_ place: DaemonFixture) async throws {
        // The disk holds the journal, the index, the edits and, as the cache is on another disk, clean contents.
        let disk = try FullDisk(megabytes: 24, at: place.domains)
        try place.start()
        try await place.add()
        let clean = place.mount + "/clean.txt"
        #expect(try Files.read(clean).utf8.count == 2 * Self.large.utf8.count)
        #expect(try Files.read(place.mount + "/one.txt") == "one")
        #expect(try await place.isHere("clean.txt"))
        try disk.fill()
        // Clean contents are evicted to make room.
        try Files.write(Self.small, to: place.mount + "/new.txt", O_WRONLY | O_CREAT)
        #expect(try await !place.isHere("clean.txt"))
        try await eventually("it is sent") { (try? Files.read(place.cloud + "/new.txt")) == Self.small }
        try await place.settled()

        // From here on nothing can be evicted.
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
        // A removal works on a full disk.
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

    /// Uses fallocate(2) and copy_file_range(2); the latter writes as well.
    @Test func aFullDiskMakesRoomForWhatIsAllocatedAndCopied() async throws {
        let names = ["first.txt", "second.txt"]
        try await DaemonFixture.run { place in
            try Tree.make(Dictionary(uniqueKeysWithValues: names.map { ($0, Self.large) }), in: place.cloud)
        } _: { place in
            let disk = try FullDisk(megabytes: 24, at: place.domains)
            try place.start()
            try await place.add()
            for name in names { #expect(try Files.read(place.mount + "/" + name) == Self.large) }
            try Files.write(Self.small, to: place.mount + "/source.txt", O_WRONLY | O_CREAT)
            try await place.settled()
            let source = try FileDescriptor.open(place.mount + "/source.txt", .readOnly)
            let target = try FileDescriptor.open(place.mount + "/target.txt", [.readWrite, .create])
            let size = Self.small.utf8.count

            try disk.fill()
            #expect(posix_fallocate(target.rawValue, 0, off_t(size)) == 0)
            var isHere = try await [place.isHere(names[0]), place.isHere(names[1])]
            #expect(isHere.count { $0 } == 1)
            // Nothing is evicted for a request that would not fit even then.
            #expect(posix_fallocate(target.rawValue, 0, 1 << 30) == ENOSPC)
            isHere = try await [place.isHere(names[0]), place.isHere(names[1])]
            #expect(isHere.count { $0 } == 1)

            var isCopied = false
            for _ in 0..<5 where !isCopied {
                try disk.makeRoom()
                for name in names { #expect(try Files.read(place.mount + "/" + name) == Self.large) }
                try target.truncate(to: 0)
                try disk.fill()
                do {
                    try FileCopier.copyRange(0..<size, of: source, to: target, named: "source.txt")
                    isCopied = true
                } catch {
                    // Background work needs room as well, and may have taken it first.
                    isHere = try await [place.isHere(names[0]), place.isHere(names[1])]
                    #expect(isHere == [false, false], "\(error)")
                }
            }
            #expect(isCopied)
            #expect(try Files.read(place.mount + "/target.txt") == Self.small)
            withExtendedLifetime(target) {}
            try disk.makeRoom()
        }
    }

    @Test func aFileThatTheCacheHasNoRoomForIsReadAsFarAsThereIsRoom() async throws {
        let contents = pattern(12 << 20)
        try await DaemonFixture.run { place in
            try Tree.make([:], in: place.cloud)
            let file = try FileDescriptor.open(place.cloud + "/large", [.writeOnly, .create])
            try contents.withUnsafeBytes { try file.writeAll($0) }
        } _: { place in
            // Parts are stored beside the edits if the cache is on another disk; the index is on the same disk.
            let disk = try FullDisk(megabytes: 10, at: place.domains)
            try place.start()
            try await place.add()
            try Self.readParts(of: contents, in: place, disk)
            // The file exceeds the disk's room: the bytes that are read are right, until the disk is full.
            let (read, failure) = Self.read(place.mount + "/large", from: 0)
            #expect(failure == .noSpace && read.count > 1 << 20)
            #expect(memcmp(read, contents, min(read.count, contents.count)) == 0)
            #expect(try place.purvey("evict", place.mount + "/large").ending == .exited(0))
            let (part, _) = Self.read(place.mount + "/large", from: contents.count - 100)
            #expect(part == contents.suffix(100))
            place.stop()
            try place.expectNothingLeft()
        }
    }

    /// Reads at two offsets of a file, the second at first without room and then with some.
    private static func readParts(of contents: [UInt8], in place: DaemonFixture, _ disk: FullDisk) throws {
        let file = try FileDescriptor.open(place.mount + "/large", .readOnly)
        func read(at offset: Int) throws -> [UInt8] {
            let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1000, alignment: 1)
            defer { room.deallocate() }
            let count = try file.read(into: room, at: offset)
            return Array(room.prefix(count))
        }
        let (first, second) = (1_000, 10_000_000)
        #expect(try read(at: first) == Array(contents[first..<first + 1000]))
        try disk.fill()
        #expect(throws: Errno.noSpace) { try read(at: second) }
        // Drop the page cache, so that the read reaches the daemon.
        #expect(posix_fadvise(file.rawValue, 0, 0, POSIX_FADV_DONTNEED) == 0)
        #expect(try read(at: first) == Array(contents[first..<first + 1000]))
        try disk.makeRoom()
        #expect(try read(at: second) == Array(contents[second..<second + 1000]))
    }

    /// Reads a file from an offset, and returns the bytes and the error that ends the read before the file's end.
    private static func read(_ path: String, from offset: Int) -> ([UInt8], Errno?) {
        var bytes: [UInt8] = []
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 1)
        defer { room.deallocate() }
        do throws(Errno) {
            let file = try FileDescriptor.open(path, .readOnly)
            while true {
                let count = try file.read(into: room, at: offset + bytes.count)
                if count == 0 { return (bytes, nil) }
                bytes += room.prefix(count)
            }
        } catch {
            return (bytes, error)
        }
    }

    @Test func aFullDiskUnderTheCacheKeepsNoDomainFromStarting() async throws {
        try await DaemonFixture.run { place in
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

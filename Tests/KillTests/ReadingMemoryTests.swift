import DaemonTesting
import FileTesting
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// Tests that no process on the way to the reader holds a large file in memory.
@Suite(.ownThreads, .timeLimit(.minutes(20))) struct ReadingMemoryTests {
    /// The size of a sparse file, which takes no room and little processor time.
    private static let size = 512 << 20
    private static let end = Array("the end".utf8)
    private static let most = 64 << 20

    @Test func aFileIsReadInPartsAndAsAWholeWithinBoundedMemory() async throws {
        try await DaemonFixture.run { place in
            try Tree.make(["small": "small"], in: place.cloud)
            let large = try FileDescriptor.open(place.cloud + "/large", [.writeOnly, .create, .exclusive])
            try large.truncate(to: Self.size)
            try Self.end.withUnsafeBytes { try large.writeAll($0, at: Self.size - Self.end.count) }
        } _: { place in
            try place.start()
            try await place.add()
            #expect(try Files.read(place.mount + "/small") == "small")
            let (daemon, provider) = (place.processID, try #require(place.providers.first))
            let before = try [daemon, provider].map { try #require(ProcessState.memory(of: $0, "VmRSS")) }

            // Reads at some offsets, and then of the whole file: both fetch parts.
            for offset in stride(from: Self.size - 100, to: 0, by: -Self.size / 8) {
                #expect(try Self.read(place.mount + "/large", offset..<offset + 100).count == 100)
            }
            #expect(try Self.read(place.mount + "/large", 0..<Self.size).count == Self.size)
            // The file is fetched whole, and then read locally.
            let evicted = try place.purvey("evict", place.mount + "/large")
            #expect(evicted.ending == .exited(0), "\(evicted.text)")
            #expect(try place.purvey("download", place.mount + "/large").ending == .exited(0))
            let last = try Self.read(place.mount + "/large", 0..<Self.size)
            #expect(last.count == Self.size && last.tail == Self.end)

            for (process, before) in zip([daemon, provider], before) {
                // A restarted process would be another one.
                let grown = try #require(ProcessState.memory(of: process, "VmHWM")) - before
                #expect(grown < Self.most, "\(grown >> 20) MiB more, \(process == daemon ? "daemon" : "provider")")
            }
            place.stop()
            try place.expectNothingLeft()
        }
    }

    /// Reads a range piece by piece. Returns the number of bytes and the last of them.
    private static func read(_ path: String, _ range: Range<Int>) throws -> (count: Int, tail: [UInt8]) {
        let file = try FileDescriptor.open(path, .readOnly)
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer { room.deallocate() }
        var (position, tail) = (range.lowerBound, [UInt8]())
        while position < range.upperBound {
            let piece = UnsafeMutableRawBufferPointer(rebasing: room.prefix(range.upperBound - position))
            let count = try file.read(into: piece, at: position)
            if count == 0 { break }
            tail = Array(piece[..<count].suffix(end.count))
            position += count
        }
        return (position - range.lowerBound, tail)
    }
}

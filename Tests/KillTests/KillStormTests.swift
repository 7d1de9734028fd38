import DaemonTesting
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// Tests in which the daemon is killed at random moments while a program writes.
@Suite(.ownThreads, .timeLimit(.minutes(20))) struct KillStormTests {
    /// The files that a program wrote, as far as the program knows their state.
    private struct Written {
        /// The contents of files whose calls all succeeded, by name.
        var answered: [String: String] = [:]
        /// The names at which a file may exist.
        var attempted: Set<String> = []
    }

    /// Creates files with a temporary name and renames each to its final name, until a call fails.
    private static func work(in folder: String, round: Int) async -> Written {
        var written = Written()
        for number in 0..<10_000 {
            let (first, name) = ("first-\(round)-\(number)", "last-\(round)-\(number)")
            let text = String(repeating: "\(name)\n", count: 1 + number % 50 * 40)
            written.attempted.formUnion([first, name])
            do throws(Errno) {
                try Files.write(text, to: folder + "/" + first, O_WRONLY | O_CREAT | O_EXCL)
                written.answered[first] = text
                try Files.rename(folder + "/" + first, to: folder + "/" + name)
                written.answered[first] = nil
                written.answered[name] = text
            } catch {
                break
            }
        }
        return written
    }

    @Test func confirmedEditsReachTheProviderOnceWhenTheDaemonIsKilled() async throws {
        try await DaemonFixture.run { place in
            try Tree.make(["one.txt": "one"], in: place.cloud)
        } _: { place in
            try place.start()
            try await place.add()
            var all = Written()
            for round in 0..<6 {
                async let work = Self.work(in: place.mount, round: round)
                usleep(useconds_t.random(in: 20_000...600_000))
                place.kill()
                try place.start()
                try await place.mounted()
                let written = await work
                all.attempted.formUnion(written.attempted)
                all.answered.merge(written.answered) { $1 }
            }
            try await place.settled()
            let tree = try Tree.read(place.cloud)
            for (name, text) in all.answered {
                // The rename may have succeeded although its reply was lost.
                let places = Set([name, name.replacing("first", with: "last")])
                #expect(places.compactMap { tree[$0] } == [text], "\(name)")
            }
            #expect(Set(tree.keys).subtracting(all.attempted) == ["one.txt"])
            #expect(try Tree.read(place.mount) == tree)
            place.stop()
            try place.expectNothingLeft()
        }
    }
}

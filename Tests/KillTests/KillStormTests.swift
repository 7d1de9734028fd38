import DaemonTesting
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// The daemon is killed at moments that nobody chose, while a program writes.
@Suite(.ownThreads, .timeLimit(.minutes(20))) struct KillStormTests {
    /// What a program wrote, and how far it knows.
    private struct Written {
        /// By name: whole, and answered to be in its place.
        var answered: [String: String] = [:]
        /// Names that something may have come to be under.
        var attempted: Set<String> = []
    }

    /// Makes files, each under a first name and then under its own, until a call fails.
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

    @Test func whateverWasAnsweredBeforeTheDaemonWasKilledIsAtTheProviderOnce() async throws {
        try await DaemonPlace.run { place in
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
                // The answer to the renaming may be what got lost.
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

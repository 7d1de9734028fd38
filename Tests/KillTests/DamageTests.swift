import DaemonTesting
import DomainMessages
import FileProvider
import FileProviderEngine
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// Tests in which the engine's own files are overwritten while the domain runs, and of a domain that cannot be
/// started any more.
@Suite(.ownThreads, .timeLimit(.minutes(20))) struct DamageTests {
    /// Overwrites a database and its log in place, as a failing disk does.
    private static func overwrite(_ path: String) throws {
        for suffix in ["", "-wal"] {
            guard let file = try? FileDescriptor.open(path + suffix, .readWrite) else { continue }
            let garbage = [UInt8](repeating: 0xA5, count: max(4096, try file.status().size))
            try garbage.withUnsafeBytes { try file.writeAll($0, at: 0) }
        }
    }

    @Test(arguments: ["index.db", "journal.db"])
    func damageLosesNoEditAndNothingOfOpenFiles(_ name: String) async throws {
        let edits: [Edit] = [.changing, .emptying, .making]
        try await DaemonFixture.run { place in
            for edit in edits { try Tree.make(Edit.before, in: place.cloud + "/" + edit.rawValue) }
            try Tree.make(["open.txt": "open"], in: place.cloud)
        } _: { place in
            try place.start()
            try await place.add()
            _ = try Tree.read(place.mount)
            rename(place.cloud, place.cloud + "-away")
            for edit in edits { try edit.make(in: place.mount + "/" + edit.rawValue) }
            var open: FileDescriptor? = try .open(place.mount + "/open.txt", .readOnly)
            try Self.overwrite(place.data + "/" + name)
            #expect(try open?.readToEnd(limit: 100) == Array("open".utf8))
            // Each request gets a reply, regardless of its kind.
            _ = try? Tree.read(place.mount)
            open = nil
            place.kill()

            try place.start()
            try await place.mounted()
            rename(place.cloud + "-away", place.cloud)
            #expect(try place.purvey("retry", DaemonFixture.domain).ending == .exited(0))
            try await place.settled()
            // If the journal is lost, a new file whose name only the journal had is stored under another name.
            for edit in edits where name == "index.db" || edit != .making {
                try await place.holds(edit.after, at: edit.rawValue)
            }
            let tree = try Tree.read(place.cloud)
            #expect(tree.values.count { $0 == "made" } == 1)
            #expect(tree["open.txt"] == "open")
            place.stop()
        }
    }

    @Test func aDomainThatCannotBeStartedIsRemovedWithItsEditsKeptOrNotAtAll() async throws {
        try await DaemonFixture.run { place in
            try Tree.make(["inner": "folder", "inner/one.txt": "one", "two.txt": "two"], in: place.cloud)
        } _: { place in
            try place.start()
            try await place.add()
            _ = try Tree.read(place.mount)
            rename(place.cloud, place.cloud + "-away")
            try Files.write("precious", to: place.mount + "/inner/one.txt", O_RDWR)
            try Files.makeFolder(place.mount + "/made")
            try Files.write("new", to: place.mount + "/made/new.txt", O_WRONLY | O_CREAT)
            place.stop()
            // A file is at the place of a required directory.
            rename(place.data + "/uploads", place.data + "/uploads-away")
            try Tree.make(["uploads": "no folder"], in: place.data)

            try place.start()
            try await eventually("the domain is not started") { try await place.activity().domain.state == .failed }
            let refusal = try place.purvey("domains", "remove", DaemonFixture.domain)
            #expect(refusal.ending == .exited(1) && refusal.text.contains("--keep-edits"), "\(refusal)")
            let removal = try place.purvey("domains", "remove", DaemonFixture.domain, "--keep-edits")
            #expect(removal.ending == .exited(0), "\(removal)")
            let kept = try Tree.read(place.home + "/mounts Edits/" + DaemonFixture.domain)
            // Without an index, the names of the provider's directories are not known.
            #expect(kept["made/new.txt"] == "new" && kept.values.contains("precious"), "\(kept)")
            #expect(try place.purvey("domains").text.isEmpty)
            place.stop()
        }
    }
}

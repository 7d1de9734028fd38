import Exchange
import Foundation
import Glibc
import Testing

/// Tests of the sets of materialized and pending items, as a provider's own program sees them through a real daemon.
@Suite(.timeLimit(.minutes(20))) struct SetTests {
    @Test func aProgramListsWhatIsOnThisMachineAndFollowsIt() async throws {
        try await VaultFixture.run { place in
            let (_, app) = try await place.appWithDomain(
                try place.makeService(["a.txt": "hello\n", "b.txt": "other\n", "c.txt": "third\n"]))
            #expect(try await app.ask("list main materialized", "list").isEmpty)
            #expect(try await app.ask("changes main materialized", "changes") == "begun")
            for name in ["a.txt", "b.txt"] { try await app.ask("download main \(name)", "download done") }
            #expect(try await app.ask("list main materialized", "list") == "a.txt+ b.txt+")
            #expect(try await app.ask("changes main materialized", "changes") == "a.txt+ b.txt+")
            #expect(try await app.ask("changes main materialized", "changes").isEmpty)
            try await app.ask("evict main a.txt", "evict done")
            #expect(try await app.ask("changes main materialized", "changes") == "-a.txt")
            #expect(try await app.ask("list main materialized", "list") == "b.txt+")
            // The next daemon knows the set, too, and the enumerator works on.
            await place.daemon.stop()
            try await place.daemon.start()
            #expect(try await app.ask("changes main materialized", "changes").isEmpty)
        }
    }

    @Test func aProgramSeesWhatWaitsToBeSentAndHowMuchOfItThereIs() async throws {
        try await VaultFixture.run { place in
            let (folder, app) = try await place.appWithDomain(try place.makeService(["a.txt": "hello\n"]))
            let mount = place.daemon.locations.mounts + "/Papers"
            #expect(await place.contents(mount + "/a.txt") == "hello\n")
            #expect(try await app.ask("list main pending", "list").isEmpty)
            #expect(try await app.ask("progress main uploading", "progress") == "1/1 0")
            try await app.ask("disconnect-domain main holidays", "disconnect-domain done")
            try await offPool {
                try Data("edited".utf8).write(to: URL(fileURLWithPath: mount + "/a.txt"), options: [])
            }
            #expect(try await app.ask("list main pending", "list") == "a.txt+")
            try await eventually { try await app.ask("progress main uploading", "progress") == "0/6 1" }
            try await app.ask("connect-domain main", "connect-domain done")
            try await app.ask("settle main a.txt", "settle done")
            #expect(await place.contents(folder + "/a.txt") == "edited")
            #expect(try await app.ask("list main pending", "list").isEmpty)
            try await eventually { try await app.ask("progress main uploading", "progress") == "1/1 0" }
        }
    }

    @Test func aProgramSeesADownloadUntilItsEnd() async throws {
        try await VaultFixture.run { place in
            let (folder, app) = try await place.appWithDomain(try place.makeService(["held.txt": "held back"]))
            #expect(try await app.ask("progress main downloading", "progress") == "1/1 0")
            app.tell("download main held.txt")
            try await eventually { try await app.ask("progress main downloading", "progress") == "0/9 1" }
            try Data().write(to: URL(fileURLWithPath: folder + "/.go"))
            #expect(try await app.hear("download") == "done")
            try await eventually { try await app.ask("progress main downloading", "progress") == "1/1 0" }
        }
    }

    @Test func aProgramHasContentsHandedOverAgain() async throws {
        try await VaultFixture.run { place in
            let (folder, app) = try await place.appWithDomain(
                try place.makeService(["a.txt": "hello\n", "b.txt": "other\n"]))
            try await app.ask("download main a.txt", "download done")
            for name in ["a.txt", "b.txt"] { #expect(try await app.ask("modify main \(name)", "modify") == "done") }
            try await app.ask("settle main a.txt", "settle done")
            #expect(place.notes(folder).contains("changed a.txt"))
            // A dataless file cannot be uploaded again, and is not fetched for that.
            #expect(!place.notes(folder).contains("start b.txt") && !place.notes(folder).contains("changed b.txt"))
            #expect(await place.contents(folder + "/a.txt") == "hello\n")
            #expect(
                try await app.ask("modify main none", "modify").hasPrefix("failed NSFileProviderErrorDomain -1005"))
        }
    }

    @Test func anExtensionAsksTheSameOfItsOwnDomain() async throws {
        try await VaultFixture.run { place in
            let (folder, app) = try await place.appWithDomain(
                try place.makeService(["ask.txt": "?", "b.txt": "other\n"]))
            try await app.ask("add second Others \(try place.makeService(named: "other"))", "add done")
            let mount = place.daemon.locations.mounts + "/Papers"
            #expect(await place.contents(mount + "/ask.txt") == "?")
            try await offPool {
                try Data("!".utf8).write(to: URL(fileURLWithPath: mount + "/ask.txt"), options: [])
            }
            // A request for a missing item fails.
            await eventually { place.notes(folder).contains("asked -1005") }
            let notes = place.notes(folder)
            #expect(notes.contains("here ask.txt b.txt") && notes.contains("there ask.txt"), "\(notes)")
            #expect(notes.contains("visible \(mount)/b.txt b.txt") && notes.contains("domains main second"), "\(notes)")
            // Only the domain's program may disconnect it, so the extension's call is refused.
            #expect(notes.contains("refused \(CocoaError.featureUnsupported.rawValue)"), "\(notes)")
            // The extension's state of the domain is its own, and is removed with the domain.
            let state = try #require(notes.first { $0.hasPrefix("state ") }?.dropFirst(6)).description
            #expect(await place.contents(state + "/note") == "kept")
            #expect(try await app.ask("remove main", "remove") == "nothing")
            #expect(!FileManager.default.fileExists(atPath: state))
            #expect(FileManager.default.fileExists(atPath: (state as NSString).deletingLastPathComponent))
        }
    }

    @Test func aProgramIsNotifiedOfChangesInWhatItHasAskedFor() async throws {
        try await VaultFixture.run { place in
            let (_, app) = try await place.appWithDomain(
                try place.makeService(["a.txt": "hello\n", "b.txt": "other\n"]))
            for set in ["materialized", "pending"] { try await app.ask("list main \(set)", "list") }
            _ = try await app.ask("notified materialized", "notified")
            try await app.ask("download main a.txt", "download done")
            try await eventually { try await app.ask("notified materialized", "notified") != "0" }
            #expect(try await app.ask("notified pending", "notified") == "0")
            let mount = place.daemon.locations.mounts + "/Papers"
            try await offPool {
                try Data("edited".utf8).write(to: URL(fileURLWithPath: mount + "/a.txt"), options: [])
            }
            try await eventually { try await app.ask("notified pending", "notified") != "0" }
            // The subscription continues with the next daemon, which it does not start by itself.
            _ = try await app.ask("notified materialized", "notified")
            await place.daemon.stop()
            try await place.daemon.start()
            try await eventually { try await app.ask("notified materialized", "notified") != "0" }
            try await app.ask("download main b.txt", "download done")
            try await eventually { try await app.ask("notified materialized", "notified") != "0" }
        }
    }
}

import CoordinationService
import DaemonTesting
import DomainMessages
import Exchange
import FileProvider
import Foundation
import Testing

/// Tests of edits that programs make in a provider's document storage: each edit reaches the provider whole, and no
/// concurrent change overwrites it. The programs, the daemon and the provider are separate processes.
@Suite(.timeLimit(.minutes(20))) struct StoredEditTests {
    /// Serves a file with the provider that serves directories.
    ///
    /// - Parameter megabytes: The size of a disk of its own for the served directory.
    private func serving(
        megabytes: Int? = nil,
        _ body: (VaultFixture, PeerProcess, _ word: String, _ cloud: String, FullDisk?) async throws -> Void
    ) async throws {
        try await VaultFixture.run(by: ("LocalFolder", "LocalFolderExtension")) { place in
            let cloud = place.daemon.work + "/cloud"
            let disk = try await offPool { try megabytes.map { try FullDisk(megabytes: $0, at: cloud) } }
            defer { disk?.unmount() }
            _ = try place.makeService(["a.txt": "hello"], named: "cloud")
            let app = try place.app()
            try await app.ask("add main Papers \(cloud)", "add done")
            let found = try await app.ask("identify \(place.mounted("a.txt"))", "identify")
            let identifier = try #require(found.split(separator: " ").first)
            try await body(place, app, place.word("\(identifier)/a.txt"), cloud, disk)
        }
    }

    /// Serves a file and another one called `other.txt`, with the provider that coordinates its own accesses.
    ///
    /// - Parameters:
    ///   - turnTime: The number of seconds that the provider waits for its turn. The default exceeds any test's
    ///     duration.
    ///   - providingTime: The number of seconds before the provider is notified of files that are no longer used.
    private func servingVault(
        _ name: String, turnTime: Double = 600, providingTime: Double = 600,
        _ body: (VaultFixture, PeerProcess, _ word: String, _ service: String) async throws -> Void
    ) async throws {
        let variables = [
            "PURVEY_NOTING_TIME=600", "PURVEY_PROVIDING_TIME=\(providingTime)", "PURVEY_TURN_TIME=\(turnTime)",
        ]
        try await VaultFixture.run(variables: variables) { place in
            let service = try place.makeService([name: "hello", "other.txt": "other"])
            let app = try place.app()
            try await app.ask("add main Papers \(service)", "add done")
            try await body(place, app, place.word(name), service)
        }
    }

    // MARK: The provider of directories

    @Test func anEditSurvivesThatAnotherProgramAsksForTheFile() async throws {
        try await serving { place, app, word, cloud, _ in
            try await app.ask("edit \(word) one two", "editing")
            let other = try place.app()
            other.tell("read \(word)")
            try await place.hasClaims(2, of: app, other)
            app.tell("release")
            #expect(try await app.hear("edit ") == "done")
            #expect(try await other.hear("read ") == "onetwo")
            #expect(await place.contents(cloud + "/a.txt") == "onetwo")
        }
    }

    @Test func anEditAndWhatOthersHaveWrittenMeanwhileBothStay() async throws {
        try await serving { place, app, word, cloud, _ in
            try await app.ask("edit \(word) one two", "editing")
            try Data("theirs".utf8).write(to: URL(fileURLWithPath: cloud + "/a.txt"))
            let other = try place.app()
            other.tell("read \(word)")
            try await place.hasClaims(2, of: app, other)
            app.tell("release")
            #expect(try await app.hear("edit ") == "done")
            try await other.hear("read ")
            let files = try FileManager.default.contentsOfDirectory(atPath: cloud).filter { !$0.hasPrefix(".") }
            #expect(files.count == 2, "\(files)")
            let copy = try #require(files.first { $0.contains("conflicted copy") })
            #expect(await place.contents(cloud + "/" + copy) == "onetwo")
            #expect(await place.contents(cloud + "/a.txt") == "theirs")
            #expect(try await other.ask("read \(word)", "read") == "theirs")
        }
    }

    @Test(.enabled(if: FullDisk.isWanted)) func anEditForWhichThereIsNoRoomIsShownAndTriedAgain() async throws {
        try await serving(megabytes: 1) { place, app, word, cloud, disk in
            let full = try #require(disk)
            try full.fill()
            #expect(try await app.ask("write \(word) edited", "write") == "hello")
            let item = ItemPlace(text: "a.txt", path: place.mounted("a.txt"))
            try await eventually { try await place.daemon.client.call(DescribeItemCall(place: item)).state == .error }
            // Readers get the edit, and not the contents in the served directory.
            #expect(try await app.ask("read \(word)", "read") == "edited")
            #expect(await place.contents(cloud + "/a.txt") == "hello")
            try full.makeRoom()
            await eventually { await place.contents(cloud + "/a.txt") == "edited" }
            try await eventually { try await place.daemon.client.call(DescribeItemCall(place: item)).state != .error }
        }
    }

    // MARK: Every provider

    @Test func writesOfTheMountDoNotReplaceAnEditUnderWay() async throws {
        try await servingVault("a.txt") { place, app, word, service in
            let mounted = place.mounted("a.txt")
            #expect(await place.contents(mounted) == "hello")
            try await app.ask("edit \(word) one two", "editing")
            try await offPool { try Data("mine".utf8).write(to: URL(fileURLWithPath: mounted)) }
            // The engine's claim waits.
            try await place.hasClaims(2, of: app)
            app.tell("release")
            #expect(try await app.hear("edit ") == "done")
            await eventually { await place.contents(service + "/a.txt") == "onetwo" }
            let folder = (mounted as NSString).deletingLastPathComponent
            await eventually {
                let names = await offPool { try? FileManager.default.contentsOfDirectory(atPath: folder) } ?? []
                guard let copy = names.first(where: { $0.contains("conflicted copy") }) else { return false }
                return await place.contents(folder + "/" + copy) == "mine"
            }
            await eventually { await place.contents(mounted) == "onetwo" }
        }
    }

    @Test func theMountIsNotReadFromTheMiddleOfAnEdit() async throws {
        try await servingVault("a.txt") { place, app, word, _ in
            try await app.ask("edit \(word) one two", "editing")
            let other = try place.app()
            other.tell("download main a.txt")
            try await place.hasClaims(2, of: app, other)
            app.tell("release")
            #expect(try await app.hear("edit ") == "done")
            #expect(try await other.hear("download ") == "done")
            #expect(await place.contents(place.mounted("a.txt")) == "onetwo")
        }
    }

    @Test func aFileThatAProgramHoldsOpenIsReadFromTheMountAsItIs() async throws {
        try await servingVault("a.txt", turnTime: 0.1) { place, app, word, _ in
            try await app.ask("edit \(word) one two", "editing")
            let middle = await place.contents(place.mounted("a.txt"))
            #expect(middle == "one")
            app.tell("release")
            #expect(try await app.hear("edit ") == "done")
            await eventually { await place.contents(place.mounted("a.txt")) == "onetwo" }
        }
    }

    @Test func othersUseWhatWasWrittenWhenTheProviderKnows() async throws {
        try await servingVault("told.txt", providingTime: 0.1) { place, app, word, service in
            #expect(try await app.ask("hold \(place.word("other.txt"))", "holding") == "other")
            #expect(try await app.ask("write \(word) edited", "write") == "hello")
            await eventually { place.notes(service).contains("telling told.txt") }
            let other = try place.app()
            other.tell("hold \(word)")
            try await place.hasClaims(3, of: other)
            // The writing program may end. Its end is complete when the provider is notified that the other file is
            // unused.
            await app.end()
            await eventually { place.notes(service).contains("stop other.txt") }
            #expect(try await place.daemon.client.call(CountClaimsCall(), attempts: 3).count == 3)
            #expect(!place.notes(service).contains("changed told.txt"))
            try Data().write(to: URL(fileURLWithPath: service + "/.go"))
            #expect(try await other.hear("holding ") == "edited")
            #expect(place.notes(service).contains("changed told.txt"))
        }
    }

    @Test func readsOfTheMountDoNotReleaseUnreportedEdits() async throws {
        try await servingVault("told.txt") { place, app, word, service in
            #expect(try await app.ask("write \(word) edited", "write") == "hello")
            await eventually { place.notes(service).contains("telling told.txt") }
            let other = try place.app()
            other.tell("hold \(word)")
            try await place.hasClaims(2, of: app, other)
            let third = try place.app()
            third.tell("download main told.txt")
            // The third program waits as the second does.
            try await place.hasClaims(3, of: other, third)
            #expect(!place.notes(service).contains("changed told.txt"))
            try Data().write(to: URL(fileURLWithPath: service + "/.go"))
            #expect(try await other.hear("holding ") == "edited")
            #expect(place.notes(service).contains("changed told.txt"))
            #expect(try await third.hear("download ") == "done")
            #expect(await place.contents(place.mounted("told.txt")) == "edited")
        }
    }

    @Test func aProviderThatReadsReportedItemsIsNotWaitedFor() async throws {
        try await servingVault("turns.txt") { place, app, word, service in
            #expect(try await app.ask("write \(word) edited", "write") == "hello")
            await eventually { place.notes(service).contains("changed turns.txt") }
            #expect(await place.contents(service + "/turns.txt") == "edited")
            try await place.hasClaims(0)
        }
    }
}

extension VaultFixture {
    /// Returns the path of an item in the mount of the domain Papers.
    fileprivate func mounted(_ name: String) -> String { daemon.locations.mounts + "/Papers/" + name }
}

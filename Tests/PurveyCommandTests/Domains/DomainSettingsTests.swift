import Foundation
import Glibc
import ProgramTesting
import ScriptableService
import Testing

/// Tests of a domain's settings, and of how the commands report them.
@Suite(.timeLimit(.minutes(20))) struct DomainSettingsTests {
    private func object(_ outcome: CommandFixture.Outcome) throws -> [String: Any] {
        try #require(outcome.status == 0, "\(outcome.errors)")
        return try #require(try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any])
    }

    /// Returns the domain's part of `purvey status --json`.
    private func status(_ place: CommandFixture) async throws -> [String: Any] {
        let domains = try object(try await place.purvey("status", "--json"))["domains"] as? [[String: Any]]
        return try #require(domains?.first)
    }

    @Test func theCacheIsLimitedAsTheUserSaysAndAtOnceWhenThatChanges() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            let large = String(repeating: "x", count: 300_000)
            for name in ["1", "2", "3"] { try await cloud.write(large, to: cloud.cloud + "/inner/\(name)") }
            let added = try object(
                try await place.purvey(
                    "domains", "add", "--json", "org.purvey.LocalFolder", "Papers", "path=" + cloud.cloud, "cache=700K")
            )
            #expect(added["cacheLimit"] as? Int == 700 << 10 && added["mount"] as? String == cloud.mount)
            #expect((added["settings"] as? [String: String])?["cache"] == "700K")
            for name in ["1", "2", "3"] {
                #expect(await cloud.contents(cloud.mount + "/inner/" + name)?.utf8.count == 300_000)
            }
            func here() async throws -> Int {
                let listed = try await place.purvey("ls", "Papers:inner").text
                return listed.split(separator: "\n").count { $0.hasPrefix("current ") }
            }
            try await cloud.eventually("one of three has gone") { try await here() == 2 }
            #expect(try await status(place)["cache"] as? [String: Int] == ["used": 600_000, "limit": 700 << 10])
            #expect(try await place.purvey("status").text.contains("   cache: 585.9 KiB of 700 KiB\n"))

            let set = try object(try await place.purvey("domains", "set", "--json", "Papers", "cache=500K"))
            #expect(set["cacheLimit"] as? Int == 500 << 10)
            #expect(try await here() == 1)
            // Pinned contents do not count towards the limit.
            #expect(try await place.purvey("keep", "Papers:inner").status == 0)
            #expect(try await here() == 4)
            #expect(try await place.purvey("evict", "Papers:inner").status == 0)

            // The limit outlives a restart, until it is reset.
            try await cloud.end()
            #expect(try await status(place)["cache"] as? [String: Int] == ["used": 0, "limit": 500 << 10])
            #expect(try await place.purvey("domains", "set", "Papers", "cache=").status == 0)
            #expect(try await status(place)["cache"] as? [String: Int] == ["used": 0, "limit": 10 << 30])
            let removed = try await place.purvey("domains", "remove", "--json", "Papers")
            #expect(try object(removed)["edits"] is NSNull && object(removed)["name"] as? String == "Papers")
        }
    }

    @Test func theUsersDecisionReachesTheProvider() async throws {
        try await ServiceFixture.run { place in
            try await place.succeed(
                "domains", "add", StartedCloud.providerIdentifier, "Behind", "path=" + place.cloud.folder,
                "sends=behind")
            try await place.tell { try $0.put("a.txt", "old") }
            let file = place.place.home + "/mounts/Behind/a.txt"
            try await place.eventually("it is there") {
                await offPool { try? String(contentsOfFile: file, encoding: .utf8) } == "old"
            }
            try await place.tell { try $0.add(CloudRule(.hold, on: .replace)) }
            try await onThread { try Data("new".utf8).write(to: URL(fileURLWithPath: file)) }
            try await place.eventually("it was taken and is being sent") {
                let stat = try await place.succeed("stat", "--json", "Behind:a.txt")
                let item = try JSONSerialization.jsonObject(with: stat.output) as? [String: Any]
                return item?["sent"] as? Int == 3
            }
            try await place.tell { try $0.removeRules() }
        }
    }

    @Test func aContainerThatIsNotThereCannotBeSignalled() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            let unknown = try await place.purvey("signal", "Papers", "nope")
            #expect(unknown.status == 1)
            #expect(unknown.errors.hasPrefix("purvey: signal: Papers has no container \"nope\"; "), "\(unknown.errors)")
            let file = try object(try await place.purvey("stat", "--json", "Papers:a.txt"))
            let noFolder = try await place.purvey("signal", "Papers", try #require(file["identifier"] as? String))
            #expect(noFolder.status == 1 && noFolder.errors.contains("is not a container"), "\(noFolder.errors)")
            let folder = try object(try await place.purvey("stat", "--json", "Papers:inner"))
            for container in [
                try #require(folder["identifier"] as? String), "NSFileProviderRootContainerItemIdentifier",
                "NSFileProviderWorkingSetContainerItemIdentifier",
            ] {
                let outcome = try await place.purvey("signal", "Papers", container)
                #expect(outcome.status == 0, "\(outcome.errors)")
            }
        }
    }

    @Test func aMissingFolderIsReportedEverywhere() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            #expect(try await place.purvey("ls", "Papers:").status == 0)
            rename(cloud.cloud, cloud.cloud + "-away")
            let gone =
                "the folder that was handed to its provider is missing: \(cloud.cloud): No such file or directory "
                + "(mount its disk, or move it back, and everything goes on by itself)"
            #expect(try await status(place)["errors"] as? [String] == [gone])
            #expect(try await place.purvey("status").text.contains("   error: \(gone)\n"))
            #expect(try await place.purvey("domains").text.contains(gone))
            let download = try await place.purvey("download", "Papers:a.txt")
            #expect(download.status == 1)
            #expect(
                download.errors.hasPrefix(
                    "purvey: download: Papers:a.txt: it cannot be fetched: the folder \(cloud.cloud) "),
                "\(download.errors)")
            for command in ["ls", "stat"] {
                let unlisted = try await place.purvey(command, "Papers:inner/b.txt")
                #expect(unlisted.status == 1)
                #expect(unlisted.errors.hasPrefix("purvey: \(command): Papers:inner/b.txt: "), "\(unlisted.errors)")
                #expect(unlisted.errors.contains(cloud.cloud), "\(unlisted.errors)")
            }
            let (read, reason) = await offPool { () -> (Int, CInt) in
                let file = open(cloud.mount + "/a.txt", O_RDONLY)
                defer { close(file) }
                var byte: UInt8 = 0
                let count = Glibc.read(file, &byte, 1)
                return (count, errno)
            }
            #expect(read == -1 && reason == EIO)
            rename(cloud.cloud + "-away", cloud.cloud)
            #expect(try await place.purvey("retry", "Papers").status == 0)
            try await cloud.eventually("all is well again") {
                (try await status(place)["errors"] as? [String])?.isEmpty == true
            }
            #expect(await cloud.contents(cloud.mount + "/a.txt") == "hello\n")
        }
    }

    @Test func aNewFileHasATypeAndFoldersAreCurrent() async throws {
        try await ServiceFixture.run { place in
            try await place.tell { try $0.add(CloudRule(.hold, on: .create)) }
            try await place.write("new", to: "new.txt")
            let item = try await place.item("new.txt")
            #expect(item["type"] as? String == "public.plain-text" && item["isUploaded"] as? Bool == false)
            try await place.tell { try $0.removeRules() }
            let made = place.mount + "/folder"
            #expect(await offPool { mkdir(made, 0o755) } == 0)
            try await place.eventually("the folder is sent") {
                try await place.item("folder")["isUploaded"] as? Bool == true
            }
            #expect(try await place.item("folder")["state"] as? String == "current")
            #expect(await place.attribute("user.purvey.state", of: "folder") == "current")
            #expect(try await place.item("folder")["kept"] as? Bool == false)
        }
    }

    @Test func theStatusHasSettingsThatTheProviderDoesNotKnow() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            #expect(try await place.purvey("ls", "Papers:").status == 0)
            // The stopped extension accepts nothing.
            let stopped = try await cloud.stopExtension()
            #expect(try await place.purvey("tag", "Papers:a.txt", "Red").text == "Red\n")
            #expect(try await place.purvey("favorites", "add", "Papers:inner").status == 0)
            let marks = try await status(place)["marks"] as? [String: Int]
            #expect(marks?.values.reduce(0, +) == 2, "\(marks ?? [:])")
            #expect(try await place.purvey("status").text.contains("   tags, favorites, dates and attributes: "))
            for process in stopped { kill(process, SIGCONT) }
            try await cloud.eventually("the provider knows") {
                try await status(place)["marks"] as? [String: Int] == ["waiting": 0, "inFlight": 0]
            }
        }
    }

    @Test func helpHasNoBlanksAtLineEnds() async throws {
        try await CommandFixture.run { place in
            let commands = try await place.purvey("--help").text.split(separator: "\n").compactMap { line in
                line.hasPrefix("  ") && !line.hasPrefix("   ") ? line.split(separator: " ").first : nil
            }
            #expect(commands.count > 20)
            for command in commands {
                let help = try await place.purvey(String(command), "--help").text
                #expect(!help.isEmpty && !help.contains(" \n"), "\(command)")
            }
        }
    }
}

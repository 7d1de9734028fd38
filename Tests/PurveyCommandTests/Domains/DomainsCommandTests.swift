import Foundation
import Glibc
import ProgramTesting
import Testing

/// Tests of domains from the command line, through a daemon, a confined provider and a real mount.
@Suite(.timeLimit(.minutes(20))) struct DomainsCommandTests {
    @Test func aFolderIsMountedListedFetchedEditedAndRemoved() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            let listed = try await place.purvey("domains", "--json")
            let domain = try (JSONSerialization.jsonObject(with: listed.output) as? [[String: Any]])?.first
            #expect(domain?["mount"] as? String == cloud.mount)
            #expect(domain?["state"] as? String == "running" && domain?["error"] is NSNull)

            #expect(try await cloud.state("Papers:a.txt") == "dataless")
            #expect(await cloud.contents(cloud.mount + "/a.txt") == "hello\n")
            #expect(try await cloud.state(cloud.mount + "/a.txt") == "current")
            #expect(await cloud.contents(cloud.mount + "/inner/b.txt") == "deep\n")
            let names = try await place.purvey("ls", cloud.mount).text.split(separator: "\n")
            #expect(names.count == 2 && names[0].hasSuffix("  a.txt") && names[1].hasSuffix("  inner/"))

            try await cloud.write("edited\n", to: cloud.mount + "/a.txt")
            try await cloud.write("new\n", to: cloud.mount + "/inner/new.txt")
            try await cloud.eventually("the edits reach the folder") {
                let edited = await cloud.contents(cloud.cloud + "/a.txt")
                let made = await cloud.contents(cloud.cloud + "/inner/new.txt")
                return edited == "edited\n" && made == "new\n"
            }
            try await cloud.eventually("nothing is waiting") { try await isQuiet(place) }

            let removal = try await place.purvey("domains", "remove", "Papers")
            #expect(removal.status == 0 && removal.text.isEmpty, "\(removal.errors)")
            #expect(try await place.purvey("domains").text.isEmpty)
            #expect(!FileManager.default.fileExists(atPath: cloud.mount))
            #expect(try FileManager.default.contentsOfDirectory(atPath: place.home + "/data/domains") == [".lock"])
            // The items at the service stay.
            #expect(await cloud.contents(cloud.cloud + "/inner/new.txt") == "new\n")
        }
    }

    private func isQuiet(_ place: CommandFixture) async throws -> Bool {
        let outcome = try await place.purvey("status", "--json")
        let status = try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any]
        let domains = status?["domains"] as? [[String: Any]] ?? []
        return domains.allSatisfy { domain in
            let uploads = domain["uploads"] as? [String: Int]
            return uploads == ["waiting": 0, "inFlight": 0]
        }
    }

    @Test func bytesAreFetchedStoredAndDropped() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            let down = try await place.purvey("download", cloud.mount)
            #expect(down.status == 0, "\(down.errors)")
            #expect(try await cloud.state("Papers:a.txt") == "current")
            #expect(try await cloud.state("Papers:inner/b.txt") == "current")
            let up = try await place.purvey("evict", cloud.mount + "/inner", "Papers:a.txt")
            #expect(up.status == 0, "\(up.errors)")
            #expect(try await cloud.state("Papers:inner/b.txt") == "dataless")
            #expect(try await cloud.state("Papers:a.txt") == "dataless")
            #expect(try await place.purvey("keep", "Papers:inner/../a.txt").status == 0)
            let kept = try await place.purvey("stat", "Papers:a.txt").text
            #expect(kept.contains("state       current\nkept        yes\n"), "\(kept)")
            #expect(try await place.purvey("evict", "Papers:a.txt").status == 0)
            #expect(try await cloud.state("Papers:a.txt") == "dataless")
        }
    }

    @Test func aKeptFolderKeepsWhatComesIntoItUntilItIsEvictedItself() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            #expect(try await place.purvey("keep", cloud.mount + "/inner").status == 0)
            #expect(try await cloud.state("Papers:inner/b.txt") == "current")
            // One item comes from the service, and one by a local move.
            try await cloud.write("later\n", to: cloud.cloud + "/inner/later.txt")
            #expect(try await place.purvey("signal", "Papers").status == 0)
            #expect(await offPool { rename(cloud.mount + "/a.txt", cloud.mount + "/inner/a.txt") } == 0)
            for name in ["later.txt", "a.txt"] {
                try await cloud.eventually("\(name) is here") {
                    try await place.purvey("ls", "Papers:inner").text.split(separator: "\n").contains { line in
                        line.hasPrefix("current ") && line.hasSuffix("  \(name)  (kept)")
                    }
                }
            }
            let stat = try await place.purvey("stat", "Papers:inner/later.txt").text
            #expect(stat.contains("kept        with its folder\n"), "\(stat)")

            // Evicting the directory above or the file itself does not affect what is pinned by the directory between
            // them.
            #expect(try await place.purvey("evict", "Papers:").status == 0)
            #expect(try await cloud.state("Papers:inner/b.txt") == "current")
            let refused = try await place.purvey("evict", cloud.mount + "/inner/b.txt")
            #expect(
                refused.status == 1 && refused.errors.contains("kept with its folder Papers:inner"), "\(refused.errors)"
            )
            #expect(try await cloud.state("Papers:inner/b.txt") == "current")
            // The pin outlives a restart.
            try await cloud.end()
            try await cloud.write("last\n", to: cloud.cloud + "/inner/last.txt")
            #expect(try await place.purvey("signal", "Papers").status == 0)
            try await cloud.eventually("what came meanwhile is here") {
                let listed = try await place.purvey("ls", "Papers:inner").text
                return listed.contains("last.txt") && !listed.contains("dataless")
            }
            #expect(try await place.purvey("evict", "Papers:inner").status == 0)
            let listed = try await place.purvey("ls", "Papers:inner").text
            #expect(listed.contains("dataless") && !listed.contains("kept"), "\(listed)")
        }
    }

    @Test func remoteChangesAreSeen() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            #expect(await cloud.contents(cloud.mount + "/a.txt") == "hello\n")
            #expect(try await place.purvey("ls", "Papers:").status == 0)
            try await cloud.write("other\n", to: cloud.cloud + "/a.txt")
            try await cloud.write("more\n", to: cloud.cloud + "/c.txt")
            #expect(try await place.purvey("signal", "Papers").status == 0)
            try await cloud.eventually("the changes are seen") {
                let (changed, new) = (cloud.mount + "/a.txt", cloud.mount + "/c.txt")
                let seen = await cloud.contents(changed)
                let found = await cloud.contents(new)
                return seen == "other\n" && found == "more\n"
            }
        }
    }

    @Test func aFailedAddLeavesNothingAndRemovesNothing() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            func add(_ words: String...) async throws -> CommandFixture.Outcome {
                try await place.purvey(["domains", "add"] + words)
            }
            // Items in the directory that would be the mount point stay, and stay visible.
            try FileManager.default.createDirectory(atPath: cloud.mount, withIntermediateDirectories: true)
            try await cloud.write("mine", to: cloud.mount + "/mine.txt")
            let occupied = try await add("org.purvey.LocalFolder", "Papers", "path=" + cloud.cloud)
            #expect(occupied.status == 1)
            #expect(occupied.errors.contains("is not empty"), "\(occupied.errors)")
            #expect(await cloud.contents(cloud.mount + "/mine.txt") == "mine")

            for (words, reason) in [
                (["org.example.nothing", "Other"], "no extension"),
                (["org.purvey.LocalFolder", "Other"], "path=DIR"),
                (["org.purvey.LocalFolder", "Other", "path=/nonexistent"], "/nonexistent"),
                (["org.purvey.LocalFolder", "Other", "path=" + place.home], "is not for providers"),
                (["org.purvey.LocalFolder", "Other", "path=" + cloud.cloud, "path=/tmp"], "given twice"),
                (
                    ["org.purvey.LocalFolder", "Other", "pth=" + cloud.cloud],
                    "has no setting \"pth\" (did you mean 'path'?); there is path (the folder"
                ),
                (["org.purvey.LocalFolder", "Other", "path=" + cloud.cloud, "cache=much"], "is not a size for cache"),
                (["org.purvey.LocalFolder", ".hidden", "path=" + cloud.cloud], "cannot be the name"),
                (["org.purvey.LocalFolder", "a:b", "path=" + cloud.cloud], "cannot be the name"),
            ] {
                let outcome = try await place.purvey(["domains", "add"] + words)
                #expect(outcome.status == 1)
                #expect(outcome.errors.contains(reason), "\(words): \(outcome.errors)")
                #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
            }
            #expect(try await place.purvey("domains").text.isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: place.home + "/data/domains") == [".lock"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: place.home + "/mounts") == ["Papers"])
            #expect(try await add("org.purvey.LocalFolder").status == 2)
            #expect(try await add("org.purvey.LocalFolder", "Other", "path").status == 2)

            try FileManager.default.removeItem(atPath: cloud.mount + "/mine.txt")
            try await cloud.add()
            let again = try await add("org.purvey.LocalFolder", "Papers", "path=" + cloud.cloud)
            #expect(again.status == 1 && again.errors.contains("already"))
            #expect(await cloud.contents(cloud.mount + "/a.txt") == "hello\n")
            // A directory that existed before the domain remains after the domain is removed.
            #expect(try await place.purvey("domains", "remove", "Papers").status == 0)
            #expect(FileManager.default.fileExists(atPath: cloud.mount))
        }
    }

    @Test func editsThatTheServiceLacksKeepADomainOrAreCopiedOut() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            #expect(await cloud.contents(cloud.mount + "/inner/b.txt") == "deep\n")
            // The service cannot be reached, as its directory is away.
            rename(cloud.cloud, cloud.cloud + "-away")
            try await cloud.write("precious\n", to: cloud.mount + "/inner/b.txt")
            let refusal = try await place.purvey("domains", "remove", "Papers")
            #expect(refusal.status == 1)
            #expect(refusal.errors.contains("--keep-edits"), "\(refusal.errors)")
            #expect(await cloud.contents(cloud.mount + "/inner/b.txt") == "precious\n")
            let removal = try await place.purvey("domains", "remove", "Papers", "--keep-edits")
            #expect(removal.status == 0, "\(removal.errors)")
            let kept = String(removal.text.dropLast())
            #expect(kept == place.home + "/mounts Edits/Papers")
            #expect(await cloud.contents(kept + "/inner/b.txt") == "precious\n")
            #expect(try await place.purvey("domains").text.isEmpty)
        }
    }

    @Test func domainsComeBackWithTheDaemonAndOneThatIsDamagedHarmsNoOther() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            #expect(await cloud.contents(cloud.mount + "/a.txt") == "hello\n")
            try await cloud.end()
            #expect(!FileManager.default.fileExists(atPath: cloud.mount))
            let bad = place.home + "/data/domains/Bad"
            try FileManager.default.createDirectory(atPath: bad, withIntermediateDirectories: true)
            try Data("nonsense".utf8).write(to: URL(fileURLWithPath: bad + "/domain.plist"))
            try await cloud.eventually("the domain is mounted again") {
                try await place.purvey("domains").text.contains(cloud.mount)
            }
            #expect(try await cloud.state("Papers:a.txt") == "current")
            #expect(await cloud.contents(cloud.mount + "/a.txt") == "hello\n")
        }
    }

    @Test func aDaemonThatWasKilledLeavesNoDeadMountBehind() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            try await cloud.write("edited\n", to: cloud.mount + "/a.txt")
            try await cloud.end(by: SIGKILL)
            try await cloud.eventually("the domain is mounted again") {
                try await place.purvey("domains").text.contains(cloud.mount)
            }
            #expect(await cloud.contents(cloud.mount + "/a.txt") == "edited\n")
            try await cloud.eventually("the edit reaches the folder") {
                await cloud.contents(cloud.cloud + "/a.txt") == "edited\n"
            }
        }
    }

    @Test func aDomainsNameMeansTheSameInAMountAsOutsideOfIt() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            // The name of this file could also be read as a path in the domain.
            try await cloud.write("a note\n", to: cloud.cloud + "/Papers:a.txt")
            try await cloud.add()
            let outcome = try await place.shell(
                """
                cd '\(cloud.mount)/inner' && "$purvey" stat Papers:inner/b.txt && cd .. || exit
                "$purvey" stat Papers:a.txt && "$purvey" stat ./Papers:a.txt && "$purvey" ls Papers:
                """)
            try #require(outcome.status == 0, "\(outcome.errors)")
            let names = outcome.text.split(separator: "\n").filter { $0.hasPrefix("name ") }
            let last: [Substring] = names.compactMap { $0.split(separator: " ").last }
            #expect(last == ["b.txt", "a.txt", "Papers:a.txt"])
        }
    }

    @Test func commandsNeedNoMount() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.end()
            let start = try await place.shell(
                "PATH=\"$(dirname \"$purvey\"):$PATH\" purveyd --no-mount --socket \"$PURVEY_HOME/run/daemon.socket\"")
            #expect(start.status == 0, "\(start.errors)")
            let added = try await place.purvey(
                "domains", "add", "org.purvey.LocalFolder", "Papers", "path=" + cloud.cloud)
            #expect(added.status == 0 && added.text == "Papers\n", "\(added.errors)")
            #expect(!FileManager.default.fileExists(atPath: cloud.mount))
            #expect(try await place.purvey("ls", "Papers:inner").text.hasSuffix("  b.txt\n"))
            #expect(try await place.purvey("download", "Papers:").status == 0)
            #expect(try await cloud.state("Papers:inner/b.txt") == "current")
            let missing = try await place.purvey("stat", "Papers:inner/none")
            #expect(
                missing.status == 1
                    && missing.errors == "purvey: stat: Papers:inner/none: there is no such file or folder\n")
            #expect(try await place.purvey("ls", "/tmp").errors.contains("is in no domain"))
            #expect(try await place.purvey("signal", "Nothing").errors.contains("there is no domain"))
        }
    }
}

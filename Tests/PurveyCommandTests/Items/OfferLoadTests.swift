import Foundation
import Glibc
import ProgramTesting
import Testing

@Suite struct OfferLoadTests {
    @Test func dataInAFolderHasTheExtensionOfWhatItIs() async throws {
        try await CommandFixture.run { place in
            try place.write("not quite an image", to: "Ridge.png")
            let offer = try await place.offer("Ridge.png")
            try FileManager.default.createDirectory(atPath: place.path("out"), withIntermediateDirectories: true)
            let load = try await place.purvey("load", "--type", "public.image", "--as", "data", "-o", "out", "--json")
            let outcome = try JSONSerialization.jsonObject(with: load.output) as? [String: String]
            #expect(outcome == ["delivered": "data", "path": place.path("out/Ridge.png")])
            #expect(try place.read("out/Ridge.png") == "not quite an image")
            try await offer.end()
        }
    }

    @Test func offersArePrintedAsJSONOnRequest() async throws {
        try await CommandFixture.run { place in
            try place.write("text", to: "one.txt")
            let offer = try await place.offer("one.txt", "--json")
            let line = Data(try #require(offer.identifiers.first).utf8)
            let item = try JSONSerialization.jsonObject(with: line) as? [String: Any]
            #expect(item?["name"] as? String == "one.txt")
            #expect(item?["types"] as? [String] == ["public.plain-text"])
            let listed = try await place.purvey("list").text
            #expect(listed.contains(try #require(item?["identifier"] as? String)))
            try await offer.end()
        }
    }

    @Test func anOriginalIsNeverReplacedByALinkToItself() async throws {
        try await CommandFixture.run { place in
            try place.write("precious", to: "orig.txt")
            _ = try await place.offer("--in-place", "orig.txt")
            for target in [".", "orig.txt"] {
                let outcome = try await place.purvey("load", "--as", "in-place", "-o", target)
                #expect(outcome.status == 0, "\(outcome.errors)")
                #expect(try place.read("orig.txt") == "precious")
            }
            // A link to the file, with the name that was offered, is not replaced either.
            symlink("orig.txt", place.path("link.txt"))
            let offer = try await place.offer("--board", "links", "--in-place", "link.txt")
            #expect(try await place.purvey("load", "--board", "links", "--as", "in-place", "-o", ".").status == 0)
            #expect(try place.read("link.txt") == "precious")
            try await offer.end()
        }
    }

    @Test func anOfferedFileIsListedAndLoadedEachWay() async throws {
        try await CommandFixture.run { place in
            let file = try place.write("hello", to: "note.txt")
            let offer = try await place.offer("--in-place", "note.txt")
            let list = try await place.purvey("list")
            #expect(list.text.hasPrefix("1  \(offer.identifiers[0])  note.txt\n"))

            for (way, word) in [("data", "data"), ("copy", "copy"), ("in-place", "in place")] {
                let load = try await place.purvey("load", "--as", way, "-o", "out-\(way)")
                #expect(load.status == 0)
                #expect(load.text == word + "\n")
                #expect(load.errors.isEmpty)
                #expect(try place.read("out-\(way)") == "hello")
            }
            // In place, the result is a link to the file itself.
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: place.path("out-in-place")) == file)
            let direct = try await place.purvey("load", "-o", "-")
            #expect(direct.text == "hello")
            #expect(direct.errors == "data\n")
            #expect(try await offer.end() == 0)
            #expect(try await place.purvey("list").text.isEmpty)
        }
    }

    @Test func withoutInPlaceTheOriginalIsNotGivenOut() async throws {
        try await CommandFixture.run { place in
            try place.write("hello", to: "note.txt")
            _ = try await place.offer("note.txt")
            let load = try await place.purvey("load", "--as", "in-place", "-o", "out.txt")
            #expect(load.text == "copy\n")
            #expect(try place.read("out.txt") == "hello")
            // A link needs a destination.
            let nowhere = try await place.purvey("load", "--as", "in-place")
            #expect(nowhere.status == 1)
            #expect(nowhere.errors.contains("-o PATH"))
        }
    }

    @Test(arguments: ["data", "copy", "in-place"])
    func aDeviceIsWrittenToAndNeverReplaced(way: String) async throws {
        try await CommandFixture.run { place in
            try place.write("hello", to: "note.txt")
            _ = try await place.offer("--in-place", "note.txt")
            let load = try await place.purvey("load", "--as", way, "-o", "/dev/full")
            #expect(load.status == 1)
            #expect(load.errors.contains("/dev/full"))
            var status = stat()
            #expect(stat("/dev/full", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
        }
    }

    @Test func oneItemInSeveralRepresentationsBestFirst() async throws {
        try await CommandFixture.run { place in
            try place.write("png", to: "a.png")
            try place.write("jpeg", to: "a.jpg")
            let offer = try await place.offer(
                "--name", "Sunrise", "--as", "public.png=a.png", "--as=public.jpeg=a.jpg", "--board", "art")
            let listed = try await place.purvey("list", "--board", "art", "--json")
            let items = try JSONSerialization.jsonObject(with: listed.output) as? [[String: Any]]
            #expect(items?.count == 1)
            #expect(items?.first?["identifier"] as? String == offer.identifiers[0])
            #expect(items?.first?["name"] as? String == "Sunrise")
            #expect(items?.first?["types"] as? [String] == ["public.png", "public.jpeg"])
            // Without --type the best type is loaded, and with it the best that conforms.
            #expect(try await place.purvey("load", "--board", "art", "-o", "-").text == "png")
            #expect(try await place.purvey("load", "--board", "art", "--type", "public.jpeg", "-o", "-").text == "jpeg")
            #expect(try await place.purvey("load", "--board", "art", "--type", "public.image", "-o", "-").text == "png")
            // In a directory, the file gets its own name.
            _ = try await place.purvey("load", "--board", "art", "--item", offer.identifiers[0], "-o", ".")
            #expect(try place.read("Sunrise.png") == "png")
        }
    }

    @Test func severalFilesAreSeveralItems() async throws {
        try await CommandFixture.run { place in
            try place.write("one", to: "one.txt")
            try FileManager.default.createDirectory(
                atPath: place.path("folder/deep"), withIntermediateDirectories: true)
            try place.write("two", to: "folder/deep/two.txt")
            let offer = try await place.offer("one.txt", "folder", items: 2)
            #expect(try await place.purvey("load", "--item", "1", "-o", "-").text == "one")
            #expect(try await place.purvey("load", "--item", "2", "-o", "tree").text == "copy\n")
            #expect(try place.read("tree/deep/two.txt") == "two")
            #expect(
                try await place.purvey("load", "--item", offer.identifiers[1], "--as", "data", "-o", "tree.zip").text
                    == "data\n")
            #expect(try Data(contentsOf: URL(fileURLWithPath: place.path("tree.zip"))).starts(with: Data("PK".utf8)))
            // The first item that has the type is loaded.
            #expect(try await place.purvey("load", "--type", "public.folder", "-o", "again").text == "copy\n")
        }
    }

    @Test func onceEndsAfterTheFirstLoad() async throws {
        try await CommandFixture.run { place in
            try place.write("hello", to: "note.txt")
            let offer = try await place.offer("--once", "note.txt")
            #expect(try await place.purvey("load", "-o", "-").text == "hello")
            #expect(try await offer.exit() == 0)
        }
    }

    @Test func failuresPrintOneLineAndLeaveNothing() async throws {
        try await CommandFixture.run { place in
            try place.write("hello", to: "note.txt")
            _ = try await place.offer("note.txt")
            let cases: [([String], Int32, String)] = [
                (["load", "--type", "public.png", "-o", "x"], 1, "public.png"),
                (["load", "--item", "2", "-o", "x"], 1, "no item 2"),
                (["load", "--item", "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "-o", "x"], 1, "E621E1F8"),
                (["load", "--board", "empty", "-o", "x"], 1, "nothing is offered"),
                (["load", "-o", "missing/x"], 1, "missing/x"),
                (["load"], 2, "-o PATH"),
                (["load", "--as", "carrier-pigeon", "-o", "x"], 2, "carrier-pigeon"),
                (["load", "--as", "copy", "-o", "-"], 2, "--as copy cannot be used with -o -"),
                (["load", "--item", "x", "-o", "x"], 2, "--item"),
                (["offer"], 2, "name the files"),
                (["offer", "missing.txt"], 1, "missing.txt"),
                (["offer", "--visibility", "nobody", "note.txt"], 2, "nobody"),
                (["offer", "--as", "public.png"], 2, "public.png"),
                (["offer", "--as", "public.png=note.txt", "note.txt"], 2, "note.txt"),
                (["offer", "--board", String(repeating: "b", count: 300), "note.txt"], 1, "255 bytes"),
                (["list", "--nonsense"], 2, "--nonsense"),
                (["list", "extra"], 2, "extra"),
                (["paste"], 1, "empty"),
                (["copy", "missing.txt"], 1, "missing.txt"),
                (["bundles", "register"], 2, "one folder"),
                (["bundles", "register", "."], 1, "Info.plist"),
                (["bundles", "frobnicate"], 2, "frobnicate"),
            ]
            for (arguments, status, words) in cases {
                let outcome = try await place.purvey(arguments)
                #expect(outcome.status == status, "\(arguments)")
                #expect(outcome.errors.contains(words), "\(arguments): \(outcome.errors)")
                #expect(outcome.errors.count { $0 == "\n" } == 1, "\(arguments): \(outcome.errors)")
                #expect(outcome.output.isEmpty, "\(arguments)")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: place.home + "/work") == ["note.txt"])
        }
    }

    @Test func anExistingFileIsReplacedAndAFolderIsNot() async throws {
        try await CommandFixture.run { place in
            try place.write("hello", to: "note.txt")
            _ = try await place.offer("note.txt")
            try place.write("old", to: "out.txt")
            #expect(try await place.purvey("load", "-o", "out.txt").status == 0)
            #expect(try place.read("out.txt") == "hello")
            try place.write("old", to: "out.txt")
            #expect(try await place.purvey("load", "--as", "data", "-o", "out.txt").status == 0)
            #expect(try place.read("out.txt") == "hello")
            try FileManager.default.createDirectory(
                atPath: place.path("folder/note.txt"), withIntermediateDirectories: true)
            #expect(try await place.purvey("load", "-o", "folder", "--force").status == 1)
            #expect(try await place.purvey("load", "-o", "folder").status == 0)
            #expect(try place.read("folder/note 2.txt") == "hello")
        }
    }

    @Test func everyCommandExplainsItself() async throws {
        try await CommandFixture.run { place in
            for command in ["offer", "list", "load", "copy", "paste", "bundles"] {
                for word in ["--help", "-h"] {
                    let help = try await place.purvey(command, word)
                    #expect(help.status == 0)
                    #expect(help.text.hasPrefix("usage: purvey \(command)"))
                }
            }
        }
    }
}

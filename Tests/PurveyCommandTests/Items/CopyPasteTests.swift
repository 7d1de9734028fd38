import Foundation
import Glibc
import ProgramTesting
import Testing

@Suite struct CopyPasteTests {
    @Test func standardInputComesBackAfterItsProcessHasEnded() async throws {
        try await CommandFixture.run { place in
            #expect(try await place.purvey("copy", input: Data("grüße\n".utf8)).status == 0)
            #expect(try await place.purvey("paste").text == "grüße\n")
            #expect(try await place.purvey("paste").text == "grüße\n")
            let list = try await place.purvey("list", "--board", "general", "--json")
            let items = try JSONSerialization.jsonObject(with: list.output) as? [[String: Any]]
            #expect(items?.first?["types"] as? [String] == ["public.utf8-plain-text"])
            // A later copy replaces the earlier one.
            let large = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0) })
            _ = try await place.purvey("copy", input: large)
            #expect(try await place.purvey("paste").output == large)
        }
    }

    @Test func emptyInputIsAnEmptyItem() async throws {
        try await CommandFixture.run { place in
            #expect(try await place.purvey("copy", input: Data()).status == 0)
            let paste = try await place.purvey("paste")
            #expect(paste.status == 0)
            #expect(paste.output.isEmpty)
        }
    }

    @Test func copiedFilesCanBePastedWhenTheyAreGone() async throws {
        try await CommandFixture.run { place in
            try place.write("one", to: "one.txt")
            try place.write("two", to: "two.txt")
            #expect(try await place.purvey("copy", "one.txt", "two.txt").status == 0)
            unlink(place.path("one.txt"))
            #expect(try await place.purvey("paste").text == "onetwo")
            try FileManager.default.createDirectory(atPath: place.path("out"), withIntermediateDirectories: true)
            #expect(try await place.purvey("paste", "-o", "out").status == 0)
            #expect(try place.read("out/one.txt") == "one")
            #expect(try place.read("out/two.txt") == "two")
            // Two items do not fit into one file.
            let single = try await place.purvey("paste", "-o", "single.txt")
            #expect(single.status == 1)
            #expect(single.errors.contains("2 items"))
        }
    }

    @Test func itemsOfOneNameDoNotReplaceEachOther() async throws {
        try await CommandFixture.run { place in
            for (folder, text) in [("a", "one"), ("b", "two"), ("c", "three")] {
                try FileManager.default.createDirectory(atPath: place.path(folder), withIntermediateDirectories: true)
                try place.write(text, to: folder + "/x.txt")
            }
            #expect(try await place.purvey("copy", "a/x.txt", "b/x.txt", "c/x.txt").status == 0)
            try FileManager.default.createDirectory(atPath: place.path("out"), withIntermediateDirectories: true)
            #expect(try await place.purvey("paste", "-o", "out").status == 0)
            #expect(try place.read("out/x.txt") == "one")
            #expect(try place.read("out/x 2.txt") == "two")
            #expect(try place.read("out/x 3.txt") == "three")
            // The message names the file that cannot be replaced.
            try FileManager.default.createDirectory(atPath: place.path("in/x.txt"), withIntermediateDirectories: true)
            let refused = try await place.purvey("paste", "-o", "in", "--force")
            #expect(refused.status == 1)
            #expect(refused.errors.contains("in/x.txt: "))
        }
    }

    @Test func aTypeCanBeAskedFor() async throws {
        try await CommandFixture.run { place in
            try place.write("text", to: "one.txt")
            _ = try await place.purvey("copy", "one.txt")
            #expect(try await place.purvey("paste", "--type", "public.text").text == "text")
            #expect(try await place.purvey("paste", "--type", "public.image").status == 1)
        }
    }

    @Test func bundlesAreRegisteredListedAndRemoved() async throws {
        try await CommandFixture.run { place in
            try FileManager.default.createDirectory(atPath: place.path("Editor.app"), withIntermediateDirectories: true)
            try place.write("\u{7F}ELF", to: "Editor.app/editor")
            chmod(place.path("Editor.app/editor"), 0o755)
            let list: [String: Any] = [
                "CFBundleIdentifier": "org.example.editor", "CFBundleExecutable": "editor",
                "PurveyTeamIdentifier": "ACME",
            ]
            try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
                .write(to: URL(fileURLWithPath: place.path("Editor.app/Info.plist")))
            #expect(try await place.purvey("bundles", "register", "Editor.app").text == "org.example.editor\n")
            let listed = try await place.purvey("bundles", "--json")
            let bundles = try JSONSerialization.jsonObject(with: listed.output) as? [[String: Any]]
            #expect(bundles?.first?["team"] as? String == "ACME")
            #expect(bundles?.first?["path"] as? String == place.path("Editor.app"))
            #expect(try await place.purvey("bundles", "remove", "org.example.editor").status == 0)
            #expect(try await place.purvey("bundles").text.isEmpty)
            #expect(try await place.purvey("bundles", "remove", "org.example.editor").status == 1)
        }
    }
}

import Foundation
import Testing
import UniformTypeIdentifiers

@Suite struct PathAdditionTests {
    private let folder = URL(fileURLWithPath: "/tmp/folder", isDirectory: true)

    @Test(arguments: [
        ("puppy.jpg", UTType.image, "puppy.jpg"), ("puppy.jpg", .plainText, "puppy.jpg.txt"),
        ("puppy", .jpeg, "puppy.jpeg"),
        ("puppy.JPG", .jpeg, "puppy.JPG"), ("puppy", .image, "puppy"), ("puppy", .data, "puppy"),
        ("notes.html", .text, "notes.html"), ("a.tar", .gzip, "a.tar.gz"), (".hidden", .plainText, ".hidden.txt"),
        ("trailing.", .plainText, "trailing..txt"), ("a.b", .pdf, "a.b.pdf"), ("movie.mp4", .mpeg4Audio, "movie.mp4"),
    ])
    func anExtensionIsAddedUnlessTheOneThereIsValid(name: String, type: UTType, expected: String) {
        #expect(folder.appendingPathComponent(name, conformingTo: type).path == "/tmp/folder/" + expected)
        let url = folder.appendingPathComponent(name, isDirectory: false)
        #expect(url.appendingPathExtension(for: type).path == "/tmp/folder/" + expected)
        var changed = folder
        changed.appendPathComponent(name, conformingTo: type)
        #expect(changed.lastPathComponent == expected)
        changed = url
        changed.appendPathExtension(for: type)
        #expect(changed.lastPathComponent == expected)
        #expect((url as NSURL).appendingPathExtension(for: type) == url.appendingPathExtension(for: type))
        #expect((folder as NSURL).appendingPathComponent(name, conformingTo: type).lastPathComponent == expected)
        #expect(
            ("/tmp/folder" as NSString).appendingPathComponent(name, conformingTo: type) == "/tmp/folder/" + expected)
        #expect((name as NSString).appendingPathExtension(for: type) == expected)
    }

    @Test func theURLOfADirectoryTypeIsADirectorys() {
        #expect(
            folder.appendingPathComponent("Thing", conformingTo: .applicationBundle).absoluteString
                == "file:///tmp/folder/Thing.app/")
        #expect(folder.appendingPathComponent("plain", conformingTo: .folder).hasDirectoryPath)
        #expect(!folder.appendingPathComponent("plain", conformingTo: .data).hasDirectoryPath)
        let thing = folder.appendingPathComponent("Thing", isDirectory: false)
        #expect(thing.appendingPathExtension(for: .rtfd).absoluteString == "file:///tmp/folder/Thing.rtfd/")
    }

    @Test func aDynamicTypeAddsItsOwnExtension() throws {
        let type = try #require(UTType(filenameExtension: "nobodyknows"))
        #expect(folder.appendingPathComponent("a", conformingTo: type).lastPathComponent == "a.nobodyknows")
        #expect(folder.appendingPathComponent("a.NobodyKnows", conformingTo: type).lastPathComponent == "a.NobodyKnows")
        let markdown = try #require(UTType(mimeType: "text/markdown"))
        #expect(folder.appendingPathComponent("a.md", conformingTo: markdown).lastPathComponent == "a.md")
    }

    @Test(arguments: ["", "/", "//", ".", "..", "a/.."])
    func aDirectoryKeepsItsNameWhenNoneIsAppended(name: String) {
        let path = ("/tmp/x" as NSString).appendingPathComponent(name, conformingTo: .png)
        #expect(path == ("/tmp/x" as NSString).appendingPathComponent(name))
        #expect(!path.contains("png"))
    }

    @Test func aPathWithoutANameStaysAsItIs() {
        for path in ["", "/", ".", "..", "a/.."] {
            #expect((path as NSString).appendingPathExtension(for: .png) == path)
        }
        let root = URL(fileURLWithPath: "/", isDirectory: true)
        #expect(root.appendingPathExtension(for: .png) == root)
        #expect(("a/b/" as NSString).appendingPathExtension(for: .png) == "a/b.png")
    }
}

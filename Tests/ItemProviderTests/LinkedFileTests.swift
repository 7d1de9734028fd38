import Foundation
import ItemProvider
import Testing
import UniformTypeIdentifiers

/// Files that are offered through a symbolic link, and directories that are named like files.
@Suite struct LinkedFileTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        // The first bytes of a PNG, in a file without an extension.
        _ = try scratch.file(
            "picture", Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D]) + Data("IHDR".utf8))
        _ = try scratch.file("Folder/a.txt")
        _ = try scratch.file("real.png/a.txt")
        _ = try scratch.file("real.app/a.txt")
        for (name, target) in [
            ("link", "picture"), ("folder", "Folder"), ("folder.png", "Folder"), ("name.txt", "picture"),
        ] {
            try FileManager.default.createSymbolicLink(
                atPath: scratch.url.appendingPathComponent(name).path, withDestinationPath: target)
        }
    }

    private func types(_ name: String) -> [String] {
        let url = URL(fileURLWithPath: scratch.url.path + "/" + name, isDirectory: false)
        return NSItemProvider(contentsOf: url, contentType: nil).registeredTypeIdentifiers
    }

    @Test func aLinkIsOfferedAsWhatItLeadsTo() async throws {
        #expect(types("link") == ["public.png"])
        let provider = try #require(NSItemProvider(contentsOf: scratch.url.appendingPathComponent("link")))
        #expect(provider.hasItemConformingToTypeIdentifier("public.image"))
        #expect(provider.suggestedName == "link")
        #expect(await provider.data("public.png").data?.count == 16)
    }

    @Test func aLinksOwnNameTellsItsTypeFirst() {
        #expect(types("name.txt") == ["public.plain-text"])
    }

    @Test func aLinkToAFolderIsAFolder() async {
        #expect(types("folder") == ["public.folder"])
        #expect(types("folder.png") == ["public.folder"])
        let provider = NSItemProvider(contentsOf: scratch.url.appendingPathComponent("folder.png"), contentType: nil)
        #expect(await provider.copy("public.folder").names == ["a.txt"])
    }

    @Test func aFolderIsAFolderWhateverItsURLLooksLike() {
        #expect(types("real.png") == ["public.folder"])
        #expect(types("real.app") == ["com.apple.application-bundle"])
    }

    @Test func aLinkThatLeadsNowhereIsNoItem() throws {
        try FileManager.default.createSymbolicLink(
            atPath: scratch.url.appendingPathComponent("gone").path, withDestinationPath: "nothing")
        #expect(NSItemProvider(contentsOf: scratch.url.appendingPathComponent("gone")) == nil)
    }
}

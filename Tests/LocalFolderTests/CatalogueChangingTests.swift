import FileTesting
import Glibc
import LinuxSystem
import LocalFolder
import TestThreads
import Testing

@Suite(.ownThreads) struct CatalogueChangingTests {
    private let served: ServedFolder
    private let root: String

    init() throws {
        served = try ServedFolder()
        root = try served.catalogue.perform { $0.identifier(of: CatalogueItem.root) }
    }

    @Test func aFileThatIsTheOwnersAloneIsMadeSo() throws {
        let mask = CreationMask.current
        for (mode, wanted): (mode_t, mode_t) in [
            (0o600, 0o600), (0o700, 0o700), (0o400, 0o600), (0o644, 0o666 & ~mask), (0o755, 0o777 & ~mask),
        ] {
            let name = String(mode, radix: 8)
            let path = try served.ownFile(name, "hello", permissions: mode)
            _ = try served.catalogue.copyIn(path, named: name, into: root)
            #expect(try served.folder.status(name).permissions == wanted & ~mask, "\(name)")
        }
    }

    @Test func aFileIsPutIntoTheFolderWholeAndANameIsNeverTaken() throws {
        let path = try served.ownFile("edit", "hello", permissions: 0o755)
        let item = try served.catalogue.copyIn(path, named: "tool", into: root)
        #expect(try served.folder.content("tool") == Array("hello".utf8))
        #expect(try served.folder.status("tool").permissions & 0o100 != 0)
        #expect(item.filename == "tool" && item.facts.size == 5)
        do {
            _ = try served.catalogue.copyIn(path, named: "tool", into: root)
            Issue.record("the name was taken twice")
        } catch FolderError.taken(let other) {
            #expect(other.number == item.number)
        }
        for name in ["", ".", "..", "a/b", String(repeating: "x", count: 256)] {
            #expect(throws: FolderError.self) { try served.catalogue.copyIn(path, named: name, into: root) }
        }
        #expect(try served.folder.names() == ["tool"])
    }

    @Test func aLinkIsPutThereAsALink() throws {
        try served.own.link("link", to: "../anywhere")
        let item = try served.catalogue.copyIn(served.own.path + "/link", named: "link", into: root)
        #expect(item.facts.target == Array("../anywhere".utf8))
        #expect(try served.folder.status("link").kind == .symbolicLink)
    }

    @Test func contentsAreReplacedAtOnceAndKeepIdentifierAndMode() throws {
        try served.folder.file("a", Array("old".utf8), permissions: 0o755)
        let identifier = try #require(try served.identifiers()["a"])
        let reader = try served.folder.descriptor.open("a", [.readOnly])
        let anchor = try served.anchor
        let item = try served.catalogue.replace(identifier, withContentsOf: try served.ownFile("edit", "new text"))
        #expect(try served.folder.content("a") == Array("new text".utf8))
        #expect(try reader.everything() == Array("old".utf8))
        #expect(try served.folder.status("a").permissions == 0o755)
        #expect(try served.identifiers() == ["a": identifier])
        // The change feed reports the edit with the version that the call returned.
        let told = try #require(try served.changes(since: anchor))
        #expect(told.updated.map(\.contentVersion).last == item.contentVersion || told.updated.isEmpty == false)
        #expect(try served.folder.names() == ["a"])
    }

    @Test(arguments: [true, false]) func repeatedCopiesMakeOneOrTwoItems(isOnce: Bool) throws {
        try served.folder.file("a", [1])
        let parent = try served.catalogue.perform { $0.identifier(of: CatalogueItem.root) }
        try served.own.file("edit", [7, 7])
        for _ in 0..<2 {
            try served.catalogue.copyIn(served.own.path + "/edit", into: parent, isOnce: isOnce) {
                $0 == 1 ? "a" : "a \($0)"
            }
        }
        #expect(try served.folder.names() == ["a", "a 2"] + (isOnce ? [] : ["a 3"]))
        #expect(try served.folder.content("a 2") == [7, 7])
    }

    @Test func contentsAreCopiedWithTheVersionThatTheyAre() throws {
        try served.folder.file("a", pattern(3 << 20))
        let identifier = try #require(try served.identifiers()["a"])
        let item = try served.catalogue.copyOut(identifier, to: served.own.path + "/copy")
        #expect(try served.own.content("copy") == pattern(3 << 20))
        #expect(try item.contentVersion == served.catalogue.perform { try $0.item(identifier).contentVersion })
        // Copies again over the existing copy.
        try served.folder.descriptor.open("a", [.writeOnly, .truncate]).overwrite([9], at: 0)
        _ = try served.catalogue.copyOut(identifier, to: served.own.path + "/copy")
        #expect(try served.own.content("copy") == [9])
        #expect(try served.own.names().filter { $0.hasPrefix(".") }.isEmpty)
    }

    @Test func foldersAreMadeRenamedMovedAndRemoved() throws {
        let (a, b) = try served.catalogue.perform { catalogue in
            (
                try catalogue.createFolder(name("a"), in: CatalogueItem.root),
                try catalogue.createFolder(name("b"), in: CatalogueItem.root)
            )
        }
        #expect(throws: FolderError.self) {
            try served.catalogue.perform { try $0.createFolder(name("a"), in: CatalogueItem.root) }
        }
        try served.folder.file("a/f")
        let moved = try served.catalogue.perform { try $0.move(a, to: b.number, named: name("c")) }
        #expect(moved.number == a.number && moved.parent == b.number)
        #expect(try served.folder.names("b/c") == ["f"])
        // A directory can be moved neither into itself nor to a name that is taken.
        #expect(throws: FolderError.self) {
            try served.catalogue.perform { try $0.move(b, to: moved.number, named: name("d")) }
        }
        try served.folder.folder("x")
        #expect(throws: FolderError.self) {
            try served.catalogue.perform { try $0.move(b, to: CatalogueItem.root, named: name("x")) }
        }
    }

    @Test func aFolderIsRemovedWithWhatIsKnownAndNothingElse() throws {
        try served.folder.folder("a")
        try served.folder.folder("a/inner")
        try served.folder.file("a/inner/f")
        let a = try #require(try served.identifiers()["a"])
        let inner = try #require(try served.identifiers(in: a)["inner"])
        _ = try served.identifiers(in: inner)
        // A file that another program put there since the listing.
        try served.folder.file("a/inner/precious")
        #expect(throws: FolderError.self) {
            try served.catalogue.perform { try $0.delete(try $0.item(a)) }
        }
        #expect(try served.folder.names("a/inner").contains("precious"))
        try served.catalogue.perform { try $0.delete(try $0.item(a)) }
        #expect(try served.folder.names().isEmpty)
        #expect(throws: FolderError.self) { try served.catalogue.perform { try $0.item(inner) } }
    }

    private func name(_ text: String) throws -> FileName { try #require(FileName(text)) }
}

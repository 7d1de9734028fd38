import FileTesting
import Glibc
import LinuxSystem
import LocalFolder
import TestThreads
import Testing

/// The trash of a served directory, which other programs can access as well.
@Suite(.ownThreads) struct CatalogueTrashTests {
    private let served: ServedFolder
    private static let trash = ".purvey-trash"

    init() throws { served = try ServedFolder() }

    private func trash(_ identifier: String) throws -> CatalogueItem {
        try served.catalogue.perform { try $0.trash(try $0.item(identifier)) }
    }

    private func untrash(_ identifier: String, to folder: String? = nil) throws -> CatalogueItem {
        try served.catalogue.perform { catalogue in
            try catalogue.untrash(
                try catalogue.item(identifier), to: try folder.map { try catalogue.item($0).number })
        }
    }

    private func trashed() throws -> [String: String] {
        try served.catalogue.perform { catalogue in
            try catalogue.lookAt(CatalogueItem.trash)
            return Dictionary(
                uniqueKeysWithValues: try catalogue.children(of: CatalogueItem.trash).map {
                    ($0.filename, catalogue.identifier(of: $0.number))
                })
        }
    }

    @Test func aFileGoesToTheTrashAsOtherProgramsKnowItAndComesBack() throws {
        try served.folder.folder("a b")
        try served.folder.file("a b/f%.txt", Array("text".utf8))
        let folder = try #require(try served.identifiers()["a b"])
        let file = try #require(try served.identifiers(in: folder)["f%.txt"])
        #expect(try trashed().isEmpty)
        let item = try trash(file)
        #expect(item.parent == CatalogueItem.trash)
        #expect(try served.folder.names("a b").isEmpty)
        #expect(try served.folder.content(Self.trash + "/files/f%.txt") == Array("text".utf8))
        let note = String(
            decoding: try served.folder.content(Self.trash + "/info/f%.txt.trashinfo"), as: UTF8.self)
        let lines = note.split(separator: "\n")
        #expect(lines.prefix(2) == ["[Trash Info]", "Path=a%20b/f%25.txt"] && lines.count == 3)
        #expect(lines.last?.hasPrefix("DeletionDate=2") == true)
        #expect(try served.folder.status(Self.trash).permissions == 0o700)
        // The trash is neither listed nor accessible as an item.
        #expect(try served.identifiers() == ["a b": folder])
        #expect(try trashed() == ["f%.txt": file])
        // Trashing the item again changes nothing.
        #expect(try trash(file).number == item.number)
        #expect(try served.folder.names(Self.trash + "/files").count == 1)

        #expect(try untrash(file).filename == "f%.txt")
        #expect(try served.folder.content("a b/f%.txt") == Array("text".utf8))
        #expect(try served.identifiers(in: folder) == ["f%.txt": file])
        #expect(try trashed().isEmpty)
        #expect(try served.folder.names(Self.trash + "/info").isEmpty)
        #expect(try untrash(file).filename == "f%.txt")
    }

    @Test func changesReportTheTrashAndRemoveItsDescendants() throws {
        try served.folder.folder("a")
        try served.folder.file("a/f")
        let a = try #require(try served.identifiers()["a"])
        let file = try #require(try served.identifiers(in: a)["f"])
        var anchor = try served.anchor
        _ = try trash(a)
        var changes = try #require(try served.changes(since: anchor))
        #expect(changes.updated.map(\.parent) == [CatalogueItem.trash] && changes.deleted.isEmpty)
        anchor = changes.anchor
        // Writing to a file in the trash changes no item that is shown.
        try served.folder.descriptor.open(Self.trash + "/files/a/f", [.writeOnly]).overwrite([1, 2, 3], at: 0)
        changes = try #require(try served.changes(since: anchor))
        #expect(changes.updated.filter { $0.facts.kind == .file }.isEmpty && changes.deleted == [file])
        // The user has emptied the trash.
        try served.remove(Self.trash + "/files/a/f")
        try retrying { unlinkat(served.folder.descriptor.rawValue, Self.trash + "/files/a", AT_REMOVEDIR) }
        #expect(try #require(try served.changes(since: anchor)).deleted.contains(a))
        #expect(try trashed().isEmpty)
    }

    @Test func namesThatAreTakenAndPlacesThatAreGoneHinderNoOther() throws {
        let long = String(repeating: "ä", count: 125) + ".text"
        for name in ["f.txt", long] { try served.folder.file(name, [1]) }
        let first = try #require(try served.identifiers()["f.txt"])
        _ = try trash(first)
        try served.folder.folder("inner")
        try served.folder.file("inner/f.txt", [2])
        let inner = try #require(try served.identifiers()["inner"])
        let second = try #require(try served.identifiers(in: inner)["f.txt"])
        #expect(try trash(second).filename == "f 2.txt")
        let third = try #require(try served.identifiers()[long])
        #expect(try trash(third).name.count <= 255 - ".trashinfo".utf8.count)
        #expect(try untrash(third).filename == long)

        // The item's directory is in the trash itself, so the item is restored to the top. There the name is taken
        // afterwards.
        _ = try trash(inner)
        #expect(try untrash(second).filename == "f.txt")
        #expect(try served.folder.content("f.txt") == [2])
        #expect(throws: FolderError.self) { try untrash(first) }
        #expect(try served.folder.content(Self.trash + "/files/f.txt") == [1])
        let folder = try served.catalogue.perform {
            catalogue in
            catalogue.identifier(of: try catalogue.createFolder(try name("new"), in: CatalogueItem.root).number)
        }
        _ = try untrash(first, to: folder)
        #expect(try served.folder.content("new/f.txt") == [1])
    }

    @Test func trashedFoldersAreDeletedForGoodWithTheirContents() throws {
        try served.folder.folder("a")
        try served.folder.folder("a/inner")
        try served.folder.file("a/inner/f")
        let a = try #require(try served.identifiers()["a"])
        _ = try trash(a)
        try served.catalogue.perform { try $0.delete(try $0.item(a)) }
        #expect(try served.folder.names(Self.trash + "/files").isEmpty)
        #expect(try served.folder.names(Self.trash + "/info").isEmpty)
    }

    @Test func theTrashCannotBeReachedByItsName() throws {
        try served.folder.file("f", [1])
        try served.folder.file("g", [2])
        let files = try served.identifiers()
        let (f, g) = (try #require(files["f"]), try #require(files["g"]))
        _ = try trash(g)
        #expect(throws: FolderError.self) {
            try served.catalogue.perform { try $0.createFolder(try name(Self.trash), in: CatalogueItem.root) }
        }
        #expect(throws: FolderError.self) {
            try served.catalogue.perform {
                try $0.move(try $0.item(f), to: CatalogueItem.root, named: try name(Self.trash))
            }
        }
        #expect(try trash(f).filename == "f")
    }

    @Test(arguments: [true, false])
    func aUsersOwnFileOfTheTrashsNameIsServedAndTheTrashHasAnother(_ isFolder: Bool) throws {
        if isFolder {
            try served.folder.folder(Self.trash)
            for name in ["files", "info"] { try served.folder.folder(Self.trash + "/" + name) }
        } else {
            try served.folder.file(Self.trash, [7])
        }
        try served.folder.file("f", [1])
        let items = try served.identifiers()
        #expect(items.keys.sorted() == [Self.trash, "f"])
        let file = try #require(items["f"])
        _ = try trash(file)
        #expect(try served.folder.content(Self.trash + " 2/files/f") == [1])
        #expect(try served.identifiers().keys.sorted() == [Self.trash])
        #expect(try trashed() == ["f": file])
        // The user's directory of that name can be trashed as well, and the trash remains the same.
        let own = try #require(items[Self.trash])
        _ = try trash(own)
        #expect(try trashed() == ["f": file, Self.trash: own])
        #expect(try served.folder.names() == [Self.trash + " 2"])
        #expect(try untrash(own).filename == Self.trash)
        #expect(try untrash(file).filename == "f")
        #expect(try served.identifiers() == items)
    }

    @Test func aCopyOfTheTrashIsAFolderAsAnyOther() throws {
        try served.folder.file("f", [1])
        _ = try trash(try #require(try served.identifiers()["f"]))
        for folder in ["", "/files", "/info"] { try served.folder.folder(Self.trash + " 2" + folder) }
        for name in ["/purvey", "/files/f", "/info/f.trashinfo"] {
            try served.folder.file(Self.trash + " 2" + name, try served.folder.content(Self.trash + name))
        }
        let copy = try #require(try served.identifiers()[Self.trash + " 2"])
        #expect(try served.identifiers(in: copy).keys.sorted() == ["files", "info", "purvey"])
        #expect(try trashed().count == 1)
    }

    @Test func theTrashOfACatalogueFromBeforeItHadALabelStaysTheTrash() throws {
        let folder = try TestFolder()
        let own = try TestFolder()
        try folder.file("f", [1])
        var file = ""
        do {
            let before = try ServedFolder(of: folder, own: own)
            file = try #require(try before.identifiers()["f"])
            _ = try before.catalogue.perform { try $0.trash(try $0.item(file)) }
        }
        try retrying { unlinkat(folder.descriptor.rawValue, Self.trash + "/purvey", 0) }
        let after = try ServedFolder(of: folder, own: own)
        #expect(try after.identifiers().isEmpty)
        #expect(try after.catalogue.perform { try $0.untrash(try $0.item(file), to: nil) }.filename == "f")
        #expect(try folder.names() == [Self.trash, "f"])
    }

    /// The catalogue has an item in a trash that was removed together with its label.
    @Test func aUsersOwnFolderInThePlaceOfATrashThatWasRemovedIsServed() throws {
        let folder = try TestFolder()
        let own = try TestFolder()
        try folder.file("f", [1])
        do {
            let before = try ServedFolder(of: folder, own: own)
            let file = try #require(try before.identifiers()["f"])
            _ = try before.catalogue.perform { try $0.trash(try $0.item(file)) }
        }
        try TreeRemover.remove(try name(Self.trash), in: folder.descriptor)
        for path in [Self.trash, Self.trash + "/files"] { try folder.folder(path) }
        try folder.file(Self.trash + "/files/f", [2])
        let after = try ServedFolder(of: folder, own: own)
        #expect(try after.identifiers().keys.sorted() == [Self.trash])
    }

    @Test func theTrashOfAnotherCatalogueOfTheFolderIsUsed() throws {
        try served.folder.file("f", [1])
        try served.folder.file("g", [2])
        let files = try served.identifiers()
        _ = try trash(try #require(files["f"]))
        let other = try ServedFolder(of: served.folder, own: TestFolder())
        let items = try other.identifiers()
        #expect(items.keys.sorted() == ["g"])
        let g = try #require(items["g"])
        _ = try other.catalogue.perform { try $0.trash(try $0.item(g)) }
        #expect(try served.folder.names(Self.trash + "/files") == ["f", "g"])
    }

    @Test func aMoveToTheTrashByAKilledProcessIsSeenByTheNext() throws {
        try served.folder.file("f", [1])
        let file = try #require(try served.identifiers()["f"])
        // The state between the move and its record in the catalogue.
        _ = try trash(file)
        _ = try untrash(file)
        try served.folder.file("other", [2])
        try served.rename("f", Self.trash + "/files/f")
        let item = try served.catalogue.perform { try $0.item(file) }
        #expect(item.parent == CatalogueItem.trash)
        #expect(try trashed() == ["f": file])
        // An item without a record gets its name in the trash.
        #expect(try untrash(file).filename == "f")
    }

    private func name(_ text: String) throws -> FileName { try #require(FileName(text)) }
}

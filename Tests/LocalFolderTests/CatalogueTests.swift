import FileTesting
import Glibc
import LinuxSystem
import LocalFolder
import TestThreads
import Testing

@Suite(.ownThreads) struct CatalogueTests {
    @Test func anIdentifierStaysThroughARenameAMoveAndANewStart() throws {
        let (folder, own) = (try TestFolder(), try TestFolder())
        try folder.folder("inner")
        try folder.file("a", [1])
        let (inner, a) = try beforeTheNewStart(folder, own)
        let served = try ServedFolder(of: folder, own: own)
        #expect(try served.identifiers(in: inner)["c"] == a)
        try served.rename("inner", "outer")
        #expect(try served.identifiers() == ["outer": inner])
    }

    private func beforeTheNewStart(_ folder: TestFolder, _ own: TestFolder) throws -> (String, String?) {
        let served = try ServedFolder(of: folder, own: own)
        let before = try served.identifiers()
        let inner = try #require(before["inner"])
        _ = try served.identifiers(in: inner)
        try served.rename("a", "b")
        #expect(try served.identifiers()["b"] == before["a"])
        try served.rename("b", "inner/c")
        #expect(try served.identifiers(in: inner)["c"] == before["a"])
        #expect(try served.identifiers()["b"] == nil)
        return (inner, before["a"])
    }

    @Test func aFileThatIsSavedByRenameIsTheSameWithOtherContents() throws {
        let served = try ServedFolder()
        try served.folder.file("a", [1])
        let before = try served.identifiers()
        let identifier = try #require(before["a"])
        let version = try served.catalogue.perform { try $0.item(identifier).contentVersion }
        try served.folder.file("a.new", [2, 3])
        try served.rename("a.new", "a")
        #expect(try served.identifiers() == before)
        #expect(try served.catalogue.perform { try $0.item(identifier).contentVersion } != version)
    }

    @Test func filesThatChangePlacesKeepTheirIdentifiers() throws {
        let served = try ServedFolder()
        try served.folder.file("a", [1])
        try served.folder.file("b", [2, 2])
        let before = try served.identifiers()
        try served.rename("a", "t")
        try served.rename("b", "a")
        try served.rename("t", "b")
        let after = try served.identifiers()
        #expect(after == ["a": before["b"], "b": before["a"]])
    }

    @Test func aNewFileIsNotTheOneThatWasRemoved() throws {
        let served = try ServedFolder()
        try served.folder.file("a", [1])
        let before = try served.identifiers()
        try served.remove("a")
        #expect(try served.identifiers().isEmpty)
        // The new file may well get the inode number of the removed one.
        try served.folder.file("b", [1])
        #expect(try served.identifiers()["b"] != before["a"])
    }

    @Test func aSecondNameOfAFileIsAnItemOfItsOwn() throws {
        let served = try ServedFolder()
        try served.folder.file("a", [1])
        let before = try served.identifiers()
        let folder = served.folder.descriptor.rawValue
        try retrying { linkat(folder, "a", folder, "b", 0) }
        let after = try served.identifiers()
        #expect(after["a"] == before["a"] && after["b"] != nil && after["b"] != before["a"])
    }

    @Test func changesAreReportedOnceAndInPages() throws {
        let served = try ServedFolder()
        for name in ["a", "b", "c"] { try served.folder.file(name, [1]) }
        let before = try served.identifiers()
        let anchor = try served.anchor
        #expect(try served.changes(since: anchor)?.updated.isEmpty == true)
        try served.remove("a")
        try served.rename("b", "d")
        try served.folder.descriptor.open("c", [.writeOnly]).overwrite([1, 2], at: 0)
        try served.folder.file("e")
        let all = try #require(try served.changes(since: anchor))
        #expect(all.deleted == [before["a"]])
        #expect(Set(all.updated.map(\.filename)) == ["c", "d", "e"])
        var portions: [String] = []
        var position = anchor
        while true {
            let changes = try #require(
                try served.catalogue.perform { try $0.changes(since: position, in: nil, limit: 1) })
            portions += changes.deleted + changes.updated.map(\.filename)
            position = changes.anchor
            if changes.isComplete { break }
        }
        #expect(portions.count == 4)
        #expect(try served.changes(since: position)?.updated.isEmpty == true)
    }

    /// Otherwise the change feed would report each item of a large directory again after its listing.
    @Test func theItemsOfAFirstListingAreNoChanges() throws {
        let served = try ServedFolder()
        let anchor = try served.anchor
        for name in ["a", "b"] { try served.folder.file(name) }
        try served.folder.folder("inner")
        try served.folder.file("inner/c")
        let inner = try #require(try served.identifiers()["inner"])
        #expect(try served.changes(since: anchor)?.updated.isEmpty == true)
        // Moved from a directory that was listed to one that was not.
        try served.rename("a", "inner/a")
        _ = try served.identifiers(in: inner)
        #expect(try served.changes(since: anchor)?.updated.map(\.filename).contains("a") == true)
        #expect(try served.changes(since: anchor)?.updated.map(\.filename).contains("c") == false)
        try served.folder.file("inner/d")
        #expect(try served.changes(since: anchor)?.updated.map(\.filename).contains("d") == true)
    }

    /// An empty directory that was listed has changed when it gets an item.
    @Test func theFirstItemOfAListedFolderIsAChange() throws {
        let served = try ServedFolder()
        #expect(try served.identifiers().isEmpty)
        let anchor = try served.anchor
        try served.folder.file("a")
        #expect(try served.changes(since: anchor)?.updated.map(\.filename) == ["a"])
    }

    @Test func anAnchorOfAnotherCatalogueSaysNothing() throws {
        let served = try ServedFolder()
        let other = try ServedFolder()
        #expect(try served.changes(since: try other.anchor) == nil)
        #expect(try served.changes(since: Array("nonsense".utf8)) == nil)
        #expect(try served.changes(since: []) == nil)
        let identifier = try other.catalogue.perform { $0.identifier(of: 1) }
        #expect(throws: FolderError.self) { try served.catalogue.perform { try $0.item(identifier) } }
    }

    @Test func aDamagedCatalogueIsMadeAnewWithOtherIdentifiers() throws {
        let folder = try TestFolder()
        let own = try TestFolder()
        try folder.file("a")
        let store = own.path + "/catalogue.db"
        func identifier() throws -> String {
            let catalogue = try SharedCatalogue(of: folder.path, store: store)
            return try catalogue.perform { catalogue in
                try catalogue.lookAt(CatalogueItem.root)
                let first = try catalogue.children(of: CatalogueItem.root, limit: 1).first
                return catalogue.identifier(of: first?.number ?? 0)
            }
        }
        let before = try identifier()
        #expect(try identifier() == before)
        try own.descriptor.open("catalogue.db", [.writeOnly]).overwrite(pattern(20_000), at: 0)
        #expect(try identifier() != before)
    }

    @Test func nothingIsTakenForRemovedWhereTheFolderIsAnotherOne() throws {
        let served = try ServedFolder()
        try served.folder.folder("disk")
        let path = served.folder.path + "/disk"
        try served.folder.file("disk/a")
        let catalogue = try SharedCatalogue(of: path, store: served.own.path + "/disk.db")
        let anchor = try catalogue.perform { catalogue in
            try catalogue.lookAt(CatalogueItem.root)
            return try catalogue.anchor()
        }
        try served.rename("disk", "elsewhere")
        #expect(throws: FolderError.self) { try catalogue.perform { try $0.lookAt(CatalogueItem.root) } }
        try served.folder.folder("disk")
        #expect(throws: FolderError.self) { try catalogue.perform { try $0.lookAtAll() } }
        try retrying { unlinkat(served.folder.descriptor.rawValue, "disk", Int32(AT_REMOVEDIR)) }
        try served.rename("elsewhere", "disk")
        let changes = try catalogue.perform { try $0.changes(since: anchor, in: nil, limit: .max) }
        #expect(changes?.deleted.isEmpty == true)
    }

    @Test func linksAreShownAndNeverFollowed() throws {
        let served = try ServedFolder()
        let outside = try TestFolder()
        try outside.file("secret", [1])
        try served.folder.link("way", to: outside.path)
        try served.folder.link("file", to: outside.path + "/secret")
        let identifiers = try served.identifiers()
        let way = try #require(identifiers["way"])
        let item = try served.catalogue.perform { try $0.item(way) }
        #expect(item.facts.target == Array(outside.path.utf8))
        #expect(throws: FolderError.self) { try served.identifiers(in: way) }
        let file = try #require(identifiers["file"])
        #expect(throws: FolderError.self) { try served.catalogue.copyOut(file, to: served.own.path + "/copy") }
        // A directory that a link replaces between a listing and a use is not followed either.
        try served.folder.folder("inner")
        try served.folder.file("inner/secret")
        let inner = try #require(try served.identifiers()["inner"])
        let secret = try #require(try served.identifiers(in: inner)["secret"])
        try served.rename("inner", "moved")
        try served.folder.link("inner", to: outside.path)
        let found = try served.catalogue.copyOut(secret, to: served.own.path + "/copy")
        #expect(found.facts.size == 0)
    }

    @Test func pipesAreNotServed() throws {
        let served = try ServedFolder()
        try retrying { mkfifoat(served.folder.descriptor.rawValue, "pipe", 0o600) }
        try served.folder.file("a")
        #expect(try Array(served.identifiers().keys) == ["a"])
        #expect(try served.folder.names() == ["a", "pipe"])
    }

    @Test func aUsersFileIsServedWhateverItsName() throws {
        let served = try ServedFolder(watcher: nil)
        let names = [".purvey-partial-0123456789abcdef", ".purvey-new-1", ".purvey-replacing-a", ".purvey-"]
        for name in names { try served.folder.file(name, [1]) }
        try served.folder.folder(".purvey-partial-fedcba9876543210")
        #expect(try served.identifiers().keys.sorted() == served.folder.names())
        #expect(try served.folder.names().count == names.count + 1)
        let identifier = try #require(try served.identifiers()[names[0]])
        let edit = try served.ownFile("edit", "new")
        _ = try served.catalogue.replace(identifier, withContentsOf: edit)
        #expect(try served.folder.content(names[0]) == Array("new".utf8))
    }

    @Test func namesThatAreNotUTF8AreServedWithWhatCanBeRead() throws {
        let served = try ServedFolder()
        let name: [CChar] = [CChar(bitPattern: 0xFF), 0x61, 0]
        let raw = clinuxOpen(served.folder.descriptor, name)
        #expect(raw)
        let identifiers = try served.identifiers()
        let identifier = try #require(identifiers["\u{FFFD}a"])
        let copy = try served.catalogue.copyOut(identifier, to: served.own.path + "/copy")
        #expect(copy.facts.size == 0)
    }

    private func clinuxOpen(_ folder: FileDescriptor, _ name: [CChar]) -> Bool {
        guard let name = FileName(bytes: name.dropLast().map { UInt8(bitPattern: $0) }) else { return false }
        return (try? folder.createFile(name, permissions: 0o600)) != nil
    }

    @Test func identifiersFollowFilesThroughAnyOrderOfMoves() throws {
        var random = RandomNumbers(seed: 20_26)
        for _ in 0..<12 {
            let served = try ServedFolder()
            try served.folder.folder("x")
            try served.folder.folder("y")
            var folders: [String: String] = [:]
            for (name, identifier) in try served.identifiers() { folders[name] = identifier }
            // The identifier that each file must have after its first listing, by path.
            var expected: [String: String] = [:]
            for step in 0..<25 {
                var seenPaths = Set(expected.keys)
                for part in 0..<Int.random(in: 1...3, using: &random) {
                    let paths = seenPaths.sorted()
                    let target = ["", "x/", "y/"].randomElement(using: &random)! + "f\(step)-\(part)"
                    if Bool.random(using: &random) || paths.isEmpty {
                        // Each file has its own size, so that a reused inode number does not make two files look the
                        // same.
                        try served.folder.file(target, pattern(step * 4 + part + 1))
                        seenPaths.remove(target)
                    } else if let path = paths.randomElement(using: &random) {
                        try served.rename(path, target)
                        expected[target] = expected.removeValue(forKey: path)
                        seenPaths.remove(path)
                    }
                }
                let now = try snapshot(served, folders)
                for (path, identifier) in expected { #expect(now[path] == identifier, "\(path)") }
                #expect(Set(now.values).count == now.count)
                expected = now
            }
        }
    }

    private func snapshot(_ served: ServedFolder, _ folders: [String: String]) throws -> [String: String] {
        var all = try served.identifiers().filter { folders[$0.key] == nil }
        for (folder, identifier) in folders {
            for (name, item) in try served.identifiers(in: identifier) { all[folder + "/" + name] = item }
        }
        return all
    }
}

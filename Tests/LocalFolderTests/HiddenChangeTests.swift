import CLinux
import CSQLite
import FileProvider
import FileTesting
import Foundation
import Glibc
import ItemValues
import LinuxSystem
import LocalFolder
import TestThreads
import Testing

/// Contents that change without a change of size and date, and files that get the inode numbers of others.
@Suite(.ownThreads) struct HiddenChangeTests {
    private static let date = timespec(tv_sec: 1_000_000_000, tv_nsec: 0)

    private func setDate(_ file: FileDescriptor) throws {
        try retrying { futimens(file.rawValue, [Self.date, Self.date]) }
    }

    private func make(_ served: ServedFolder, _ name: String, _ content: [UInt8]) throws {
        try setDate(try served.folder.file(name, content))
    }

    /// Returns a watcher that reports the changes that programs of this machine make.
    private func watcher() throws -> any FolderWatcher { try NSFileProviderManager.backend.folderWatcher() }

    private func version(_ served: ServedFolder, _ name: String) throws -> [UInt8] {
        let identifier = try #require(try served.identifiers()[name])
        return try served.catalogue.perform { try $0.item(identifier).contentVersion }
    }

    @Test func contentsThatChangeUnderTheSameSizeAndDateAreOfAnotherVersion() throws {
        let served = try ServedFolder()
        try make(served, "a", [1, 1])
        let (before, identifier) = (try version(served, "a"), try served.identifiers()["a"])
        let anchor = try served.anchor
        let file = try served.folder.descriptor.open("a", [.writeOnly])
        try file.overwrite([2, 2], at: 0)
        try setDate(file)
        #expect(try served.changes(since: anchor)?.updated.map(\.filename) == ["a"])
        let changed = try version(served, "a")
        #expect(changed != before && Set([before, changed]).count == 2)
        #expect(try served.identifiers()["a"] == identifier)
        try file.overwrite([3, 3], at: 0)
        try setDate(file)
        let last = try version(served, "a")
        #expect(last != changed && last != before)
    }

    /// Replaces a file as tar(1) does. The new file mostly gets the inode number of the old one.
    @Test func aFileThatWasMadeAnewUnderItsNameIsTheSameItemWithOtherContents() throws {
        let served = try ServedFolder()
        try make(served, "a", [1, 1])
        let (before, identifier) = (try version(served, "a"), try served.identifiers()["a"])
        for byte in UInt8(2)..<10 {
            try served.remove("a")
            try make(served, "a", [byte, byte])
            #expect(try version(served, "a") != before)
            #expect(try served.identifiers()["a"] == identifier)
        }
    }

    @Test func aFileThatGotTheInodeSizeAndDateOfAnotherIsNotThatOne() throws {
        let served = try ServedFolder()
        for byte in UInt8(0)..<10 {
            try make(served, "old \(byte)", [byte, 1])
            let old = try #require(try served.identifiers()["old \(byte)"])
            try served.remove("old \(byte)")
            try make(served, "new \(byte)", [byte, 2])
            let new = try #require(try served.identifiers()["new \(byte)"])
            #expect(new != old)
        }
    }

    /// The scan after the removal records it before the new file exists.
    @Test func aNewFileWithTheInodeSizeAndDateOfARemovedOneIsOfAnotherVersion() throws {
        let served = try ServedFolder()
        try served.folder.folder("inner")
        var versions: Set<[UInt8]> = []
        for (byte, name) in zip(UInt8(0)..., ["a", "a", "b", "inner/a", "a", "inner/a"]) {
            try make(served, name, [byte, byte])
            let parent = name == "a" || name == "b" ? nil : try served.identifiers()["inner"]
            let names = try parent.map { try served.identifiers(in: $0) } ?? served.identifiers()
            let identifier = try #require(names[name.hasPrefix("inner") ? "a" : name])
            let version = try served.catalogue.perform { try $0.item(identifier).contentVersion }
            #expect(versions.insert(version).inserted, "\(name)")
            try served.remove(name)
            _ = try served.identifiers()
            if let parent { _ = try served.identifiers(in: parent) }
        }
    }

    @Test func aWriteIsSeenBehindAChangeOfNamePlacePermissionsOrLinks() throws {
        let served = try ServedFolder(watcher: try watcher())
        try served.folder.folder("other")
        for name in ["name", "place", "permissions", "link"] { try make(served, name, [1, 1]) }
        let identifiers = try served.identifiers()
        let other = try #require(identifiers["other"])
        _ = try served.identifiers(in: other)
        func versions() throws -> [String: [UInt8]] {
            _ = try served.catalogue.perform { try $0.lookAtNews() }
            return try identifiers.filter { $0.key != "other" }.mapValues { identifier in
                try served.catalogue.perform { try $0.item(identifier).contentVersion }
            }
        }
        let before = try versions()
        for name in before.keys {
            let file = try served.folder.descriptor.open(name, [.writeOnly])
            try file.overwrite([2, 2], at: 0)
            try setDate(file)
        }
        try served.rename("name", "new name")
        try served.rename("place", "other/place")
        try retrying { chmod(served.folder.path + "/permissions", 0o700) }
        try retrying { link(served.folder.path + "/link", served.folder.path + "/second link") }
        let after = try versions()
        for (name, version) in before { #expect(after[name] != version, "\(name)") }
    }

    @Test func namesPlacesAndPermissionsAreNoOtherContentsWhileAllWritesAreReported() throws {
        let served = try ServedFolder(watcher: try watcher())
        try served.folder.folder("inner")
        try make(served, "a", [1, 1])
        let inner = try #require(try served.identifiers()["inner"])
        _ = try served.identifiers(in: inner)
        let before = try version(served, "a")
        let identifier = try #require(try served.identifiers()["a"])
        func current() throws -> [UInt8] {
            _ = try served.catalogue.perform { try $0.lookAtNews() }
            return try served.catalogue.perform { try $0.item(identifier).contentVersion }
        }
        #expect(try current() == before)
        try served.rename("a", "b")
        #expect(try current() == before)
        try retrying { chmod(served.folder.path + "/b", 0o755) }
        #expect(try current() == before)
        try served.rename("b", "inner/b")
        #expect(try current() == before)
        #expect(try served.identifiers(in: inner)["b"] == identifier)
    }

    @Test func permissionsThatChangedWhileNoWritesWereReportedMayBeOtherContents() throws {
        let (folder, own) = (try TestFolder(), try TestFolder())
        try setDate(try folder.file("a", [1, 1]))
        let before = try version(try ServedFolder(of: folder, own: own, watcher: try watcher()), "a")
        try retrying { chmod(folder.path + "/a", 0o755) }
        #expect(try version(try ServedFolder(of: folder, own: own, watcher: try watcher()), "a") != before)
    }

    @Test func theProvidersOwnMovesAreNoOtherContents() throws {
        let served = try ServedFolder()
        try served.folder.folder("inner")
        try make(served, "a", [1, 1])
        let before = try version(served, "a")
        let identifier = try #require(try served.identifiers()["a"])
        try served.catalogue.perform { catalogue in
            let inner = try #require(try catalogue.children(of: CatalogueItem.root).first { $0.filename == "inner" })
            let moved = try catalogue.move(
                try catalogue.item(identifier), to: inner.number, named: try #require(FileName("b")))
            #expect(moved.contentVersion == before)
        }
    }

    @Test func aPartOfAFileThatWasWrittenToWithItsDateSetBackIsOfNoUse() throws {
        let served = try ServedFolder()
        try make(served, "a", pattern(10_000))
        let before = try version(served, "a")
        let identifier = try #require(try served.identifiers()["a"])
        let file = try served.folder.descriptor.open("a", [.writeOnly])
        try file.overwrite([9], at: 5000)
        try setDate(file)
        #expect(throws: FolderError.self) {
            try served.catalogue.copyPart(
                NSRange(location: 0, length: 4096), alignment: 4096, of: identifier, version: before,
                to: served.own.path + "/part")
        }
    }

    @Test func everythingIsLookedAtWhenTheSystemAsksForChangesThatWereNotToldFromHere() throws {
        let served = try ServedFolder()
        let watches = served.catalogue.watches
        watches.willTell()
        watches.wasAsked()
        #expect(!watches.isLookWanted)
        watches.wasAsked()
        #expect(watches.isLookWanted)
        watches.willLookAtAll()
        #expect(!watches.isLookWanted)
    }

    // MARK: Copies in the document storage

    private func provided(_ provider: LocalFolderExtension) throws -> URL {
        let item = try #require(try provider.list().first)
        let url = try #require(
            provider.urlForItem(withPersistentIdentifier: NSFileProviderItemIdentifier(item.identifier)))
        provider.startProvidingItem(at: url) { #expect($0 == nil) }
        return url
    }

    @Test func aCopyThatWasWrittenToWithItsDateSetBackIsAnEdit() throws {
        let (folder, own) = (try TestFolder(), try TestFolder())
        try folder.file("a", [1, 1])
        let provider = LocalFolderExtension(serving: folder, own: own)
        let url = try provided(provider)
        let file = try FileDescriptor.open(url.path, [.readWrite])
        let date = try file.status().modified
        try file.overwrite([2, 2], at: 0)
        try retrying { futimens(file.rawValue, [date, date]) }
        // The edit is taken, whether a program reports it or not.
        provider.stopProvidingItem(at: url)
        #expect(try folder.content("a") == [2, 2])
    }

    @Test func permissionsOfACopyAreNoEdit() throws {
        let (folder, own) = (try TestFolder(), try TestFolder())
        try folder.file("a", [1, 1])
        let provider = LocalFolderExtension(serving: folder, own: own)
        let before = try folder.status("a")
        let url = try provided(provider)
        try retrying { chmod(url.path, 0o644) }
        provider.stopProvidingItem(at: url)
        #expect(try FileStatus.of(folder.path + "/a").identity == before.identity)
        #expect(try folder.names() == ["a"])
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    // MARK: Older catalogues

    @Test func aCatalogueOfBeforeKeepsItsIdentifiersAndVersions() throws {
        let (folder, own) = (try TestFolder(), try TestFolder())
        try setDate(try folder.file("a", [1, 1]))
        let b = try folder.file("b", [1])
        let early = timespec(tv_sec: -5, tv_nsec: 250_000_000)
        try retrying { futimens(b.rawValue, [early, early]) }
        func all() throws -> [String: [[UInt8]]] {
            let served = try ServedFolder(of: folder, own: own)
            let identifiers = try served.identifiers()
            return try identifiers.mapValues { identifier in
                [Array(identifier.utf8), try served.catalogue.perform { try $0.item(identifier).contentVersion }]
            }
        }
        let before = try all()
        try makeOld(own.path + "/catalogue.db")
        #expect(try all() == before)
    }

    /// Converts a catalogue to its format before files were recognized by more than size and date.
    private func makeOld(_ path: String) throws {
        var database: OpaquePointer?
        try #require(sqlite3_open(path, &database) == SQLITE_OK)
        defer { sqlite3_close(database) }
        let statements = """
            UPDATE item SET modified = modified * 1000000000 + fraction;
            ALTER TABLE item DROP COLUMN fraction;
            ALTER TABLE item DROP COLUMN changed;
            ALTER TABLE item DROP COLUMN birth;
            ALTER TABLE item DROP COLUMN links;
            ALTER TABLE item DROP COLUMN contents;
            """
        try #require(sqlite3_exec(database, statements, nil, nil, nil) == SQLITE_OK)
    }
}

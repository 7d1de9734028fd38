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

    @Test func namesPlacesPermissionsAndLinksAreNoOtherContents() throws {
        let served = try ServedFolder()
        try served.folder.folder("inner")
        try make(served, "a", [1, 1])
        let before = try version(served, "a")
        let identifier = try #require(try served.identifiers()["a"])
        func current() throws -> [UInt8] {
            _ = try served.identifiers()
            return try served.catalogue.perform { try $0.item(identifier).contentVersion }
        }
        try served.rename("a", "b")
        #expect(try current() == before)
        try retrying { chmod(served.folder.path + "/b", 0o755) }
        #expect(try current() == before)
        try retrying { link(served.folder.path + "/b", served.folder.path + "/c") }
        #expect(try current() == before)
        try served.rename("b", "inner/b")
        let inner = try #require(try served.identifiers()["inner"])
        #expect(try served.identifiers(in: inner)["b"] == identifier)
        #expect(try current() == before)
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

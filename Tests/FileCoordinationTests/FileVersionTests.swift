import FileCoordination
import FileTesting
import Foundation
import Glibc
import LinuxSystem
import TestThreads
import Testing

@Suite(.ownThreads) struct FileVersionTests {
    private let folder: TestFolder

    init() throws {
        try #require(CoordinationFolder.isWithinProcess)
        folder = try TestFolder()
        try folder.file("a", Array("now".utf8))
        try folder.file("before", Array("before".utf8))
    }

    private func url(_ name: String) -> URL { URL(fileURLWithPath: folder.path + "/" + name) }

    private func text(_ url: URL) throws -> String { String(decoding: try Data(contentsOf: url), as: UTF8.self) }

    private func others(_ name: String) throws -> [NSFileVersion] {
        try #require(NSFileVersion.otherVersionsOfItem(at: url(name)))
    }

    @Test func theVersionThatIsThereIsTheFile() throws {
        let current = try #require(NSFileVersion.currentVersionOfItem(at: url("a")))
        #expect(current.url == url("a") && current.localizedName == "a" && current.hasLocalContents)
        #expect(!current.isConflict && current.isResolved && !current.isDiscardable && !current.hasThumbnail)
        #expect(abs(try #require(current.modificationDate).timeIntervalSinceNow) < 3600)
        #expect(current.localizedNameOfSavingComputer?.isEmpty == false)
        #expect(throws: CocoaError.self) { try current.remove() }
        #expect(try others("a").isEmpty)
        #expect(NSFileVersion.currentVersionOfItem(at: url("missing")) == nil)
        #expect(NSFileVersion.otherVersionsOfItem(at: url("missing")) == nil)
    }

    @Test func aKeptVersionFollowsItsItemAndComesBack() throws {
        let added = try NSFileVersion.addOfItem(at: url("a"), withContentsOf: url("before"))
        #expect(try text(added.url) == "before" && added.localizedName == "a")
        try retrying { rename(url("a").path, url("b").path) }
        let kept = try #require(try others("b").first)
        #expect(kept.persistentIdentifier as? NSString == added.persistentIdentifier as? NSString)
        let found = NSFileVersion.version(
            ofItemAt: url("b"), forPersistentIdentifier: added.persistentIdentifier)
        #expect(found?.url == added.url)
        #expect(try kept.replaceItem(at: url("b")) == url("b"))
        #expect(try text(url("b")) == "before")
        // The file has another inode now, and still has its versions.
        #expect(try others("b").count == 1)
        #expect(try folder.names() == ["b", "before"])
        try NSFileVersion.removeOtherVersionsOfItem(at: url("b"))
        #expect(try others("b").isEmpty)
    }

    @Test func aFileThatIsSavedByRenamingKeepsItsVersions() throws {
        try NSFileVersion.addOfItem(at: url("a"), withContentsOf: url("a"))
        try Data("later".utf8).write(to: url("a"), options: .atomic)
        let kept = try others("a")
        #expect(try kept.map { try text($0.url) } == ["now"])
        // A file that is moved away keeps its versions, and a new file at its path has none.
        try retrying { rename(url("a").path, url("away").path) }
        try folder.file("a")
        #expect(try others("a").isEmpty)
        #expect(try others("away").count == 1)
        try NSFileVersion.removeOtherVersionsOfItem(at: url("away"))
    }

    @Test func aConflictIsThereUntilItIsResolved() throws {
        let conflict = try NSFileVersion.addConflict(
            ofItemAt: url("a"), withContentsOf: url("before"), savedOn: "elsewhere")
        #expect(conflict.isConflict && !conflict.isResolved)
        let unresolved = try #require(NSFileVersion.unresolvedConflictVersionsOfItem(at: url("a")))
        #expect(unresolved.map(\.localizedNameOfSavingComputer) == ["elsewhere"])
        unresolved.first?.isResolved = true
        unresolved.first?.isDiscardable = true
        #expect(NSFileVersion.unresolvedConflictVersionsOfItem(at: url("a"))?.isEmpty == true)
        let resolved = try #require(try others("a").first)
        #expect(resolved.isConflict && resolved.isResolved && resolved.isDiscardable)
        try resolved.remove()
        #expect(try others("a").isEmpty)
    }

    @Test func aVersionCanBeMovedInAndOutAndBeAFolder() throws {
        let temporary = NSFileVersion.temporaryDirectoryURLForNewVersionOfItem(at: url("a"))
        defer { try? FileManager.default.removeItem(at: temporary) }
        let made = temporary.appendingPathComponent("new")
        try Data("moved".utf8).write(to: made)
        let version = try NSFileVersion.addOfItem(at: url("a"), withContentsOf: made, options: .byMoving)
        #expect(!FileManager.default.fileExists(atPath: made.path))
        try version.replaceItem(at: url("a"), options: .byMoving)
        #expect(try text(url("a")) == "moved")
        #expect(try others("a").isEmpty)

        try folder.folder("package")
        try folder.file("package/part", Array("one".utf8))
        let package = try NSFileVersion.addOfItem(at: url("package"), withContentsOf: url("package"))
        try Data("two".utf8).write(to: url("package/part"))
        try package.replaceItem(at: url("package"))
        #expect(try text(url("package/part")) == "one")
        try NSFileVersion.removeOtherVersionsOfItem(at: url("package"))
    }

    @Test func versionsComeNewestFirst() throws {
        for (name, time) in [("x", 100), ("y", 300), ("z", 200)] {
            try folder.file(name, Array(name.utf8))
            var times = [timeval(tv_sec: time, tv_usec: 0), timeval(tv_sec: time, tv_usec: 0)]
            try retrying { utimes(url(name).path, &times) }
            try NSFileVersion.addOfItem(at: url("a"), withContentsOf: url(name))
        }
        #expect(try others("a").map { try text($0.url) } == ["y", "z", "x"])
        try NSFileVersion.removeOtherVersionsOfItem(at: url("a"))
    }

    @Test func aDamagedRecordIsNoVersionAndHurtsNoOther() throws {
        let damaged = try NSFileVersion.addOfItem(at: url("a"), withContentsOf: url("before"))
        let kept = try NSFileVersion.addOfItem(at: url("a"), withContentsOf: url("a"))
        let record = damaged.url.deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
            "record")
        let whole = try Data(contentsOf: record)
        for bytes in [Data(), whole.dropLast(9), Data(repeating: 0xBF, count: 5000), Data("bplist00".utf8)] {
            try Data(bytes).write(to: record)
            #expect(try others("a").map(\.url) == [kept.url])
        }
        try whole.write(to: record)
        #expect(try others("a").count == 2)
        try NSFileVersion.removeOtherVersionsOfItem(at: url("a"))
    }

    @Test func noVersionIsOnAnotherComputer() async {
        let url = url("a")
        let count = await withCheckedContinuation { continuation in
            NSFileVersion.getNonlocalVersionsOfItem(at: url) { versions, _ in
                continuation.resume(returning: versions?.count)
            }
        }
        #expect(count == 0)
    }
}

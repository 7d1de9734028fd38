import CloudMount
import FileProvider
import FileProviderEngine
import FileTesting
import Foundation
import Fuse
import FuseTesting
import Glibc
import ItemValues
import LinuxSystem
import MountTakeover
import ProgramTesting
import ProviderTesting
import TestThreads
import Testing

/// Tests of the files in `.Trash-UID`: notes, plain files, and trashed files that programs have open.
@Suite(.ownThreads, .enabled(if: canMount))
struct TrashFilesTests {
    @Test func aNoteIsWrittenReplacedAndRemoved() async throws {
        try await withMount {
            $0.addFile("a", "text")
        } _: { (mount) throws in
            mount.waitForTrash()
            let info = mount.trash("info/a.trashinfo")
            let file = try mount.open(info, [.writeOnly, .create, .exclusive], permissions: 0o600)
            #expect(mount.failure { _ = try mount.open(info, [.writeOnly, .create, .exclusive]) } == .fileExists)
            try Array("first".utf8).withUnsafeBytes { try file.writeAll($0) }
            // GLib writes another file and renames it.
            try mount.write("second", to: info + ".ABC123")
            try mount.rename(info + ".ABC123", to: info)
            #expect(try mount.text(info) == "second")
            #expect(try mount.names(mount.trash("info")) == ["a.trashinfo"])
            #expect(try mount.names(mount.trash("files")).isEmpty)
            try mount.rename("a", to: mount.trash("files/a"))
            #expect(try mount.text(info) == "second")
            // If the move fails, file managers remove the note.
            try mount.write("third", to: mount.trash("info/b.trashinfo"))
            #expect(mount.failure { try mount.rename("b", to: mount.trash("files/b")) } == .noSuchFile)
            try mount.removeFile(mount.trash("info/b.trashinfo"))
            #expect(try mount.names(mount.trash("info")) == ["a.trashinfo"])
            // An item without a note stays, and can get another one.
            try mount.removeFile(info)
            #expect(try mount.names(mount.trash("info")).isEmpty && mount.names(mount.trash("files")) == ["a"])
            try mount.write("fourth", to: info)
            #expect(try mount.text(info) == "fourth")
            #expect(mount.failure { try mount.rename(info, to: "note") } == .crossDevice)
            #expect(mount.failure { _ = try mount.write(String(repeating: "x", count: 2 << 20), to: info) } != nil)
        }
    }

    @Test func sizesOfDirectoriesAreKeptInTheMountOnly() async throws {
        try await withMount {
            $0.addFile("a", "text")
        } _: { (mount) throws in
            mount.waitForTrash()
            let (sizes, temporary) = (mount.trash("directorysizes"), mount.trash("directorysizes.Xy12"))
            for text in ["12 34 folder\n", "1 2 other\n"] {
                try mount.write(text, to: temporary)
                try mount.rename(temporary, to: sizes)
                #expect(try mount.text(sizes) == text)
            }
            #expect(try mount.names(MountedProvider.trashName) == ["directorysizes", "expunged", "files", "info"])
            try mount.removeFile(sizes)
            #expect(!mount.exists(sizes))
            mount.waitUntilSent()
            #expect(mount.provider.treeOutsideTrash == ["a": "text"])
        }
    }

    @Test func openFilesAreReadOn() async throws {
        try await withMount {
            for name in ["a", "b", "c"] { $0.addFile(name, "text of \(name)") }
        } _: { (mount) throws in
            mount.waitForTrash()
            // One that is open when it is trashed.
            let first = try mount.open("a")
            try mount.trash("a", as: "a")
            #expect(String(decoding: try first.everything(), as: UTF8.self) == "text of a")
            mount.waitUntilSent()
            #expect(String(decoding: try first.everything(), as: UTF8.self) == "text of a")
            // Those that are open when they leave the trash.
            for name in ["b", "c"] { try mount.trash(name, as: name) }
            mount.waitUntilSent()
            let (second, third) = (try mount.open(mount.trash("files/b")), try mount.open(mount.trash("files/c")))
            for file in [second, third] { _ = try file.everything() }
            try mount.renamePatiently(mount.trash("files/b"), to: "b")
            try mount.patiently { try mount.removeFile(mount.trash("files/c")) }
            #expect(String(decoding: try second.everything(), as: UTF8.self) == "text of b")
            #expect(String(decoding: try third.everything(), as: UTF8.self) == "text of c")
            #expect(try mount.text("b") == "text of b")
        }
    }

    @Test func aTrashedFileIsFetchedWhenItIsRead() async throws {
        try await withMount {
            $0.addFile("a", "text")
            $0.addLink("link", to: "a")
        } _: { (mount) throws in
            mount.waitForTrash()
            for name in ["a", "link"] { try mount.trash(name, as: name) }
            mount.waitUntilSent()
            let fetched = mount.provider.count(.contents)
            let file = try mount.open(mount.trash("files/a"))
            #expect(try file.status().size == 4)
            #expect(mount.provider.count(.contents) == fetched)
            #expect(String(decoding: try file.everything(), as: UTF8.self) == "text")
            #expect(mount.provider.count(.contents) == fetched + 1)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: mount(mount.trash("files/link"))) == "a")
        }
    }

    @Test func longNamesLeaveRoomForTheirNotes() async throws {
        let name = String(repeating: "é", count: 125) + ".text"
        try await withMount {
            for folder in ["one", "two"] { $0.addFile(name, folder, in: $0.addFolder(folder)) }
        } _: { (mount) throws in
            mount.waitForTrash()
            #expect(
                mount.failure { try mount.rename("one/" + name, to: mount.trash("files/" + name)) } == .nameTooLong)
            for folder in ["one", "two"] {
                _ = try await mount.provider.trash(try #require(mount.provider.identifier(at: folder + "/" + name)))
            }
            mount.engine.signal(container: nil)
            mount.wait(until: { try mount.names(mount.trash("files")).count == 2 })
            let names = try mount.names(mount.trash("files"))
            #expect(names.allSatisfy { $0.utf8.count <= 245 && $0.hasPrefix("éé") && $0.hasSuffix(".text") })
            #expect(try mount.names(mount.trash("info")) == names.map { $0 + ".trashinfo" }.sorted())
            try mount.renamePatiently(mount.trash("files/" + names[0]), to: "one/" + name)
            #expect(mount.exists("one/" + name))
        }
    }

    // MARK: Takeover

    private typealias Domain = DispatchedDomain

    private static func moving(_ name: String, to newParent: UInt64, _ newName: String) -> [UInt8] {
        RequestDevice.numbers(.long(newParent), .short(0), .short(0)) + Domain.name(name) + Domain.name(newName)
    }

    private func wait(until condition: () throws -> Bool) {
        for _ in 0..<60_000 {
            if (try? condition()) == true { return }
            usleep(5_000)
        }
        Issue.record("what was waited for did not come")
    }

    @Test func theNextProcessServesTheSameNodesAndHandles() throws {
        let domain = try Domain(settlingTime: 0.02) { $0.addFile("a", "text") }
        #expect(try domain.node("a") != 0)
        wait { try domain.node(MountedProvider.trashName) != 0 }
        let top = try domain.node(MountedProvider.trashName)
        func node(_ name: String, in parent: UInt64) throws -> UInt64 {
            let answer = try domain.ask(.lookup, in: parent, Domain.name(name))
            return answer.error == 0 ? answer.number() : 0
        }
        let (files, info) = (try node("files", in: top), try node("info", in: top))
        let making = domain.question(.create, in: info, Domain.making("b.trashinfo", flags: O_RDWR | O_EXCL))
        let note = try domain.ask(making).number()
        #expect(try domain.ask(.write, in: note, Domain.writing("note", 0, at: 0)).count == 4)
        let move = domain.question(.rename2, in: 1, Self.moving("a", to: files, "b"))
        #expect(try domain.ask(move).error == 0)
        let item = try node("b", in: files)
        #expect(item != 0 && item != note && item > 1 << 62)
        #expect(try domain.ask(.open, in: item, Domain.opening(O_RDONLY)).error == 0)
        #expect(try domain.text(item, 0) == "text")

        try domain.takeOver()
        // The replies to repeated requests are the same.
        #expect(try domain.ask(making, again: true).number() == note)
        #expect(try domain.ask(move, again: true).error == 0)
        #expect(try node("b", in: files) == item)
        #expect(try domain.text(item, 0) == "text")
        #expect(try domain.text(note, 0) == "note")
        #expect(try domain.node("a") == 0)
        wait { domain.provider.identifier(at: "a") == nil }

        try domain.takeOver()
        #expect(try node("b", in: files) == item)
        let back = domain.question(.rename2, in: files, Self.moving("b", to: 1, "c"))
        // If the provider takes long, the first request fails, and the move continues. A later request then finds no
        // item in the trash.
        wait { try domain.ask(back).error == 0 || domain.node("c") != 0 }
        #expect(try domain.ask(back, again: true).error == 0)
        #expect(try domain.node("c") != 0)
        // The open file goes on, and its note stays until it is removed.
        #expect(try domain.text(item, 0) == "text")
        #expect(try domain.ask(.unlink, in: info, Domain.name("b.trashinfo")).error == 0)
        #expect(try domain.ask(.unlink, in: info, Domain.name("b.trashinfo")).error == -ENOENT)
    }
}

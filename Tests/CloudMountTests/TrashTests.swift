import CloudMount
import FileProvider
import FileProviderEngine
import FileProviderWire
import FileTesting
import Foundation
import Glibc
import ItemStore
import ItemValues
import LinuxSystem
import ProgramTesting
import ProviderTesting
import TestThreads
import Testing

/// Tests of `.Trash-UID` in a mount, which is a view of the provider's trash.
@Suite(.ownThreads, .enabled(if: canMount))
struct TrashTests {
    @Test func theTrashHasANameAndIsNotListed() async throws {
        try await withMount {
            $0.addFile("a", "text")
        } _: { (mount) throws in
            #expect(try mount.names() == ["a"])
            mount.waitForTrash()
            let status = try mount.status(MountedProvider.trashName)
            #expect(status.kind == .directory && status.permissions == 0o700)
            #expect(try mount.names(MountedProvider.trashName) == ["expunged", "files", "info"])
            #expect(mount.failure { try mount.makeDirectory(MountedProvider.trashName) } == .fileExists)
            #expect(mount.failure { try mount.makeDirectory(mount.trash("files")) } == .fileExists)
            #expect(mount.failure { try mount.makeDirectory(mount.trash("other")) } == .notPermitted)
            #expect(mount.failure { try mount.removeDirectory(MountedProvider.trashName) } == .notPermitted)
            #expect(mount.failure { try mount.rename("a", to: MountedProvider.trashName) } != nil)
            // No other trash becomes a directory of the service.
            for name in [".Trash", ".Trash-\(getuid() + 1)"] {
                #expect(!mount.exists(name))
                #expect(mount.failure { try mount.makeDirectory(name) } == .notPermitted)
            }
            #expect(try mount.names() == ["a"])
            let numbers = try ["a", MountedProvider.trashName, mount.trash("files"), mount.trash("info")].map {
                try mount.status($0).identity.inode
            }
            #expect(Set(numbers).count == 4)
            mount.waitUntilSent()
            #expect(mount.provider.treeOutsideTrash == ["a": "text"])
        }
    }

    @Test func aFileGoesToTheTrashAndComesBack() async throws {
        try await withMount {
            $0.addFile("a", "text", in: $0.addFolder("folder"))
            $0.addFolder("other")
        } _: { (mount) throws in
            _ = try mount.names("folder")
            mount.waitForTrash()
            let note = "[Trash Info]\nPath=folder/a\nDeletionDate=2026-01-31T00:00:00\n"
            try mount.trash("folder/a", as: "a.2", note: note)
            // The item is in the trash at once, whether the provider has moved it or not.
            #expect(try mount.names(mount.trash("files")) == ["a.2"])
            #expect(try mount.text(mount.trash("files/a.2")) == "text")
            #expect(try mount.text(mount.trash("info/a.2.trashinfo")) == note)
            #expect(!mount.exists("folder/a"))
            mount.waitUntilSent()
            #expect(mount.provider.treeOutsideTrash == ["folder": "/", "other": "/"])
            #expect(mount.trashed.count == 1)
            // The name and the number stay.
            #expect(try mount.names(mount.trash("files")) == ["a.2"])
            #expect(try mount.status(mount.trash("files/a.2")).size == 4)
            let isReadOnly = Errno(rawValue: EROFS)
            #expect(mount.failure { _ = try mount.open(mount.trash("files/a.2"), .writeOnly) } == isReadOnly)
            #expect(mount.failure { try retrying { truncate(mount(mount.trash("files/a.2")), 0) } } == isReadOnly)
            #expect(
                mount.failure { _ = try mount.open(mount.trash("files/b"), [.writeOnly, .create]) } == .notPermitted)
            #expect(
                mount.failure { try mount.rename(mount.trash("files/a.2"), to: mount.trash("files/b")) }
                    == .notPermitted)

            try mount.renamePatiently(mount.trash("files/a.2"), to: "other/b")
            #expect(try mount.text("other/b") == "text")
            #expect(try mount.names(mount.trash("files")).isEmpty)
            try mount.removeFile(mount.trash("info/a.2.trashinfo"))
            #expect(try mount.names(mount.trash("info")).isEmpty)
            mount.waitUntilSent()
            #expect(mount.provider.treeOutsideTrash == ["folder": "/", "other": "/", "other/b": "text"])
        }
    }

    @Test func gioTrashesFilesAndDirectories() async throws {
        try await withMount {
            $0.addFile("a file", "text")
            $0.addFile("deep", "deep", in: $0.addFolder("inner", in: $0.addFolder("folder")))
        } _: { (mount) throws in
            _ = try mount.names("folder/inner")
            mount.waitForTrash()
            for name in ["a file", "folder"] {
                let end = try start("gio", "trash", mount(name)).waitForEnd()
                #expect(end.ending == .exited(0), "\(end.errors)")
            }
            #expect(try mount.names() == [])
            #expect(try mount.names(mount.trash("files")) == ["a file", "folder"])
            #expect(try mount.text(mount.trash("files/folder/inner/deep")) == "deep")
            #expect(try mount.text(mount.trash("info/a file.trashinfo")).contains("\nPath=a%20file\n"))
            mount.waitUntilSent()
            #expect(mount.provider.treeOutsideTrash == [:])
            #expect(mount.trashed.count == 2)
            #expect(try mount.text(mount.trash("files/folder/inner/deep")) == "deep")
            // A file that is created and trashed at once is sent first.
            try mount.write("new", to: "a file")
            // On a busy machine, sending it may take longer than the mount waits.
            mount.wait(until: { try start("gio", "trash", mount("a file")).waitForEnd().ending == .exited(0) })
            #expect(try mount.names(mount.trash("info")).count == 3)
            mount.waitUntilSent()
            #expect(mount.provider.treeOutsideTrash == [:])
            #expect(mount.trashed.count == 3)
        }
    }

    @Test func aDirectoryIsRemovedWholeWithItsTopItem() async throws {
        try await withMount {
            let folder = $0.addFolder("folder")
            for name in ["one", "two"] { $0.addFile(name, name, in: folder) }
            $0.addFile("deep", "deep", in: $0.addFolder("inner", in: folder))
        } _: { (mount) throws in
            mount.waitForTrash()
            try mount.trash("folder", as: "folder")
            mount.waitUntilSent()
            let files = mount.trash("files/folder")
            #expect(try mount.names(files) == ["inner", "one", "two"])
            #expect(mount.failure { try mount.removeDirectory(files) } == .notEmpty)
            // An item in it is only hidden.
            try mount.removeFile(files + "/one")
            #expect(try mount.names(files) == ["inner", "two"])
            #expect(mount.failure { try mount.rename(files + "/two", to: "two") } == .crossDevice)
            #expect(mount.provider.count(.delete) == 0)
            // On a busy machine the removal may take longer than the mount waits. It then continues.
            mount.wait(until: { try start("rm", "-rf", mount(files)).waitForEnd().ending == .exited(0) })
            #expect(try mount.names(mount.trash("files")).isEmpty)
            #expect(mount.provider.count(.delete) == 1)
            #expect(mount.trashed.isEmpty)
            try mount.removeFile(mount.trash("info/folder.trashinfo"))
            #expect(try mount.names(mount.trash("info")).isEmpty)
        }
    }

    /// GVfs moves an item into this directory, which it then empties, and removes the note.
    @Test func anItemThatIsExpungedIsRemoved() async throws {
        try await withMount {
            $0.addFile("deep", "deep", in: $0.addFolder("folder"))
            $0.addFile("file", "text")
        } _: { (mount) throws in
            mount.waitForTrash()
            for name in ["folder", "file"] {
                try mount.trash(name, as: name)
                #expect(mount.failure { try mount.makeDirectory(mount.trash("expunged")) } == .fileExists)
                try mount.renamePatiently(mount.trash("files/" + name), to: mount.trash("expunged/1234"))
                try mount.removeFile(mount.trash("info/" + name + ".trashinfo"))
                #expect(try mount.names(mount.trash("expunged")).isEmpty)
                #expect(!mount.exists(mount.trash("expunged/1234")))
            }
            #expect(try mount.names(mount.trash("files")).isEmpty && mount.trashed.isEmpty)
            #expect(mount.provider.count(.delete) == 2)
        }
    }

    @Test func itemsOfOneNameHaveNamesThatStay() async throws {
        try await withMount {
            for folder in ["one", "two", "three"] { $0.addFile("a.txt", folder, in: $0.addFolder(folder)) }
        } _: { (mount) throws in
            mount.waitForTrash()
            for folder in try mount.names() { _ = try mount.names(folder) }
            let items = try ["one", "two", "three"].map {
                try #require(mount.provider.identifier(at: $0 + "/a.txt"))
            }
            // Another device moves them to the trash.
            for item in items { _ = try await mount.provider.trash(item) }
            mount.engine.signal(container: nil)
            mount.wait(until: { try mount.names(mount.trash("files")).count == 3 })
            #expect(try mount.names(mount.trash("files")) == ["a 2.txt", "a 3.txt", "a.txt"])
            #expect(
                try mount.names(mount.trash("info")) == ["a 2.txt.trashinfo", "a 3.txt.trashinfo", "a.txt.trashinfo"])
            let texts = try ["a.txt", "a 2.txt", "a 3.txt"].map { try mount.text(mount.trash("files/" + $0)) }
            #expect(Set(texts) == ["one", "two", "three"])
            let note = try mount.text(mount.trash("info/a 2.txt.trashinfo"))
            #expect(note.hasPrefix("[Trash Info]\nPath=\(texts[1])/a.txt\nDeletionDate="))
            // One of them leaves, and another one comes: the others keep their names.
            mount.provider.remove(try #require(items.first { mount.provider.bytes(of: $0) == Array(texts[0].utf8) }))
            mount.engine.signal(container: nil)
            mount.wait(until: { try mount.names(mount.trash("files")) == ["a 2.txt", "a 3.txt"] })
            #expect(try mount.text(mount.trash("files/a 2.txt")) == texts[1])
            #expect(try mount.text(mount.trash("files/a 3.txt")) == texts[2])
            #expect(try mount.names(mount.trash("info")) == ["a 2.txt.trashinfo", "a 3.txt.trashinfo"])
        }
    }

    @Test func aRefusedMoveBringsTheItemBack() async throws {
        try await withMount {
            $0.addFile("a", "text")
            $0.fail(.trash, with: ProviderError(.notPermitted, message: "No."))
        } _: { (mount) throws in
            mount.waitForTrash()
            try mount.trash("a", as: "a")
            mount.wait(until: { mount.exists("a") })
            #expect(try mount.names(mount.trash("files")).isEmpty && mount.names(mount.trash("info")).isEmpty)
            #expect(try mount.text("a") == "text")
            // The provider forbids it for this item, which a file manager learns at once.
            let item = try #require(mount.provider.identifier(at: "a"))
            mount.provider.update(item) { $0.capabilities &= ~0x10 }
            mount.engine.signal(container: nil)
            let present = try #require(mount.provider.item(of: item)).capabilities
            mount.wait(until: { try mount.engine.index.item(identifier: item)?.item.capabilities == present })
            #expect(mount.failure { try mount.rename("a", to: mount.trash("files/a")) } == .notPermitted)
        }
    }

    @Test func anItemIsInTheTrashBeforeTheProviderHasMovedIt() async throws {
        try await withMount {
            $0.addFile("a", "text")
            $0.hold(.trash)
        } _: { (mount) throws in
            mount.waitForTrash()
            try mount.trash("a", as: "b")
            mount.wait(until: { mount.provider.heldCount(.trash) == 1 })
            #expect(try mount.names(mount.trash("files")) == ["b"])
            #expect(try mount.text(mount.trash("files/b")) == "text")
            let number = try mount.status(mount.trash("files/b")).identity.inode
            mount.provider.release(.trash)
            mount.waitUntilSent()
            #expect(try mount.status(mount.trash("files/b")).identity.inode == number)
            try mount.renamePatiently(mount.trash("files/b"), to: "a")
            #expect(try mount.text("a") == "text")
        }
    }

    @Test func aSlowRestorationContinuesAfterTheProgramGaveUp() async throws {
        try await withMount {
            $0.addFile("a", "text")
        } _: { (mount) throws in
            mount.waitForTrash()
            try mount.trash("a", as: "a")
            mount.waitUntilSent()
            mount.provider.hold(.untrash)
            #expect(mount.failure { try mount.rename(mount.trash("files/a"), to: "b") } == Errno(rawValue: EBUSY))
            // Other names of the directory can be accessed meanwhile.
            try mount.write("other", to: "c")
            mount.provider.release(.untrash)
            mount.wait(until: { try mount.text("b") == "text" })
            #expect(try mount.names(mount.trash("files")).isEmpty)
            // A name that is taken is not replaced. Only an item without unsent changes goes to the trash.
            mount.waitUntilSent()
            try mount.trash("b", as: "b")
            mount.waitUntilSent()
            #expect(mount.failure { try mount.rename(mount.trash("files/b"), to: "c") } == .fileExists)
            #expect(try mount.text("c") == "other")
        }
    }

    @Test func aProviderWithoutATrashGetsADirectory() async throws {
        try await withMount {
            $0.addFile("a", "text")
            $0.behave { $0.hasTrashListing = false }
        } _: { (mount) throws in
            #expect(try mount.names() == ["a"])
            mount.wait(until: { mount.engine.trashSupport == .unsupported })
            #expect(!mount.exists(MountedProvider.trashName))
            for name in ["", "files", "info"] { try mount.makeDirectory(mount.trash(name)) }
            try mount.trash("a", as: "a", note: "note")
            mount.waitUntilSent()
            let folder = MountedProvider.trashName
            #expect(mount.provider.treeOutsideTrash[folder + "/files/a"] == "text")
            #expect(mount.provider.treeOutsideTrash[folder + "/info/a.trashinfo"] == "note")
            #expect(mount.trashed.isEmpty)
        }
    }

    @Test func aTrashThatIsRefusedBecomesADirectory() async throws {
        try await withMount {
            $0.addFile("a", "text")
            $0.fail(.trash, with: ProviderError(.unsupported, message: "There is none."))
        } _: { (mount) throws in
            mount.waitForTrash()
            try mount.trash("a", as: "a")
            mount.wait(until: { mount.exists("a") })
            #expect(mount.engine.trashSupport == .refused)
            #expect(!mount.exists(MountedProvider.trashName))
            try mount.makeDirectory(MountedProvider.trashName)
            mount.waitUntilSent()
            #expect(mount.provider.treeOutsideTrash == ["a": "text", MountedProvider.trashName: "/"])
        }
    }

    @Test func anItemOfTheServiceWithTheNameOfTheTrashHasAnotherName() async throws {
        try await withMount {
            $0.addFile("old", "text", in: $0.addFolder(MountedProvider.trashName))
        } _: { (mount) throws in
            _ = try mount.names()
            mount.waitForTrash()
            mount.wait(until: { mount.engine.trashSupport == .supported })
            let other = MountedProvider.trashName + " 2"
            mount.wait(until: { try mount.names() == [other] })
            #expect(try mount.text(other + "/old") == "text")
            #expect(try mount.names(MountedProvider.trashName) == ["expunged", "files", "info"])
            try mount.rename(other, to: "papers")
            #expect(try mount.names() == ["papers"])
            mount.waitUntilSent()
            #expect(mount.provider.treeOutsideTrash == ["papers": "/", "papers/old": "text"])
        }
    }
}

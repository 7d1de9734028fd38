import CloudMount
import FileProvider
import FileProviderEngine
import FileTesting
import Foundation
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

@Suite(.ownThreads, .enabled(if: canMount))
struct ChangeTests {
    private func signal(_ mount: MountedProvider) {
        mount.engine.perform { $0.signal(container: nil) }
    }

    @Test(arguments: [true, false])
    func changesOfTheProviderAreSeen(passing: Bool) async throws {
        try await withMount(passing: passing) { provider in
            provider.addFile("Changed", "before", identifier: "changed")
            provider.addFile("Renamed", "renamed", identifier: "renamed")
            provider.addFile("Removed", "removed", identifier: "removed")
            provider.addFolder("Folder", identifier: "folder")
        } _: { (mount) throws in
            // The kernel has cached all entries, and that "New" does not exist.
            #expect(try mount.names() == ["Changed", "Folder", "Removed", "Renamed"])
            #expect(try mount.names("Folder").isEmpty)
            for name in ["Changed", "Renamed", "Removed"] { _ = try mount.bytes(name) }
            for name in ["New", "Folder/Moved"] { #expect(mount.failure { _ = try mount.status(name) } == .noSuchFile) }

            mount.provider.write("after, and longer", to: "changed")
            mount.provider.rename("renamed", to: "Moved", in: "folder")
            mount.provider.remove("removed")
            mount.provider.addFile("New", "new")
            signal(mount)
            mount.wait(until: { try mount.text("New") == "new" })
            mount.wait(until: { try mount.text("Changed") == "after, and longer" })
            mount.wait(until: { try mount.status("Changed").size == 17 })
            mount.wait(until: { try mount.text("Folder/Moved") == "renamed" })
            mount.wait(until: { mount.failure { _ = try mount.status("Removed") } == .noSuchFile })
            mount.wait(until: { mount.failure { _ = try mount.status("Renamed") } == .noSuchFile })
            #expect(try mount.names() == ["Changed", "Folder", "New"])
            #expect(try mount.names("Folder") == ["Moved"])
        }
    }

    @Test func newItemsAreSeenInMoreFoldersThanAreCached() async throws {
        let folders = ["One", "Two", "Three"]
        try await withMount(folderLimit: 2) { provider in
            for name in folders { provider.addFolder(name, identifier: name) }
        } _: { (mount) throws in
            // The kernel caches that the name does not exist.
            for name in folders {
                #expect(try mount.names(name).isEmpty)
                #expect(mount.failure { _ = try mount.status(name + "/New") } == .noSuchFile)
            }
            for name in folders { mount.provider.addFile("New", name, in: name) }
            signal(mount)
            for name in folders { mount.wait(until: { try mount.text(name + "/New") == name }) }
            for name in folders { #expect(try mount.names(name) == ["New"]) }
        }
    }

    @Test(arguments: [true, false])
    func anOpenFileStaysWhatItIsUntilItIsClosed(passing: Bool) async throws {
        try await withMount(passing: passing) {
            $0.addFile("File", "before", identifier: "file")
        } _: { (mount) throws in
            do {
                let file = try mount.open("File")
                #expect(try file.everything() == Array("before".utf8))
                mount.provider.write("after, and longer", to: "file")
                signal(mount)
                mount.wait(until: { try mount.engine.index.item(identifier: "file")?.item.size == 17 })
                #expect(try file.everything() == Array("before".utf8))
            }
            mount.wait(until: { try mount.text("File") == "after, and longer" })
        }
    }

    @Test func aFileThatIsEditedWhileTheProviderChangesItIsThereTwice() async throws {
        try await withMount {
            $0.addFile("File.txt", "before", identifier: "file")
        } _: { (mount) throws in
            #expect(try mount.text("File.txt") == "before")
            // The engine requests the item before it uploads the edit. On a busy machine the upload could begin before
            // the provider has the other version, and would replace that version.
            mount.provider.hold(.item)
            try mount.write("mine", to: "File.txt")
            mount.provider.write("theirs", to: "file")
            signal(mount)
            mount.provider.release(.item)
            mount.wait(until: { try mount.names().count == 2 })
            mount.waitUntilSent()
            let contents = try Set(mount.names().map { try mount.text($0) })
            #expect(contents == ["mine", "theirs"])
            #expect(Set(mount.provider.tree.values) == ["mine", "theirs"])
        }
    }
}

import CLinux
import CloudMount
import FileProvider
import FileProviderEngine
import FileProviderWire
import FileTesting
import Foundation
import ItemStore
import ItemValues
import LinuxSystem
import ProgramTesting
import ProviderTesting
import TestThreads
import Testing

@Suite(.ownThreads, .enabled(if: canMount))
struct NameTests {
    private func rename(_ old: String, _ new: String, flags: UInt32 = 0) throws {
        try retrying { clinux_renameat2(AT_FDCWD, old, AT_FDCWD, new, flags) }
    }

    @Test func foldersAndLinksAreMade() async throws {
        try await withMount { _ in
        } _: { (mount) throws in
            try retrying { mkdir(mount("Folder"), 0o755) }
            try retrying { mkdir(mount("Folder/Inner"), 0o755) }
            try retrying { symlink("Folder/Inner", mount("Link")) }
            try mount.write("text", to: "Link/File")
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: mount("Link")) == "Folder/Inner")
            #expect(mount.failure { try retrying { mkdir(mount("Folder"), 0o755) } } == .fileExists)
            #expect(mount.failure { try retrying { rmdir(mount("Folder")) } } == .notEmpty)
            mount.waitUntilSent()
            #expect(
                mount.provider.tree == [
                    "Folder": "/", "Folder/Inner": "/", "Folder/Inner/File": "text", "Link": "->Folder/Inner",
                ])
            try retrying { unlink(mount("Folder/Inner/File")) }
            try retrying { rmdir(mount("Folder/Inner")) }
            try retrying { rmdir(mount("Folder")) }
            try retrying { unlink(mount("Link")) }
            mount.waitUntilSent()
            #expect(mount.provider.tree.isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func anEditorSavesByRenaming(passing: Bool) async throws {
        try await withMount(passing: passing) {
            $0.addFile("Text.txt", "before", identifier: "text")
        } _: { (mount) throws in
            let reader = try mount.open("Text.txt")
            #expect(try reader.everything() == Array("before".utf8))
            try mount.write("after", to: "Text.txt.new")
            try rename(mount("Text.txt.new"), mount("Text.txt"))
            #expect(try mount.names() == ["Text.txt"])
            #expect(try mount.text("Text.txt") == "after")
            // A handle that was open before reads the old contents.
            #expect(try reader.everything() == Array("before".utf8))
            mount.waitUntilSent()
            #expect(mount.provider.tree == ["Text.txt": "after"])
        }
    }

    @Test func namesChangePlacesAndAreNotReplacedUnasked() async throws {
        try await withMount { provider in
            provider.addFile("One", "one")
            provider.addFile("Two", "two", in: provider.addFolder("Folder"))
        } _: { (mount) throws in
            #expect(
                mount.failure { try rename(mount("One"), mount("Folder/Two"), flags: clinux_rename_noreplace) }
                    == .fileExists)
            #expect(
                mount.failure { try rename(mount("One"), mount("Folder/Two"), flags: clinux_rename_exchange) } == nil)
            #expect((try? mount.text("One")) == "two")
            #expect((try? mount.text("Folder/Two")) == "one")
            #expect(mount.failure { try rename(mount("One"), mount("Three"), flags: clinux_rename_noreplace) } == nil)
            #expect(mount.failure { try rename(mount("Folder"), mount("Folder/Inner")) } == .invalidArgument)
            mount.waitUntilSent()
            #expect(mount.provider.tree == ["Three": "two", "Folder": "/", "Folder/Two": "one"])
        }
    }

    /// The two names are equal strings with different bytes. If identifiers are paths, so are the identifiers of the
    /// two items.
    @Test(arguments: [false, true]) func namesInTwoNormalFormsAreTwoNames(arePaths: Bool) async throws {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        try await withMount { provider in
            provider.behave { $0.identifiersArePaths = arePaths }
            for form in [composed, decomposed] {
                provider.addFile("file", "\(form.utf8.count)", in: provider.addFolder(form))
            }
        } _: { (mount) throws in
            func expect(_ entries: KeyValuePairs<String, String>) throws {
                mount.waitUntilSent()
                let wanted = Dictionary(entries.map { (ExactText($0.key), $0.value) }) { first, _ in first }
                #expect(mount.provider.exactTree == wanted)
                for (path, text) in entries where text != "/" { #expect(try mount.text(path) == text) }
                let top = Set(texts: entries.map(\.key).filter { !$0.contains("/") })
                #expect(try Set(texts: mount.names()) == top)
            }
            try expect([composed: "/", composed + "/file": "2", decomposed: "/", decomposed + "/file": "3"])
            try mount.write("new", to: composed + "/file")
            try rename(mount(decomposed), mount("other"))
            try rename(mount(composed), mount(decomposed))
            try rename(mount("other"), mount(composed))
            try expect([composed: "/", composed + "/file": "3", decomposed: "/", decomposed + "/file": "new"])
            try rename(mount(composed), mount(decomposed), flags: clinux_rename_exchange)
            try retrying { symlink(composed, mount("link")) }
            #expect(
                try FileManager.default.destinationOfSymbolicLink(atPath: mount("link")).utf8.elementsEqual(
                    composed.utf8))
            try retrying { unlink(mount("link")) }
            try retrying { unlink(mount(composed + "/file")) }
            try retrying { rmdir(mount(composed)) }
            try expect([decomposed: "/", decomposed + "/file": "3"])
            try rename(mount(decomposed), mount(composed))
            try expect([composed: "/", composed + "/file": "3"])
        }
    }

    @Test func aFileThatIsRenamedWhileItIsFetchedStaysWhereItIs() async throws {
        let mayGoOn = Flag()
        try await withMount { provider in
            provider.addFile("Before", "text")
            provider.behave { behaviour in
                // The reply describes the item as it was before the rename.
                behaviour.after = { (request) throws(ProviderError) in
                    guard request.kind == .contents else { return }
                    while !mayGoOn.isSet, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
                }
            }
        } _: { (mount) throws in
            let reader = try start("cat", mount("Before"))
            mount.wait(until: { mount.provider.count(.contents) == 1 })
            try rename(mount("Before"), mount("After"))
            mount.waitUntilSent()
            #expect(mount.provider.tree == ["After": "text"])
            let telling = Moves()
            mount.engine.index.onChange = { [before = mount.engine.index.onChange] changes in
                telling.note(changes)
                before?(changes)
            }
            mayGoOn.set()
            #expect(try reader.waitForEnd().text == "text")
            #expect(try mount.names() == ["After"])
            #expect(telling.count == 0)
        }
    }

    /// The number of moves that are announced.
    private final class Moves: Sendable {
        private let state = Lock(0)

        var count: Int { state.withLock { $0 } }

        func note(_ changes: [IndexChange]) {
            for case .moved in changes { state.withLock { $0 += 1 } }
        }
    }

    @Test(arguments: [true, false])
    func aFileThatWasRemovedStaysReadableAndWritable(passing: Bool) async throws {
        try await withMount(passing: passing) {
            $0.addFile("File", "text")
        } _: { (mount) throws in
            for name in ["File", "Made here"] {
                let file = try mount.open(name, [.readWrite, .create])
                if name != "File" { try file.overwrite(Array("text".utf8), at: 0) }
                #expect(try file.everything() == Array("text".utf8))
                try retrying { unlink(mount(name)) }
                #expect(mount.failure { _ = try mount.status(name) } == .noSuchFile)
                #expect(try file.everything() == Array("text".utf8))
                try file.overwrite(Array("more text".utf8), at: 4)
                #expect(try file.everything() == Array("textmore text".utf8))
                #expect(try file.status().size == 13)
                #expect(try file.status().linkCount == 0)
            }
            mount.waitUntilSent()
            mount.wait(until: { mount.provider.tree.isEmpty })
        }
    }

    @Test func aFileHasOneName() async throws {
        try await withMount {
            $0.addFile("File", "text")
        } _: { (mount) throws in
            #expect(mount.failure { try retrying { link(mount("File"), mount("Other")) } } == .notPermitted)
            #expect(mount.failure { try retrying { mkfifo(mount("Pipe"), 0o644) } } == .notPermitted)
            #expect(try mount.names() == ["File"])
        }
    }

    @Test func namesThatNoServiceTakesAreRefused() async throws {
        try await withMount { _ in
        } _: { (mount) throws in
            let long = String(repeating: "x", count: 256)
            #expect(mount.failure { try mount.write("text", to: long) } == .nameTooLong)
            let latin: [CChar] = mount.path.utf8.map { CChar(bitPattern: $0) } + [0x2F, CChar(bitPattern: 0xE9), 0]
            #expect(open(latin, O_WRONLY | O_CREAT, 0o644) == -1 && errno == EILSEQ)
            #expect(open(latin, O_RDONLY) == -1 && errno == ENOENT)
        }
    }
}

import CloudMount
import FileProvider
import FileTesting
import Foundation
import LinuxSystem
import ProgramTesting
import ProviderTesting
import TestThreads
import Testing

/// Tests that no contents are fetched for programs that read every file.
@Suite(.ownThreads, .enabled(if: canMount)) struct IndexerTests {
    /// Returns the path of a program that reads a file, under a chosen name.
    private func reader(_ name: String, copying program: String = "cat", in folder: TestFolder) throws -> String {
        let path = folder.path + "/" + name
        let copy = try ChildProgram.start("/bin/cp", arguments: ["/bin/" + program, path], descriptors: []).wait()
        try #require(copy == .exited(0))
        return path
    }

    @Test func anIndexerGetsNoFileThatIsNotHere() async throws {
        let folder = try TestFolder()
        let indexer = try reader("tracker-extract-3", in: folder)
        try await withMount {
            $0.addFile("a.txt", "hello")
        } _: { mounted in
            let refused = try start(indexer, mounted("a.txt")).waitForEnd()
            #expect(refused.status == 1 && refused.output.isEmpty)
            #expect(mounted.provider.count(.contents) == 0)
            // Any program may read local contents.
            #expect(try mounted.text("a.txt") == "hello")
            let allowed = try start(indexer, mounted("a.txt")).waitForEnd()
            #expect(allowed.status == 0 && allowed.text == "hello")
        }
    }

    @Test func anIndexerDoesNotHinderOthersThatWait() async throws {
        let folder = try TestFolder()
        let indexer = try reader("updatedb", in: folder)
        try await withMount { provider in
            provider.addFile("a.txt", "hello")
            provider.hold(.contents)
        } _: { mounted in
            let waiting = try start("cat", mounted("a.txt"))
            mounted.wait(until: { mounted.provider.heldCount(.contents) == 1 })
            #expect(try start(indexer, mounted("a.txt")).waitForEnd().status == 1)
            mounted.provider.release(.contents)
            #expect(try waiting.waitForEnd().text == "hello")
        }
    }

    /// GLib opens a file with `O_NOATIME` to guess its type from its first bytes.
    @Test func aFileManagerGuessesTypesWithoutAFetch() async throws {
        let folder = try TestFolder()
        let manager = try reader("nautilus", copying: "dd", in: folder)
        try await withMount {
            $0.addFile("page.html", "<html>")
            $0.addFile("backup", "words")
        } _: { mounted in
            let page = "if=" + mounted("page.html")
            let refused = try start(manager, page, "iflag=noatime").waitForEnd()
            #expect(refused.status == 1 && refused.output.isEmpty)
            #expect(mounted.provider.count(.contents) == 0)
            // The file manager may copy the file, and then guess its type, too.
            #expect(try start(manager, page).waitForEnd().text == "<html>")
            #expect(try start(manager, page, "iflag=noatime").waitForEnd().text == "<html>")
            // Programs that back up files open them with this flag, too.
            let allowed = try start("dd", "if=" + mounted("backup"), "iflag=noatime").waitForEnd()
            #expect(allowed.text == "words")
        }
    }

    @Test func theTypesOfTrashedFilesAreGuessedWithoutAFetch() async throws {
        let folder = try TestFolder()
        let manager = try reader("gvfsd-trash", copying: "dd", in: folder)
        try await withMount {
            $0.addFile("page.html", "<html>")
        } _: { mounted in
            mounted.waitForTrash()
            try mounted.trash("page.html", as: "page.html")
            mounted.waitUntilSent()
            let page = "if=" + mounted(mounted.trash("files/page.html"))
            let refused = try start(manager, page, "iflag=noatime").waitForEnd()
            #expect(refused.status == 1 && refused.output.isEmpty)
            #expect(mounted.provider.count(.contents) == 0)
            #expect(try start(manager, page).waitForEnd().text == "<html>")
        }
    }

    @Test func namesThatTheUserChoseCount() throws {
        let folder = try TestFolder()
        let policies = ReaderPolicies(path: folder.path + "/indexers")
        #expect(policies.current == ReaderPolicy())
        try folder.file("indexers", Array("# mine\nmy-indexer\n-tumblerd # draws well\n\n-thunar".utf8))
        let names = policies.current.refused
        #expect(names.contains("my-indexer") && !names.contains("tumblerd") && names.contains("baloo_file"))
        #expect(!policies.current.guessing.contains("thunar") && policies.current.guessing.contains("caja"))
        try FileManager.default.removeItem(atPath: folder.path + "/indexers")
        #expect(policies.current == ReaderPolicy())
    }
}

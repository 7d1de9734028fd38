import CloudMount
import FileProvider
import FileProviderEngine
import FileProviderWire
import FileTesting
import Foundation
import ItemValues
import LinuxSystem
import ProgramTesting
import ProviderTesting
import TestThreads
import Testing

@Suite(.ownThreads, .enabled(if: canMount))
struct FolderTests {
    @Test func aLargeFolderIsListedOverPages() async throws {
        try await withMount(pageSize: 700) { provider in
            let folder = provider.addFolder("Many")
            for number in 0..<10_000 { provider.addFile("File \(number)", in: folder) }
        } _: { (mount) throws in
            let names = try mount.names("Many")
            #expect(names.count == 10_000)
            #expect(Set(names).count == 10_000)
            // The entries are listed with attributes, and again from the index.
            let list = try start("sh", "-c", "ls -l '\(mount("Many"))' | wc -l").waitForEnd()
            #expect(list.text.trimmingCharacters(in: .whitespacesAndNewlines) == "10001")
            #expect(try mount.names("Many") == names)
        }
    }

    /// The kernel caches the names and is made to drop the inodes. Looking up each entry then drops the cached names
    /// during the listing.
    @Test func readingADirectoryMissesNoNameWhenItsCacheIsDropped() async throws {
        try await withMount { provider in
            for number in 0..<3_000 { provider.addFile("File \(number)") }
        } _: { (mount) throws in
            let names = try mount.names()
            #expect(try mount.names() == names)
            for _ in 0..<2 {
                let list = try start(
                    "sh", "-c", "echo 2 2>/dev/null >/proc/sys/vm/drop_caches; ls -l '\(mount(""))' | grep -c ' File '"
                ).waitForEnd()
                #expect(list.text.trimmingCharacters(in: .whitespacesAndNewlines) == "3000")
                #expect(try mount.names() == names)
            }
        }
    }

    @Test func everyFolderNamesItselfAndWhatItIsIn() async throws {
        try await withMount { provider in
            provider.addFolder("Inner")
        } _: { (mount) throws in
            for folder in [".", "Inner"] {
                let list = try start("ls", "-a", mount(folder)).waitForEnd()
                #expect(list.text.split(separator: "\n").prefix(2) == [".", ".."])
            }
        }
    }

    @Test func aFolderThatIsBeingListedDelaysNoOtherRequest() async throws {
        try await withMount { provider in
            provider.addFolder("Slow", identifier: "slow")
            provider.addFile("Inside", "text", in: "slow")
            provider.addFolder("Quick", identifier: "quick")
            provider.addFile("Near", "near", in: "quick")
            provider.behave { behaviour in
                behaviour.before = { (request) throws(ProviderError) in
                    guard case .page(of: "slow", _) = request else { return }
                    // The delay lasts until the request is cancelled or the test is over.
                    try? await Task.sleep(for: .seconds(3600))
                    throw ProviderError(.cancelled, message: "The request was cancelled.")
                }
            }
        } _: { (mount) throws in
            #expect(try mount.names() == ["Quick", "Slow"])
            let list = try start("ls", mount("Slow"))
            let look = try start("cat", mount("Slow/Inside"))
            mount.wait(until: { mount.provider.count(.page(of: "slow", after: nil)) > 0 })
            #expect(try mount.names() == ["Quick", "Slow"])
            #expect(try mount.text("Quick/Near") == "near")
            #expect(try mount.status("Slow").kind == .directory)
            #expect(list.isRunning && look.isRunning)
            list.send(SIGINT)
            look.send(SIGINT)
            #expect(try list.waitForEnd().ending == .signalled(SIGINT))
            #expect(try look.waitForEnd().ending == .signalled(SIGINT))
        }
    }

    @Test func aFolderIsShownPageByPage() async throws {
        let mayGoOn = Flag()
        try await withMount(pageSize: 10) { provider in
            let folder = provider.addFolder("Folder", identifier: "folder")
            for number in 0..<20 { provider.addFile("File \(number)", in: folder) }
            provider.behave { behaviour in
                behaviour.before = { (request) throws(ProviderError) in
                    guard case .page(of: "folder", after: .some) = request else { return }
                    while !mayGoOn.isSet, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
                }
            }
        } _: { (mount) throws in
            // Items of the first page are listed, looked up and read before the second page comes.
            let folder = try #require(opendir(mount("Folder")))
            defer { closedir(folder) }
            var count = 0
            while count < 12, readdir(folder) != nil { count += 1 }
            #expect(count == 12)
            #expect(try mount.text("Folder/File 3").isEmpty)
            #expect(!mayGoOn.isSet)
            mayGoOn.set()
            while readdir(folder) != nil { count += 1 }
            #expect(count == 22)
        }
    }

    @Test func itemsWithOneNameAndWithBadNamesAreAllReachable() async throws {
        let long = String(repeating: "long", count: 80)
        let names = ["Same.txt", "Same.txt", "", "a/b", ".", "..", long, "tab\there", "ünïcödé"]
        try await withMount { provider in
            for (number, name) in names.enumerated() { provider.addFile(name, "contents \(number)") }
        } _: { (mount) throws in
            let shown = try mount.names()
            #expect(shown.count == names.count)
            #expect(shown.contains("Same.txt") && shown.contains("Same 2.txt"))
            #expect(shown.contains("ünïcödé"))
            let contents = try Set(shown.map { try mount.text($0) })
            #expect(contents == Set(names.indices.map { "contents \($0)" }))
        }
    }

    @Test func missingNamesAreNotRequestedAgain() async throws {
        try await withMount {
            $0.addFile("File", "text")
        } _: { (mount) throws in
            #expect(mount.failure { _ = try mount.status("None") } == .noSuchFile)
            // The engine may request pages of its own sets at any time.
            func pages() -> Int {
                mount.provider.requests.count { request in
                    if case .page(ProviderItem.rootIdentifier, _) = request { true } else { false }
                }
            }
            let before = pages()
            for _ in 0..<20 { #expect(mount.failure { _ = try mount.status("None") } == .noSuchFile) }
            #expect(pages() == before)
            // A file of the name is found once it exists.
            try mount.write("text", to: "None")
            #expect(try mount.text("None") == "text")
        }
    }
}

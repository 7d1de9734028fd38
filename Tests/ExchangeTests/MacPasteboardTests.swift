import Exchange
import Foundation
import ItemProvider
import Testing

/// `NSPasteboard` between real processes, and `UIPasteboard` beside it.
@Suite struct MacPasteboardTests {
    private func run(_ body: (PrivateDaemon, PeerProcess, PeerProcess) async throws -> Void) async throws {
        try await PrivateDaemon.run { daemon in
            let program = TestProcess.program("PasteboardPeer")
            try await body(daemon, try daemon.peer(program: program), try daemon.peer(program: program))
        }
    }

    @Test func bothPasteboardsShareTheirItems() async throws {
        try await run { daemon, first, second in
            // The change count does not grow while the owner writes.
            #expect(try await first.ask("mac-copy hello there", "copied") == "true true")
            #expect(try await second.ask("mac-paste", "pasted") == "hello there")
            #expect(try await second.ask("paste", "pasted") == "1 hello there")
            let item = try #require(try await daemon.board("general").items().first)
            #expect(try await item.loadObject(ofClass: String.self) == "hello there")
            _ = try await second.ask("copy-string and back", "copied")
            #expect(try await first.ask("mac-paste", "pasted") == "and back")
            #expect(try await first.ask("mac-copy-urls https://example.org/ file:///tmp/a", "copied") == "true")
            #expect(try await second.ask("mac-paste-files", "pasted") == "/tmp/a")
        }
    }

    @Test func onlyTheOwnerGoesOnWriting() async throws {
        try await run { _, first, second in
            #expect(try await first.ask("mac-write nobody's", "wrote") == "false")
            _ = try await first.ask("mac-clear", "cleared")
            #expect(try await first.ask("mac-write one", "wrote") == "true")
            #expect(try await first.ask("mac-write two", "wrote") == "true")
            #expect(try await second.ask("paste", "pasted") == "2 one,two")
            _ = try await second.ask("mac-clear", "cleared")
            #expect(try await first.ask("mac-write late", "wrote") == "false")
            #expect(try await first.ask("mac-paste", "pasted") == "nothing")
            _ = try await second.ask("copy-string UIKit's", "copied")
            #expect(try await second.ask("mac-write late", "wrote") == "false")
            #expect(try await first.ask("mac-paste", "pasted") == "UIKit's")
        }
    }

    @Test func anOwnerIsAskedByAnotherProcess() async throws {
        try await run { _, first, second in
            #expect(try await first.ask("mac-declare late", "declared") == "true")
            #expect(first.unheard.isEmpty)
            #expect(try await second.ask("mac-paste", "pasted") == "late as public.utf8-plain-text")
            #expect(try await first.hear("asked") == "public.utf8-plain-text")
            #expect(try await second.ask("paste", "pasted") == "1 late as public.utf8-plain-text")
            #expect(first.unheard.isEmpty)
            _ = try await second.ask("mac-clear", "cleared")
            #expect(try await first.hear("changed") == "")
            _ = try await first.ask("mac-declare gone", "declared")
            _ = try await first.ask("mac-forget", "forgotten")
            #expect(try await second.ask("mac-paste", "pasted") == "nothing")
        }
    }

    @Test func aDataProviderIsAskedByAnotherProcess() async throws {
        try await run { _, first, second in
            #expect(try await first.ask("mac-provide late", "copied") == "true")
            #expect(try await second.ask("mac-paste", "pasted") == "late")
            #expect(try await first.hear("asked") == "public.utf8-plain-text")
            #expect(try await first.hear("finished") == "")
            _ = try await first.ask("mac-provide unwanted", "copied")
            _ = try await second.ask("copy-string other", "copied")
            #expect(try await first.hear("finished") == "")
        }
    }

    @Test func promisesAreKeptBeforeTheEnd() async throws {
        // Once from another thread while the main thread serves, and once from the main thread itself.
        for end in ["quit", "mac-exit"] {
            try await run { _, first, second in
                _ = try await first.ask("mac-declare kept", "declared")
                first.tell(end)
                _ = await first.wait()
                #expect(try await second.ask("mac-paste", "pasted") == "kept as public.utf8-plain-text")
            }
        }
    }

    @Test func pasteboardsOfOnesOwnNamingComeAndGo() async throws {
        try await run { _, first, _ in
            let answer = try await first.ask("mac-unique mine", "unique")
            #expect(answer == "mine 0")
        }
    }

    @Test func aPasteboardHasWhatSomethingCanBeTurnedInto() async throws {
        try await run { daemon, first, _ in
            let file = URL(fileURLWithPath: daemon.work + "/a.txt")
            try Data("text".utf8).write(to: file)
            #expect(try await first.ask("mac-filter \(file.path)", "filtered") == "\(file.absoluteString) text 4")
            #expect(try await first.ask("mac-filter /nowhere", "filtered") == "- - -1")
            #expect(
                try await first.ask("mac-filter-data text", "filtered")
                    == "text [\"public.plain-text\", \"public.utf8-plain-text\"]")
        }
    }

    @Test func anOwnerThatIsKilledTakesItsPromisesAlong() async throws {
        try await run { _, first, second in
            _ = try await first.ask("mac-declare gone", "declared")
            first.signal(9)
            _ = await first.wait()
            #expect(try await second.ask("mac-paste", "pasted") == "nothing")
        }
    }

    @Test func aPromisedFileIsWrittenForAnotherProcess() async throws {
        try await run { daemon, first, second in
            let folder = daemon.work
            #expect(try await second.ask("mac-receive \(folder)", "failed") == "no promise")
            #expect(try await first.ask("mac-promise ../note.txt", "copied") == "true")
            #expect(first.unheard.isEmpty)
            let name = ".._note.txt"
            #expect(try await second.ask("mac-receive \(folder)", "received") == "\(folder)/\(name) [\"\(name)\"]")
            #expect(try await first.hear("asked") == "public.plain-text")
            let file = URL(fileURLWithPath: "\(folder)/\(name)")
            #expect(try Data(contentsOf: file) == Data("written by another process".utf8))
            #expect(try await second.ask("mac-receive \(folder)/nowhere", "failed") != "")
            // The same file, loaded as an item.
            let item = try #require(try await daemon.board("general").items().first)
            let data = try await item.loadDataRepresentation(forTypeIdentifier: "public.plain-text")
            #expect(data == Data("written by another process".utf8))
            first.signal(9)
            _ = await first.wait()
            #expect(try await second.ask("mac-receive \(folder)", "failed") == "no promise")
        }
    }
}

import Exchange
import Foundation
import ItemProvider
import Testing

/// Pasteboards and drags between real processes, with no display.
@Suite struct PasteboardAndDragTests {
    private func run(_ body: (PrivateDaemon, PeerProcess, PeerProcess) async throws -> Void) async throws {
        try await PrivateDaemon.run { daemon in
            let program = TestProcess.program("PasteboardPeer")
            try await body(daemon, try daemon.peer(program: program), try daemon.peer(program: program))
        }
    }

    @Test func whatOneProcessCopiesAnotherPastes() async throws {
        try await run { _, first, second in
            _ = try await first.ask("copy-string hello there", "copied")
            #expect(try await second.ask("paste", "pasted") == "1 hello there")
            _ = try await second.ask("copy-string and back", "copied")
            #expect(try await first.ask("paste", "pasted") == "1 and back")
        }
    }

    @Test func theGeneralPasteboardIsTheCommandLines() async throws {
        try await run { daemon, first, _ in
            _ = try await first.ask("copy-string for everybody", "copied")
            let item = try #require(try await daemon.board("general").items().first)
            #expect(try await item.loadObject(ofClass: String.self) == "for everybody")
        }
    }

    @Test func whatWasCopiedOutlivesItsProgram() async throws {
        try await run { _, first, second in
            _ = try await first.ask("copy-string left behind", "copied")
            _ = await first.quit()
            #expect(try await second.ask("paste", "pasted") == "1 left behind")
        }
    }

    @Test func itemsOfSeveralKindsArriveAsThemselves() async throws {
        try await run { _, first, second in
            _ = try await first.ask("copy-items text", "copied")
            #expect(try await second.ask("paste", "pasted") == "2 text")
        }
    }

    @Test func aValueOfAnUnknownClassIsPastedAsItsArchive() async throws {
        try await run { _, first, second in
            _ = try await first.ask("copy-archived", "copied")
            #expect(try await second.ask("paste-archived", "pasted") == "true")
        }
    }

    @Test func whatIsLocalStaysInItsProcess() async throws {
        try await run { _, first, second in
            _ = try await first.ask("copy-local secret", "copied")
            #expect(try await first.ask("paste", "pasted") == "1 secret")
            #expect(try await second.ask("paste", "pasted") == "0")
        }
    }

    @Test func namedPasteboardsAreSharedAndChangesAreCounted() async throws {
        try await run { _, first, second in
            #expect(try await second.ask("paste-named notes", "pasted") == "nothing")
            _ = try await first.ask("named notes", "copied")
            #expect(try await second.ask("paste-named notes", "pasted") == "on notes")
            let before = try #require(Int(try await second.ask("count", "count")))
            _ = try await first.ask("copy-string more", "copied")
            let after = try #require(Int(try await second.ask("count", "count")))
            #expect(after > before)
        }
    }

    @Test func aCopierThatIsKilledTakesItsPromisesAlong() async throws {
        try await run { _, first, second in
            _ = try await first.ask("copy-string gone", "copied")
            first.signal(9)
            _ = await first.wait()
            #expect(try await second.ask("paste", "pasted") == "0")
        }
    }

    /// Of the article on classes of one's own, word for word, in a process of either language mode.
    @Test(arguments: [("PasteboardPeer", "PasteboardPeerSwift5"), ("PasteboardPeerSwift5", "PasteboardPeer")])
    func theArticlesModelClassTravelsUnchanged(_ source: String, _ destination: String) async throws {
        try await PrivateDaemon.run { daemon in
            let source = try daemon.peer(program: TestProcess.program(source))
            let destination = try daemon.peer(program: TestProcess.program(destination))
            _ = try await source.ask("copy-podcast Shöw", "copied")
            #expect(try await destination.ask("paste-podcast", "pasted") == "Shöw, feed of Shöw, ärt")
            _ = try await source.ask("drag Shöw", "dragging")
            #expect(try await destination.ask("drop copy", "dropped") == "copy")
            #expect(try await destination.hear("loaded") == "Shöw local false")
            #expect(try await source.hear("ended") == "copy")
        }
    }

    @Test func aDragOfOneProcessIsDroppedInAnother() async throws {
        try await run { _, source, destination in
            _ = try await source.ask("drag The Show", "dragging")
            #expect(try await destination.ask("drop copy", "dropped") == "copy")
            #expect(try await destination.hear("loaded") == "The Show local false")
            #expect(try await source.hear("ended") == "copy")
            _ = try await source.hear("transferred")
        }
    }

    @Test func theOutcomeTravelsBack() async throws {
        try await run { _, source, destination in
            _ = try await source.ask("drag One", "dragging")
            #expect(try await destination.ask("drop move", "dropped") == "move")
            #expect(try await source.hear("ended") == "move")
            _ = try await source.ask("drag Two", "dragging")
            #expect(try await destination.ask("drop nothing", "dropped") == "cancel")
            #expect(try await source.hear("ended") == "cancel")
            _ = try await source.ask("drag-without-moving Three", "dragging")
            // A move that the source does not allow is none.
            #expect(try await destination.ask("drop move", "dropped") == "cancel")
            #expect(try await source.hear("ended") == "cancel")
        }
    }

    @Test func aSourceThatHasGoneLeavesNoDrag() async throws {
        try await run { _, source, destination in
            #expect(try await destination.ask("drop copy", "failed") == "no drag")
            _ = try await source.ask("drag One", "dragging")
            source.signal(9)
            _ = await source.wait()
            #expect(try await destination.ask("drop copy", "failed") == "no drag")
        }
    }
}

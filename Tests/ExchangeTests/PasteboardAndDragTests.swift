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

    @Test func oneProcessPastesTheItemsThatAnotherCopied() async throws {
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

    @Test func copiedItemsOutliveTheirProgram() async throws {
        try await run { _, first, second in
            _ = try await first.ask("copy-string left behind", "copied")
            _ = await first.quit()
            #expect(try await second.ask("paste", "pasted") == "1 left behind")
        }
    }

    @Test func valuesAreWhatTheyWereWhenTheirProgramHasEnded() async throws {
        try await run { _, first, second in
            _ = try await first.ask("copy-values", "copied")
            let before = try await second.ask("paste-values", "pasted")
            _ = await first.quit()
            #expect(before == "1 three 5 true 2001-01-01 00:00:00 +0000")
            #expect(try await second.ask("paste-values", "pasted") == before)
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

    @Test func localItemsStayInTheirProcess() async throws {
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

    @Test(arguments: [
        ("nothing", "0 0 nothing"), ("no-type", "0 0 nothing"), ("some", "1 1 good"), ("long-type", "1 1 good"),
        ("many-types", "1 256 nothing"), ("empty-provider", "0 0 nothing"), ("many-items", "20000 1 s"),
    ])
    func settingItemsReplacesAllEarlierOnes(_ what: String, _ left: String) async throws {
        try await run { _, first, second in
            _ = try await first.ask("copy-string secret", "copied")
            _ = try await second.ask("set-unusable \(what)", "set")
            for process in [first, second] { #expect(try await process.ask("look", "there") == left) }
        }
    }

    @Test func aNamedPasteboardIsThereFromItsFirstContentsToItsRemoval() async throws {
        try await run { _, first, second in
            #expect(try await second.ask("exists notes", "exists") == "false")
            _ = try await first.ask("named notes", "copied")
            #expect(try await second.ask("exists notes", "exists") == "true")
            _ = try await second.ask("remove notes", "removed")
            #expect(try await first.ask("exists notes", "exists") == "false")
            #expect(try await first.ask("paste-named notes", "pasted") == "nothing")
            _ = try await first.ask("named notes", "copied")
            #expect(try await second.ask("exists notes", "exists") == "true")
        }
    }

    @Test func noPasteboardHasANameThatNoBoardCanHave() async throws {
        try await run { _, first, _ in
            let count = try await first.ask("unusable-names", "there")
            #expect(count == "0")
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

    /// The model class of the article on custom classes, word for word, in processes of either language mode.
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
            // A drop from another program is always a copy.
            #expect(try await destination.ask("drop move", "dropped") == "copy")
            #expect(try await source.hear("ended") == "copy")
            _ = try await source.ask("drag Two", "dragging")
            #expect(try await destination.ask("drop nothing", "dropped") == "cancel")
            #expect(try await source.hear("ended") == "cancel")
            _ = try await source.ask("drag-without-moving Three", "dragging")
            // A move that the source does not allow is cancelled.
            #expect(try await destination.ask("drop move", "dropped") == "cancel")
            #expect(try await source.hear("ended") == "cancel")
        }
    }

    @Test func aDragIsDroppedOnce() async throws {
        try await run { _, source, destination in
            _ = try await source.ask("drag The Show", "dragging")
            #expect(try await destination.ask("drop copy", "dropped") == "copy")
            #expect(try await destination.ask("drop copy", "failed") == "no drag")
            _ = try await source.ask("drag Another Show", "dragging")
            #expect(try await destination.ask("drop nothing", "dropped") == "cancel")
            #expect(try await destination.ask("drop copy", "failed") == "no drag")
            #expect(try await destination.ask("on-drag-board", "offered") == "0")
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

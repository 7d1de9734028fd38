import BrowserTesting
import DaemonTesting
import DomainMessages
import FileBrowser
import FileProvider
import Glibc
import LinuxSystem
import ScriptableService
import Testing

/// Tests of the browser with a real daemon, a mount and a service.
@Suite(.serialized, .timeLimit(.minutes(20))) @MainActor struct BrowserTests {
    private let files = ["Plan.txt": "to do", "Notes/One.txt": "1", "Notes/Two.txt": "2"]

    @Test func aFolderIsListedWithStatesAndNothingIsFetched() async throws {
        try await browse(files) { browser, place in
            #expect(browser.names == ["Notes", "Plan.txt"])
            #expect(try await browser.item("Plan.txt").condition == .inCloud)
            browser.go(to: .folder(domain: "Cloud", path: "Notes"))
            try await eventually("the folder is listed") { browser.names == ["One.txt", "Two.txt"] }
            browser.goBack()
            try await eventually("the first folder is listed") { browser.names == ["Notes", "Plan.txt"] }
            browser.goForward()
            #expect(browser.location == .folder(domain: "Cloud", path: "Notes"))
            browser.goUp()
            #expect(browser.location == .folder(domain: "Cloud", path: ""))
            #expect(try await place.tell { try $0.count(.contents) } == 0)
        }
    }

    @Test func changesOfOtherProgramsAppearByThemselves() async throws {
        try await browse(files) { browser, place in
            try await onThread {
                let file = try FileDescriptor.open(place.mount + "/Added.txt", [.writeOnly, .create])
                try Array("new".utf8).withUnsafeBytes { try file.writeAll($0) }
            }
            _ = try await browser.item("Added.txt")
            try await onThread { _ = try retrying { unlink(place.mount + "/Plan.txt") } }
            try await eventually("the removed file has gone") { !browser.names.contains("Plan.txt") }
        }
    }

    @Test func undoRestoresTrashedItems() async throws {
        try await browse(files) { browser, place in
            var said: [String] = []
            browser.whenDone = { text, canUndo in if canUndo { said.append(text) } }
            browser.trash([try await browser.item("Plan.txt")])
            try await eventually("it is said") { said == ["“Plan.txt” moved to the trash"] }
            // A listing that was requested before may still show the item for a moment.
            try await eventually("it has gone") { !browser.names.contains("Plan.txt") }
            browser.undo()
            _ = try await browser.item("Plan.txt")
            #expect(browser.banner == nil)
        }
    }

    @Test func aRenameReachesTheServiceAndUndoTakesItBack() async throws {
        try await browse(files) { browser, place in
            browser.rename(try await browser.item("Plan.txt"), to: "Idea.txt")
            try await eventually("the service has the name") { try await place.paths().contains("Idea.txt") }
            // The service may have the name before the browser knows that the file was moved.
            try await eventually("the browser has the name") { browser.names == ["Notes", "Idea.txt"] }
            browser.undo()
            try await eventually("the service has the old name") { try await place.paths().contains("Plan.txt") }
            _ = try await browser.item("Plan.txt")
        }
    }

    @Test func aNameThatIsTakenIsRefusedInWordsAndNothingChanges() async throws {
        try await browse(files) { browser, place in
            browser.rename(try await browser.item("Plan.txt"), to: "Notes")
            try await eventually("the failure is shown") { browser.banner != nil }
            #expect(browser.banner?.message == "There is a “Notes” already. Choose another name.")
            #expect(browser.names == ["Notes", "Plan.txt"])
            browser.dismissBanner()
            #expect(browser.banner == nil)
        }
    }

    @Test func aNewFolderIsToBeNamed() async throws {
        try await browse(files) { browser, place in
            var naming: [BrowserItem.ID] = []
            browser.whenNaming = { naming.append($0) }
            browser.makeFolder()
            _ = try await browser.item("New Folder")
            // The report of the change may arrive before the folder is to be named.
            try await eventually("it is to be named") { naming.map(\.path) == ["New Folder"] }
            browser.makeFolder()
            _ = try await browser.item("New Folder 2")
            try await eventually("the second is to be named") {
                naming.map(\.path) == ["New Folder", "New Folder 2"]
            }
        }
    }

    @Test func itemsAreCopiedMovedAndDuplicated() async throws {
        try await browse(files) { browser, place in
            let plan = try await browser.item("Plan.txt")
            browser.duplicate([plan])
            let copy = try await browser.item("Plan (copy).txt")
            browser.copy([copy], isCut: true)
            browser.go(to: .folder(domain: "Cloud", path: "Notes"))
            browser.paste()
            _ = try await browser.item("Plan (copy).txt")
            #expect(browser.clipboard == nil)
            try await eventually("the service has the copy") {
                try await place.paths().contains("Notes/Plan (copy).txt")
            }
            #expect(try await place.tell { try $0.text("Notes/Plan (copy).txt") } == "to do")
        }
    }

    @Test func contentsAreKeptAndFreed() async throws {
        try await browse(files) { browser, place in
            let plan = try await browser.item("Plan.txt")
            browser.keep([plan], isWanted: true)
            try await eventually("it is kept") { try await browser.item("Plan.txt").condition == .kept }
            browser.freeUp([plan])
            try await eventually("it is in the cloud") { try await browser.item("Plan.txt").condition == .inCloud }
            browser.download([plan])
            try await eventually("it is here") { try await browser.item("Plan.txt").condition == .here }
            #expect(browser.jobs.count == 3)
            try await eventually("all is done") { browser.jobs.allSatisfy { $0.state == .done } }
        }
    }

    @Test func namesAreFoundWhileTheyAreTyped() async throws {
        try await browse(files) { browser, place in
            for text in ["p", "pl", "pla"] { browser.search(text) }
            try await eventually("it is found") { browser.names == ["Plan.txt"] }
            browser.search("")
            try await eventually("the folder is back") { browser.names == ["Notes", "Plan.txt"] }
        }
    }

    @Test func theResultsOfASearchStayUntilTheNextOnesAreRead() async throws {
        try await browse(files) { browser, place in
            browser.search("pla")
            #expect(browser.names.isEmpty && !browser.hasFormerResults)
            try await eventually("it is found") { browser.names == ["Plan.txt"] }
            browser.search("plan")
            #expect(browser.names == ["Plan.txt"] && browser.hasFormerResults)
            try await eventually("it is found again") { !browser.hasFormerResults }
            #expect(browser.names == ["Plan.txt"])
            browser.search("planet")
            #expect(browser.names == ["Plan.txt"] && browser.hasFormerResults)
            try await eventually("nothing is found") { browser.names.isEmpty && !browser.hasFormerResults }
            browser.search("no")
            try await eventually("the folder is found") { browser.names == ["Notes"] }
            browser.search("")
            #expect(browser.names.isEmpty && !browser.hasFormerResults)
        }
    }

    @Test func favoritesAndTheTrashHaveTheirPlaces() async throws {
        try await browse(files) { browser, place in
            browser.setFavorite([try await browser.item("Plan.txt")], true)
            browser.go(to: .favorites)
            try await eventually("it is a favorite") { browser.names == ["Plan.txt"] }
            #expect(browser.listing[0].mountedPath == place.mount + "/Plan.txt")
            browser.trash(browser.listing.all)
            browser.go(to: .trash)
            try await eventually("it is in the trash") { browser.names == ["Plan.txt"] }
            browser.restore(browser.listing.all)
            try await eventually("the trash is empty") { browser.names.isEmpty }
        }
    }

    @Test func anItemThatReachesTheTrashLateIsShownThere() async throws {
        try await browse(files) { browser, place in
            try await place.tell { try $0.add(CloudRule(.hold, on: .trash)) }
            browser.trash([try await browser.item("Plan.txt")])
            try await eventually("it is being sent") {
                browser.names == ["Notes"] && browser.domains.first?.activity.uploadsInFlight == 1
            }
            browser.go(to: .trash)
            try await eventually("the trash is read") { !browser.isLoading }
            #expect(browser.names.isEmpty)
            try await place.tell { try $0.removeRules() }
            try await eventually("it is in the trash") { browser.names == ["Plan.txt"] }
        }
    }

    @Test func aDaemonThatDiesIsMissedAndFoundAgain() async throws {
        try await browse(files) { browser, place in
            try await onThread { place.daemon.kill() }
            try await eventually("the failure is shown") { browser.banner?.remedy == .reconnect }
            #expect(browser.names == ["Notes", "Plan.txt"])
            try await onThread { try place.daemon.start() }
            try await eventually("the failure has gone") { browser.isConnected && browser.banner == nil }
            browser.go(to: .folder(domain: "Cloud", path: "Notes"))
            try await eventually("folders are listed") { browser.names == ["One.txt", "Two.txt"] }
        }
    }

    @Test func aFolderThatVanishesIsSaidToBeGone() async throws {
        try await browse(files) { browser, place in
            browser.go(to: .folder(domain: "Cloud", path: "Nowhere"))
            try await eventually("the failure is shown") { browser.listingError != nil }
            #expect(browser.listingError?.kind == .noSuchItem)
        }
    }
}

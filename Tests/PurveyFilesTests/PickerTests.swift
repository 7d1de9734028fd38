import BrowserTesting
import DaemonTesting
import DesktopTesting
import FileTesting
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import ScriptableService
import Testing

/// Tests of the window that picks for another program. The program is written as for Apple's platforms.
@Suite(.serialized, .timeLimit(.minutes(20)), .enabled(if: Requirement.isWanted(program: "Xvfb")))
struct PickerTests {
    private let files = ["Agenda.txt": "a day", "Plan.txt": "to do", "Photo.png": "no photo", "Notes/One.txt": "1"]

    /// Runs a test with a picker of `PickerPeer`.
    private func run(
        _ purpose: String, _ rest: String..., body: (WindowFixture) async throws -> Void
    ) async throws {
        try await WindowFixture.run(files, launching: { ("PickerPeer", [purpose, $0.mount] + rest) }, body)
    }

    /// Returns a line that the program prints.
    private func line(_ window: WindowFixture, _ number: Int = 1) async throws -> String {
        try await window.program.lines(number).dropFirst(number - 1).first ?? ""
    }

    @Test func aPickedFileReachesTheProgramAndNoOther() async throws {
        try await run("open") { window in
            // Files of other types cannot be picked.
            let button = try await window.find("button", "Open")
            _ = try await window.find("list item", "Photo.png")
            try await window.focusWindow(named: "Choose Files")
            try await window.keys("End", "Up")
            try await eventually("a photo cannot be picked") { try await onThread { !button.isSensitive } }
            try await window.keys("End")
            try await eventually("a text can be picked") { try await onThread { button.isSensitive } }
            // The second item from the end is the photo, the last one the text.
            try await onThread { try button.press() }
            #expect(try await line(window) == "picked \(window.place.mount)/Plan.txt to do")
            #expect(try await window.program.end().status == 0)
        }
    }

    @Test func aCancelledPickerIsDismissed() async throws {
        try await run("open") { window in
            try await window.press("button", "Cancel")
            #expect(try await line(window) == "cancelled dismissed")
        }
    }

    @Test func aPickerThatIsKilledCountsAsCancelled() async throws {
        try await run("open") { window in
            _ = try await window.find("list item", "Plan.txt")
            kill(try await window.pickerProcess(), SIGKILL)
            #expect(try await line(window) == "cancelled dismissed")
        }
    }

    @Test func aPickerWhoseDisplayGoesAwayCountsAsCancelled() async throws {
        try await run("open") { window in
            _ = try await window.find("list item", "Plan.txt")
            window.display.send(SIGKILL)
            #expect(try await line(window) == "cancelled dismissed")
        }
    }

    @Test func aPickerEndsWithItsProgram() async throws {
        try await run("open") { window in
            _ = try await window.find("list item", "Plan.txt")
            window.program.send(SIGKILL)
            try await window.awaitNo("list", WindowFixture.items)
        }
    }

    @Test func aCopyIsDownloaded() async throws {
        try await run("copy") { window in
            _ = try await window.find("list item", "Plan.txt")
            try await window.focusWindow(named: "Choose Files")
            try await window.keys("End", "Return")
            let words = try await line(window)
            #expect(words.hasPrefix("picked /") && words.hasSuffix("/Plan.txt to do"))
            #expect(!words.contains(window.place.mount))
        }
    }

    @Test func anExportedFileReplacesAnotherAfterAConfirmation() async throws {
        let folder = try TestFolder()
        try folder.file("Draft.txt", Array("a draft".utf8))
        try await run("export", folder.path + "/Draft.txt") { window in
            let entry = try await window.find("text box", "Name of the new file")
            _ = try await window.find("list item", "Plan.txt")
            try await onThread { try entry.setText("Plan.txt") }
            try await window.press("button", "Save")
            // An existing file is replaced only after a confirmation.
            try await window.pressButton(labelled: "Replace")
            #expect(try await line(window) == "picked \(window.place.mount)/Plan.txt a draft")
            try await eventually("the service has the file") {
                try await window.place.tell { try $0.text("Plan.txt") } == "a draft"
            }
        }
    }

    @Test func aPanelReturnsAFolder() async throws {
        try await run("panel") { window in
            _ = try await window.find("label", "Where are the notes?")
            _ = try await window.find("list item", "Notes, folder")
            try await window.focusWindow(named: "Choose a Folder")
            try await window.keys("Home")
            try await window.press("button", "Use Folder")
            #expect(try await line(window) == "picked \(window.place.mount)/Notes")
        }
    }

    @Test func aPanelReturnsTheNameOfANewFile() async throws {
        try await run("save") { window in
            _ = try await window.find("list item", "Plan.txt")
            try await window.press("button", "Save")
            #expect(try await line(window) == "picked \(window.place.mount)/Letter.txt")
        }
    }

    @Test func theDelegateOfAPanelRefusesItemsAndTheUserPicksAnother() async throws {
        try await run("choosy") { window in
            _ = try await window.find("list item", "Plan.txt")
            try await window.focusWindow(named: "Choose a File")
            // The items are Notes, Agenda.txt, Photo.png and Plan.txt.
            try await window.keys("End", "Return")
            _ = try await window.find("label", "Plans are not accepted.")
            try await window.keys("Up", "Return")
            _ = try await window.find("label", "“Photo.png” cannot be picked here.")
            try await window.keys("Up", "Return")
            #expect(try await line(window) == "picked \(window.place.mount)/Agenda.txt")
        }
    }

    @Test func theDelegateOfAPanelDecidesAboutTheNameOfANewFile() async throws {
        try await run("choosy save") { window in
            let entry = try await window.find("text box", "Name of the new file")
            _ = try await window.find("list item", "Plan.txt")
            try await window.press("button", "Save")
            _ = try await window.find("label", "The name “Secret” cannot be used here.")
            // The delegate adds the extension, so that the name is that of an existing file.
            try await onThread { try entry.setText("Agenda") }
            try await window.press("button", "Save")
            try await window.pressButton(labelled: "Replace")
            #expect(try await line(window) == "picked \(window.place.mount)/Agenda.txt")
        }
    }

    @Test func aPickerWhoseDelegateDoesNotReplyCanBeCancelled() async throws {
        let folder = try TestFolder()
        try await run("hesitant", folder.path + "/decision") { window in
            _ = try await window.find("list item", "Plan.txt")
            try await window.focusWindow(named: "Choose a File")
            try await window.keys("End", "Return")
            #expect(try await line(window) == "asked")
            try await window.press("button", "Cancel")
            try await window.awaitNo("list", WindowFixture.items)
            try folder.file("decision", [])
            #expect(try await line(window, 2) == "cancelled")
        }
    }

    @Test func aDocumentBrowserMakesAndOpensDocuments() async throws {
        try await run("browse") { window in
            _ = try await window.find("list item", "Plan.txt")
            try await window.press("button", "New Note")
            #expect(try await line(window) == "imported \(window.place.mount)/Note.txt")
            _ = try await window.find("list item", "Note.txt")
            try await window.press("button", "Open")
            #expect(try await line(window, 2) == "opened \(window.place.mount)/Note.txt")
            // The window stays.
            _ = try await window.find("list item", "Plan.txt")
        }
    }

    @Test func aShellScriptGetsThePathOfThePickedFile() async throws {
        let launch: WindowFixture.Launch = { ("purvey-files", ["--choose", "--title", "Pick", $0.mount]) }
        try await WindowFixture.run(files, launching: launch) { window in
            _ = try await window.find("list item", "Plan.txt")
            try await window.focusWindow(named: "Pick")
            try await window.keys("End", "Return")
            let run = try await window.program.end()
            #expect(run.status == 0)
            #expect(run.text == "\(window.place.mount)/Plan.txt\n")
        }
        try await WindowFixture.run(files, launching: launch) { window in
            try await window.focusWindow(named: "Pick")
            try await window.keys("Escape")
            let run = try await window.program.end()
            #expect(run.status == 1)
            #expect(run.text.isEmpty)
        }
    }
}

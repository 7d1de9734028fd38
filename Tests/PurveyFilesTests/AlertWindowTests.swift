import BrowserTesting
import FileTesting
import Foundation
import Testing

/// Tests of the alerts of a provider in the window.
@Suite(.serialized, .timeLimit(.minutes(20)), .enabled(if: Requirement.isWanted(program: "Xvfb")))
struct AlertWindowTests {
    @Test func anAlertIsCancelledContinuedAndSuppressed() async throws {
        try await WindowFixture.run(["asked a.txt": "a", "asked b.txt": "b", "fixed.txt": "c"]) { window in
            _ = try await window.find("list item", "asked a.txt")
            try await window.focusWindow()
            try await window.keys("Home", "Delete")
            _ = try await window.find("label", "Move “asked a.txt” to the trash?")
            try await window.pressButton(labelled: "Cancel")
            try await window.awaitNo("label", "Move “asked a.txt” to the trash?")
            _ = try await window.find("list item", "asked a.txt")
            try await window.focusWindow()
            try await window.keys("Home", "Delete")
            try await window.press("check box", "Do not show this again")
            try await window.pressButton(labelled: "Do It")
            try await window.awaitNo("list item", "asked a.txt")
            try await window.focusWindow()
            try await window.keys("Home", "Delete")
            try await window.awaitNo("list item", "asked b.txt")
            // An alert that forbids has one button, which does not continue.
            try await window.focusWindow()
            try await window.keys("Home", "Delete")
            _ = try await window.find("label", "“fixed.txt” cannot be changed.")
            try await window.pressButton(labelled: "Close")
            _ = try await window.find("list item", "fixed.txt")
            #expect(try await window.place.paths().contains("fixed.txt"))
        }
    }
}

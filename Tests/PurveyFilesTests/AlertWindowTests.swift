import BrowserTesting
import DesktopTesting
import FileTesting
import Foundation
import ScriptableService
import Testing

/// Tests of the alerts that a provider requires before the user's operations, and of the user's answers in the window.
@Suite(
    .serialized, .timeLimit(.minutes(20)), .enabled(if: TestSample.isWhole && Requirement.isWanted(program: "Xvfb")))
struct AlertWindowTests {
    private static let suppression = "Do not show this again"
    private static let title = "Move “asked a.txt” to the trash?"

    /// The domain's alerts in the output of `purvey alerts`.
    private static let (shown, suppressed) = (
        "\(StartedCloud.trashAlert)  shown\n", "\(StartedCloud.trashAlert)  suppressed\n"
    )

    @Test func anItemIsTrashedOnceTheUserContinues() async throws {
        try await WindowFixture.run(["asked a.txt": "a", "asked b.txt": "b"]) { window in
            _ = try await window.find("list item", "asked a.txt")
            try await window.focusWindow()
            try await window.keys("Home", "Delete")
            _ = try await window.find("label", Self.title)
            _ = try await window.find("label", "Others see that.")
            // If the user cancels the operation, the check box has no effect, and the alert stays enabled.
            try await window.toggle(Self.suppression, inDialog: "Move")
            try await window.answer("Cancel", to: Self.title)
            #expect(try await window.place.paths() == ["asked a.txt", "asked b.txt"])
            #expect(try await window.purvey("alerts", "Cloud") == Self.shown)

            try await window.keys("Home", "Delete")
            _ = try await window.find("label", Self.title)
            try await window.answer("Do It", to: Self.title)
            try await window.awaitNo("list item", "asked a.txt")
            try await eventually("the service has it in the trash") {
                try await window.place.paths() == [CloudItem.trashPath + "/asked a.txt", "asked b.txt"]
            }
            #expect(try await window.purvey("alerts", "Cloud") == Self.shown)
            _ = try await window.find("list item", "asked b.txt")
        }
    }

    @Test func theProviderLearnsWhichAlertTheUserSuppresses() async throws {
        try await WindowFixture.run(["asked a.txt": "a", "asked b.txt": "b"]) { window in
            _ = try await window.find("list item", "asked a.txt")
            try await window.focusWindow()
            try await window.keys("Home", "Delete")
            _ = try await window.find("label", Self.title)
            try await window.toggle(Self.suppression, inDialog: "Move")
            try await window.answer("Do It", to: Self.title)
            try await window.awaitNo("list item", "asked a.txt")
            try await eventually("the provider knows of it") {
                try await window.purvey("alerts", "Cloud") == Self.suppressed
            }
        }
    }

    @Test func severalItemsHaveOneAlert() async throws {
        try await WindowFixture.run(["asked a.txt": "a", "asked b.txt": "b", "plain.txt": "p"]) { window in
            _ = try await window.find("list item", "plain.txt")
            try await window.focusWindow()
            try await window.keys("Home", "ctrl+a", "Delete")
            _ = try await window.find("label", "Move 2 items to the trash?")
            try await window.answer("Do It", to: "Move 2 items to the trash?")
            _ = try await window.find("label", "3 items moved to the trash")
            try await eventually("all are in the trash") {
                try await window.place.paths().allSatisfy { $0.hasPrefix(CloudItem.trashPath) }
            }
        }
    }

    @Test func aForbiddenOperationIsExplainedAndCannotBeContinued() async throws {
        try await WindowFixture.run(["fixed.txt": "f"]) { window in
            let title = "“fixed.txt” cannot be changed."
            _ = try await window.find("list item", "fixed.txt")
            try await window.focusWindow()
            try await window.keys("Home", "Delete")
            _ = try await window.find("label", title)
            _ = try await window.find("label", "It belongs to others.")
            #expect(try await !window.has("label", "Do It"))
            #expect(try await !window.has("checkbox", Self.suppression))
            try await window.answer("Close", to: title)
            _ = try await window.find("list item", "fixed.txt")
            #expect(try await window.place.paths() == ["fixed.txt"])
        }
    }

    @Test func anItemIsRenamedOnceTheUserContinues() async throws {
        try await WindowFixture.run(["asked.txt": "a"]) { window in
            let title = "Rename of “asked.txt”?"
            _ = try await window.find("list item", "asked.txt")
            try await window.focusWindow()
            for answer in ["Cancel", "Do It"] {
                try await window.keys("Home", "F2")
                try await window.enter("asked too.txt", in: "New name of asked.txt")
                try await window.keys("Return")
                _ = try await window.find("label", title)
                // This alert cannot be suppressed.
                #expect(try await !window.has("checkbox", Self.suppression))
                try await window.answer(answer, to: title)
                let name = answer == "Cancel" ? "asked.txt" : "asked too.txt"
                _ = try await window.find("list item", name)
                try await eventually("the service has the name") { try await window.place.paths() == [name] }
            }
        }
    }

    @Test func itemsAreAddedToAFolderOnceTheUserContinues() async throws {
        try await WindowFixture.run(["asked/inner.txt": "i", "plain.txt": "p"]) { window in
            _ = try await window.find("list item", "plain.txt")
            try await window.focusWindow()
            try await window.keys("End", "ctrl+c", "Home", "Return")
            _ = try await window.find("list item", "inner.txt")
            for answer in ["Cancel", "Do It"] {
                try await window.keys("ctrl+v")
                _ = try await window.find("label", "Copy into “asked”?")
                try await window.answer(answer, to: "Copy into “asked”?")
                if answer == "Cancel" { #expect(try await !window.has("list item", "plain.txt")) }
            }
            _ = try await window.find("list item", "plain.txt")
            for answer in ["Cancel", "Do It"] {
                try await window.keys("ctrl+shift+n")
                _ = try await window.find("label", "Create into “asked”?")
                try await window.answer(answer, to: "Create into “asked”?")
                if answer == "Cancel" { #expect(try await !window.has("list item", "New Folder")) }
            }
            _ = try await window.find("text box", "New name of New Folder")
            try await window.keys("Escape")
            _ = try await window.find("list item", "New Folder")
            try await eventually("the service has both") {
                try await window.place.paths().isSuperset(of: ["asked/plain.txt", "asked/New Folder", "plain.txt"])
            }
        }
    }
}

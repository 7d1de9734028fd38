import BrowserTesting
import DaemonTesting
import FileTesting
import Foundation
import ScriptableService
import Testing

/// Tests of the alerts that a provider requires before the user's operations, and of the user's answers in the window.
@Suite(.serialized, .timeLimit(.minutes(20)), .enabled(if: Requirement.isWanted(program: "Xvfb")))
struct AlertWindowTests {
    private static let suppression = "Do not show this again"

    /// Presses keys in the window, which has the keyboard focus again after a dialog was closed.
    private func press(_ keys: String..., in window: WindowFixture) async throws {
        try await window.focusWindow()
        for key in keys { try await window.keys(key) }
    }

    /// Answers the alert that is shown, and waits until its dialog has gone.
    private func answer(_ label: String, to title: String, in window: WindowFixture) async throws {
        try await window.pressButton(labelled: label)
        try await window.awaitNo("label", title)
    }

    /// Returns the alerts of the domain that the command line lists.
    private func alerts(_ window: WindowFixture) async throws -> String {
        let daemon = window.place.daemon
        return try await onThread { try daemon.purvey(["alerts", "Cloud"]).1 }
    }

    /// Whether the window has an element now.
    private func has(_ role: String, _ name: String, _ window: WindowFixture) async throws -> Bool {
        let tree = window.tree
        return try await onThread { tree.find(role, name) != nil }
    }

    @Test func anItemIsTrashedOnceTheUserContinues() async throws {
        try await WindowFixture.run(["asked a.txt": "a", "asked b.txt": "b"]) { window in
            let title = "Move “asked a.txt” to the trash?"
            _ = try await window.find("list item", "asked a.txt")
            try await press("Home", "Delete", in: window)
            _ = try await window.find("label", title)
            _ = try await window.find("label", "Others see that.")
            // A cancelled operation changes nothing, not even whether the alert is shown.
            try await window.press("check box", Self.suppression)
            try await answer("Cancel", to: title, in: window)
            #expect(try await window.place.paths() == ["asked a.txt", "asked b.txt"])
            #expect(try await alerts(window) == "\(StartedCloud.trashAlert)  shown\n")

            try await press("Home", "Delete", in: window)
            _ = try await window.find("label", title)
            try await answer("Do It", to: title, in: window)
            try await window.awaitNo("list item", "asked a.txt")
            try await eventually("the service has it in the trash") {
                try await window.place.paths().contains(CloudItem.trashPath + "/asked a.txt")
            }
            #expect(try await alerts(window) == "\(StartedCloud.trashAlert)  shown\n")
            _ = try await window.find("list item", "asked b.txt")
        }
    }

    @Test func anAlertThatTheUserSuppressesIsNotShownAgain() async throws {
        try await WindowFixture.run(["asked a.txt": "a", "asked b.txt": "b"]) { window in
            let title = "Move “asked a.txt” to the trash?"
            _ = try await window.find("list item", "asked a.txt")
            try await press("Home", "Delete", in: window)
            _ = try await window.find("label", title)
            try await window.press("check box", Self.suppression)
            try await answer("Do It", to: title, in: window)
            try await window.awaitNo("list item", "asked a.txt")
            #expect(try await alerts(window) == "\(StartedCloud.trashAlert)  suppressed\n")

            try await press("Home", "Delete", in: window)
            // This item is trashed without a question.
            try await window.awaitNo("list item", "asked b.txt")
            #expect(try await !has("label", "Move “asked b.txt” to the trash?", window))
        }
    }

    @Test func aForbiddenOperationIsExplainedAndCannotBeContinued() async throws {
        try await WindowFixture.run(["fixed.txt": "f"]) { window in
            let title = "“fixed.txt” cannot be changed."
            _ = try await window.find("list item", "fixed.txt")
            try await press("Home", "Delete", in: window)
            _ = try await window.find("label", title)
            _ = try await window.find("label", "It belongs to others.")
            #expect(try await !has("label", "Do It", window))
            #expect(try await !has("check box", Self.suppression, window))
            try await answer("Close", to: title, in: window)
            _ = try await window.find("list item", "fixed.txt")
            #expect(try await window.place.paths() == ["fixed.txt"])
        }
    }

    @Test func aNameAndATrashedItemAreChangedOnceTheUserContinues() async throws {
        try await WindowFixture.run(["asked.txt": "a"]) { window in
            let title = "Rename of “asked.txt”?"
            _ = try await window.find("list item", "asked.txt")
            for answer in ["Cancel", "Do It"] {
                try await press("Home", "F2", in: window)
                let entry = try await window.find("text box", "New name of asked.txt")
                try await onThread { try entry.setText("asked too.txt") }
                try await window.keys("Return")
                _ = try await window.find("label", title)
                // This alert cannot be suppressed.
                #expect(try await !has("check box", Self.suppression, window))
                try await self.answer(answer, to: title, in: window)
                let name = answer == "Cancel" ? "asked.txt" : "asked too.txt"
                _ = try await window.find("list item", name)
                try await eventually("the service has the name") { try await window.place.paths() == [name] }
            }
        }
    }
}

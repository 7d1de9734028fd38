import BrowserTesting
import DesktopTesting
import FileTesting
import Foundation
import ScriptableService
import Testing

/// Tests of the trash in the window.
@Suite(
    .serialized, .timeLimit(.minutes(20)), .enabled(if: TestSample.isWhole && Requirement.isWanted(program: "Xvfb")))
struct TrashTests {
    /// Runs a test with a window that shows the trash, in which a file is selected.
    private func run(_ name: String, _ body: (WindowFixture) async throws -> Void) async throws {
        try await WindowFixture.run([name: "to do"], environment: ["PURVEY_TOAST_TIME": "600"]) { window in
            _ = try await window.find("list item", name)
            _ = try await window.purvey("trash", "--yes", window.place.mount + "/" + name)
            try await window.awaitNo("list item", name)
            try await eventually("the service has it in the trash") {
                try await window.place.paths() == [CloudItem.trashPath + "/" + name]
            }
            try await window.focusWindow()
            try await window.choosePlace("Trash")
            try await window.select(name)
            try await body(window)
        }
    }

    @Test func aFileIsRestoredFromTheTrash() async throws {
        try await run("Plan.txt") { window in
            try await window.chooseInMenu("Restore")
            _ = try await window.find("label", "“Plan.txt” restored")
            _ = try await window.find("group", "The Trash Is Empty")
            try await window.choosePlace("Cloud, ")
            _ = try await window.find("list item", "Plan.txt")
            try await eventually("the service has it in its folder") {
                try await window.place.paths() == ["Plan.txt"]
            }
        }
    }

    @Test func aFileIsDeletedForeverAfterBothConfirmations() async throws {
        try await run("asked.txt") { window in
            let (question, alert) = ("Delete “asked.txt” Forever?", "Delete of “asked.txt”?")
            try await window.chooseInMenu("Delete Forever…")
            _ = try await window.find("label", question)
            // The provider's alert follows the window's own question.
            try await window.answer("Delete Forever", to: question)
            _ = try await window.find("label", alert)
            try await window.answer("Do It", to: alert)
            _ = try await window.find("group", "The Trash Is Empty")
            try await eventually("the service has nothing") { try await window.place.paths().isEmpty }
        }
    }
}

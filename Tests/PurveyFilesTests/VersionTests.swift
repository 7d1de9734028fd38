import BrowserTesting
import DesktopTesting
import FileTesting
import Foundation
import ScriptableService
import Testing

/// Tests of the versions of a file in the information about it. The provider lists versions and restores them.
@Suite(.serialized, .timeLimit(.minutes(20)), .enabled(if: Requirement.isWanted(program: "Xvfb")))
struct VersionTests {
    /// Runs a test with a window that shows the information about "Plan.txt".
    private func run(_ body: (WindowFixture) async throws -> Void) async throws {
        try await WindowFixture.run(
            ["Plan.txt": "to do", "Notes/One.txt": "1"],
            // The result has to stay until a slow machine finds it.
            environment: ["PURVEY_TOAST_TIME": "600"]
        ) { window in
            _ = try await window.find("list item", "Plan.txt")
            try await window.focusWindow()
            try await window.keys("End", "ctrl+i")
            try await body(window)
        }
    }

    /// Lets the provider restore the version of a day, which the user enters.
    private func restore(_ day: String, _ window: WindowFixture) async throws {
        try await window.press("button", "Restore Version")
        let entry = try await window.find("text box", "The day of the version")
        try await onThread { try entry.setText(day) }
        try await window.pressButton(labelled: "Continue")
        try await window.awaitNo("text box", "The day of the version")
    }

    @Test func theVersionsOfAFileAreListed() async throws {
        try await run { window in
            try await window.press("button", "Show Versions")
            _ = try await window.find("label", "Show Versions: “Plan.txt”")
            _ = try await window.find("label", "Monday  5 bytes\nSunday  4 bytes")
            try await window.answer("Close", to: "Show Versions: “Plan.txt”")

            // A folder has no versions.
            try await window.keys("Home")
            try await window.awaitNo("button", "Show Versions")
            _ = try await window.find("list item", "Notes, folder")
        }
    }

    @Test func aVersionIsRestored() async throws {
        try await run { window in
            try await restore("Sunday", window)
            _ = try await window.find("label", "Restore Version done")
            #expect(try await window.place.tell { try $0.text("Plan.txt") } == "done")
            _ = try await window.find("list item", "Plan.txt, In the cloud, 4 bytes")
        }
    }

    @Test func theReasonWhyAVersionIsNotRestoredIsShown() async throws {
        try await run { window in
            try await restore("Friday", window)
            let reason = "Restore Version: The version of Friday has expired."
            _ = try await window.find("label", reason)
            #expect(try await window.place.tell { try $0.text("Plan.txt") } == "to do")
            try await window.press("button", "Dismiss")
            try await window.awaitNo("label", reason)

            // The transfers have the reason, too.
            try await window.focusWindow()
            try await window.keys("ctrl+shift+t")
            _ = try await window.find("list item", "Restore Version: “Plan.txt”, \(reason)")
        }
    }
}

import BrowserTesting
import DesktopTesting
import FileTesting
import Foundation
import Testing

/// Tests of the layout of narrow windows, by the positions of their elements.
@Suite(.serialized, .timeLimit(.minutes(20)), .enabled(if: Requirement.isWanted(program: "Xvfb")))
struct NarrowWindowTests {
    private let files = ["Plan.txt": "to do", "Plan (conflicted copy 2026-11-22).txt": "done"]

    /// The buttons of the dialog about a conflict.
    private static let answers = ["Keep Both", "Keep Original", "Keep Copy"]

    private func bounds(_ role: String, _ name: String, _ window: WindowFixture) async throws -> AccessibleNode.Bounds {
        let node = try await window.find(role, name)
        return try await onThread { try node.extents() }
    }

    /// Opens the dialog about the conflict in a window of the given size.
    private func openConflict(_ window: WindowFixture, _ width: Int, _ height: Int) async throws {
        _ = try await window.find("list item", "Plan.txt")
        try await window.resizeWindow(named: "Cloud", to: width, height)
        // A narrow window shows the places on another page.
        if width < 500 { _ = try await window.find("button", "Places") }
        try await window.focusWindow()
        try await window.keys("End", "ctrl+e")
        _ = try await window.find("label", "Two Versions of “Plan.txt”")
    }

    @Test func theVersionsInConflictDoNotCoverTheButtons() async throws {
        try await WindowFixture.run(files) { window in
            try await openConflict(window, 1000, 660)
            let dialog = try await bounds("dialog", "", window)
            for version in ["Open Original", "Open Conflicted Copy"] {
                let card = try await bounds("button", version, window)
                for answer in Self.answers {
                    let button = try await bounds("label", answer, window)
                    #expect(card.bottom <= button.y, "\(version): \(card), \(answer): \(button)")
                    #expect(button.bottom <= dialog.height, "\(answer): \(button), dialog: \(dialog)")
                }
            }
        }
    }

    /// The versions scroll above the buttons.
    @Test(arguments: [420, 660]) func theButtonsAreInTheDialogOfANarrowWindow(height: Int) async throws {
        try await WindowFixture.run(files) { window in
            try await openConflict(window, 380, height)
            let dialog = try await bounds("dialog", "", window)
            for answer in Self.answers {
                let button = try await bounds("label", answer, window)
                #expect(button.height > 0 && button.bottom <= dialog.height, "\(answer): \(button), \(dialog)")
            }
            try await window.pressButton(labelled: "Keep Both")
            try await window.awaitNo("label", "Two Versions of “Plan.txt”")
        }
    }
}

import BrowserTesting
import DesktopTesting
import FileTesting
import Foundation
import Testing

/// Tests of the window's list of keys.
@Suite(.serialized, .timeLimit(.minutes(20)), .enabled(if: Requirement.isWanted(program: "Xvfb")))
struct KeysTests {
    private let files = ["Plan.txt": "to do", "Notes/One.txt": "1"]

    @Test func theKeysAreListed() async throws {
        try await WindowFixture.run(files) { window in
            _ = try await window.find("list item", "Plan.txt")
            try await window.focusWindow()
            try await window.keys("ctrl+question")
            for title in ["Places or items", "Keep on this computer", "Compare versions", "Tags", "Transfers"] {
                _ = try await window.find("label", title)
            }
        }
    }
}

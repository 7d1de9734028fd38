import BrowserTesting
import DesktopTesting
import FileTesting
import Foundation
import Testing

/// Tests of searches in the window.
@Suite(
    .serialized, .timeLimit(.minutes(20)), .enabled(if: TestSample.isWhole && Requirement.isWanted(program: "Xvfb")))
struct SearchTests {
    private let files = ["Plan.txt": "to do", "Other.txt": "other", "Notes/plan b.txt": "1"]

    @Test func aFileIsFoundWhileTheUserTypesAndIsOpened() async throws {
        try await WindowFixture.run(files) { window in
            _ = try await window.find("list item", "Plan.txt")
            // The search begins with the first key.
            try await window.focusWindow()
            try await window.keys("p", "l", "a", "n")
            try await window.awaitNo("list item", "Other.txt")
            _ = try await window.find("list item", "Plan.txt, In the cloud, 5 bytes")
            // The folder of this file was never listed. Only the service knows the file.
            _ = try await window.find("list item", "plan b.txt")

            try await window.keys("F6", "F6")
            try await window.select("Plan.txt")
            try await window.keys("Return")
            let path = window.readText
            try await eventually("a program reads the file") {
                (try? String(contentsOfFile: path, encoding: .utf8)) == "to do"
            }
            try await window.keys("ctrl+f")
            _ = try await window.find("list item", "Other.txt")
            _ = try await window.find("list item", "Notes, folder")
        }
    }

    @Test func aSearchWithoutResultsSaysSoAndEnds() async throws {
        try await WindowFixture.run(files) { window in
            _ = try await window.find("list item", "Plan.txt")
            try await window.focusWindow()
            try await window.keys("ctrl+f")
            try await window.keys("x", "y", "z")
            _ = try await window.find("group", "No Results")
            try await window.keys("Escape")
            _ = try await window.find("list item", "Plan.txt")
            // The focus is on the items again.
            try await window.keys("Home", "Return")
            _ = try await window.find("list item", "plan b.txt")
        }
    }
}

import BrowserTesting
import DesktopTesting
import FileTesting
import Foundation
import ScriptableService
import Testing

/// Tests of operations on the contents of files in the window: the user keeps, frees, opens and edits files.
@Suite(
    .serialized, .timeLimit(.minutes(20)), .enabled(if: TestSample.isWhole && Requirement.isWanted(program: "Xvfb")))
struct ContentsTests {
    @Test func aFileIsKeptAndItsSpaceIsFreed() async throws {
        try await WindowFixture.run(["Plan.txt": "to do"]) { window in
            _ = try await window.find("list item", "Plan.txt, In the cloud, 5 bytes")
            try await window.focusWindow()
            try await window.keys("End", "ctrl+k")
            _ = try await window.find("list item", "Plan.txt, Kept, 5 bytes")
            #expect(try await window.place.tell { try $0.count(.contents) } == 1)
            try await window.keys("ctrl+shift+k")
            _ = try await window.find("list item", "Plan.txt, In the cloud, 5 bytes")
            try await window.chooseInMenu("Download")
            _ = try await window.find("list item", "Plan.txt, Here, 5 bytes")
            #expect(try await window.place.tell { try $0.count(.contents) } == 2)

            // The list of transfers has all three operations.
            try await window.keys("ctrl+shift+t")
            for title in ["Keeping", "Freeing up the space of", "Downloading"] {
                _ = try await window.find("list item", "\(title) “Plan.txt”, Done")
            }
        }
    }

    /// Waits until the program for text files has read a text.
    private func awaitReading(of text: String, _ window: WindowFixture) async throws {
        let path = window.readText
        try await eventually("a program reads “\(text)”") {
            (try? String(contentsOfFile: path, encoding: .utf8)) == text
        }
    }

    @Test func aFileIsOpenedAndEditedWithTheProgramsForItsType() async throws {
        try await WindowFixture.run(["Plan.md": "to do", "Plan.txt": "done"]) { window in
            _ = try await window.find("list item", "Plan.txt, In the cloud")
            try await window.focusWindow()
            try await window.keys("End", "Return")
            try await awaitReading(of: "done", window)
            _ = try await window.find("list item", "Plan.txt, Here")

            // The upload of the edit is shown until the service has the edit.
            try await window.place.tell { try $0.add(CloudRule(.hold, on: .replace)) }
            try await window.keys("Home", "Return")
            _ = try await window.find("list item", "Plan.md, Uploading")
            try await window.place.tell { try $0.removeRules() }
            _ = try await window.find("list item", "Plan.md, Here, 7 bytes")
            #expect(try await window.place.tell { try $0.text("Plan.md") } == "changed")
        }
    }

    @Test func aFileIsOpenedWithAProgramThatTheUserChooses() async throws {
        try await WindowFixture.run(["Plan.txt": "to do"]) { window in
            _ = try await window.find("list item", "Plan.txt")
            try await window.focusWindow()
            try await window.keys("End")
            try await window.chooseInMenu("Open With", "Test Editor")
            try await eventually("the service has the edit") {
                try await window.place.tell { try $0.text("Plan.txt") } == "changed"
            }
            _ = try await window.find("list item", "Plan.txt, Here, 7 bytes")
        }
    }
}

import BrowserTesting
import DesktopTesting
import FileTesting
import Foundation
import ScriptableService
import Testing

/// Tests of a conflict from its beginning to its end in the window.
@Suite(
    .serialized, .timeLimit(.minutes(20)), .enabled(if: TestSample.isWhole && Requirement.isWanted(program: "Xvfb")))
struct ConflictTests {
    private static let title = "Two Versions of “Plan.txt”"

    /// Changes "Plan.txt" on this machine and at the service, so that the window shows both versions.
    private func makeConflict(_ window: WindowFixture) async throws {
        let place = window.place
        _ = try await window.find("list item", "Plan.txt")
        let file = URL(fileURLWithPath: place.mount + "/Plan.txt")
        #expect(try await onThread { try Data(contentsOf: file) } == Data("to do".utf8))
        // The engine learns of the other client's change only from its own upload.
        try await place.tell { control in
            for request in [CloudRule.Request.changes, .page] { try control.add(CloudRule(.drop, on: request)) }
            try control.put("Plan.txt", "theirs")
        }
        try await onThread { try Data("mine".utf8).write(to: file) }
        _ = try await window.find("list item", "Plan (conflicted copy ")
        try await place.tell { try $0.removeRules() }
        _ = try await window.purvey("retry", "Cloud")
        try await eventually("the service has both") { try await place.paths().count == 2 }
    }

    /// Compares the versions, and chooses one.
    private func choose(_ label: String, _ window: WindowFixture) async throws {
        try await window.focusWindow()
        try await window.keys("Home", "ctrl+e")
        _ = try await window.find("label", Self.title)
        try await window.answer(label, to: Self.title)
    }

    @Test func theOwnVersionOfAConflictIsKeptAndBothAreBroughtBack() async throws {
        try await WindowFixture.run(["Plan.txt": "to do"]) { window in
            let place = window.place
            try await makeConflict(window)
            try await choose("Keep Copy", window)
            _ = try await window.find("label", "The other version was moved to the trash")
            try await window.awaitNo("list item", "Plan (conflicted copy ")
            try await eventually("the service has the own version") {
                try await place.tell { try? $0.text("Plan.txt") } == "mine"
            }
            try await window.pressButton(labelled: "Undo")
            _ = try await window.find("list item", "Plan (conflicted copy ")
            try await eventually("the service has both versions") {
                let count = try await place.paths().count
                return try await place.tell { try? $0.text("Plan.txt") } == "theirs" && count == 2
            }
        }
    }

    @Test func theVersionOfTheServiceIsKept() async throws {
        try await WindowFixture.run(["Plan.txt": "to do"]) { window in
            try await makeConflict(window)
            try await choose("Keep Original", window)
            try await window.awaitNo("list item", "Plan (conflicted copy ")
            _ = try await window.find("list item", "Plan.txt, In the cloud, 6 bytes")
            #expect(try await window.place.tell { try $0.text("Plan.txt") } == "theirs")
        }
    }
}

import BrowserTesting
import DaemonTesting
import DesktopTesting
import FileTesting
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import ScriptableService
import Testing

/// Tests of a window that is disturbed: by other clients, by a service that does not reply, and by the end of its
/// display.
@Suite(
    .serialized, .timeLimit(.minutes(20)), .enabled(if: TestSample.isWhole && Requirement.isWanted(program: "Xvfb")))
struct DisturbanceTests {
    private let letters = ["a.txt": "a", "b.txt": "b", "c.txt": "c", "d.txt": "d", "e.txt": "e"]

    @Test func aFolderThatChangesKeepsItsSelection() async throws {
        try await WindowFixture.run(letters) { window in
            _ = try await window.find("list item", "e.txt")
            try await window.focusWindow()
            try await window.keys("Home", "Down", "shift+Down")
            // Another client adds, renames and removes items before, between and after the selected ones.
            try await window.place.changeAtService { control in
                try control.remove("a.txt")
                try control.move("e.txt", to: "A.txt")
                try control.put("bb.txt", "bb")
                try control.fill("", count: 100)
            }
            _ = try await window.find("list item", "bb.txt")
            _ = try await window.find("list item", "A.txt")
            try await window.awaitNo("list item", "a.txt")
            try await window.awaitNo("list item", "e.txt")
            try await eventually("the service's files are listed") {
                try await window.has("list item", "file 0,")
            }
            try await window.keys("Delete")
            _ = try await window.find("label", "2 items moved to the trash")
            try await eventually("the selected items are in the trash") {
                let (trash, paths) = (CloudItem.trashPath + "/", try await window.place.paths())
                return paths.filter { $0.hasPrefix(trash) } == [trash + "b.txt", trash + "c.txt"]
            }
        }
    }

    @Test func aKeyAfterTheSelectedItemHasVanishedActsOnNoOtherItem() async throws {
        try await WindowFixture.run(letters) { window in
            _ = try await window.find("list item", "e.txt")
            try await window.focusWindow()
            try await window.keys("Home", "Down")
            try await window.place.changeAtService { try $0.remove("b.txt") }
            try await window.awaitNo("list item", "b.txt")
            try await window.keys("Delete")
            // The window handles keys in order, so this key is handled after Delete.
            try await window.keys("ctrl+shift+n")
            _ = try await window.find("text box", "New name of New Folder")
            try await eventually("the service has the folder") {
                try await window.place.paths() == ["a.txt", "c.txt", "d.txt", "e.txt", "New Folder"]
            }
        }
    }

    @Test func aFolderThatVanishesWhileShownIsSaidToBeGone() async throws {
        try await WindowFixture.run(["Plan.txt": "to do", "Notes/One.txt": "1"]) { window in
            _ = try await window.find("list item", "Plan.txt")
            try await window.focusWindow()
            try await window.keys("Home", "Return")
            _ = try await window.find("list item", "One.txt")
            try await window.place.changeAtService { try $0.remove("Notes") }
            _ = try await window.find("group", "This Cannot Be Shown")
            try await window.awaitNo("list item", "One.txt")
            try await window.keys("alt+Up")
            _ = try await window.find("list item", "Plan.txt")
        }
    }

    @Test func aThumbnailThatNeverComesDelaysNothing() async throws {
        try await WindowFixture.run(["Plan.txt": "to do", "Photos/A.png": "a", "Photos/B.png": "b"]) { window in
            let place = window.place
            _ = try await window.find("list item", "Plan.txt")
            try await place.tell { try $0.add(CloudRule(.hold, on: .thumbnail)) }
            try await window.focusWindow()
            try await window.keys("Home", "Return")
            _ = try await window.find("list item", "A.png, In the cloud, 1 byte")
            try await eventually("a thumbnail is requested") { try await place.tell { try $0.held() } > 0 }
            try await window.keys("Home", "ctrl+k")
            _ = try await window.find("list item", "A.png, Kept")
            try await window.keys("End", "Delete")
            try await window.awaitNo("list item", "B.png")
            try await eventually("the service has it in the trash") {
                try await place.paths().contains(CloudItem.trashPath + "/B.png")
            }
            try await window.press("button", "Back")
            _ = try await window.find("list item", "Plan.txt")
            #expect(try await place.tell { try $0.held() } > 0)
            try await place.tell { try $0.removeRules() }
        }
    }

    @Test func aServiceThatIsFullIsSaidWithItsRemedy() async throws {
        try await WindowFixture.run(["Plan.txt": "to do"]) { window in
            let place = window.place
            _ = try await window.find("list item", "Plan.txt")
            try await place.tell { try $0.change { $0.quota = 10 } }
            try await onThread {
                try Data(repeating: 1, count: 1_000).write(to: URL(fileURLWithPath: place.mount + "/Film.mov"))
            }
            _ = try await window.find("list item", "Film.mov, Failed, 1000 bytes")
            try await window.focusWindow()
            try await window.keys("Home", "ctrl+i")
            let reason = "The service has no room left. Remove files there, or buy more room."
            _ = try await window.find("label", reason)
            _ = try await window.find("label", "Cloud: Film.mov: \(reason)")
            try await place.tell { try $0.change { $0.quota = nil } }
            try await window.press("button", "Try Again")
            _ = try await window.find("list item", "Film.mov, Here, 1000 bytes")
            try await window.awaitNo("label", reason)
            try await window.awaitNo("button", "Try Again")
            #expect(try await place.paths() == ["Plan.txt", "Film.mov"])
        }
    }

    @Test(.enabled(if: FullDisk.isWanted)) func workForWhichTheDiskHasNoRoomSaysSoAndIsRepeated() async throws {
        try await WindowFixture.run(["Plan.txt": "to do"], diskMegabytes: 32) { window in
            let place = window.place
            let disk = try #require(place.disk)
            try await place.changeAtService { try $0.put("Film.mov", [UInt8](repeating: 1, count: 8 << 20)) }
            _ = try await window.find("list item", "Film.mov, In the cloud")
            try await onThread { try disk.fill() }
            try await window.focusWindow()
            try await window.keys("Home", "ctrl+k")
            _ = try await window.find("button", "Dismiss")
            try await window.keys("ctrl+shift+t")
            _ = try await window.find("list item", "Keeping “Film.mov”, ")
            try await window.press("button", "Back")
            _ = try await window.find("list item", "Film.mov")

            try await onThread { try disk.makeRoom() }
            try await window.press("button", "Dismiss")
            try await window.select("Film.mov")
            try await window.keys("ctrl+k")
            _ = try await window.find("list item", "Film.mov, Kept")
        }
    }

    @Test func aDisplayThatGoesAwayEndsTheWindowAndNothingElse() async throws {
        try await WindowFixture.run(["Plan.txt": "to do"]) { window in
            let place = window.place
            _ = try await window.find("list item", "Plan.txt")
            // The service holds the upload of a change.
            try await place.tell { try $0.add(CloudRule(.hold, on: .replace)) }
            try await onThread { try Data("changed".utf8).write(to: URL(fileURLWithPath: place.mount + "/Plan.txt")) }
            _ = try await window.find("list item", "Plan.txt, Uploading")
            window.display.send(SIGKILL)
            let run = try await window.program.end()
            #expect(run.ending == .exited(1), "\(run)")
            try await place.tell { try $0.removeRules() }
            try await eventually("the service has the change") {
                try await place.tell { try $0.text("Plan.txt") } == "changed"
            }
        }
    }
}

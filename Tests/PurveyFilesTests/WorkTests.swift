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

/// Tests of work on the selection in the window: copies, and transfers.
@Suite(.serialized, .timeLimit(.minutes(20)), .enabled(if: Requirement.isWanted(program: "Xvfb")))
struct WorkTests {
    @Test func severalItemsAreCopiedAndPastedIntoAFolder() async throws {
        let files = ["A.txt": "a", "B.txt": "b", "Notes/One.txt": "1"]
        try await WindowFixture.run(files) { window in
            _ = try await window.find("list item", "B.txt")
            try await window.focusWindow()
            try await window.keys("End", "shift+Up", "ctrl+c")
            try await window.keys("Home", "Return")
            _ = try await window.find("list item", "One.txt")
            try await window.keys("ctrl+v")
            _ = try await window.find("list item", "A.txt")
            _ = try await window.find("list item", "B.txt")
            try await eventually("the service has the copies") {
                try await window.place.paths().isSuperset(of: ["Notes/A.txt", "Notes/B.txt", "A.txt", "B.txt"])
            }
        }
    }

    /// Changes "Plan.txt", whose upload waits for a sign-in, and cancels the upload in the window.
    private func cancelUpload(_ window: WindowFixture) async throws {
        try await window.changeWithoutSession()
        _ = try await window.find("button", "Sign In…")
        try await window.focusWindow()
        try await window.keys("ctrl+shift+t")
        try await window.press("button", "Cancel the upload of Plan.txt")
        _ = try await window.find(
            "list item", "Upload of “Plan.txt” cancelled, Cloud, the change stays on this computer")
        _ = try await window.find("button", "Try again: Plan.txt")
    }

    @Test func anUploadThatWaitsIsCancelledAndSentLater() async throws {
        try await WindowFixture.run(["Plan.txt": "to do"]) { window in
            let place = window.place
            try await cancelUpload(window)
            try await place.tell { try $0.change { $0.password = nil } }
            try await window.press("button", "Try again: Plan.txt")
            try await eventually("the service has the change") {
                try await place.tell { try $0.text("Plan.txt") } == "changed"
            }
            try await window.awaitNo("button", "Try again: Plan.txt")
        }
    }

    @Test func aTransferThatEndsWhileTheWindowCannotLookLeavesNoRow() async throws {
        try await WindowFixture.run(["Plan.txt": "to do"]) { window in
            let place = window.place
            try await cancelUpload(window)
            // The window learns of nothing between the cancelled upload and the end of all transfers.
            window.program.send(SIGSTOP)
            try await place.tell { try $0.change { $0.password = nil } }
            _ = try await onThread { try place.daemon.purvey(["retry", "Cloud"]) }
            try await eventually("nothing waits") {
                try await onThread { !(try place.daemon.purvey(["status"]).1.contains("Plan.txt")) }
            }
            window.program.send(SIGCONT)
            _ = try await window.find("group", "No Transfers")
            try await window.awaitNo("button", "Try again: Plan.txt")
        }
    }

    @Test func aDownloadOfAnotherProgramIsCancelled() async throws {
        try await WindowFixture.run(["Plan.txt": "to do"]) { window in
            let place = window.place
            try await place.tell { try $0.add(CloudRule(.hold, on: .contents)) }
            let reading = Task {
                try await onThread {
                    let file = try FileDescriptor.open(place.mount + "/Plan.txt", .readOnly)
                    return Result { () throws(Errno) in try file.readToEnd(limit: 100) }
                }
            }
            _ = try await window.find("list item", "Cloud, 1 transfer")
            try await window.focusWindow()
            try await window.keys("ctrl+shift+t")
            try await window.press("button", "Cancel the download of Plan.txt")
            #expect(try await reading.value == .failure(.inputOutput))
            _ = try await window.find("list item", "Cloud, 0 bytes of 10 GiB")
            try await place.tell { try $0.removeRules() }
        }
    }

    @Test func transfersArePausedAndResumed() async throws {
        try await WindowFixture.run(["Plan.txt": "to do"]) { window in
            // The transfers are shown because the change waits.
            try await window.changeWithoutSession()
            _ = try await window.find("button", "Sign In…")
            try await window.keys("ctrl+shift+t")
            try await window.press("button", "Pause the transfers of Cloud")
            _ = try await window.find("button", "Resume the transfers of Cloud")
            try await eventually("the domain is paused") {
                try await onThread { try window.place.daemon.purvey(["status"]).1.contains("paused") }
            }
            try await window.press("button", "Resume the transfers of Cloud")
            _ = try await window.find("button", "Pause the transfers of Cloud")
        }
    }
}

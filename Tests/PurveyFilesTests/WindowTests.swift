import BrowserTesting
import DaemonTesting
import DesktopTesting
import FileTesting
import Foundation
import Glibc
import LinuxSystem
import ScriptableService
import Testing

/// Tests of the window, which see it as assistive technologies do, and use its buttons and the keyboard.
@Suite(.serialized, .timeLimit(.minutes(20)), .enabled(if: Requirement.isWanted(program: "Xvfb")))
struct WindowTests {
    private let files = ["Plan.txt": "to do", "Notes/One.txt": "1"]

    @Test func aFileIsRenamedTrashedAndBroughtBack() async throws {
        try await WindowFixture.run(files) { window in
            // Each state has its word in the name of the row.
            _ = try await window.find("list item", "Notes, folder")
            _ = try await window.find("list item", "Plan.txt, In the cloud, 5 bytes")

            // Open a folder, and come back.
            try await window.focusWindow()
            try await window.keys("Home", "Return")
            _ = try await window.find("list item", "One.txt, In the cloud")
            try await window.press("button", "Back")
            _ = try await window.find("list item", "Plan.txt")

            // Rename in place.
            try await window.keys("End", "F2")
            let entry = try await window.find("text box", "New name of Plan.txt")
            try await onThread { try entry.setText("Idea.txt") }
            try await window.keys("Return")
            _ = try await window.find("list item", "Idea.txt")
            try await eventually("the service has the name") { try await window.place.paths().contains("Idea.txt") }

            // Trash, and undo.
            try await window.keys("Delete")
            _ = try await window.find("label", "“Idea.txt” moved to the trash")
            try await window.awaitNo("list item", "Idea.txt")
            try await window.pressButton(labelled: "Undo")
            _ = try await window.find("list item", "Idea.txt")
            try await eventually("the service has the file") { try await window.place.paths().contains("Idea.txt") }
        }
    }

    @Test func aServiceThatWantsAPasswordIsSignedInToInTheWindow() async throws {
        try await WindowFixture.run(files) { window in
            try await window.changeWithoutSession()
            try await window.press("button", "Sign In…")
            for password in ["wrong", "right"] {
                let entry = try await window.find("text box", "Password for Cloud")
                try await onThread { try entry.setText(password) }
                try await window.pressButton(labelled: "Sign In")
                // A button that is pressed stays down for a moment, and its dialog open. The next password would be
                // typed into this dialog.
                try await window.awaitNo(entry)
            }
            try await eventually("the service has the change") {
                try await window.place.tell { try $0.text("Plan.txt") } == "changed"
            }
            try await window.awaitNo("button", "Sign In…")
            _ = try await window.find("list item", "Plan.txt, Here, 7 bytes")
        }
    }

    /// Makes a file if its directory is a mount that is served. A file in the directory beneath the mount would prevent
    /// the mount.
    ///
    /// - Returns: whether the file was made.
    private static func make(_ name: String, in mount: String) throws -> Bool {
        let outside = try FileStatus.of(String(mount[..<(mount.lastIndex(of: "/") ?? mount.endIndex)])).identity.device
        guard let root = try? FileDescriptor.open(mount, [.readOnly, .directory]),
            let device = try? root.status().identity.device, device != outside
        else { return false }
        let number = openat(root.rawValue, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        guard number >= 0 else { return false }
        try Array("later".utf8).withUnsafeBytes { try FileDescriptor(owning: number).writeAll($0) }
        return true
    }

    @Test func theWindowStaysWhenTheDaemonDiesAndReconnects() async throws {
        try await WindowFixture.run(files) { window in
            _ = try await window.find("list item", "Plan.txt")
            let daemon = window.place.daemon
            try await onThread {
                daemon.kill()
                // The window may be the first to start the next one.
                do { try daemon.start() } catch is StartedDaemon.NotStarted { try daemon.adopt() }
            }
            let mount = window.place.mount
            try await eventually("the mount is back") { try await onThread { try Self.make("Later.txt", in: mount) } }
            _ = try await window.find("list item", "Later.txt")
        }
    }
}

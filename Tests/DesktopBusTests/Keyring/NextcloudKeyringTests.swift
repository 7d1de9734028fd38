import DaemonTesting
import FileTesting
import Foundation
import Glibc
import LinuxSystem
import NextcloudTesting
import ProgramTesting
import Testing

/// A Nextcloud account whose password cannot be read, because GNOME's keyring is locked when the daemon starts.
@Suite(
    .timeLimit(.minutes(20)), .enabled(if: KeyringFixture.hasGnomeKeyring, "gnome-keyring is not installed"),
    .enabled(if: Requirement.isEnforced || access("/dev/fuse", R_OK | W_OK) == 0, "this machine cannot mount"))
struct NextcloudKeyringTests {
    @Test func editsWaitForTheKeyringAndAreSentAfterwards() async throws {
        let server = try await NextcloudTestServer()
        try await server.write("known.txt", "known")
        try await server.write("never read.txt", "contents")
        try await KeyringFixture.run { test in
            let keyring = try await test.startGnomeKeyring()
            try await test.installNextcloud()
            try Data("secret\n".utf8).write(to: URL(fileURLWithPath: test.home + "/password"))
            try await test.succeed(
                "domains", "add", "--password-file", test.home + "/password", "nextcloud", "Cloud",
                "url=\(server.address)", "user=alice")
            let mount = test.daemon.home + "/mounts/Cloud"
            #expect(try await names(mount) == ["known.txt", "never read.txt"])
            #expect(try await read(mount + "/known.txt") == "known")
            try await test.lockGnomeKeyring()
            try await test.endDaemon()
            try await test.startDaemon()
            try await test.eventually("the domain is mounted") { (try? await names(mount).count) == 2 }
            // What is on this machine can be read and changed.
            #expect(try await read(mount + "/known.txt") == "known")
            try await onThread {
                try Data("edited".utf8).write(to: URL(fileURLWithPath: mount + "/known.txt"))
                try Data("new".utf8).write(to: URL(fileURLWithPath: mount + "/new.txt"))
            }
            try await test.eventually("the status asks for the keyring") {
                try await test.succeed("status", "Cloud").contains(
                    "the keyring is locked: unlock it ('purvey keyring unlock')")
            }
            #expect((try? await read(mount + "/never read.txt")) == nil)
            #expect(try await server.show("known.txt")["text"] as? String == "known")

            keyring.send(SIGKILL)
            _ = try await keyring.end()
            let next = try await test.startGnomeKeyring()
            try await test.eventually("the edits are at the server") {
                let (known, new) = (try await server.show("known.txt"), try? await server.show("new.txt"))
                return known["text"] as? String == "edited" && new?["text"] as? String == "new"
            }
            try await test.eventually("the other file can be read") {
                (try? await read(mount + "/never read.txt")) == "contents"
            }
            try await test.eventually("the status is as before") {
                !(try await test.succeed("status", "Cloud").contains("keyring"))
            }
            withExtendedLifetime(next) {}
        }
    }

    private func names(_ folder: String) async throws -> [String] {
        try await onThread { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }
    }

    private func read(_ path: String) async throws -> String {
        try await onThread { try String(contentsOfFile: path, encoding: .utf8) }
    }
}

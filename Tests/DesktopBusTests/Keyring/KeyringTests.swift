import DaemonTesting
import FileTesting
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import Testing

/// The key of the stored passwords in GNOME's keyring.
@Suite(
    .timeLimit(.minutes(20)), .enabled(if: KeyringFixture.hasGnomeKeyring, "gnome-keyring is not installed"))
struct KeyringTests {
    @Test func theKeyIsInTheKeyringAndOutlivesDaemonAndKeyring() async throws {
        try await KeyringFixture.run { test in
            let keyring = try await test.startGnomeKeyring()
            try await test.addDomain()
            #expect(test.keyFiles.isEmpty)
            #expect(try await test.passwords() == "ada:open sesame")
            #expect(try await test.succeed("keyring").contains("the desktop's keyring"))
            try await test.endDaemon()
            keyring.send(SIGTERM)
            _ = try await keyring.end()
            let next = try await test.startGnomeKeyring()
            try await test.startDaemon()
            #expect(try await test.passwords() == "ada:open sesame")
            #expect(test.keyFiles.isEmpty)
            try await test.succeed("domains", "remove", "Cloud")
            withExtendedLifetime(next) {}
        }
    }

    @Test func theKeyMovesIntoAKeyringThatAppearsAndBack() async throws {
        try await KeyringFixture.run { test in
            try await test.addDomain()
            #expect(test.keyFiles == ["passwords.key"])
            #expect(try await test.succeed("keyring").contains("a file"))
            let keyring = try await test.startGnomeKeyring()
            try await test.eventually("the key is in the keyring") { test.keyFiles.isEmpty }
            #expect(try await test.passwords() == "ada:open sesame")
            try await test.endDaemon()
            try await test.startDaemon("file")
            try await test.eventually("the key is in a file") { test.keyFiles == ["passwords.key"] }
            keyring.send(SIGKILL)
            _ = try await keyring.end()
            #expect(try await test.passwords() == "ada:open sesame")
        }
    }

    @Test func workWaitsWhileTheKeyringIsLockedAndGoesOnAfterwards() async throws {
        try await KeyringFixture.run { test in
            let keyring = try await test.startGnomeKeyring()
            try await test.addDomain()
            try await test.lockGnomeKeyring()
            try await test.endDaemon()
            try await test.startDaemon()
            #expect(try await test.passwords() == "failed(-25308)")
            let status = try await test.succeed("status", "Cloud")
            #expect(status.contains("the keyring is locked: unlock it ('purvey keyring unlock')"), "\(status)")
            #expect(try await test.succeed("keyring").contains("the keyring is locked"))
            #expect(test.keyFiles.isEmpty)
            keyring.send(SIGKILL)
            _ = try await keyring.end()
            let next = try await test.startGnomeKeyring()
            try await test.eventually("the provider has its password") {
                try await test.passwords() == "ada:open sesame"
            }
            #expect(!(try await test.succeed("status", "Cloud").contains("keyring")))
            withExtendedLifetime(next) {}
        }
    }
}

import DaemonTesting
import FileTesting
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import Testing

/// Keyrings that lie, hang, die or ask the user.
@Suite(
    .timeLimit(.minutes(20)),
    .enabled(if: DesktopPart.canStart, "Python's module gi is not installed"))
struct KeyringFaultTests {
    @Test(arguments: ["wrong", "forget", "refuse", "session", "hang", "dismiss"])
    func aKeyringThatCannotBeTrustedLeavesTheKeyInAFile(mode: String) async throws {
        try await KeyringFixture.run { test in
            let service = try await test.startSecretService(mode)
            try await test.addDomain()
            #expect(test.keyFiles == ["passwords.key"])
            #expect(try await test.passwords() == "ada:open sesame")
            service.send(SIGKILL)
            #expect(!(try await service.end().text.contains("prompt")))
            #expect(try await test.passwords() == "ada:open sesame")
        }
    }

    @Test(arguments: ["wrong", "hang", "gone"])
    func aKeyringThatFailsLaterLosesNothing(mode: String) async throws {
        try await KeyringFixture.run { test in
            let service = try await test.startSecretService("plain")
            try await test.addDomain()
            #expect(test.keyFiles.isEmpty)
            service.send(SIGKILL)
            _ = try await service.end()
            let faulty = mode == "gone" ? nil : try await test.startSecretService(mode)
            try await test.endDaemon()
            try await test.startDaemon()
            #expect(try await test.passwords() == "failed(-25291)")
            #expect(try await test.succeed("status", "Cloud").contains("its work waits: "))
            faulty?.send(SIGKILL)
            _ = try await faulty?.end()
            let repaired = try await test.startSecretService("plain")
            try await test.eventually("the provider has its password") {
                try await test.passwords() == "ada:open sesame"
            }
            #expect(test.keyFiles.isEmpty)
            withExtendedLifetime(repaired) {}
        }
    }

    @Test func onlyAnActionOfTheUserShowsAPrompt() async throws {
        try await KeyringFixture.run { test in
            let service = try await test.startSecretService("plain")
            try await test.addDomain()
            service.send(SIGKILL)
            _ = try await service.end()
            let refused = try await test.startSecretService("dismiss")
            #expect(try await test.passwords() == "failed(-25308)")
            let (ending, text) = try await test.purvey("keyring", "unlock")
            #expect(ending == .exited(1) && text.contains("the keyring is still locked"), "\(text)")
            refused.send(SIGKILL)
            #expect(try await refused.end().text.components(separatedBy: "prompt").count == 2)
            let locked = try await test.startSecretService("prompt")
            #expect(try await test.passwords() == "failed(-25308)")
            try await test.succeed("keyring", "unlock")
            #expect(try await test.passwords() == "ada:open sesame")
            locked.send(SIGKILL)
            #expect(try await locked.end().text.components(separatedBy: "prompt").count == 2)
        }
    }

    @Test func aKeyThatIsLockedInAnUnlockedKeyringIsUnlocked() async throws {
        try await KeyringFixture.run { test in
            let service = try await test.startSecretService("plain")
            try await test.addDomain()
            service.send(SIGKILL)
            _ = try await service.end()
            let locked = try await test.startSecretService("items")
            #expect(try await test.passwords() == "failed(-25308)")
            #expect(try await test.succeed("keyring").contains("the keyring is locked"))
            try await test.succeed("keyring", "unlock")
            #expect(try await test.passwords() == "ada:open sesame")
            locked.send(SIGKILL)
            #expect(try await locked.end().text.components(separatedBy: "prompt").count == 2)
        }
    }

    @Test func aSignInUnlocksTheKeyring() async throws {
        try await KeyringFixture.run { test in
            let service = try await test.startSecretService("plain")
            try await test.addDomain()
            service.send(SIGKILL)
            _ = try await service.end()
            let locked = try await test.startSecretService("prompt")
            try await test.succeed("sign-in", "--password-file", test.home + "/password", "Cloud")
            #expect(try await test.passwords() == "ada:open sesame")
            withExtendedLifetime(locked) {}
        }
    }

    @Test func theUserGivesUpPasswordsWhoseKeyIsLost() async throws {
        try await KeyringFixture.run { test in
            let service = try await test.startSecretService("plain")
            try await test.addDomain()
            #expect(try await test.purvey("keyring", "reset").ending == .exited(1))
            #expect(try await test.passwords() == "ada:open sesame")
            service.send(SIGKILL)
            _ = try await service.end()
            try FileManager.default.removeItem(atPath: test.home + "/keyring.json")
            let empty = try await test.startSecretService("plain")
            #expect(try await test.passwords() == "failed(-25291)")
            #expect(try await test.succeed("keyring").contains("the keyring does not have the key"))
            try await test.succeed("keyring", "reset")
            #expect(try await test.passwords() == "")
            try await test.succeed("sign-in", "--password-file", test.home + "/password", "Cloud")
            #expect(try await test.passwords() == "ada:open sesame")
            let kept = try FileManager.default.contentsOfDirectory(atPath: test.daemon.home + "/data/passwords")
            #expect(kept.contains("passwords.sealed.damaged-1"))
            withExtendedLifetime(empty) {}
        }
    }

    @Test func aProcessOfTheBusThatDiesOrHangsIsSurvived() async throws {
        try await KeyringFixture.run { test in
            let service = try await test.startSecretService("plain")
            try await test.addDomain()
            func process() -> pid_t? {
                test.daemon.children.first {
                    (try? String(contentsOfFile: "/proc/\($0)/comm", encoding: .utf8)) == "purvey-bus\n"
                }
            }
            kill(try #require(process()), SIGKILL)
            try await test.eventually("the provider has its password") {
                try await test.passwords() == "ada:open sesame"
            }
            let stopped = try #require(process())
            kill(stopped, SIGSTOP)
            #expect(try await test.passwords() == "failed(-25291)")
            kill(stopped, SIGCONT)
            try await test.eventually("the provider has its password again") {
                try await test.passwords() == "ada:open sesame"
            }
            withExtendedLifetime(service) {}
        }
    }
}

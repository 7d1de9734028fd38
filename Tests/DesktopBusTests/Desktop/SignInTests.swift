import DaemonTesting
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import ScriptableService
import Testing

/// Tests of a sign-in that is no longer valid, as the user sees it on the desktop, in the status and in the mount.
@Suite(.timeLimit(.minutes(20)), .enabled(if: DesktopPart.canStart, "Python's module gi is not installed"))
struct SignInTests {
    @Test func oneNotificationAsksForASignInAndWaitingEditsGoOnAfterwards() async throws {
        try await BusFixture.run { test in
            let desktop = try await DesktopPart.start("desktop", ["notifications"], on: test.bus)
            try await test.tell { control in
                try control.put("never read.txt", "bytes")
                try control.add(CloudRule(.signOut(password: "sesame"), on: .create, times: 1))
            }
            try await test.succeed("ls", "Cloud:")
            for number in 0..<5 { try await test.write("edit \(number)", to: "edit \(number).txt") }
            #expect(try await desktop.hasPrinted("Cloud: sign in | Sign in: purvey sign-in Cloud"))
            #expect(try await test.succeed("status").contains("'purvey sign-in Cloud' signs in"))
            // A program that opens a file gets an error that stands for missing rights, and does not wait.
            let mount = test.mount
            let error = await #expect(throws: (any Error).self) {
                try await onThread { _ = try Files.read(mount + "/never read.txt") }
            }
            #expect(error as? Errno == .permissionDenied, "\(String(describing: error))")
            try Data("sesame\n".utf8).write(to: URL(filePath: test.daemon.home + "/password"))
            try await test.succeed("sign-in", "--password-file", test.daemon.home + "/password", "Cloud")
            try await test.eventually("the edits are sent") {
                try await test.tell { control in
                    let names = try control.snapshot().keys
                    return (0..<5).allSatisfy { names.contains("edit \($0).txt") }
                }
            }
            #expect(try await onThread { try Files.read(mount + "/never read.txt") } == "bytes")
            #expect(!(try await test.succeed("status").contains("sign-in")))
            desktop.send(SIGKILL)
            #expect(try await desktop.end().text.components(separatedBy: "sign in |").count == 2)
        }
    }
}

import BrowserTesting
import DesktopTesting
import FileTesting
import Foundation
import ScriptableService
import Testing

/// Tests of sign-ins in the window that fail three times or are cancelled.
@Suite(
    .serialized, .timeLimit(.minutes(20)), .enabled(if: TestSample.isWhole && Requirement.isWanted(program: "Xvfb")))
struct SignInTests {
    private static let reason = "The password is wrong."
    private static let passwords = ["wrong", "wrong again", "wrong once more"]

    /// Runs a test with a window that shows that a sign-in is needed, because the upload of "Plan.txt" needs one.
    private func run(
        hasInterface: Bool, _ body: (WindowFixture) async throws -> Void
    ) async throws {
        try await WindowFixture.run(["Plan.txt": "to do"]) { window in
            let place = window.place
            if hasInterface { try await onThread { try place.installInterface() } }
            try await window.changeWithoutSession()
            _ = try await window.find("button", "Sign In…")
            try await body(window)

            try await eventually("the service has the change") {
                try await place.tell { try $0.text("Plan.txt") } == "changed"
            }
            try await window.awaitNo("button", "Sign In…")
            try await window.awaitNo("label", Self.reason)
            _ = try await window.find("list item", "Plan.txt, Here, 7 bytes")
        }
    }

    @Test func aPasswordThatIsWrongThreeTimesIsAskedForAgain() async throws {
        try await run(hasInterface: false) { window in
            try await window.press("button", "Sign In…")
            for password in Self.passwords {
                let entry = try await window.find("text box", "Password for Cloud")
                try await onThread { try entry.setText(password) }
                try await window.pressButton(labelled: "Sign In")
                try await window.awaitNo(entry)
                // The next dialog shows the reason.
                _ = try await window.find("label", Self.reason)
            }
            try await window.pressButton(labelled: "Cancel")
            try await window.awaitNo("text box", "Password for Cloud")
            #expect(try await window.place.tell { try $0.text("Plan.txt") } == "to do")

            // Nothing is lost, and the window still offers the sign-in.
            try await window.press("button", "Sign In…")
            try await window.enter("right", in: "Password for Cloud")
            try await window.pressButton(labelled: "Sign In")
        }
    }

    @Test func aSignInWithTheProvidersInterfaceThatFailsThreeTimesIsOfferedAgain() async throws {
        try await run(hasInterface: true) { window in
            for password in Self.passwords + ["right"] {
                try await window.press("button", "Sign In…")
                let entry = try await window.find("text box", "Password")
                try await onThread { try entry.setText(password) }
                try await window.pressButton(labelled: "Continue")
                try await window.awaitNo(entry)
                if password != "right" { _ = try await window.find("label", Self.reason) }
            }
        }
    }

    @Test func aSignInThatTheUserCancelsIsNoFailure() async throws {
        try await run(hasInterface: true) { window in
            try await window.press("button", "Sign In…")
            let entry = try await window.find("text box", "Password")
            try await window.pressButton(labelled: "Cancel")
            try await window.awaitNo(entry)
            try await window.press("button", "Sign In…")
            try await window.enter("right", in: "Password")
            try await window.pressButton(labelled: "Continue")
        }
    }
}

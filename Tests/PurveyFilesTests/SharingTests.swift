import BrowserTesting
import DaemonTesting
import DesktopTesting
import FileTesting
import Foundation
import ScriptableService
import Testing

/// Tests of the menu's entries that run extensions: share extensions, and actions of the provider.
@Suite(
    .serialized, .timeLimit(.minutes(20)), .enabled(if: TestSample.isWhole && Requirement.isWanted(program: "Xvfb")))
struct SharingTests {
    /// Runs a test with a window in which "Plan.txt" is selected.
    private func run(_ body: (WindowFixture) async throws -> Void) async throws {
        try await WindowFixture.run(["Plan.txt": "to do"], environment: ["PURVEY_TOAST_TIME": "600"]) { window in
            _ = try await window.find("list item", "Plan.txt")
            try await window.focusWindow()
            try await window.keys("End")
            try await body(window)
        }
    }

    @Test func aFileIsSharedWithAnExtensionWhichSaysWhatItDid() async throws {
        try await run { window in
            let place = window.place
            try await onThread {
                try place.install(
                    "FileAway",
                    [
                        "CFBundleIdentifier": "org.example.FileAway", "CFBundleName": "File Away",
                        "NSExtension": [
                            "NSExtensionPointIdentifier": "com.apple.ui-services",
                            "NSExtensionPrincipalClass": "$(PRODUCT_MODULE_NAME).FileAwayRequestHandler",
                            "NSExtensionAttributes": ["NSExtensionActivationRule": "TRUEPREDICATE"],
                            // The limit is long enough for a busy machine.
                            "PurveyTimeLimit": 600,
                        ] as [String: Any],
                    ])
            }
            try await window.chooseInMenu("Share With", "File Away")
            _ = try await window.find("label", "File Away: Filed: Plan.txt")
            let filed = place.daemon.home + "/data/containers/org.example.FileAway/Documents/Plan.txt"
            #expect(try String(contentsOfFile: filed, encoding: .utf8) == "to do")
            // The contents are local, because the extension has read them.
            _ = try await window.find("list item", "Plan.txt, Here")
            try await window.keys("ctrl+shift+t")
            _ = try await window.find("list item", "Sharing “Plan.txt” with File Away, File Away: Filed: Plan.txt")
        }
    }

    @Test func anActionOfTheProviderAsksForATextAndReplies() async throws {
        try await run { window in
            try await window.chooseInMenu("Greet")
            try await window.enter("Ann", in: "A name")
            try await window.pressButton(labelled: "Continue")
            let title = "Greet: “Plan.txt”"
            _ = try await window.find("label", title)
            _ = try await window.find("label", "Hello, Ann\nhttps://example.org/to-do")
            try await window.answer("Close", to: title)
        }
    }

    @Test func aShareOfTheServiceIsMadeByTheProvidersOwnInterface() async throws {
        try await run { window in
            let place = window.place
            try await onThread { try place.installInterface() }
            try await window.chooseInMenu("Share…")
            _ = try await window.find("label", "Share it")
            try await window.enter("Ann", in: "With")
            try await window.enter("secret", in: "Password")
            try await window.answer("Continue", to: "Share it")
            _ = try await window.find("label", "Share done")
            let requests = try await place.tell { try $0.requests() }
            #expect(
                requests.contains { request in
                    if case .act("shared with Ann by secret, domain known", _) = request { true } else { false }
                })
        }
    }
}

import BrowserTesting
import DaemonTesting
import DesktopTesting
import FileTesting
import Foundation
import ScriptableService
import Testing

/// Tests of the places at the side of the window.
@Suite(.serialized, .timeLimit(.minutes(20)), .enabled(if: Requirement.isWanted(program: "Xvfb")))
struct PlacesTests {
    @Test func aServiceShowsItsQuotaAndWhetherASignInIsNeeded() async throws {
        try await WindowFixture.run(["Plan.txt": "to do"]) { window in
            let place = window.place
            try await onThread {
                try Data("250 750".utf8).write(to: URL(fileURLWithPath: place.cloud.folder + "/quota"))
                _ = try place.daemon.purvey(["signal", "Cloud"])
            }
            _ = try await window.find("list item", "Cloud, 250 bytes of 1000 bytes used")
            _ = try await window.find("meter", "Space at the service: 25 % used")

            try await window.changeWithoutSession()
            _ = try await window.find("list item", "Cloud, Sign-in needed")
        }
    }

    // MARK: Domains that are added and removed

    private static let gone = "This Cannot Be Shown"

    @Test func aDomainIsAddedBrowsedAndRemovedWhileItIsShown() async throws {
        try await WindowFixture.run(["Plan.txt": "to do", "Notes/One.txt": "1"]) { window in
            _ = try await window.find("list item", "Cloud, ")
            try await window.addDomain("Second")
            try await window.focusWindow()
            try await window.choosePlace("Second, ")
            _ = try await window.find("button", "Second, current folder")
            _ = try await window.find("list item", "Plan.txt, In the cloud, 5 bytes")
            try await window.select("Notes, folder")
            try await window.keys("Return")
            _ = try await window.find("list item", "One.txt")

            // After the domain was removed, the window does not show the domain's items.
            _ = try await window.purvey("domains", "remove", "Second")
            try await window.awaitNo("list item", "Second, ")
            _ = try await window.find("group", Self.gone)
            try await window.awaitNo("list item", "One.txt")
            #expect(try await window.place.paths() == ["Plan.txt", "Notes", "Notes/One.txt"])

            // The window shows the domain again without an action of the user.
            try await window.addDomain("Second")
            _ = try await window.find("list item", "One.txt")
            try await window.awaitNo("group", Self.gone)
        }
    }

    @Test func theLastDomainLeavesAWindowThatSaysHowToAddOne() async throws {
        try await WindowFixture.run(["Plan.txt": "to do"]) { window in
            _ = try await window.find("list item", "Plan.txt")
            _ = try await window.purvey("domains", "remove", "Cloud")
            _ = try await window.find("group", Self.gone)
            try await window.focusWindow()
            try await window.choosePlace("Recents")
            _ = try await window.find("group", "No Services Yet")
            try await window.addDomain("Cloud")
            _ = try await window.find("list item", "Cloud, ")
            try await window.choosePlace("Cloud, ")
            _ = try await window.find("list item", "Plan.txt")
        }
    }
}

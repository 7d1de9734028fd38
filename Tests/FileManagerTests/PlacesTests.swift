import BrowserTesting
import DesktopTesting
import Foundation
import Testing

/// Tests of a domain among the places of Nautilus, which finds it as an account of a cloud provider.
@Suite(
    .serialized, .timeLimit(.minutes(20)),
    .enabled(if: Manager.wanted.contains(.nautilus), "only a step of make test-full runs them"))
struct PlacesTests {
    @Sendable private func isPlace(_ node: AccessibleNode) -> Bool {
        node.role == "list item" && node.descendants().contains { $0.title == "Cloud" }
    }

    @Test func aDomainIsAPlaceThatOpensItsMount() async throws {
        try await ManagerFixture.run(.nautilus, ["Plan.txt": "to do"]) { window in
            try await window.open(window.desk.folder + "/home")
            try await window.find("a place “Cloud”", where: isPlace)
            try await window.focusWindow("home")
            try await window.tab(to: "the place", where: isPlace)
            try await window.keys("Return")
            try await window.find("Plan.txt")
        }
    }
}

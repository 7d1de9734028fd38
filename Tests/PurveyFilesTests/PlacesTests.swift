import BrowserTesting
import DaemonTesting
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

            try await place.tell {
                try $0.change { $0.password = "right" }
                try $0.endSessions()
            }
            try await onThread { try Data("changed".utf8).write(to: URL(fileURLWithPath: place.mount + "/Plan.txt")) }
            _ = try await window.find("list item", "Cloud, Sign-in needed")
        }
    }
}

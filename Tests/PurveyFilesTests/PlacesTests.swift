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

    @Test func aLongQuotaHasASecondLineAndDoesNotWidenTheSidebar() async throws {
        try await WindowFixture.run(["Plan.txt": "to do"]) { window in
            let place = window.place
            func bounds(_ role: String, _ name: String) async throws -> AccessibleNode.Bounds {
                let node = try await window.find(role, name)
                return try await onThread { try node.extents() }
            }
            func report(_ quota: String) async throws {
                try await onThread {
                    try Data(quota.utf8).write(to: URL(fileURLWithPath: place.cloud.folder + "/quota"))
                    _ = try place.daemon.purvey(["signal", "Cloud"])
                }
            }
            try await report("250 750")
            let short = try await bounds("label", "250 bytes of 1000 bytes used")
            let list = try await bounds("list", "Places")
            try await report("1090000000000 5000000000")
            let words = "1015.1 GiB of 1019.8 GiB used"
            _ = try await window.find("list item", "Cloud, \(words)")
            try await eventually("the quota has two lines") {
                // The label may be replaced while it is measured.
                let height = (try? await bounds("label", words))?.height ?? 0
                return height > short.height + short.height / 2
            }
            #expect(try await bounds("list", "Places").width == list.width)
        }
    }
}

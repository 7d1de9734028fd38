import BrowserTesting
import DaemonTesting
import DomainMessages
import FileBrowser
import FileProvider
import Foundation
import LinuxSystem
import ScriptableService
import Testing

/// Tests of the domains as places: their quota and their sign-in.
@Suite(.serialized, .timeLimit(.minutes(20))) @MainActor struct PlaceTests {
    @Test func aPlaceShowsTheQuotaThatTheProviderReports() async throws {
        try await browse(["Plan.txt": "to do"]) { browser, place in
            #expect(browser.domains.first?.space?.isQuota == false)
            try await report("10 990", place)
            try await eventually("the quota is shown") {
                browser.domains.first?.summary == "10 bytes of 1000 bytes used"
            }
            let space = try #require(browser.domains.first?.space)
            #expect(space.words == "Space at the service: 1 % used")
            let details = try #require(browser.domains.first?.details)
            #expect(details.hasPrefix("10 bytes of 1000 bytes used at the service, "))
            #expect(details.hasSuffix(" on this computer"))
            let (_, text) = try await onThread { try place.daemon.purvey(["status"]) }
            #expect(text.contains("   service: 10 bytes of 1000 bytes used\n"))

            try await report("1000 0 ", place)
            try await eventually("the space is used up") { browser.domains.first?.space?.fraction == 1 }
        }
    }

    @Test func aPlaceSaysThatASignInIsNeeded() async throws {
        try await browse(["Plan.txt": "to do"]) { browser, place in
            try await place.tell {
                try $0.change { $0.password = "right" }
                try $0.endSessions()
            }
            browser.download([try await browser.item("Plan.txt")])
            try await eventually("the place says so") { browser.domains.first?.summary == "Sign-in needed" }
            #expect(browser.domains.first?.failure?.remedy == .signIn(domain: "Cloud"))
            try await browser.signIn(to: "Cloud", password: "right")
            try await eventually("the place is signed in") { browser.domains.first?.failure == nil }
        }
    }

    /// Makes the provider report a quota.
    private func report(_ quota: String, _ place: BrowsedCloud) async throws {
        try await onThread {
            try Data(quota.utf8).write(to: URL(fileURLWithPath: place.cloud.folder + "/quota"), options: .atomic)
            _ = try place.daemon.purvey(["signal", "Cloud"])
        }
    }

    @Test(
        arguments: [
            (5, 15, "5 bytes of 20 bytes used", 0.25), (5, nil, "5 bytes used", nil), (nil, 5, "5 bytes free", nil),
            (nil, nil, nil, nil), (0, 0, "0 bytes of 0 bytes used", nil),
            (.max, .max, "8388608 TiB of 8388608 TiB used", 1),
        ] as [(Int64?, Int64?, String?, Double?)])
    func aQuotaHasWordsForWhatIsKnown(used: Int64?, available: Int64?, words: String?, fraction: Double?) {
        let quota = DomainQuota(used: used, available: available)
        #expect(quota.words == words)
        #expect(quota.fraction == fraction)
    }
}

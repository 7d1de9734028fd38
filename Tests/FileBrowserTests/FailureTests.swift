import BrowserTesting
import FileBrowser
import FileProvider
import Foundation
import LinuxSystem
import ScriptableService
import Testing

/// Tests of failures as the browser shows them: each has its reason and a remedy that works.
@Suite(.serialized, .timeLimit(.minutes(20))) @MainActor struct FailureTests {
    @Test func anUploadWithoutRoomSaysSoAndGoesOnAfterTheRemedy() async throws {
        try await browse(["Plan.txt": "to do"]) { browser, place in
            try await place.tell { try $0.change { $0.quota = 10 } }
            let path = place.mount + "/Film.mov"
            try await onThread { try Data(repeating: 1, count: 1_000).write(to: URL(fileURLWithPath: path)) }
            try await eventually("the failure is shown") {
                try await browser.item("Film.mov").condition.word == "Failed"
            }
            let condition = try await browser.item("Film.mov").condition
            #expect(condition.remedy == .retry(domain: "Cloud"))
            #expect(condition.explanation.count > 10)
            try await eventually("the domain says so, too") { browser.banner?.remedy == .retry(domain: "Cloud") }
            try await place.tell { try $0.change { $0.quota = nil } }
            browser.retry([try await browser.item("Film.mov")])
            try await eventually("the file is with the service") {
                try await place.paths().contains("Film.mov")
            }
            try await eventually("the failure has gone") {
                try await browser.item("Film.mov").condition == .here && browser.banner == nil
            }
        }
    }

    @Test func aServiceThatWantsAPasswordIsSignedInAfterTwoWrongOnes() async throws {
        try await browse(["Plan.txt": "to do"]) { browser, place in
            try await place.tell {
                try $0.change { $0.password = "right" }
                try $0.endSessions()
            }
            let plan = try await browser.item("Plan.txt")
            browser.download([plan])
            try await eventually("the failure is shown") { browser.banner != nil }
            browser.dismissBanner()
            try await eventually("the sign-in is asked for") {
                browser.banner?.remedy == .signIn(domain: "Cloud")
            }
            for password in ["wrong", "wrong again"] {
                await #expect(throws: BrowserError.self) {
                    try await browser.signIn(to: "Cloud", password: password)
                }
            }
            try await browser.signIn(to: "Cloud", password: "right")
            try await eventually("all is well") { browser.banner == nil }
            browser.download([plan])
            try await eventually("it is here") { try await browser.item("Plan.txt").condition == .here }
        }
    }

    @Test func aDownloadThatTakesLongIsCancelled() async throws {
        try await browse(["Plan.txt": "to do"]) { browser, place in
            try await place.tell { try $0.add(CloudRule(.hold, on: .contents)) }
            browser.download([try await browser.item("Plan.txt")])
            try await eventually("it is asked for") { try await place.tell { try $0.held() } > 0 }
            let job = try #require(browser.jobs.first)
            #expect(job.state == .running)
            job.cancel()
            await job.wait()
            #expect(job.state == .cancelled && browser.banner == nil)
            try await place.tell { try $0.removeRules() }
        }
    }
}

import BrowserTesting
import DaemonTesting
import DomainMessages
import FileBrowser
import FileProvider
import Foundation
import Glibc
import LinuxSystem
import ScriptableService
import Testing

/// Tests of transfers of the daemon that the user cancels in the browser.
@Suite(.serialized, .timeLimit(.minutes(20))) @MainActor struct TransferTests {
    private let files = ["Plan.txt": "to do"]

    /// Waits for a transfer of the domain.
    private func transfer(
        _ browser: Browser, _ state: TransferActivity.State, isUpload: Bool
    ) async throws -> TransferActivity {
        var found: TransferActivity?
        try await eventually("a transfer is \(state)") {
            found = browser.domains.first?.activity.transfers.first { $0.state == state && $0.isUpload == isUpload }
            return found != nil
        }
        return try #require(found)
    }

    @Test func aDownloadOfAProgramIsCancelledAndTheNextOneWorks() async throws {
        try await browse(files) { browser, place in
            var said: [String] = []
            browser.whenDone = { text, _ in said.append(text) }
            try await place.tell { try $0.add(CloudRule(.hold, on: .contents)) }
            let reading = Task {
                try await onThread {
                    let file = try FileDescriptor.open(place.mount + "/Plan.txt", .readOnly)
                    return Result { () throws(Errno) in try file.readToEnd(limit: 100) }
                }
            }
            let download = try await transfer(browser, .running, isUpload: false)
            #expect(download.name == "Plan.txt" && download.canBeCancelled)
            browser.cancel(download, of: "Cloud")
            #expect(try await reading.value == .failure(.inputOutput))
            try await eventually("it is said") { said == ["Download of “Plan.txt” cancelled"] }
            try await eventually("no transfer is left") { browser.domains.first?.activity.transfers.isEmpty == true }
            try await place.tell { try $0.removeRules() }
            #expect(
                try await onThread { try String(contentsOfFile: place.mount + "/Plan.txt", encoding: .utf8) } == "to do"
            )
        }
    }

    @Test func aDownloadOfTheWindowThatIsCancelledIsNoFailure() async throws {
        try await browse(files) { browser, place in
            try await place.tell { try $0.add(CloudRule(.hold, on: .contents)) }
            browser.download([try await browser.item("Plan.txt")])
            browser.cancel(try await transfer(browser, .running, isUpload: false), of: "Cloud")
            let job = try #require(browser.jobs.first)
            await job.wait()
            #expect(job.state == .cancelled && browser.banner == nil)
            try await place.tell { try $0.removeRules() }
        }
    }

    @Test func aCancelledUploadStaysHereUntilItIsTriedAgain() async throws {
        try await browse(files) { browser, place in
            try await place.tell {
                try $0.change { $0.password = "right" }
                try $0.endSessions()
            }
            // The upload waits for the sign-in.
            let path = place.mount + "/Plan.txt"
            try await onThread { try Data("changed".utf8).write(to: URL(fileURLWithPath: path)) }
            try await eventually("a sign-in is needed") { browser.domains.first?.activity.needsSignIn == true }
            browser.cancel(try await transfer(browser, .waiting, isUpload: true), of: "Cloud")
            let cancelled = try await transfer(browser, .cancelled, isUpload: true)
            #expect(cancelled.name == "Plan.txt" && !cancelled.canBeCancelled)
            #expect(browser.domains.first?.activity.uploadsWaiting == 0)

            // The sign-in sends other changes, and a daemon that is restarted keeps the cancellation.
            try await browser.signIn(to: "Cloud", password: "right")
            try await onThread {
                place.daemon.kill()
                try place.daemon.start()
            }
            // A file that is written earlier is made in the directory beneath, which can then not be mounted on.
            try await eventually("the mount is back") { try await onThread { access(path, F_OK) == 0 } }
            try await onThread {
                try Data("other".utf8).write(to: URL(fileURLWithPath: place.mount + "/Other.txt"))
            }
            try await eventually("other changes are sent") { try await place.paths().contains("Other.txt") }
            #expect(try await place.tell { try $0.text("Plan.txt") } == "to do")
            #expect(try await onThread { try String(contentsOfFile: path, encoding: .utf8) } == "changed")
            let (_, text) = try await onThread { try place.daemon.purvey(["status"]) }
            #expect(text.contains("   up: Plan.txt, cancelled ('purvey retry Cloud' sends it)\n"))
            #expect(!text.contains("error:"))

            browser.apply(.retry(domain: "Cloud"))
            try await eventually("the service has the change") {
                try await place.tell { try $0.text("Plan.txt") } == "changed"
            }
            try await eventually("no transfer is left") { browser.domains.first?.activity.transfers.isEmpty == true }
        }
    }
}

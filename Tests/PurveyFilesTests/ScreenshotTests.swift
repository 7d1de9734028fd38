import BrowserTesting
import DaemonTesting
import DesktopTesting
import FileTesting
import Foundation
import Images
import LinuxSystem
import ProgramTesting
import ScriptableService
import Testing

/// Tests of the command that takes pictures of each view.
@Suite(.serialized, .timeLimit(.minutes(20)), .enabled(if: Requirement.isWanted(program: "Xvfb")))
struct ScreenshotTests {
    private static let views = [
        "list", "info", "grid", "naming", "recents", "favorites", "trash", "transfers", "search", "failure", "tags",
        "conflict", "versions", "reply", "keys", "narrow", "narrow-places", "narrow-info", "narrow-transfers",
        "narrow-conflict", "right-to-left", "right-to-left-info", "right-to-left-transfers", "right-to-left-conflict",
        "right-to-left-narrow",
    ]

    @Test func eachViewHasAPictureThatIsNotBlank() async throws {
        let files = [
            "Plan.txt": "to do", "Plan (conflicted copy 2026-11-22).txt": "done", "Notes/One.txt": "1",
            "חשבון.txt": "12", "Old.txt": "old",
        ]
        try await WindowFixture.run(files) { window in
            _ = try await window.find("list item", "Plan.txt")
            let place = window.place
            try await onThread {
                for words in [
                    ["tag", place.mount + "/Plan.txt", "Red", "Urgent"], ["trash", place.mount + "/Old.txt"],
                ] {
                    let (ending, text) = try place.daemon.purvey(words)
                    #expect(ending == .exited(0), "\(text)")
                }
                try Data("250 750".utf8).write(to: URL(fileURLWithPath: place.cloud.folder + "/quota"))
                _ = try place.daemon.purvey(["signal", "Cloud"])
            }
            let directory = place.home + "/pictures"
            let run = try await window.run("purvey-files", "--screenshots", directory, "Cloud")
            #expect(run.status == 0, "\(run)")
            let names = try FileManager.default.contentsOfDirectory(atPath: directory)
            let expected = ["light", "dark"].flatMap { scheme in Self.views.map { "\(scheme)-\($0).png" } }
            #expect(Set(names) == Set(expected))
            for name in expected {
                let colors = try Self.colors(of: directory + "/" + name)
                #expect(colors.count > 20, "\(name) has \(colors.count) colors")
                // Most of a view is its background, which tells light from dark.
                let most = try #require(colors.max { $0.value < $1.value }?.key)
                #expect((most.reduce(0) { $0 + Int($1) } > 3 * 128) == name.hasPrefix("light"), "\(name): \(most)")
            }
        }
    }

    /// Returns the colors of a picture, each with the number of its pixels.
    private static func colors(of path: String) throws -> [[UInt8]: Int] {
        let (pixels, width, height) = try ImageCodec.decode(Data(contentsOf: URL(fileURLWithPath: path)))
        let size = pixels.count / (width * height)
        return pixels.withUnsafeBytes { bytes in
            var colors: [[UInt8]: Int] = [:]
            // Every seventh pixel is enough, and keeps the test short.
            for start in stride(from: 0, through: bytes.count - size, by: 7 * size) {
                colors[Array(bytes[start..<start + min(size, 3)]), default: 0] += 1
            }
            return colors
        }
    }
}

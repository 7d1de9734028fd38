import BrowserTesting
import DesktopTesting
import FileTesting
import Foundation
import ScriptableService
import Testing

/// Tests of folders whose items have unusual names: names in many scripts, names that look like markup, and the longest
/// names.
@Suite(
    .serialized, .timeLimit(.minutes(20)), .enabled(if: TestSample.isWhole && Requirement.isWanted(program: "Xvfb")))
struct ListingTests {
    private static let names = [
        "Ελληνικά.txt", "Русский.txt", "العربية.txt", "עברית.txt", "中文 日本語 한국어.txt", "हिन्दी.txt", "ไทย.txt",
        "አማርኛ.txt", "ქართული.txt", "Việt.txt", "👩‍👩‍👧‍👦 🏳️‍🌈.txt", "e\u{301}.txt", "\u{202E}gpj.txt",
        "<b>&amp; %s \\ \" '.txt", "-rf", " ", "…",
    ]

    /// A name of 255 bytes, the most that the kernel permits.
    private static let longest = String(repeating: "한", count: 85)

    @Test func namesInEveryScriptAreShownAndActedOn() async throws {
        let files = Dictionary(uniqueKeysWithValues: (Self.names + [Self.longest]).map { ($0, "to do") })
        try await WindowFixture.run(files) { window in
            // The bytes are compared, because the names must not be normalized.
            let wanted = Set(files.keys.map { Array("\($0), In the cloud, 5 bytes".utf8) })
            let tree = window.tree
            try await eventually("all names are listed") {
                try await onThread {
                    let rows = tree.find("list", WindowFixture.items)?.children ?? []
                    return Set(rows.map { Array($0.title.utf8) }) == wanted
                }
            }
            try await window.focusWindow()
            for name in ["العربية.txt", "<b>&amp; %s \\ \" '.txt", Self.longest] {
                try await window.select(name)
                try await window.keys("Delete")
                _ = try await window.find("label", "“\(name)” moved to the trash")
                try await window.awaitNo("list item", name)
                try await eventually("the service has it in the trash") {
                    try await window.place.paths().contains(CloudItem.trashPath + "/" + name)
                }
                try await window.pressButton(labelled: "Undo")
                _ = try await window.find("list item", name)
            }
        }
    }

    @Test func aNameCanHaveTheMostBytesAndNoMore() async throws {
        try await WindowFixture.run(["Plan.txt": "to do"]) { window in
            _ = try await window.find("list item", "Plan.txt")
            try await window.focusWindow()
            for name in [Self.longest + "a", Self.longest] {
                try await window.keys("Home", "F2")
                try await window.enter(name, in: "New name of Plan.txt")
                try await window.keys("Return")
                guard name == Self.longest else {
                    _ = try await window.find("label", "The name is too long.")
                    _ = try await window.find("list item", "Plan.txt")
                    continue
                }
                _ = try await window.find("list item", name)
                try await eventually("the service has the name") { try await window.place.paths() == [name] }
            }
        }
    }
}

import BrowserTesting
import DaemonTesting
import DesktopTesting
import FileTesting
import Foundation
import ScriptableService
import Testing

/// Tests of folders with very many items, and of items with unusual names: names in many scripts, names that look like
/// markup, and the longest names.
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

    /// The service returns the items page by page.
    @Test func oneHundredThousandItemsAreScrolledFromEndToEnd() async throws {
        try await WindowFixture.run(["Plan.txt": "to do"]) { window in
            _ = try await window.find("list item", "Plan.txt")
            try await window.place.tell { try $0.fill("Many", count: 100_000, prefix: "", suffix: ".txt") }
            try await onThread { [daemon = window.place.daemon] in _ = try daemon.purvey(["signal", "Cloud"]) }
            _ = try await window.find("list item", "Many")
            try await window.focusWindow()
            try await window.keys("Home", "Return")
            _ = try await window.find("list item", "0.txt")
            // The last item is shown as soon as the last page has arrived.
            try await eventually("the last item") {
                try await window.keys("End")
                return try await onThread { [tree = window.tree] in tree.find("list item", "99999.txt") != nil }
            }
            try await window.keys("Home")
            _ = try await window.find("list item", "0.txt")
            try await window.keys("Page_Down", "End", "Delete")
            _ = try await window.find("label", "“99999.txt” moved to the trash")
        }
    }
}

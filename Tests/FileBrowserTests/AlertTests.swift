import BrowserTesting
import DomainMessages
import FileBrowser
import Foundation
import ItemValues
import Testing

/// Tests of the alerts that a provider requires before the user's operations in the window's model.
@MainActor @Suite(.timeLimit(.minutes(20))) struct AlertTests {
    /// The alerts that were shown, and the answers to them.
    private final class User {
        var titles: [String] = []
        var answer = AlertAnswer.cancelled

        @MainActor init(of browser: Browser) {
            browser.whenAlerted = { [unowned self] alert in
                titles.append(alert.title)
                return answer
            }
        }

        /// Waits for the next alert, and checks its title.
        @MainActor func sees(_ title: String) async throws {
            try await eventually("an alert: \(title)") { !titles.isEmpty }
            #expect(titles.removeFirst() == title)
        }
    }

    @Test func anItemGoesToTheTrashOnceTheUserContinues() async throws {
        try await browse(["asked a.txt": "a", "asked b.txt": "b", "plain.txt": "c"]) { browser, _ in
            let user = User(of: browser)
            let (a, b) = (try await browser.item("asked a.txt"), try await browser.item("asked b.txt"))
            browser.trash([a])
            try await user.sees("Move “asked a.txt” to the trash?")
            browser.trash([try await browser.item("plain.txt")])
            try await eventually("the other one is gone") { !browser.names.contains("plain.txt") }
            #expect(browser.names == ["asked a.txt", "asked b.txt"])
            // A cancelled operation is no failure.
            #expect(browser.banner == nil)
            user.answer = .continued(suppresses: true)
            browser.trash([a])
            try await user.sees("Move “asked a.txt” to the trash?")
            try await eventually("it is gone") { browser.names == ["asked b.txt"] }
            browser.trash([b])
            try await eventually("the next one is gone, too") { browser.names.isEmpty }
            #expect(user.titles.isEmpty)
            browser.go(to: .trash)
            try await eventually("all are in the trash") { browser.names.count == 3 }
        }
    }

    @Test func everyOperationHasItsAlert() async throws {
        let files = ["asked folder/inner.txt": "i", "asked.txt": "a", "plain.txt": "p", "other.txt": "o"]
        try await browse(files) { browser, place in
            let user = User(of: browser)
            user.answer = .continued(suppresses: false)
            browser.rename(try await browser.item("asked.txt"), to: "renamed.txt")
            try await user.sees("Rename of “asked.txt”?")
            let folder = Location.folder(domain: "Cloud", path: "asked folder")
            browser.move([try await browser.item("plain.txt")], to: folder)
            try await user.sees("Move into “asked folder”?")
            try await eventually("it has moved") { !browser.names.contains("plain.txt") }
            browser.copy([try await browser.item("other.txt")], isCut: false)
            browser.go(to: folder)
            _ = try await browser.item("inner.txt")
            browser.paste()
            try await user.sees("Copy into “asked folder”?")
            _ = try await browser.item("other.txt")
            browser.makeFolder()
            try await user.sees("Create into “asked folder”?")
            _ = try await browser.item("New Folder")
            try await eventually("the service has all of it") {
                try await place.paths().isSuperset(of: [
                    "renamed.txt", "asked folder/plain.txt", "asked folder/other.txt", "asked folder/New Folder",
                ])
            }
        }
    }

    @Test func aForbiddenOperationIsNeverDone() async throws {
        try await browse(["fixed.txt": "a", "plain.txt": "b"]) { browser, _ in
            let user = User(of: browser)
            user.answer = .continued(suppresses: true)
            let item = try await browser.item("fixed.txt")
            browser.rename(item, to: "other.txt")
            try await user.sees("“fixed.txt” cannot be changed.")
            browser.trash([item])
            try await user.sees("“fixed.txt” cannot be changed.")
            browser.trash([try await browser.item("plain.txt")])
            try await eventually("the other one is gone") { browser.names == ["fixed.txt"] }
            #expect(browser.banner == nil)
        }
    }
}

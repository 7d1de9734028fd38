import BrowserTesting
import DomainMessages
import FileBrowser
import FileProvider
import FileProviderUI
import FileProviderWire
import Testing

/// Tests of actions of the provider that ask for a text, and reply.
@Suite(.serialized, .timeLimit(.minutes(20))) @MainActor struct ActionTests {
    private func action(_ name: String, of item: BrowserItem, _ browser: Browser) async throws -> ActionDescription {
        try #require(await browser.actions(for: item).first { $0.name == name })
    }

    @Test func theReplyOfAnActionAboutVersionsIsPassedOn() async throws {
        try await browse(["Plan.txt": "to do"]) { browser, place in
            var replies: [(title: String, reply: PerformActionCall.Reply)] = []
            browser.whenReplied = { replies.append(($0, $1)) }
            let plan = try await browser.item("Plan.txt")
            let versions = try await action("Show Versions", of: plan, browser)
            let restoring = try await action("Restore Version", of: plan, browser)
            #expect(await browser.actions(for: plan).filter(\.concernsVersions) == [versions, restoring])
            browser.perform(versions, on: plan)
            try await eventually("there is a reply") { replies.count == 1 }
            #expect(replies.first?.title == "Show Versions: “Plan.txt”")
            #expect(replies.first?.reply.lines == ["Monday  5 bytes", "Sunday  4 bytes"])
        }
    }

    @Test func anActionGetsTheTextThatItAsksFor() async throws {
        try await browse(["Plan.txt": "to do"]) { browser, place in
            var replies: [PerformActionCall.Reply] = []
            var prompts: [FileProviderPrompt] = []
            browser.whenReplied = { replies.append($1) }
            browser.whenAsked = {
                prompts.append($0)
                return prompts.count == 1 ? nil : ["Ann"]
            }
            let plan = try await browser.item("Plan.txt")
            let greeting = try await action("Greet", of: plan, browser)
            browser.perform(greeting, on: plan)
            // A user who refuses is no failure.
            let refused = try #require(browser.jobs.first)
            await refused.wait()
            #expect(refused.state == .cancelled && replies.isEmpty && browser.banner == nil)
            browser.perform(greeting, on: plan)
            try await eventually("there is a reply") { replies.count == 1 }
            #expect(prompts.last == FileProviderPrompt(title: "Greet", fields: [.init("A name")]))
            #expect(replies.first?.lines == ["Hello, Ann"])
            #expect(replies.first?.link == "https://example.org/to-do")
        }
    }
}

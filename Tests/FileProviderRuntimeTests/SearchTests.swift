import ExtensionHost
import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemValues
import TestThreads
import Testing

@Suite(.ownThreads) struct SearchTests {
    private func found(
        _ stage: ProviderFixture, _ query: String, limit: Int = 100
    ) async throws -> ProviderSearchResults {
        try await stage.provider.search(query, limit: limit) { _, _ in }
    }

    @Test func resultsOfTheServiceArriveUnchanged() async throws {
        try await ProviderFixture.with { stage in
            try stage.put("report one", "hello")
            try stage.put("letter")
            let found = try await found(stage, "report")
            #expect(found.results.map(\.identifier) == ["report one"] && !found.isCutShort)
            #expect(found.results.map(\.filename) == ["report one.txt"])
            #expect(found.results.first?.contentType == "public.plain-text" && found.results.first?.size == 5)
            #expect(stage.notes.suffix(2) == ["search report 100", "invalidate report"])
            let nothing = try await self.found(stage, "nothing of that name")
            #expect(nothing.results.isEmpty)
        }
    }

    @Test func pagesAreAskedForOneAfterTheOtherUntilThereIsEnoughAndNothingIsTwiceInThem() async throws {
        try await ProviderFixture.with { stage in
            let all = try await found(stage, "pages")
            #expect(all.results.map(\.identifier) == (0...8).map { "\($0)" })
            let some = try await found(stage, "endless", limit: 7)
            #expect(some.results.map(\.identifier) == (0..<7).map { "\($0)" } && !some.isCutShort)
            #expect(stage.notes.count { $0 == "invalidate endless" } == 1)
        }
    }

    @Test func aPageHasSoManyResultsAndNoMore() async throws {
        try await ProviderFixture.with { stage in
            let largest = try await found(stage, "largest page", limit: ProviderSearchCall.mostResults)
            #expect(largest.results.count == ProviderSearchCall.mostOfPage)
            let failure = await stage.failure { _ = try await found(stage, "larger page") }
            #expect(failure?.kind == .badAnswer && failure?.message.contains("500") == true)
            // The failure ends only that search.
            let pages = try await found(stage, "pages")
            #expect(pages.results.count == 9 && stage.starts == 1)
        }
    }

    @Test(arguments: ["same page", "oversized page", "barren"])
    func aSearchWhosePagesMakeNoSenseFails(query: String) async throws {
        try await ProviderFixture.with { stage in
            let failure = await stage.failure { _ = try await found(stage, query) }
            #expect(failure?.kind == .badAnswer, "\(failure?.message ?? "-")")
            #expect(stage.notes.last == "invalidate \(query)")
        }
    }

    @Test func invalidResultsAreLeftOut() async throws {
        try await ProviderFixture.with { stage in
            let found = try await found(stage, "excessive").results
            #expect(found.map(\.identifier) == ["a/b", "c"])
            #expect(found[0].filename.utf8.count <= ProviderItem.longestText && found[0].size == nil)
            #expect(found[0].modified == nil && found[1].filename == "x/../\u{0}y" && found[1].lastUsed == 1)
        }
    }

    @Test func onlyTheFirstEndOfASearchCounts() async throws {
        try await ProviderFixture.with { stage in
            let twice = try await found(stage, "twice")
            #expect(twice.results.map(\.identifier) == ["a"])
            let failure = await stage.failure { _ = try await found(stage, "fails") }
            #expect(failure?.kind == .notAuthenticated)
            let crash = await stage.failure { _ = try await found(stage, "crashes") }
            #expect(crash?.kind == .processEnded)
        }
    }

    @Test func aSearchThatNeverFinishesIsGivenUpAndItsEnumeratorTold() async throws {
        var options = ProviderProcessOptions(answerTime: .seconds(2))
        // A busy machine must not count as a fault of the process, which may be late to react to the cancellation.
        options.patience = .seconds(600)
        try await ProviderFixture.with(options: options) { stage in
            let failure = await stage.failure { _ = try await found(stage, "never") }
            #expect(failure?.kind == .transient)
            let isTold = await stage.eventually { stage.notes.contains("invalidate never") }
            #expect(isTold)
        }
    }

    @Test func aSearchThatIsCancelledIsToldSoWhileItsCodeBlocks() async throws {
        try await ProviderFixture.with { stage in
            let task = Task { try await found(stage, "blocks") }
            let isBlocked = await stage.eventually { stage.notes.contains("blocked") }
            #expect(isBlocked)
            task.cancel()
            let failure = await stage.failure { _ = try await task.value }
            #expect(failure?.kind == .cancelled)
            let isFree = await stage.eventually { stage.notes.contains("unblocked") }
            #expect(isFree && stage.notes.count { $0 == "invalidate blocks" } == 1)
        }
    }
}

import ExtensionHost
import FileProvider
import FileProviderEngine
import FileProviderWire
import Foundation
import ItemValues
import TestThreads
import Testing

@Suite(.ownThreads) struct ListingTests {
    @Test func aFolderIsListed() async throws {
        try await ProviderFixture.with { stage in
            try stage.put("one")
            try stage.put("two")
            let page = try await stage.provider.page(of: "root", after: nil, suggestedSize: 10)
            #expect(page.items.map(\.filename) == ["one.txt", "two.txt"])
            #expect(page.items.allSatisfy { $0.parent == "root" && $0.kind == .file && $0.contentVersion == [49] })
            #expect(page.next == nil)
            let item = try await stage.provider.item("one").identifier
            #expect(item == "one")
        }
    }

    @Test func theRootIsThereWhateverTheProviderSaysOfIt() async throws {
        try await ProviderFixture.with { stage in
            let root = try await stage.provider.item(ProviderItem.rootIdentifier)
            #expect(root.kind == .folder && root.filename == "Test")
        }
    }

    @Test func onlyTheFirstCallOfAnObserverCounts() async throws {
        try await ProviderFixture.with { stage in
            let page = try await stage.provider.page(of: "list-twice", after: nil, suggestedSize: 10)
            #expect(page.items.map(\.filename) == ["a"] && page.next == nil)
            let anchor = try await stage.provider.currentAnchor(of: "list-twice")
            #expect(anchor == [49])
            let changes = try await stage.provider.changes(in: "list-twice", since: [49], suggestedSize: 10)
            #expect(changes.updated.map(\.filename) == ["a"] && changes.deleted == ["list-twice/b"])
            #expect(changes.anchor == [50] && changes.moreComing)
        }
    }

    @Test func containersInTwoNormalFormsHaveTwoEnumerators() async throws {
        try await ProviderFixture.with { stage in
            for (container, count) in [("list-\u{E9}", "7"), ("list-e\u{301}", "8")] {
                let page = try await stage.provider.page(of: container, after: nil, suggestedSize: 10)
                #expect(page.items.map(\.filename) == [count])
            }
        }
    }

    /// An item is renamed from one normal form to the other, and its identifier is its path.
    @Test func aRemovalDoesNotConcernAnItemInTheOtherNormalForm() async throws {
        try await ProviderFixture.with { stage in
            let changes = try await stage.provider.changes(in: "list-forms", since: [49], suggestedSize: 10)
            let updated = changes.updated.map { ExactText($0.identifier) }
            #expect(updated == ["list-forms/\u{E9}", "list-forms/o\u{308}", "list-forms/\u{E4}"])
            let deleted = changes.deleted.map { ExactText($0) }
            #expect(deleted == ["list-forms/e\u{301}", "list-forms/\u{F6}", "list-forms/a\u{308}"])
        }
    }

    @Test func anObserverMayBeCalledLateAndFromAnyThread() async throws {
        try await ProviderFixture.with { stage in
            let page = try await stage.provider.page(of: "list-late", after: nil, suggestedSize: 10)
            #expect(page.items.map(\.filename) == ["late"])
        }
    }

    @Test func aPageOrAnAnchorOfMoreThan500BytesIsNotTaken() async throws {
        try await ProviderFixture.with { stage in
            let largest = try await stage.provider.page(of: "list-largest-page", after: nil, suggestedSize: 10)
            #expect(largest.next?.count == 500)
            let last = try await stage.provider.page(of: "list-largest-page", after: largest.next, suggestedSize: 10)
            #expect(last.next == nil)
            let page = await stage.failure {
                _ = try await stage.provider.page(of: "list-oversized-page", after: nil, suggestedSize: 10)
            }
            #expect(page?.kind == .badAnswer)
            let anchor = await stage.failure {
                _ = try await stage.provider.changes(in: "list-oversized-page", since: [1], suggestedSize: 10)
            }
            #expect(anchor?.kind == .expired)
            let oversized = try await stage.provider.currentAnchor(of: "list-oversized-page")
            #expect(oversized == nil)
        }
    }

    @Test func aPageHasAtMostAHundredTimesTheSuggestedItems() async throws {
        try await ProviderFixture.with { stage in
            let failure = await stage.failure {
                _ = try await stage.provider.page(of: "list-everything-at-once", after: nil, suggestedSize: 10)
            }
            #expect(failure?.kind == .badAnswer)
        }
    }

    @Test func unusableItemsCountTowardsTheLimitOfAPage() async throws {
        try await ProviderFixture.with { stage in
            let page = await stage.failure {
                _ = try await stage.provider.page(of: "list-too-many-and-unusable", after: nil, suggestedSize: 10)
            }
            #expect(page?.kind == .badAnswer)
            let changes = await stage.failure {
                _ = try await stage.provider.changes(in: "list-too-many-and-unusable", since: [1], suggestedSize: 10)
            }
            #expect(changes?.kind == .badAnswer)
        }
    }

    @Test func anEnumeratorThatNeverFinishesIsCancelledAndDelaysNoOther() async throws {
        var options = ProviderProcessOptions(answerTime: .seconds(20))
        // A busy machine must not count as a fault of the process, which may be late to react to the cancellation.
        options.patience = .seconds(600)
        try await ProviderFixture.with(options: options) { stage in
            try stage.put("one")
            async let silent = stage.failure {
                _ = try await stage.provider.page(of: "list-never", after: nil, suggestedSize: 10)
            }
            async let blocked = stage.failure {
                _ = try await stage.provider.page(of: "list-blocks", after: nil, suggestedSize: 10)
            }
            let count = try await stage.provider.page(of: "root", after: nil, suggestedSize: 10).items.count
            #expect(count == 1)
            #expect(await silent?.kind == .transient)
            #expect(await blocked?.kind == .transient)
            let item = try await stage.provider.item("one").identifier
            #expect(item == "one")
            // The process was not ended because of the timeout.
            #expect(stage.starts == 1)
            #expect(await stage.eventually { stage.notes.contains("invalidate list-never") })
        }
    }

    @Test func aMillionItemsArriveInPages() async throws {
        try await ProviderFixture.with { stage in
            var page: [UInt8]?
            var count = 0
            repeat {
                let answer = try await stage.provider.page(of: "list-million", after: page, suggestedSize: 2_000)
                count += answer.items.count
                page = answer.next
            } while page != nil && count < 20_000
            #expect(count == 20_000)
        }
    }

    @Test func invalidItemsOfAFolderAreLeftOut() async throws {
        try await ProviderFixture.with { stage in
            let page = try await stage.provider.page(of: "list-reserved", after: nil, suggestedSize: 10)
            #expect(page.items.map(\.filename) == ["a"])
        }
    }

    @Test func anItemThatSaysTooMuchOrIsNoneTakesNothingFromTheOthers() async throws {
        try await ProviderFixture.with { stage in
            let page = try await stage.provider.page(of: "list-excessive", after: nil, suggestedSize: 10)
            let changes = try await stage.provider.changes(in: "list-excessive", since: [1], suggestedSize: 10)
            for items in [page.items, changes.updated] {
                #expect(items.map(\.identifier) == ["list-excessive/a", "list-excessive/b"])
                let excessive = try #require(items.last)
                #expect(excessive.filename == String(repeating: "é", count: ProviderItem.longestText / 2))
                #expect(excessive.kind == .symbolicLink && excessive.linkTarget == nil)
                #expect(excessive.extendedAttributes.isEmpty && excessive.userInfo.isEmpty)
                #expect(excessive.tagData == nil && excessive.size == 5)
                #expect(excessive.contentVersion.count == ProviderItem.longestVersion)
            }
        }
    }

    @Test func anErrorOfTheProvidersOwnIsTriedAgainAndOneWithoutChangesIsExpired() async throws {
        try await ProviderFixture.with { stage in
            let foreign = await stage.failure {
                _ = try await stage.provider.page(of: "list-foreign-error", after: nil, suggestedSize: 10)
            }
            #expect(foreign?.kind == .transient)
            let none = try await stage.provider.currentAnchor(of: "root")
            #expect(none == nil)
            let changes = await stage.failure {
                _ = try await stage.provider.changes(in: "root", since: [1], suggestedSize: 10)
            }
            #expect(changes?.kind == .expired)
        }
    }

    @Test func anAnswerAboutAnotherItemIsNone() async throws {
        try await ProviderFixture.with { stage in
            let failure = await stage.failure { _ = try await stage.provider.item("another") }
            #expect(failure?.kind == .badAnswer)
            let missing = await stage.failure { _ = try await stage.provider.item("nothing") }
            #expect(missing?.kind == .noSuchItem)
        }
    }

    @Test func unsolicitedChangesArrive() async throws {
        try await ProviderFixture.with { stage in
            _ = try await stage.provider.item("signal")
            _ = try await stage.provider.item("resolved")
            let arrived = await stage.eventually { stage.notices.count == 2 }
            #expect(arrived)
            #expect(stage.notices.first == .changes(container: ProviderItem.workingSetIdentifier))
            guard case .resolved(let failure) = stage.notices.last else {
                Issue.record("no error was told as resolved")
                return
            }
            #expect(failure.kind == .notAuthenticated)
        }
    }

    @Test(arguments: ["Peer", "ReplicaPeer"])
    func domainUserInfoArrivesAsFarAsRulesSupportIt(principal: String) async throws {
        try await ProviderFixture.with(principal: principal) { stage in
            try "3\nfine".write(toFile: stage.folder + "/state", atomically: false, encoding: .utf8)
            let state = try await stage.provider.domainState()
            #expect(
                state
                    == ProviderDomainState(
                        version: 3,
                        userInfo: [
                            "text": .text("fine"), "number": .number(2.5), "date": .number(60), "flag": .number(1),
                        ]))
            let much = "4\n" + String(repeating: "x", count: ProviderItem.longestUserInfo)
            try much.write(toFile: stage.folder + "/state", atomically: false, encoding: .utf8)
            let empty = try await stage.provider.domainState()
            #expect(empty == ProviderDomainState(version: 4, userInfo: [:]))
        }
    }
}

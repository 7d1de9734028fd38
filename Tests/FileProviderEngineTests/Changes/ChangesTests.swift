import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

@Suite(.ownThreads) struct ChangesTests {
    /// Creates a domain, lists its root and waits until the engine is idle. The first sync anchor of the working set
    /// makes the engine enumerate the root once more.
    private func listed(
        _ provider: MemoryProvider = MemoryProvider(), _ behaviour: (inout MemoryProvider.Behaviour) -> Void = { _ in }
    ) async throws -> TestDomain {
        provider.behave(behaviour)
        let domain = try TestDomain(provider)
        try await domain.list()
        try await eventually { domain.provider.count(.currentAnchor(of: ProviderItem.workingSetIdentifier)) > 0 }
        try await domain.waitUntilIdle()
        return domain
    }

    @Test func aSignalBringsWhatWasAddedChangedMovedAndRemoved() async throws {
        let provider = MemoryProvider()
        let folder = provider.addFolder("folder")
        let (changed, moved, removed) = (
            provider.addFile("changed", "1"), provider.addFile("moved"), provider.addFile("removed")
        )
        let domain = try await listed(provider)
        let number = try await domain.item("moved").number
        provider.addFile("added")
        provider.write("22", to: changed)
        provider.rename(moved, to: "at its place", in: folder)
        provider.remove(removed)
        domain.engine.signal(container: nil)
        try await eventually { try Set(domain.names()) == ["folder", "changed", "added"] }
        #expect(try await domain.item("folder/at its place").number == number)
        #expect(try await domain.item("changed").item.size == 2)
    }

    @Test(arguments: [true, false]) func aSignalOfAFolderBringsItsChanges(hasWorkingSet: Bool) async throws {
        let domain = try await listed { $0.hasWorkingSet = hasWorkingSet }
        domain.provider.addFile("added")
        domain.engine.signal(container: ProviderItem.rootIdentifier)
        try await eventually { try domain.names() == ["added"] }
    }

    @Test func withoutAWorkingSetASignalOfAllAsksTheFoldersThatWereListed() async throws {
        let provider = MemoryProvider()
        let folder = provider.addFolder("folder")
        provider.addFolder("unseen")
        let domain = try await listed(provider) { $0.hasWorkingSet = false }
        let number = try await domain.item("folder").number
        try await domain.list(number)
        provider.addFile("added", in: folder)
        domain.engine.signal(container: nil)
        try await eventually { try domain.names(in: number) == ["added"] }
    }

    @Test func withoutAnchorsFoldersAreListedAnew() async throws {
        let provider = MemoryProvider()
        let removed = provider.addFile("removed")
        let domain = try await listed(provider) { $0.hasAnchors = false }
        provider.addFile("added")
        provider.remove(removed)
        domain.engine.signal(container: ProviderItem.rootIdentifier)
        try await eventually { try domain.names() == ["added"] }
        #expect(provider.count(.changes) == 0)
    }

    @Test func anExpiredAnchorIsLeftByListingAnew() async throws {
        let provider = MemoryProvider()
        let (removed, kept) = (provider.addFile("removed"), provider.addFile("kept"))
        let domain = try await listed(provider)
        _ = kept
        let number = try await domain.item("kept").number
        provider.expireAnchors()
        provider.remove(removed)
        provider.addFile("added")
        domain.engine.signal(container: nil)
        try await eventually { try domain.names() == ["kept", "added"] }
        #expect(try await domain.item("kept").number == number)
        // The working set is enumerated anew as well.
        try await domain.waitUntilIdle()
        // From then on it is followed by changes again.
        let pages = provider.count(.page)
        provider.addFile("later")
        domain.engine.signal(container: nil)
        try await eventually { try domain.names() == ["kept", "added", "later"] }
        #expect(provider.count(.page) == pages)
    }

    @Test func itemsMissingInAListingAreRequestedBeforeTheyGo() async throws {
        let provider = MemoryProvider()
        provider.addFile("kept")
        let lost = provider.addFile("lost")
        let domain = try await listed(provider) { $0.hasAnchors = false }
        let number = try await domain.item("lost").number
        provider.behave { behaviour in
            behaviour.page = { _, _, page in
                ItemPage(items: page.items.filter { $0.identifier != lost }, next: page.next)
            }
        }
        let count = provider.count(.page)
        domain.engine.signal(container: ProviderItem.rootIdentifier)
        try await eventually { provider.count(.page) > count }
        try await eventually { try await domain.engine.status().listingCount == 0 }
        #expect(provider.count(.item(lost)) == 1)
        #expect(try await domain.item("lost").number == number)
    }

    @Test func changesAreFollowedBatchByBatch() async throws {
        let domain = try await listed { $0.changeLimit = 3 }
        for number in 0..<20 { domain.provider.addFile("\(number)") }
        domain.engine.signal(container: nil)
        try await eventually { try domain.names().count == 20 }
    }

    @Test func signalsThatComeTogetherAreOne() async throws {
        let domain = try await listed()
        // The directory is enumerated once after the first sync anchor.
        try await eventually { domain.provider.count(.changes) == 1 }
        domain.provider.hold(.changes)
        let before = domain.provider.count(.changes)
        domain.engine.signal(container: nil)
        try await eventually { domain.provider.heldCount(.changes) == 1 }
        // A provider may send any number of signals and name containers that do not exist.
        for number in 0..<100_000 { domain.engine.signal(container: number % 10 == 0 ? "none \(number)" : nil) }
        domain.provider.addFile("added")
        domain.provider.release(.changes)
        try await eventually { try domain.names() == ["added"] }
        try await eventually { domain.provider.count(.changes) == before + 2 }
    }

    @Test func unknownParentsOfAnItemAreRequested() async throws {
        let provider = MemoryProvider()
        let domain = try await listed(provider)
        let outer = provider.addFolder("outer")
        let inner = provider.addFolder("inner", in: outer)
        let file = provider.addFile("file", in: inner)
        // The change feed reports the file only, not its parents.
        let all = provider
        let engine = domain.engine
        let anchor = try #require(try engine.index.anchor(of: ProviderItem.workingSetIdentifier))
        _ = anchor
        all.behave { $0.changeLimit = 100 }
        provider.forgetChanges(of: [outer, inner])
        engine.signal(container: nil)
        try await eventually { try engine.index.item(identifier: file) != nil }
        let item = try #require(try engine.index.item(identifier: file))
        let folder = try domain.row(item.parent)
        #expect(folder.name == "inner")
        #expect(try domain.row(folder.parent).name == "outer")
        #expect(try domain.row(folder.parent).parent == .root)
    }

    @Test func aCycleOfParentsIsHarmless() async throws {
        let provider = MemoryProvider()
        let one = provider.addFolder("one")
        let two = provider.addFolder("two", in: one)
        let domain = try await listed(provider)
        let number = try await domain.item("one/two").number
        provider.update(one) { $0.parent = two }
        provider.addFile("file")
        domain.engine.signal(container: nil)
        try await eventually { try domain.names().contains("file") }
        #expect(try domain.row(number).name == "two")
        #expect(try domain.names().contains("one"))
    }

    @Test func anAnchorOfMoreThan500BytesCountsAsExpired() async throws {
        let provider = MemoryProvider()
        let domain = try await listed(provider)
        provider.addFile("added")
        provider.behave { $0.anchorSuffix = [UInt8](repeating: 1, count: 600) }
        domain.engine.signal(container: nil)
        try await eventually { try domain.names() == ["added"] }
    }

    @Test func aFailureOfTheFeedIsTriedAgainLater() async throws {
        let domain = try await listed()
        domain.provider.addFile("added")
        domain.provider.fail(
            .changes, with: .of(.serverUnreachable), .of(.serverUnreachable), .of(.serverUnreachable), .of(.transient))
        domain.engine.signal(container: nil)
        try await eventually {
            domain.clock.advance(by: 1)
            return try domain.names() == ["added"]
        }
        #expect(try await domain.engine.status().failure == nil)
    }

    /// Change feeds that always announce further changes.
    enum EndlessFeed: CaseIterable {
        case sameAnchor, circleOfAnchors, emptyBatches, sameItem, itemThatChanges, unknownItemThatIsGone
    }

    @Test(arguments: EndlessFeed.allCases) func aFeedWithoutAnEndIsNotFollowedForEver(_ feed: EndlessFeed) async throws
    {
        let provider = MemoryProvider()
        let identifier = provider.addFile("file")
        let domain = try await listed(provider)
        let count = Lock<UInt64>(0)
        provider.behave { behaviour in
            behaviour.changes = { since, batch in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                let anchor: [UInt8] =
                    switch feed {
                    case .sameAnchor: since
                    case .circleOfAnchors: [number % 2 == 0 ? 7 : 8]
                    default: Array("\(number)".utf8)
                    }
                var item = ProviderItem(
                    identifier: identifier, parent: ProviderItem.rootIdentifier, filename: "file", kind: .file)
                if feed == .itemThatChanges { item.size = Int64(number) }
                let isGone = feed == .unknownItemThatIsGone
                return ChangeBatch(
                    updated: feed == .emptyBatches || isGone ? [] : [item], deleted: isGone ? ["unknown"] : [],
                    anchor: anchor, moreComing: true)
            }
        }
        domain.engine.signal(container: nil)
        // A feed that may merely be long is followed further after a backoff.
        let kind: ProviderError.Kind =
            switch feed {
            case .sameAnchor, .circleOfAnchors, .emptyBatches: .badAnswer
            case .sameItem, .itemThatChanges, .unknownItemThatIsGone: .transient
            }
        try await eventually { try await domain.engine.status().failure?.kind == kind }
        #expect(count.withLock { $0 } <= (feed == .itemThatChanges ? 2000 : 100))
        #expect(try domain.names() == ["file"])
        // The feed is asked again when it has changes to report, and is followed then.
        provider.behave { $0.changes = nil }
        provider.expireAnchors()
        provider.addFile("added")
        domain.engine.signal(container: nil)
        try await eventually { try domain.names() == ["file", "added"] }
    }

    @Test func aFeedIsFollowedThroughWhatIsKnownAlready() async throws {
        let provider = MemoryProvider()
        for number in 0..<100 { provider.addFile("\(number)") }
        let domain = try await listed(provider) { $0.changeLimit = 1 }
        let asked = provider.count(.changes)
        // Stands for items that were listed after the anchor was taken.
        let isFirst = Lock(true)
        provider.behave { behaviour in
            behaviour.anchorSuffix = [1]
            behaviour.changes = { since, batch in
                let begins = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                guard begins else { return batch }
                return ChangeBatch(updated: [], deleted: [], anchor: [0] + Array("0 ".utf8), moreComing: true)
            }
        }
        provider.addFile("added")
        domain.engine.signal(container: nil)
        try await eventually { try domain.names().contains("added") }
        try await domain.waitUntilIdle()
        #expect(provider.count(.changes) - asked > 100)
        #expect(try await domain.engine.status().failure == nil)
    }

    @Test func observersOfTheDomainGetItsChanges() async throws {
        let domain = try await listed()
        let added = Lock<[String]>([])
        domain.engine.onEvent { event in
            guard case .index(let changes) = event else { return }
            for case .added(_, _, let name) in changes { added.withLock { $0.append(name) } }
        }
        domain.provider.addFile("added")
        domain.engine.signal(container: nil)
        try await eventually { added.withLock { $0 } == ["added"] }
    }

    @Test func aFolderThatAnItemLeftDoesNotDeleteIt() async throws {
        let provider = MemoryProvider()
        let (from, to) = (provider.addFolder("from"), provider.addFolder("to"))
        let file = provider.addFile("file", in: from)
        let domain = try await listed(provider) { $0.hasWorkingSet = false }
        let number = try await domain.item("from/file").number
        try await domain.list(try await domain.item("from").number)
        provider.rename(file, to: "file", in: to)
        // Only the directory that the file left signals a change.
        domain.engine.signal(container: from)
        try await eventually {
            try domain.names(in: try domain.row(number).parent) == ["file"] && domain.row(number).parent != .root
        }
        try await eventually { try domain.row(domain.row(number).parent).name == "to" }
    }
}

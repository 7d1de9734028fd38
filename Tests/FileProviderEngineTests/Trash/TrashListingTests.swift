import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

/// Tests of the trash's enumeration, which finds items that no feed has reported.
@Suite(.ownThreads) struct TrashListingTests {
    private final class Count: Sendable {
        private let all = Lock(0)
        var value: Int { all.withLock { $0 } }
        func grow() { all.withLock { $0 += 1 } }
    }

    private func trashed(_ domain: TestDomain) throws -> [String] { try domain.engine.trashed().map(\.identifier) }

    @Test func earlierItemsOfTheTrashAreListed() async throws {
        let domain = try TestDomain()
        let files = (0..<5).map { domain.provider.addFile("\($0)") }
        domain.provider.addFile("file")
        for file in files { _ = try await domain.provider.trash(file) }
        domain.provider.behave { $0.pageLimit = 2 }
        try await domain.list()
        try await eventually { try trashed(domain) == files }
        #expect(domain.provider.count(.trashPage) == 3)
        #expect(try domain.names() == ["file"])
    }

    /// The item leaves the trash after the reply to its trashing and before the first sync anchor is fetched.
    @Test(arguments: [true, false]) func itemsThatLeftTheTrashBeforeTheFirstAnchorAreNotListed(isGone: Bool)
        async throws
    {
        let domain = try TestDomain()
        let file = domain.provider.addFile("file", "text")
        domain.provider.hold(.currentAnchor)
        domain.provider.hold(.page)
        domain.engine.list(.root, needs: .complete) { _ in }
        domain.provider.release(.page)
        domain.provider.release(.currentAnchor)
        try await domain.list()
        domain.provider.hold(.currentAnchor)
        try await domain.engine.trash(try await domain.item("file").number)
        try await domain.settle()
        try await eventually { try trashed(domain) == [file] }
        if isGone { domain.provider.remove(file) } else { _ = try await domain.provider.untrash(file, to: nil) }
        domain.provider.forgetChanges(of: [file])
        domain.provider.expireAnchors()
        domain.provider.release(.currentAnchor)
        domain.engine.signal(container: nil)
        try await eventually { try trashed(domain).isEmpty }
        try await eventually { try domain.names() == (isGone ? [] : ["file"]) }
    }

    @Test func withoutAFeedTheTrashIsListedAgainAtASignalOrWhenItIsRead() async throws {
        let domain = try TestDomain()
        domain.provider.behave { $0.hasWorkingSet = false }
        let (one, other) = (domain.provider.addFile("one"), domain.provider.addFile("other"))
        try await domain.list()
        _ = try await domain.provider.trash(one)
        domain.engine.signal(container: nil)
        try await eventually { try domain.engine.index.trashed().map(\.identifier) == [one] }
        _ = try await domain.provider.trash(other)
        domain.provider.remove(one)
        try await eventually {
            domain.clock.advance(by: 1)
            return try trashed(domain) == [other]
        }
    }

    @Test func aSignalOfTheTrashHasItListed() async throws {
        let domain = try TestDomain()
        let file = domain.provider.addFile("file")
        try await domain.list()
        try await eventually { domain.provider.count(.trashPage) == 1 }
        _ = try await domain.provider.trash(file)
        domain.engine.signal(container: ProviderItem.trashIdentifier)
        try await eventually { try trashed(domain) == [file] }
        #expect(try domain.names().isEmpty)
    }

    @Test(arguments: [
        ProviderError.Kind.unsupported, .noSuchItem, .transient, .notPermitted, .notAuthenticated, .processEnded,
        .serverUnreachable, .badAnswer, .cannotSynchronize, .expired,
    ]) func aProviderThatCannotListItsTrashServesEverythingElse(kind: ProviderError.Kind) async throws {
        let domain = try TestDomain()
        let asked = Lock<[String]>([])
        domain.engine.onSignInNeeded { failure in asked.withLock { $0.append(failure.message) } }
        domain.provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                if request.kind == .trashPage { throw .of(kind) }
            }
        }
        try await domain.list()
        try await eventually { domain.provider.count(.trashPage) == 1 }
        for number in 0..<5 {
            domain.provider.addFile("\(number)")
            domain.engine.signal(container: nil)
            try await eventually { try domain.names().count == number + 1 }
        }
        // The feed still reports items that are trashed from now on.
        let file = try #require(domain.provider.identifier(at: "0"))
        _ = try await domain.provider.trash(file)
        domain.engine.signal(container: nil)
        try await eventually { try trashed(domain) == [file] }
        let status = try await domain.engine.status()
        #expect(status.failure == nil && status.signIn.failure == nil)
        #expect(asked.withLock { $0 }.isEmpty)
        #expect(domain.provider.count(.trashPage) == 1)
        // A restart does not enumerate it again at once either.
        try domain.restart()
        domain.clock.advance(by: 11)
        try await domain.list()
        domain.engine.signal(container: nil)
        try await eventually { domain.provider.count(.changes) >= 7 }
        #expect(domain.provider.count(.trashPage) == 1)
        domain.provider.behave { $0.before = { (_) throws(ProviderError) in } }
        try await eventually {
            domain.clock.advance(by: 3600)
            return domain.provider.count(.trashPage) == 2
        }
    }

    @Test func itemsWithoutAReplyStayInTheTrash() async throws {
        let domain = try TestDomain()
        let file = domain.provider.addFile("file")
        try await domain.engine.trash(try await domain.item("file").number)
        try await domain.settle()
        try await eventually { try trashed(domain) == [file] }
        try await domain.waitUntilIdle()
        domain.provider.remove(file)
        domain.provider.forgetChanges(of: [file])
        let isReachable = Lock(false)
        domain.provider.behave { behaviour in
            // The engine may request the root's item, too.
            behaviour.before = { request throws(ProviderError) in
                if request == .item(file), !isReachable.withLock({ $0 }) { throw .of(.serverUnreachable) }
            }
        }
        domain.engine.signal(container: ProviderItem.trashIdentifier)
        try await eventually { try domain.engine.index.revalidations() == [file] }
        #expect(try trashed(domain) == [file])
        isReachable.withLock { $0 = true }
        try await eventually {
            domain.clock.advance(by: 1)
            return try trashed(domain).isEmpty
        }
    }

    @Test func aTrashOfManyPagesIsListedWhole() async throws {
        let domain = try TestDomain()
        let files = (0..<600).map { domain.provider.addFile("\($0)") }
        for file in files { _ = try await domain.provider.trash(file) }
        domain.provider.behave { $0.pageLimit = 1 }
        try await domain.list()
        try await eventually { try trashed(domain).count == files.count }
        #expect(domain.provider.count(.trashPage) == files.count)
        // An item that no page has is removed, after the provider was asked for it.
        try await domain.waitUntilIdle()
        domain.provider.remove(files[0])
        domain.provider.forgetChanges(of: [files[0]])
        domain.engine.signal(container: ProviderItem.trashIdentifier)
        try await eventually { try Set(trashed(domain)) == Set(files.dropFirst()) }
    }

    @Test func aListOfTheTrashThatDoesNotEndIsGivenUp() async throws {
        let domain = try TestDomain { $0.itemsInFolder = 100 }
        let count = Count()
        domain.provider.behave { behaviour in
            behaviour.trashPage = { _ in
                count.grow()
                let name = "\(count.value)"
                var item = ProviderItem(
                    identifier: name, parent: ProviderItem.rootIdentifier, filename: name, kind: .file)
                item.flags.insert(.trashed)
                return ItemPage(items: [item], next: Array(name.utf8))
            }
        }
        try await domain.list()
        try await eventually { await !domain.engine.isBusy && count.value > 100 }
        #expect(count.value == 101)
    }

    @Test func aListThatIsNoneOfTheTrashTakesNothingAway() async throws {
        let domain = try TestDomain()
        let file = try #require(domain.provider.item(of: domain.provider.addFile("file")))
        let seen = Count()
        domain.provider.behave { behaviour in
            behaviour.trashPage = { page in
                seen.grow()
                return ItemPage(items: page.items + [file], next: [7])
            }
        }
        try await domain.list()
        // The enumeration ends at a page that comes again and again.
        try await eventually { await !domain.engine.isBusy && seen.value > 0 }
        #expect(seen.value <= 3)
        #expect(try domain.names() == ["file"])
        #expect(try trashed(domain).isEmpty)
    }
}

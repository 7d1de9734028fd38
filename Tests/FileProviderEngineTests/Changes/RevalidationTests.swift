import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

/// Tests of items that a listing or change feed leaves uncertain. Each is revalidated on its own, and only the
/// provider's explicit reply removes an item.
@Suite(.ownThreads) struct RevalidationTests {
    /// Failures that the provider returns for requests of single items.
    private final class Silence: Sendable {
        private let kinds = Lock<[String: ProviderError.Kind]>([:])

        init(_ provider: MemoryProvider) {
            provider.behave { behaviour in
                behaviour.before = { [self] request throws(ProviderError) in
                    guard case .item(let identifier) = request, let kind = kinds.withLock({ $0[identifier] }) else {
                        return
                    }
                    throw .of(kind)
                }
            }
        }

        func begin(_ kind: ProviderError.Kind = .transient, of identifiers: String...) {
            kinds.withLock { kinds in for identifier in identifiers { kinds[identifier] = kind } }
        }

        func end() { kinds.withLock { $0 = [:] } }
    }

    /// Creates a domain without a change feed, so that directories are enumerated anew, and lists its root.
    private func listed(_ provider: MemoryProvider) async throws -> TestDomain {
        provider.behave { behaviour in
            behaviour.hasAnchors = false
            behaviour.hasWorkingSet = false
        }
        let domain = try TestDomain(provider)
        try await domain.list()
        // When the engine learns that there is no feed, it enumerates the directory a second time by itself.
        try await eventually { provider.count(.page) >= 2 }
        try await eventually { try await domain.engine.status().listingCount == 0 }
        return domain
    }

    /// Makes the provider omit items from its pages.
    private func hide(_ hidden: Set<String>, _ provider: MemoryProvider) {
        provider.behave { behaviour in
            behaviour.page = { _, _, page in
                ItemPage(items: page.items.filter { !hidden.contains($0.identifier) }, next: page.next)
            }
        }
    }

    private func listAnew(_ domain: TestDomain) async throws {
        let count = domain.provider.count(.page)
        domain.engine.signal(container: ProviderItem.rootIdentifier)
        try await eventually { domain.provider.count(.page) > count }
        try await eventually { try await domain.engine.status().listingCount == 0 }
    }

    @Test(arguments: [
        ProviderError.Kind.notAuthenticated, .serverUnreachable, .transient, .notPermitted, .unsupported, .badAnswer,
        .processEnded, .cannotSynchronize,
    ]) func itemsWithoutAReplyStayAndAreRequestedAgain(kind: ProviderError.Kind) async throws {
        let provider = MemoryProvider()
        provider.addFile("kept")
        let lost = provider.addFile("lost")
        let domain = try await listed(provider)
        let silence = Silence(provider)
        silence.begin(kind, of: lost)
        hide([lost], provider)
        try await listAnew(domain)
        #expect(provider.count(.item(lost)) > 0)
        #expect(try domain.names() == ["kept", "lost"])
        // The provider is not asked for the item continuously.
        let count = provider.count(.item(lost))
        try await listAnew(domain)
        #expect(try domain.names() == ["kept", "lost"])
        #expect(provider.count(.item(lost)) <= count + 2)
        silence.end()
        provider.remove(lost)
        try await domain.engine.doing { $0.retry() }
        try await eventually {
            domain.clock.advance(by: 10)
            return try domain.names() == ["kept"]
        }
    }

    @Test func aDoubtOutlivesTheProcess() async throws {
        let provider = MemoryProvider()
        let lost = provider.addFile("lost")
        let domain = try await listed(provider)
        let silence = Silence(provider)
        silence.begin(of: lost)
        hide([lost], provider)
        try await listAnew(domain)
        #expect(try domain.names() == ["lost"])
        silence.end()
        provider.remove(lost)
        // No client looks up names in the directory.
        try domain.restart()
        try await eventually { try domain.names().isEmpty }
        try await eventually { try domain.engine.index.revalidations().isEmpty }
    }

    @Test func aDoubtIsKeptUntilWhatCameOfItIsWrittenDown() async throws {
        let provider = MemoryProvider()
        let lost = provider.addFile("lost")
        let domain = try await listed(provider)
        let silence = Silence(provider)
        silence.begin(of: lost)
        hide([lost], provider)
        try await listAnew(domain)
        silence.end()
        provider.remove(lost)
        provider.hold(.item)
        try domain.restart()
        try await eventually { provider.heldCount(.item) > 0 }
        // The engine ends before it has the reply.
        try domain.restart()
        #expect(try domain.engine.index.revalidations() == [lost])
        provider.release(.item)
        try await eventually { try domain.names().isEmpty }
    }

    @Test func badDoubtsHoldUpNoOthers() async throws {
        let provider = MemoryProvider()
        let bad = (0..<5).map { provider.addFile("bad \($0)") }
        let good = (0..<20).map { provider.addFile("good \($0)") }
        let domain = try await listed(provider)
        let silence = Silence(provider)
        for identifier in bad { silence.begin(of: identifier) }
        for identifier in good { provider.remove(identifier) }
        hide(Set(bad), provider)
        try await listAnew(domain)
        try await eventually {
            domain.clock.advance(by: 1)
            return try domain.names() == (0..<5).map { "bad \($0)" }
        }
        silence.end()
        for identifier in bad { provider.remove(identifier) }
        try await eventually {
            domain.clock.advance(by: 10)
            return try domain.names().isEmpty
        }
    }

    @Test(arguments: [true, false]) func aFolderThatLeavesOutMuchIsBelievedIfTheFirstAreGone(isRight: Bool) async throws
    {
        let provider = MemoryProvider()
        let files = (0..<200).map { provider.addFile("\($0)") }
        let domain = try await listed(provider)
        let there = isRight ? [] : [files[3], files[150]]
        for identifier in files where !there.contains(identifier) { provider.remove(identifier) }
        hide(Set(there), provider)
        let count = provider.count(.item)
        try await listAnew(domain)
        try await eventually { try domain.names() == (isRight ? [] : ["3", "150"]) }
        #expect(isRight ? provider.count(.item) - count <= 70 : provider.count(.item) - count >= 200)
    }

    @Test func anItemThatLeftAFolderStaysUntilItsNewPlaceIsKnown() async throws {
        let provider = MemoryProvider()
        let (from, to) = (provider.addFolder("from"), provider.addFolder("to"))
        let file = provider.addFile("file", in: from)
        provider.behave { $0.hasWorkingSet = false }
        let domain = try TestDomain(provider)
        let number = try await domain.item("from/file").number
        try await domain.list(try await domain.item("from").number)
        let silence = Silence(provider)
        silence.begin(.serverUnreachable, of: file)
        provider.rename(file, to: "file", in: to)
        let count = provider.count(.changes)
        domain.engine.signal(container: from)
        try await eventually { provider.count(.changes) > count }
        try await eventually { provider.count(.item(file)) > 0 }
        try await eventually { try domain.engine.index.revalidations() == [file] }
        #expect(try domain.row(domain.row(number).parent).name == "from")
        silence.end()
        try await eventually {
            domain.clock.advance(by: 1)
            return try domain.row(domain.row(number).parent).name == "to"
        }
    }

    @Test func aParentThatTheProviderCannotSpeakOfHoldsUpTheFeedForAWhileOnly() async throws {
        let provider = MemoryProvider()
        let domain = try TestDomain(provider)
        try await domain.list()
        // The root's changes are requested once more by themselves. They must not report the directory.
        try await domain.waitUntilIdle()
        let folder = provider.addFolder("folder")
        let file = provider.addFile("file", in: folder)
        provider.forgetChanges(of: [folder])
        provider.addFile("other")
        let silence = Silence(provider)
        silence.begin(of: folder)
        domain.engine.signal(container: nil)
        try await eventually {
            domain.clock.advance(by: 1)
            return try domain.names() == ["other"]
        }
        silence.end()
        try await eventually {
            domain.clock.advance(by: 1)
            return try domain.names().contains("folder")
        }
        #expect(try Set(domain.names()) == ["folder", "other"])
        #expect(try await domain.item("folder/file").item.identifier == file)
    }
}

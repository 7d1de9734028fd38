import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

/// Tests of the working set's enumeration, which happens once and is followed to its end.
@Suite(.ownThreads) struct WorkingSetListingTests {
    /// Creates a provider whose working set has three items, one per page, in a directory that no client lists.
    private static func provider() -> (MemoryProvider, identifiers: [String]) {
        let provider = MemoryProvider()
        provider.behave { $0.pageLimit = 1 }
        let folder = provider.addFolder("folder")
        let identifiers = (0..<3).map { number in
            let identifier = provider.addFile("file \(number)", in: folder)
            provider.update(identifier) { $0.lastUsed = 100 }
            return identifier
        }
        return (provider, identifiers)
    }

    private static func isPage(_ request: MemoryProvider.Request, first: Bool? = nil) -> Bool {
        guard case .page(of: ProviderItem.workingSetIdentifier, after: let page) = request else { return false }
        return first.map { $0 == (page == nil) } ?? true
    }

    /// Returns the number of requests for the working set's pages.
    private func pages(_ provider: MemoryProvider) -> Int { provider.requests.count { Self.isPage($0) } }

    private func known(_ domain: TestDomain, _ identifiers: [String]) throws -> Int {
        try identifiers.count { try domain.engine.index.item(identifier: $0) != nil }
    }

    /// Waits until the working set was enumerated, or until the engine stopped trying.
    private func rest(_ domain: TestDomain) async throws {
        try await domain.waitUntilIdle()
    }

    /// Expects that changes arrive without an enumeration of the working set.
    private func expectChangesWithoutPages(
        _ domain: TestDomain, at location: SourceLocation = #_sourceLocation
    ) async throws {
        let before = pages(domain.provider)
        domain.provider.addFile("added")
        domain.engine.signal(container: nil)
        try await eventually { try domain.names().contains("added") }
        try await rest(domain)
        #expect(pages(domain.provider) == before, sourceLocation: location)
    }

    @Test(arguments: [ProviderError.Kind.serverUnreachable, .transient, .notAuthenticated])
    func aPageThatCannotBeHadNowIsAskedForUntilItCan(_ kind: ProviderError.Kind) async throws {
        let (provider, identifiers) = Self.provider()
        let isLost = Lock(true)
        provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                if Self.isPage(request, first: false), isLost.withLock({ $0 }) { throw .of(kind) }
            }
        }
        let domain = try TestDomain(provider)
        try await domain.list()
        // The first page is applied, however often the request for the second fails.
        try await eventually {
            domain.clock.advance(by: 1)
            // A failed sign-in is not retried by itself. A sign-in before the failure would have no effect, so wait
            // for that.
            let isResting = await !domain.engine.isBusy
            return try known(domain, identifiers) == 1
                && (kind == .notAuthenticated ? isResting && pages(provider) >= 2 : pages(provider) >= 10)
        }
        isLost.withLock { $0 = false }
        if kind == .notAuthenticated { await domain.engine.retry() }
        try await eventually {
            domain.clock.advance(by: 1)
            return try known(domain, identifiers) == 3
        }
        try await rest(domain)
        // The working set is not enumerated again.
        let before = pages(provider)
        try domain.restart()
        let changes = provider.count(.changes)
        domain.engine.signal(container: nil)
        try await eventually { provider.count(.changes) > changes }
        try await rest(domain)
        #expect(pages(provider) == before)
    }

    @Test(arguments: [ProviderError.Kind.unsupported, .processEnded])
    func aProviderThatCannotListItIsNotAskedAgain(_ kind: ProviderError.Kind) async throws {
        let (provider, _) = Self.provider()
        provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in if Self.isPage(request) { throw .of(kind) } }
        }
        let domain = try TestDomain(provider)
        try await domain.list()
        try await eventually {
            domain.clock.advance(by: 1)
            return pages(provider) >= (kind == .processEnded ? 3 : 1)
        }
        try await eventually {
            domain.clock.advance(by: 1)
            return await !domain.engine.isBusy
        }
        try await expectChangesWithoutPages(domain)
        #expect(try await domain.engine.status().failure == nil)
    }

    @Test func aProviderWhoseListingFailsInItsOwnWayAllTheTimeIsServedWithoutIt() async throws {
        let (provider, identifiers) = Self.provider()
        provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                if Self.isPage(request, first: false) { throw .of(.transient) }
            }
        }
        let domain = try TestDomain(provider)
        try await domain.list()
        try await eventually {
            domain.clock.advance(by: 100)
            let failure = try await domain.engine.status().failure
            return pages(provider) >= 20 && failure == nil
        }
        try await rest(domain)
        try await expectChangesWithoutPages(domain)
        #expect(try known(domain, identifiers) == 1)
    }

    @Test func pagesThatExpireAreAskedForFromTheFirstOn() async throws {
        let (provider, identifiers) = Self.provider()
        let isExpired = Lock(true)
        provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                guard Self.isPage(request, first: false), isExpired.withLock({ $0 }) else { return }
                isExpired.withLock { $0 = false }
                throw .of(.expired)
            }
        }
        let domain = try TestDomain(provider)
        try await domain.list()
        try await eventually { try known(domain, identifiers) == 3 }
        #expect(pages(provider) == 5)
    }
}

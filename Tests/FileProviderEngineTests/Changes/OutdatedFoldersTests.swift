import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

/// Directories with a change that no feed reports, because the change occurred before a sync anchor that had to be
/// fetched again. The tests do not look up items in them, because a lookup would enumerate them.
@Suite(.ownThreads) struct OutdatedFoldersTests {
    private static let folders = ["one", "two"]

    /// Creates a domain with listed directories, each of which gains a file that no feed reports.
    private func outdated() async throws -> TestDomain {
        let domain = try TestDomain()
        for name in Self.folders { domain.provider.addFolder(name) }
        for name in Self.folders { try await domain.list(try await domain.item(name).number) }
        try await domain.waitUntilIdle()
        for name in Self.folders {
            let folder = try #require(domain.provider.identifier(at: name))
            domain.provider.forgetChanges(of: [domain.provider.addFile("added to \(name)", in: folder)])
        }
        domain.provider.expireAnchors()
        return domain
    }

    private func hasCome(_ domain: TestDomain, to name: String) throws -> Bool {
        let folder = try #require(try domain.engine.index.item(named: name, in: .root))
        return try domain.names(in: folder.number) == ["added to \(name)"]
    }

    private func haveAllCome(_ domain: TestDomain) throws -> Bool {
        try Self.folders.allSatisfy { try hasCome(domain, to: $0) }
    }

    private func isSettled(_ domain: TestDomain) throws -> Bool {
        try haveAllCome(domain) && domain.engine.index.outdatedFolders().isEmpty
    }

    private static let isOfFolder: @Sendable (MemoryProvider.Request) -> Bool = { request in
        guard case .page(of: let container, after: _) = request else { return false }
        return container != ProviderItem.workingSetIdentifier && container != ProviderItem.trashIdentifier
    }

    @Test func theyAreAskedForAlsoAfterADeathBeforeThat() async throws {
        let domain = try await outdated()
        domain.provider.hold(.page)
        domain.engine.signal(container: nil)
        try await eventually { domain.provider.heldCount(.page) > 0 }
        try domain.restart()
        domain.provider.release(.page)
        try await eventually { try isSettled(domain) }
    }

    @Test func aRestartBetweenTwoFoldersListsTheOther() async throws {
        let domain = try await outdated()
        let two = try #require(domain.provider.identifier(at: "two"))
        let isHeld = Lock(true)
        domain.provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                if case .page(of: two, after: _) = request, isHeld.withLock({ $0 }) { throw .of(.serverUnreachable) }
            }
        }
        domain.engine.signal(container: nil)
        try await eventually { try hasCome(domain, to: "one") }
        try await eventually { try domain.engine.index.outdatedFolders() == [two] }
        isHeld.withLock { $0 = false }
        let before = domain.provider.requests.count
        try domain.restart()
        try await eventually { try isSettled(domain) }
        // The other directories are not enumerated again.
        let listed = domain.provider.requests[before...].filter(Self.isOfFolder)
        #expect(listed.allSatisfy { $0 == .page(of: two, after: nil) })
    }

    @Test(arguments: [ProviderError.Kind.serverUnreachable, .transient, .processEnded])
    func theyAreAskedForUntilTheProviderCanSayWhatIsInThem(_ kind: ProviderError.Kind) async throws {
        let domain = try await outdated()
        let failures = Lock(0)
        domain.provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                guard Self.isOfFolder(request) else { return }
                let count = failures.withLock { failures in
                    failures += 1
                    return failures
                }
                if count <= 40 { throw .of(kind) }
            }
        }
        domain.engine.signal(container: nil)
        try await eventually {
            domain.clock.advance(by: 10)
            return try isSettled(domain)
        }
        // The engine retries with a growing backoff, and stops once the index is up to date.
        try await domain.waitUntilIdle()
        let before = domain.provider.requests.count(where: Self.isOfFolder)
        for _ in 0..<10 { domain.clock.advance(by: 1000) }
        try await domain.waitUntilIdle()
        #expect(domain.provider.requests.count(where: Self.isOfFolder) == before)
    }

    @Test func outdatedFoldersAreListedAfterASignIn() async throws {
        let domain = try await outdated()
        let isSignedIn = Lock(false)
        domain.provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                if Self.isOfFolder(request), !isSignedIn.withLock({ $0 }) { throw .of(.notAuthenticated) }
            }
        }
        domain.engine.signal(container: nil)
        try await eventually { domain.provider.requests.count { Self.isOfFolder($0) } >= 3 }
        try await domain.waitUntilIdle()
        #expect(try !haveAllCome(domain))
        isSignedIn.withLock { $0 = true }
        await domain.engine.retry()
        try await eventually { try isSettled(domain) }
    }

    @Test func oneThatIsGoneIsForgotten() async throws {
        let domain = try await outdated()
        domain.provider.hold(.page)
        domain.engine.signal(container: nil)
        try await eventually { try domain.engine.index.outdatedFolders().count == 3 }
        try domain.restart { domain.provider.remove(try #require(domain.provider.identifier(at: "two"))) }
        domain.provider.release(.page)
        domain.engine.signal(container: nil)
        try await eventually { try domain.names() == ["one"] && hasCome(domain, to: "one") }
        try await domain.waitUntilIdle()
        try domain.restart()
        #expect(try domain.engine.index.outdatedFolders().isEmpty)
    }
}

import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

/// Tests of when the user is asked to sign in, and when not.
@Suite(.ownThreads) struct SignInEpochTests {
    /// A script that holds one request of a kind, and refuses it on demand.
    private final class LateRefusal: Sendable {
        private let gate = PageGate(pages: 0)
        private let hasCome = Latch()
        private let isOver = Lock(false)

        init(_ provider: MemoryProvider, _ kind: MemoryProvider.Kind) {
            provider.behave { behaviour in
                behaviour.before = { [self] request throws(ProviderError) in
                    let isMeant = isOver.withLock { isOver in
                        guard !isOver, request.kind == kind else { return false }
                        isOver = true
                        return true
                    }
                    guard isMeant else { return }
                    hasCome.open()
                    await gate.pass()
                    throw .of(.notAuthenticated)
                }
            }
        }

        var isUnderWay: Bool { isOver.withLock { $0 } }
        func refuse() async { await gate.open() }
    }

    /// The number of requests to sign in.
    private final class Requests: Sendable {
        private let all = Lock(0)

        init(_ domain: TestDomain) { domain.engine.onSignInNeeded { [self] _ in all.withLock { $0 += 1 } } }

        var count: Int { all.withLock { $0 } }
    }

    @Test(arguments: [MemoryProvider.Kind.changes, .page, .replaceContents, .contents, .set, .create])
    func aRefusalOfWhatWasAskedBeforeASignInAsksForNoOther(kind: MemoryProvider.Kind) async throws {
        let domain = try TestDomain { $0.refreshAge = 1e9 }
        domain.provider.addFile("file", "old")
        domain.provider.addFolder("folder")
        try await domain.list()
        try await eventually { domain.provider.count(.changes) == 1 }
        try await domain.waitUntilIdle()
        let requests = Requests(domain)
        let refusal = LateRefusal(domain.provider, kind)
        let (engine, outcome) = (domain.engine, Outcome())
        var opened: OpenHandle?
        switch kind {
        case .changes:
            domain.provider.addFile("added")
            engine.signal(container: nil)
        case .page: engine.list(try await domain.item("folder").number, needs: .complete) { outcome.note($0) }
        case .contents:
            opened = try await domain.open(try await domain.item("file").number)
            opened?.ready { outcome.note($0.map { _ in () }) }
        case .set: try await engine.setTags(["Work"], of: try await domain.item("file").number)
        case .create: try await domain.make("new", "text")
        default: try await domain.overwrite("file", "new")
        }
        try await eventually {
            domain.clock.advance(by: 1)
            return refusal.isUnderWay
        }
        // The user signs in meanwhile.
        try await engine.doing { $0.retry() }
        await refusal.refuse()
        try await eventually {
            domain.clock.advance(by: 1)
            switch kind {
            case .changes: return try domain.names().contains("added")
            case .page, .contents: return outcome.isThere && outcome.failure == nil
            case .set: return try await engine.status().metadataCount == 0
            case .create: return domain.provider.text(at: "new") == "text"
            default: return domain.provider.text(at: "file") == "new"
            }
        }
        try await opened?.closed()
        #expect(requests.count == 0)
        #expect(try await engine.status().signIn == SignInStatus())
    }

    @Test func aRefusalAfterASignInAsksForAnother() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "old")
        try await domain.list()
        let requests = Requests(domain)
        for times in 1...2 {
            domain.provider.fail(.replaceContents, with: .of(.notAuthenticated))
            try await domain.overwrite("file", "new \(times)")
            try await eventually {
                domain.clock.advance(by: 0.1)
                return requests.count == times
            }
            try await domain.engine.doing { $0.retry() }
            try await domain.settle()
        }
    }

    @Test func afterThreeAttemptsInTheProvidersInterfaceItDoesNotOpenByItself() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "old")
        try await domain.list()
        let requests = Requests(domain)
        // If no sign-in is needed, a failed sign-in of a user interface is ignored.
        await domain.engine.noteFailedSignIn(.of(.notAuthenticated))
        #expect(try await domain.engine.status().signIn == SignInStatus())
        domain.provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                if request.kind == .replaceContents { throw .of(.notAuthenticated) }
            }
        }
        try await domain.overwrite("file", "new")
        func isRefused() async throws {
            try await eventually {
                domain.clock.advance(by: 0.1)
                return try await domain.engine.status().signIn.failure != nil
            }
        }
        try await isRefused()
        #expect(requests.count == 1)
        for _ in 0..<3 {
            #expect(try await !domain.engine.status().signIn.isGivenUp)
            await domain.engine.noteFailedSignIn(.of(.notAuthenticated))
        }
        #expect(try await domain.engine.status().signIn.isGivenUp)
        // The provider may report any number of times that the failure is resolved.
        for _ in 0..<3 {
            try await domain.engine.doing { engine in
                engine.resolved()
                #expect(engine.signIn.status.failure == nil)
            }
            try await isRefused()
        }
        #expect(requests.count == 1)
        // A retry that the user requests does sign in again.
        domain.provider.behave { $0.before = { (_) throws(ProviderError) in } }
        try await domain.engine.doing { $0.retry() }
        try await domain.settle()
        #expect(domain.provider.text(at: "file") == "new")
        #expect(try await domain.engine.status().signIn == SignInStatus())
    }
}

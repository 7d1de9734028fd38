import AppExtension
import DomainMessages
import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemValues
import ProviderTesting
import Synchronization
import Testing

/// Tests of the domain's state, which the provider reports for the rules of its actions.
@Suite struct DomainStateTests {
    private func state(_ version: Int64, _ plan: String) -> ProviderDomainState {
        ProviderDomainState(version: version, userInfo: ["plan": .text(plan), "used": .number(0.5)])
    }

    /// The domain state that the provider reports, and the number of requests for it.
    private final class Word: Sendable {
        private let state: Mutex<(ProviderDomainState?, count: Int)>

        init(_ state: ProviderDomainState?) { self.state = Mutex((state, 0)) }

        var count: Int { state.withLock { $0.count } }

        func set(_ word: ProviderDomainState?) { state.withLock { $0.0 = word } }

        func ask() -> ProviderDomainState? {
            state.withLock { state in
                state.count += 1
                return state.0
            }
        }
    }

    /// Creates a domain, makes its provider report `word`'s state, and lists its root.
    private func domain(saying word: Word) async throws -> TestDomain {
        let domain = try TestDomain()
        domain.provider.addFile("a.txt", "text")
        domain.provider.behave { $0.domainState = { word.ask() } }
        #expect(try domain.engine.index.domainState() == nil && domain.engine.index.actionDomain() == .nothing)
        try await domain.list()
        return domain
    }

    @Test func itIsAskedForWithChangesAndKept() async throws {
        let word = Word(state(3, "free"))
        let domain = try await domain(saying: word)
        try await eventually { try domain.engine.index.domainState() == state(3, "free") }
        // A state with an unchanged version is ignored.
        word.set(state(3, "paid"))
        let count = word.count
        domain.engine.signal(container: nil)
        try await eventually { word.count > count }
        #expect(try domain.engine.index.domainState() == state(3, "free"))
        word.set(state(4, "paid"))
        domain.engine.signal(container: nil)
        try await eventually { try domain.engine.index.domainState() == state(4, "paid") }
        try domain.restart()
        #expect(try domain.engine.index.domainState() == state(4, "paid"))
        #expect(try domain.engine.index.actionDomain() == .object(["plan": .text("paid"), "used": .number(0.5)]))
        #expect(try domain.engine.items(in: .pending, after: nil, limit: 10).domainVersion == 4)
    }

    @Test func aProviderThatSaysNothingAnyMoreHasSaidNothing() async throws {
        let word = Word(state(1, "free"))
        let domain = try await domain(saying: word)
        try await eventually { try domain.engine.index.domainState() == state(1, "free") }
        word.set(nil)
        domain.engine.signal(container: nil)
        try await eventually { try domain.engine.index.domainState() == nil }
        // This engine does not ask again, as most providers have no domain state.
        let count = word.count
        domain.provider.addFile("b.txt", "text")
        domain.engine.signal(container: nil)
        try await eventually { try domain.names().contains("b.txt") }
        #expect(word.count == count)
    }
}

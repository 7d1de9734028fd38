import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import LinuxSystem
import ProviderTesting
import Testing

/// Tests of directories that the provider has created but not confirmed. The provider's reports of such a directory
/// must not be treated as another directory.
@Suite struct UnansweredFolderTests {
    /// A domain whose provider replies to the first creation only when the test allows it.
    private final class Unanswered {
        let domain: TestDomain
        private let state = State()

        private final class State: Sendable {
            // Both are leaf locks.
            let isAnswered = Lock(false)
            /// The names that the engine announced.
            let appeared = Lock<[String]>([])
        }

        init() async throws {
            domain = try TestDomain { $0.refreshAge = 1e9 }
            try await domain.list()
            let provider = domain.provider
            provider.behave { [state] behaviour in
                behaviour.after = { request throws(ProviderError) in
                    guard request.kind == .create, provider.count(.create) == 1 else { return }
                    while !state.isAnswered.withLock({ $0 }) { await Task.yield() }
                }
            }
            // Changes are followed from this point on.
            provider.addFile("first")
            domain.engine.signal(container: nil)
            try await eventually { [domain] in try domain.names() == ["first"] }
            // Readers see the index before its events are announced.
            try await domain.engine.doing { _ in }
            domain.engine.onEvent { [state] event in
                guard case .index(let changes) = event else { return }
                for change in changes {
                    if case .added(_, _, let name) = change { state.appeared.withLock { $0.append(name) } }
                }
            }
        }

        var names: [String] { state.appeared.withLock { $0 } }

        /// Makes a directory, and waits until the provider has it.
        func make(_ name: String) async throws -> String {
            try await domain.makeFolder(name)
            try await eventually { [domain] in
                domain.clock.advance(by: 1)
                return domain.provider.identifier(at: name) != nil
            }
            return try #require(domain.provider.identifier(at: name))
        }

        /// Waits until the engine has applied all changes at the provider before this call.
        func hear(_ mark: String) async throws {
            domain.provider.addFile(mark)
            domain.engine.signal(container: nil)
            // Events are announced after the index is written.
            try await eventually { [state] in state.appeared.withLock { $0.contains(mark) } }
        }

        func answer() async throws {
            state.isAnswered.withLock { $0 = true }
            try await domain.settle()
        }
    }

    @Test func aFolderThatIsBeingMadeIsShownOnce() async throws {
        let unanswered = try await Unanswered()
        _ = try await unanswered.make("folder")
        try await unanswered.hear("mark")
        try await unanswered.answer()
        try await unanswered.hear("end")
        #expect(unanswered.names == ["folder", "mark", "end"])
        #expect(try await unanswered.domain.tree() == ["first": "", "folder": "/", "mark": "", "end": ""])
    }

    @Test func aNameIsFreeAgainAfterTheFolderThatIsBeingMadeWasRemoved() async throws {
        let unanswered = try await Unanswered()
        let domain = unanswered.domain
        _ = try await unanswered.make("folder")
        try await domain.removeFolder("folder")
        try await unanswered.hear("mark")
        #expect(try domain.names() == ["first", "mark"])
        let again = try await domain.makeFolder("folder")
        try await unanswered.answer()
        #expect(try await domain.item("folder").number == again)
        #expect(try await domain.tree() == ["first": "", "folder": "/", "mark": ""])
        #expect(domain.provider.tree == ["first": "", "folder": "/", "mark": ""])
    }

    @Test func remoteItemsInAFolderBeingCreatedAreSeen() async throws {
        let unanswered = try await Unanswered()
        let domain = unanswered.domain
        let folder = try await unanswered.make("folder")
        try await unanswered.hear("mark")
        let inner = domain.provider.addFolder("inner", in: folder)
        domain.provider.addFile("file", "theirs", in: inner)
        try await unanswered.hear("end")
        try await unanswered.answer()
        let tree = domain.provider.tree
        #expect(tree["folder/inner/file"] == "theirs")
        try await eventually {
            domain.clock.advance(by: 1)
            return try await domain.tree() == tree
        }
    }

    @Test func anotherFolderOfThatNameIsSeenToo() async throws {
        let unanswered = try await Unanswered()
        let domain = unanswered.domain
        _ = try await unanswered.make("folder")
        // A service may have two items of one name.
        domain.provider.addFolder("folder", identifier: "another")
        try await unanswered.hear("mark")
        try await unanswered.answer()
        try await eventually {
            domain.clock.advance(by: 1)
            return try domain.names().sorted() == ["first", "folder", "folder 2", "mark"]
        }
    }
}

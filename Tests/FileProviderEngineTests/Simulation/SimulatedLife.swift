import FileProvider
import FileProviderEngine
import LinuxSystem
import ProviderTesting

/// Random numbers that are the same for the same seed.
struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678_9ABC_DEF1 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

/// One life of an engine's process, from its start to its death: what it asks of the provider has no effect any more once it is dead.
final class SimulatedLife: Sendable {
    struct State {
        var generator: SeededGenerator
        /// Requests until it dies; `nil` for never.
        var requestsLeft: Int?
        /// Moments between two writes until it dies.
        var momentsLeft: Int?
        var isDead = false
        /// Of 100 requests, so many fail.
        var failures: Int
    }

    // Innermost.
    private let state: Lock<State>
    /// Called once, when it dies.
    /// Open once what it left was copied.
    let isBuried = Latch()
    private let onDeath: Lock<(@Sendable (_ isOnThread: Bool) -> Void)?> = Lock(nil)

    init(_ state: State) { self.state = Lock(state) }

    var isDead: Bool { state.withLock { $0.isDead } }

    /// Comes late where it died while its engine began.
    func whenDead(_ body: @escaping @Sendable (_ isOnThread: Bool) -> Void) {
        onDeath.withLock { $0 = body }
        if isDead { takeDeath()?(false) }
    }

    private func takeDeath() -> (@Sendable (Bool) -> Void)? {
        onDeath.withLock { body in
            defer { body = nil }
            return body
        }
    }

    func bury() {
        state.withLock { $0.isDead = true }
        onDeath.withLock { $0 = nil }
    }

    func calmDown() { state.withLock { $0.failures = 0 } }

    /// It does not die any more.
    func spare() {
        state.withLock { state in
            state.requestsLeft = nil
            state.momentsLeft = nil
        }
    }

    func die(isOnThread: Bool) {
        let isFirst = state.withLock { state in
            defer { state.isDead = true }
            return !state.isDead
        }
        if isFirst { takeDeath()?(isOnThread) }
    }

    /// The journal was written and the index was not, or the other way round.
    func moment() {
        let dies = state.withLock { state in
            guard let left = state.momentsLeft else { return false }
            state.momentsLeft = left - 1
            return left == 0
        }
        if dies { die(isOnThread: true) }
    }

    /// A request comes, or its answer goes.
    func pass() async throws(ProviderFailure) {
        let (dies, fails, pauses) = state.withLock { state in
            let fails = Int.random(in: 0..<100, using: &state.generator) < state.failures
            let pauses = Int.random(in: 0..<12, using: &state.generator)
            if let left = state.requestsLeft { state.requestsLeft = left - 1 }
            return (state.requestsLeft == 0, fails, pauses)
        }
        for _ in 0..<pauses { await Task.yield() }
        if dies { die(isOnThread: false) }
        if isDead { throw ProviderFailure(.processEnded, message: "dead") }
        if fails {
            let kind = state.withLock { state in
                [.transient, .serverUnreachable, .processEnded, .notAuthenticated, .transient]
                    .randomElement(using: &state.generator) ?? ProviderFailure.Kind.transient
            }
            throw ProviderFailure(kind, message: "by the simulation")
        }
    }
}

/// What arrived at the provider, and in which items: from then on it is others' too, to change and to remove.
final class Arrivals: Sendable {
    private struct State {
        /// Of each word the items, and the folders that these were in.
        var items: [String: Set<String>] = [:]
        /// What others changed or removed.
        var touched: Set<String> = []
    }

    // Innermost.
    private let state = Lock(State())

    func note(_ contents: FileDescriptor, _ item: ProviderItem) {
        guard let bytes = try? contents.reopen(.readOnly).readToEnd(limit: 1 << 20) else { return }
        let word = String(decoding: bytes, as: UTF8.self)
        state.withLock { $0.items[word, default: []].formUnion([item.identifier, item.parent]) }
    }

    func touch(_ identifier: String) { state.withLock { _ = $0.touched.insert(identifier) } }

    /// The items that a word arrived in, and their folders.
    func items(of word: String) -> Set<String> { state.withLock { $0.items[word] ?? [] } }

    /// Whether others may have had their way with what arrived.
    func isOthers(_ word: String) -> Bool {
        state.withLock { state in state.items[word].map { !$0.isDisjoint(with: state.touched) } ?? false }
    }
}

/// The provider as one life of the engine reaches it.
struct SimulatedProvider: Provider {
    let base: MemoryProvider
    let life: SimulatedLife
    /// What the provider has got.
    let arrivals: Arrivals

    func item(_ identifier: String) async throws(ProviderFailure) -> ProviderItem {
        try await life.pass()
        let item = try await base.item(identifier)
        try await life.pass()
        return item
    }

    func page(
        of container: String, after page: [UInt8]?, suggestedSize: Int
    ) async throws(ProviderFailure) -> ItemPage {
        try await life.pass()
        let answer = try await base.page(of: container, after: page, suggestedSize: suggestedSize)
        try await life.pass()
        return answer
    }

    func currentAnchor(of container: String) async throws(ProviderFailure) -> [UInt8]? {
        try await life.pass()
        return try await base.currentAnchor(of: container)
    }

    func changes(
        in container: String, since anchor: [UInt8], suggestedSize: Int
    ) async throws(ProviderFailure) -> ChangeBatch {
        try await life.pass()
        let batch = try await base.changes(in: container, since: anchor, suggestedSize: suggestedSize)
        try await life.pass()
        return batch
    }

    func contents(
        of identifier: String, progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderFailure) -> ProviderContents {
        try await life.pass()
        let contents = try await base.contents(of: identifier, progress: progress)
        try await life.pass()
        return contents
    }

    func create(_ item: NewItem, contents: FileDescriptor?) async throws(ProviderFailure) -> ProviderItem {
        try await life.pass()
        let made = try await base.create(item, contents: contents)
        if let contents { arrivals.note(contents, made) }
        try await life.pass()
        return made
    }

    func replaceContents(
        of identifier: String, with contents: FileDescriptor, base version: [UInt8], modified: Double
    ) async throws(ProviderFailure) -> ProviderItem {
        try await life.pass()
        let item = try await base.replaceContents(
            of: identifier, with: contents, base: version, modified: modified)
        arrivals.note(contents, item)
        try await life.pass()
        return item
    }

    func move(
        _ identifier: String, to parent: String, named name: String
    ) async throws(ProviderFailure) -> ProviderItem {
        try await life.pass()
        let item = try await base.move(identifier, to: parent, named: name)
        try await life.pass()
        return item
    }

    func delete(_ identifier: String) async throws(ProviderFailure) {
        try await life.pass()
        try await base.delete(identifier)
        try await life.pass()
    }

    func stopProviding(_ identifier: String) async {}
}

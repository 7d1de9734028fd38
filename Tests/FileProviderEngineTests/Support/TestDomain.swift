import FileProvider
import FileProviderEngine
import FileTesting
import LinuxSystem
import ProviderTesting
import Testing

/// An engine over a provider in memory, in a folder of its own.
final class TestDomain {
    let folder: TestFolder
    let provider: MemoryProvider
    let clock: SimulatedClock
    private(set) var engine: DomainEngine
    var configuration: DomainConfiguration

    init(
        _ provider: MemoryProvider = MemoryProvider(), clock: SimulatedClock = SimulatedClock(),
        _ configure: (inout DomainConfiguration) -> Void = { _ in }
    ) throws {
        folder = try TestFolder()
        self.provider = provider
        self.clock = clock
        configuration = DomainConfiguration(
            identifier: "test", displayName: "Test", dataFolder: folder.path + "/data",
            cacheFolder: folder.path + "/cache")
        configure(&configuration)
        engine = try DomainEngine(configuration: configuration, provider: provider, clock: clock)
    }

    deinit { engine.abandon() }

    /// Ends the engine as a kill would, and starts another one over the same folders.
    ///
    /// - Parameter openings: what programs go on with.
    func restart(resuming openings: [OpeningToResume] = [], afterEnding: () throws -> Void = {}) throws {
        engine.abandon()
        // What it has begun on its thread is over.
        let latch = Latch()
        engine.perform { _ in latch.open() }
        latch.wait()
        try afterEnding()
        engine = try DomainEngine(
            configuration: configuration, provider: provider, clock: clock, resuming: openings)
    }

    // MARK: Folders

    func list(_ folder: ItemNumber = .root, needs need: ListingNeed = .complete) async throws(ProviderFailure) {
        let engine = engine
        let result = await withCheckedContinuation { continuation in
            engine.list(folder, needs: need) { continuation.resume(returning: $0) }
        }
        try result.get()
    }

    func names(in folder: ItemNumber = .root) throws -> [String] {
        var names: [String] = []
        try engine.index.children(of: folder) { item in
            names.append(item.name)
            return true
        }
        return names
    }

    /// The item at a path; folders on the way are listed.
    func item(_ path: String) async throws -> IndexedItem {
        var item = try #require(try engine.index.item(.root))
        for name in path.split(separator: "/") {
            try await list(item.number, needs: .item(named: String(name)))
            item = try #require(try engine.index.item(named: String(name), in: item.number), "\(path)")
        }
        return item
    }

    /// The number that an item in the root has now.
    func number(_ name: String) throws -> ItemNumber {
        try #require(try engine.index.item(named: name, in: .root), "\(name)").number
    }

    func row(_ number: ItemNumber) throws -> IndexedItem { try #require(try engine.index.item(number)) }

    // MARK: Files

    func open(_ number: ItemNumber, for purpose: OpenPurpose = .reading) async throws(ProviderFailure) -> OpenItem {
        let engine = engine
        let result = await withCheckedContinuation { continuation in
            engine.open(number, for: purpose) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// What somebody reads who opens a file.
    func read(_ number: ItemNumber) async throws -> String {
        let opened = try await open(number)
        let text = try await opened.text()
        try await opened.closed()
        return text
    }

    func read(_ path: String) async throws -> String { try await read(try await item(path).number) }

    /// Whether a file's bytes lie in a folder of the engine's.
    func hasFile(_ number: ItemNumber, in folder: String) -> Bool {
        (try? self.folder.status("\(folder)/\(number.rawValue)")) != nil
    }
}

extension OpenItem {
    func whenReady() async throws(ProviderFailure) -> FileDescriptor {
        let result = await withCheckedContinuation { continuation in
            _ = ready { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    func text() async throws -> String {
        String(decoding: try await whenReady().reopen(.readOnly).readToEnd(limit: 1 << 24), as: UTF8.self)
    }

    func write(_ text: String, at offset: Int = 0) async throws {
        let file = try await whenReady()
        try Array(text.utf8).withUnsafeBytes { try file.writeAll($0, at: offset) }
    }

    func flushed() async throws(ProviderFailure) {
        let result = await withCheckedContinuation { continuation in flush { continuation.resume(returning: $0) } }
        try result.get()
    }

    func closed() async throws(ProviderFailure) {
        let result = await withCheckedContinuation { continuation in close { continuation.resume(returning: $0) } }
        try result.get()
    }
}

/// Waits until something is so that another thread brings about in its own time.
func eventually(
    sourceLocation: SourceLocation = #_sourceLocation, _ isSo: () async throws -> Bool
) async throws {
    // Looks are counted rather than time: a busy machine may let no task run for long.
    for look in 0..<30_000 {
        if try await isSo() { return }
        // What does not come soon is looked for less often, which leaves the processors to what it waits for.
        try await Task.sleep(for: .milliseconds(look < 200 ? 2 : 10))
    }
    Issue.record("it did not come about", sourceLocation: sourceLocation)
}

extension ProviderFailure {
    static func of(_ kind: Kind) -> ProviderFailure { ProviderFailure(kind, message: "by the test") }
}

/// The kind of failure with which something ends; `nil` where it does not fail.
func failure(_ body: () async throws -> Void) async -> ProviderFailure.Kind? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? ProviderFailure)?.kind
    }
}

/// What came of something that was waited for.
final class Outcome: Sendable {
    private let state = Lock<ProviderFailure.Kind??>(nil)

    func note(_ result: Result<some Any, ProviderFailure>) {
        state.withLock { state in
            switch result {
            case .success: state = .some(nil)
            case .failure(let failure): state = failure.kind
            }
        }
    }

    var isThere: Bool { state.withLock { $0 != nil } }
    var failure: ProviderFailure.Kind? { state.withLock { $0 ?? nil } }
}

import FileProvider
import FileProviderEngine
import FileProviderWire
import FileTesting
import ItemStore
import LinuxSystem
import ProviderTesting
import Testing

/// An engine over a provider in memory, in a directory of its own.
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

    /// Ends the engine as a kill would, and starts another one over the same directories.
    ///
    /// - Parameter openings: The open files that the new engine takes over.
    func restart(resuming openings: [HandleToResume] = [], afterEnding: () throws -> Void = {}) throws {
        engine.abandon()
        // Wait for what the old engine has begun on its thread.
        let latch = Latch()
        engine.perform { _ in latch.open() }
        latch.wait()
        try afterEnding()
        engine = try DomainEngine(
            configuration: configuration, provider: provider, clock: clock, resuming: openings)
    }

    /// The ways in which a test restarts the engine.
    enum Restart: Sendable, CaseIterable {
        case none
        case ofProcess
        case withoutIndex
    }

    /// Restarts the engine, if wanted, and deletes its index before the start, if wanted.
    func restart(_ restart: Restart) throws {
        let path = configuration.dataFolder + "/index.db"
        switch restart {
        case .none: break
        case .ofProcess: try self.restart()
        case .withoutIndex: try self.restart { try Index.delete(path: path) }
        }
    }

    /// Waits until the engine has no requests, so that no earlier reply arrives after a later change at the provider.
    func waitUntilIdle(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await eventually(sourceLocation: sourceLocation) { await !engine.isBusy }
    }

    // MARK: Directories

    func list(_ folder: ItemNumber = .root, needs need: ListingNeed = .complete) async throws(ProviderError) {
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

    /// Returns the item at a path, listing the directories on the way.
    func item(_ path: String) async throws -> IndexedItem {
        var item = try #require(try engine.index.item(.root))
        for name in path.split(separator: "/") {
            try await list(item.number, needs: .item(named: String(name)))
            item = try #require(try engine.index.item(named: String(name), in: item.number), "\(path)")
        }
        return item
    }

    /// Returns the present number of an item in the root.
    func number(_ name: String) throws -> ItemNumber {
        try #require(try engine.index.item(named: name, in: .root), "\(name)").number
    }

    func row(_ number: ItemNumber) throws -> IndexedItem { try #require(try engine.index.item(number)) }

    // MARK: Files

    func open(_ number: ItemNumber, for purpose: OpenPurpose = .reading) async throws(ProviderError) -> OpenHandle {
        let engine = engine
        let result = await withCheckedContinuation { continuation in
            engine.handles.open(number, for: purpose) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Opens a file and returns its contents.
    func read(_ number: ItemNumber) async throws -> String {
        let opened = try await open(number)
        let text = try await opened.text()
        try await opened.closed()
        return text
    }

    func read(_ path: String) async throws -> String { try await read(try await item(path).number) }

    /// Whether a file's contents are in one of the engine's directories.
    func hasFile(_ number: ItemNumber, in folder: String) -> Bool {
        (try? self.folder.status("\(folder)/\(number.rawValue)")) != nil
    }
}

extension OpenHandle {
    func whenReady() async throws(ProviderError) -> FileDescriptor {
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

    func flushed() async throws(ProviderError) {
        let result = await withCheckedContinuation { continuation in flush { continuation.resume(returning: $0) } }
        try result.get()
    }

    func closed() async throws(ProviderError) {
        let result = await withCheckedContinuation { continuation in close { continuation.resume(returning: $0) } }
        try result.get()
    }
}

/// Waits until a condition holds that another thread brings about.
func eventually(
    sourceLocation: SourceLocation = #_sourceLocation, _ isSo: () async throws -> Bool
) async throws {
    // Attempts are counted instead of time, as a busy machine may suspend all tasks for long.
    for look in 0..<30_000 {
        if try await isSo() { return }
        // After some attempts the condition is checked less often, which leaves the processors to the awaited work.
        try await Task.sleep(for: .milliseconds(look < 200 ? 2 : 10))
    }
    Issue.record("it did not come about", sourceLocation: sourceLocation)
}

extension ProviderError {
    static func of(_ kind: Kind) -> ProviderError { ProviderError(kind, message: "by the test") }
}

/// Returns the kind of failure that `body` throws, or `nil` if it succeeds.
func failure(_ body: () async throws -> Void) async -> ProviderError.Kind? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? ProviderError)?.kind
    }
}

/// The result of an asynchronous call.
final class Outcome: Sendable {
    private let state = Lock<ProviderError.Kind??>(nil)

    func note(_ result: Result<some Any, ProviderError>) {
        state.withLock { state in
            switch result {
            case .success: state = .some(nil)
            case .failure(let failure): state = failure.kind
            }
        }
    }

    var isThere: Bool { state.withLock { $0 != nil } }
    var failure: ProviderError.Kind? { state.withLock { $0 ?? nil } }
}

import FileProvider
import FileProviderEngine
import FileProviderWire
import FileTesting
import ItemStore
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

/// Tests of files that are opened, evicted and replaced at the provider at the same time.
@Suite(.ownThreads) struct ContentRaceTests {
    /// Returns a version's contents: one letter, repeated.
    private static func text(_ version: Int) -> String {
        String(repeating: Character(UnicodeScalar(UInt8(ascii: "a") + UInt8(version % 26))), count: 5000)
    }

    @Test func readersSeeOneVersionAndNoMixture() async throws {
        let domain = try TestDomain(clock: SimulatedClock()) { $0.cacheLimit = 12_000 }
        let identifiers = (0..<4).map { domain.provider.addFile("\($0)", Self.text(0)) }
        try await domain.list()
        let (engine, provider) = (domain.engine, domain.provider)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var generator = SystemRandomNumberGenerator()
                    for round in 0..<60 {
                        let which = Int.random(in: 0..<4, using: &generator)
                        switch (task, round % 3) {
                        case (0, _):
                            provider.write(Self.text(round), to: identifiers[which])
                            engine.signal(container: nil)
                        case (1, _): try? await engine.evict(try engine.number(which))
                        case (2, 0):
                            // The file is opened for writing and not written to.
                            let opened = try await engine.opened(which, for: .writing(truncating: false))
                            try await Self.check(opened)
                            try await opened.closed()
                        default:
                            let opened = try await engine.opened(which, for: .reading)
                            try await Self.check(opened)
                            try await opened.closed()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await engine.status().openFileCount == 0)
        #expect(try await engine.editStatus().items.isEmpty)
        // In the end every file has the last version.
        engine.signal(container: nil)
        for which in 0..<4 {
            try await eventually { try await domain.read("\(which)") == provider.text(at: "\(which)") }
        }
    }

    private static func check(_ opened: OpenHandle) async throws {
        let text = try await opened.text()
        #expect(text.count == 5000)
        #expect(Set(text).count == 1)
    }
}

extension DomainEngine {
    fileprivate nonisolated func number(_ which: Int) throws -> ItemNumber {
        try #require(try index.item(named: "\(which)", in: .root)).number
    }

    /// Opens a file by its name, as its number may change meanwhile.
    fileprivate nonisolated func opened(_ which: Int, for purpose: OpenPurpose) async throws -> OpenHandle {
        while true {
            let number = try number(which)
            let result = await withCheckedContinuation { continuation in
                handles.open(number, for: purpose) { continuation.resume(returning: $0) }
            }
            if case .failure(let failure) = result, [.expired, .noSuchItem].contains(failure.kind) { continue }
            return try result.get()
        }
    }
}

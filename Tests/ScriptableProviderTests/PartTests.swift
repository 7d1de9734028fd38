import FileProvider
import FileProviderEngine
import FileProviderWire
import FileTesting
import Foundation
import ItemStore
import LinuxSystem
import ScriptableService
import TestThreads
import Testing

/// Byte ranges of files through an engine, an extension in a process of its own, and a slow service.
@Suite(.ownThreads, .timeLimit(.minutes(10))) struct PartTests {
    private static let size = 8 << 20
    private static let contents = pattern(size)

    private func withFile(
        _ body: @escaping @Sendable (ScriptedCloudFixture, DomainEngine, ItemNumber) async throws -> Void
    ) async throws {
        try await ScriptedCloudFixture.with { stage in
            try Data().write(to: URL(fileURLWithPath: stage.cloud.folder + "/gives-parts"))
            try stage.control.put("large", Self.contents)
            let folder = try TestFolder()
            let engine = try DomainEngine(
                configuration: DomainConfiguration(
                    identifier: "test", displayName: "Test", dataFolder: folder.path + "/data",
                    cacheFolder: folder.path + "/cache"),
                provider: stage.provider)
            let listed = await withCheckedContinuation { continuation in
                engine.list(.root, needs: .complete) { continuation.resume(returning: $0) }
            }
            try listed.get()
            let item = try #require(try engine.index.item(named: "large", in: .root))
            do {
                try await body(stage, engine, item.number)
            } catch {
                await engine.close()
                throw error
            }
            await engine.close()
            withExtendedLifetime(folder) {}
        }
    }

    private func open(_ number: ItemNumber, _ engine: DomainEngine) async throws -> OpenHandle {
        let result = await withCheckedContinuation { continuation in
            engine.handles.open(number, for: .reading) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Opens the file of this name. Retries, as the name may be about to get another item number.
    private func openByName(_ engine: DomainEngine) async throws -> OpenHandle {
        var attempts = 0
        while true {
            let item = try #require(try engine.index.item(named: "large", in: .root))
            do {
                return try await open(item.number, engine)
            } catch let failure as ProviderError where [.expired, .noSuchItem].contains(failure.kind) {
                attempts += 1
                try #require(attempts < 1000)
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    private func read(_ opened: OpenHandle, _ range: Range<Int>) async throws -> [UInt8] {
        let result = await withCheckedContinuation { continuation in
            _ = opened.bytes(at: Int64(range.lowerBound), count: range.count) { continuation.resume(returning: $0) }
        }
        let file = try result.get()
        var bytes = [UInt8](repeating: 0, count: range.count)
        let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: range.lowerBound) }
        return Array(bytes[..<count])
    }

    @Test func onlyTheRangeOfASlowServiceIsWaitedFor() async throws {
        try await withFile { stage, engine, number in
            // At this rate the whole file would take a day.
            try stage.control.add(CloudRule(.slow(bytesPerSecond: 100), on: .contents))
            let opened = try await open(number, engine)
            #expect(try await read(opened, 5_000_000..<5_000_100) == Array(Self.contents[5_000_000..<5_000_100]))
            let parts = try stage.control.requests().compactMap { request in
                if case .part(_, _, let start, let count) = request { start..<start + count } else { nil }
            }
            #expect(parts == [19 * (256 << 10)..<20 * (256 << 10)])
            #expect(try stage.control.count(.contents) == 0)
            // None of the extension's temporary files is left.
            let left = FileManager.default.enumerator(atPath: stage.root + "/data/containers")?
                .compactMap { $0 as? String }.filter { $0.contains("/tmp/domain-") && $0.hasSuffix("contents") }
            #expect(left == [])
            try await closed(opened)
        }
    }

    @Test func aPartThatIsHeldDelaysNoOther() async throws {
        try await withFile { stage, engine, number in
            try stage.control.add(CloudRule(.hold, on: .part, times: 1))
            let first = try await open(number, engine)
            async let held = read(first, 0..<10)
            while try stage.control.held() == 0 { try await Task.sleep(for: .milliseconds(20)) }
            let second = try await open(number, engine)
            #expect(try await read(second, 7_000_000..<7_000_010) == Array(Self.contents[7_000_000..<7_000_010]))
            try stage.control.removeRules()
            #expect(try await held == Array(Self.contents.prefix(10)))
            try await closed(first)
            try await closed(second)
        }
    }

    @Test func aPartThatIsCutShortIsFetchedAgain() async throws {
        try await withFile { stage, engine, number in
            try stage.control.add(CloudRule(.truncate(after: 1000), on: .part, times: 1))
            let opened = try await open(number, engine)
            #expect(try await read(opened, 0..<10) == Array(Self.contents.prefix(10)))
            #expect(try stage.control.count(.part) == 2 && stage.control.count(.contents) == 0)
            try await closed(opened)
        }
    }

    @Test func aVersionThatIsGoneEndsReadersThatHaveBegun() async throws {
        try await withFile { stage, engine, number in
            let opened = try await open(number, engine)
            #expect(try await read(opened, 0..<10) == Array(Self.contents.prefix(10)))
            try stage.control.put("large", Array(Self.contents.reversed()))
            do {
                _ = try await read(opened, 5_000_000..<5_000_010)
                Issue.record("bytes of two versions were read")
            } catch let failure as ProviderError {
                #expect(failure.kind == .expired)
            }
            try await closed(opened)
            let again = try await openByName(engine)
            #expect(try await read(again, 0..<10) == Array(Self.contents.reversed().prefix(10)))
            try await closed(again)
        }
    }

    private func closed(_ opened: OpenHandle) async throws {
        let result = await withCheckedContinuation { continuation in
            opened.close { continuation.resume(returning: $0) }
        }
        try result.get()
    }
}

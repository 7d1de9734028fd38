import FileProvider
import FileProviderEngine
import FileTesting
import ItemStore
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

@Suite(.ownThreads) struct EvictionPolicyTests {
    /// Files with clean contents, in the order of their last use.
    private struct Files: EvictableFiles {
        let numbers: [Int64]

        func leastRecentlyUsed(limit: Int) throws(IndexError) -> [(number: ItemNumber, localSize: Int64)] {
            numbers.prefix(limit).map { (ItemNumber(rawValue: $0), 1) }
        }
    }

    @Test func filesAreEvictedInTheOrderOfTheirLastUse() throws {
        let files = Files(numbers: [5, 3, 9])
        let policy = LeastRecentlyUsedPolicy()
        #expect(try policy.next(among: files, limit: 10).map(\.rawValue) == [5, 3, 9])
        #expect(try policy.next(among: files, limit: 2).map(\.rawValue) == [5, 3])
    }

    @Test func noMoreIsEvictedThanExceedsTheLimit() {
        let policy = LeastRecentlyUsedPolicy()
        #expect(policy.excess(of: 1500, over: 1000) == 500)
        #expect(policy.excess(of: 1000, over: 1000) <= 0)
    }

    @Test func aFullDiskIsRelievedOnlyIfTheWriteFitsAfterwards() {
        let policy = LeastRecentlyUsedPolicy()
        let least = LeastRecentlyUsedPolicy.leastRoom
        #expect(policy.room(for: 1) { nil } == least)
        #expect(policy.room(for: 2 * least) { 2 * least } == 2 * least)
        #expect(policy.room(for: 2 * least) { 2 * least - 1 } == nil)
        #expect(policy.room(for: 2 * least) { nil } == nil)
    }

    /// A policy that evicts the most recently used files first.
    private struct MostRecentlyUsedPolicy: EvictionPolicy {
        func excess(of cleanBytes: Int64, over limit: Int64) -> Int64 { cleanBytes - limit }

        func room(for bytes: Int64, evictable: () -> Int64?) -> Int64? { nil }

        func next(
            among files: borrowing some EvictableFiles & ~Copyable, limit: Int
        ) throws(IndexError) -> [ItemNumber] {
            try files.leastRecentlyUsed(limit: .max).reversed().prefix(limit).map(\.number)
        }
    }

    @Test func anotherPolicyChoosesOtherFilesAndNeverOpenOnes() async throws {
        let domain = try TestDomain { configuration in
            configuration.cacheLimit = 2500
            configuration.evictionPolicy = MostRecentlyUsedPolicy()
        }
        var numbers: [ItemNumber] = []
        for name in ["a", "b", "c"] { domain.provider.addFile(name, [UInt8](repeating: 1, count: 1000)) }
        for name in ["a", "b", "c"] { numbers.append(try await domain.item(name).number) }
        _ = try await domain.read(numbers[0])
        domain.clock.advance(by: 10)
        _ = try await domain.read(numbers[1])
        domain.clock.advance(by: 10)
        let opened = try await domain.open(numbers[2])
        _ = try await opened.text()
        // The file that was used last is open.
        try await eventually { try domain.row(numbers[1]).content == .dataless }
        #expect(try domain.row(numbers[0]).content == .current)
        #expect(try domain.row(numbers[2]).content == .current)
        try await opened.closed()
    }
}

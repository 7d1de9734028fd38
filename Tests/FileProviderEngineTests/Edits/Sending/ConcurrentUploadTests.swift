import FileProviderEngine
import ProviderTesting
import TestThreads
import Testing

/// Tests of the limits of concurrent uploads.
@Suite(.ownThreads)
struct ConcurrentUploadTests {
    private static let large = String(repeating: "x", count: 100)

    /// Creates a domain that sends many files at the same time, few of them large.
    private func makeDomain() throws -> TestDomain {
        try TestDomain { configuration in
            configuration.uploadLimit = 20
            configuration.largeUploadLimit = 2
            configuration.largeSize = 100
        }
    }

    @Test func manySmallFilesAreSentAtTheSameTime() async throws {
        let domain = try makeDomain()
        domain.provider.hold(.create)
        for number in 0..<20 { try await domain.make("small \(number)", "small") }
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.heldCount(.create) == 20
        }
        domain.provider.release(.create)
        try await domain.settle()
        #expect(domain.provider.tree.count == 20)
    }

    @Test func largeFilesWaitForEachOtherAndDelayNoSmallOnes() async throws {
        let domain = try makeDomain()
        domain.provider.hold(.create)
        for number in 0..<8 { try await domain.make("large \(number)", Self.large) }
        for number in 0..<8 { try await domain.make("small \(number)", "small") }
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.heldCount(.create) == 10
        }
        domain.clock.advance(by: 1)
        #expect(domain.provider.heldCount(.create) == 10)
        domain.provider.release(.create)
        try await domain.settle()
        #expect(domain.provider.tree.count == 16)
        #expect(domain.provider.tree.values.filter { $0 == Self.large }.count == 8)
    }

    @Test func aLargeFileThatIsRemovedWhileItWaitsHoldsNoOthersUp() async throws {
        let domain = try makeDomain()
        domain.provider.hold(.create)
        for number in 0..<5 { try await domain.make("large \(number)", Self.large) }
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.heldCount(.create) == 2
        }
        for number in 2..<4 { try await domain.remove("large \(number)") }
        domain.provider.release(.create)
        try await domain.settle()
        #expect(domain.provider.tree.keys.sorted() == ["large 0", "large 1", "large 4"])
    }
}

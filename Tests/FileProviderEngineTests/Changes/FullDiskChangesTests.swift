import FileProvider
import FileProviderEngine
import FileProviderWire
import FileTesting
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

/// Tests of changes that the provider reports while the disk is full.
@Suite(.ownThreads) struct FullDiskChangesTests {
    /// Creates a domain, lists its root and waits until the engine is idle.
    private func settled(
        _ provider: MemoryProvider = MemoryProvider(), _ configure: (inout DomainConfiguration) -> Void = { _ in }
    ) async throws -> TestDomain {
        let domain = try TestDomain(provider, configure)
        try await domain.list()
        try await eventually { provider.count(.currentAnchor(of: ProviderItem.workingSetIdentifier)) > 0 }
        try await rest(domain)
        return domain
    }

    private func rest(_ domain: TestDomain) async throws {
        try await domain.waitUntilIdle()
    }

    /// - Parameter hasAnchors: Whether the provider has a change feed. If not, the directory is enumerated again.
    @Test(arguments: [true, false])
    func aChangeThatThereWasNoRoomForComesOnceThereIsSome(hasAnchors: Bool) async throws {
        let provider = MemoryProvider()
        provider.behave { $0.hasAnchors = hasAnchors }
        let domain = try await settled(provider)
        let isFull = Lock(true)
        try await domain.engine.doing { engine in engine.limitRoom { isFull.withLock { !$0 } } }
        provider.addFile("added")
        let kind = hasAnchors ? MemoryProvider.Kind.changes : .page
        let before = provider.count(kind)
        // The provider signals only once.
        domain.engine.signal(container: ProviderItem.rootIdentifier)
        try await eventually { try await domain.engine.status().failure?.kind == .noSpace }
        // The engine retries for as long as the disk is full.
        try await eventually {
            domain.clock.advance(by: 1)
            return provider.count(kind) >= before + 7
        }
        try await rest(domain)
        #expect(try domain.names().isEmpty)
        isFull.withLock { $0 = false }
        domain.clock.advance(by: 10)
        try await eventually { try domain.names() == ["added"] }
    }

    @Test(.enabled(if: SmallDisk.isWanted))
    func cleanContentsGoToMakeRoomForChanges() async throws {
        let disk = try SmallDisk(megabytes: 32)
        let provider = MemoryProvider()
        provider.addFile("large.bin", [UInt8](repeating: 1, count: 12 << 20))
        let domain = try await settled(provider) { configuration in
            configuration.dataFolder = disk.path + "/data"
            configuration.cacheFolder = disk.path + "/cache"
        }
        let large = try await domain.item("large.bin").number
        _ = try await domain.read(large)
        #expect(try domain.row(large).content == .current)
        try await rest(domain)
        let filler = try disk.fill()
        for number in 0..<3000 { provider.addFile("added \(number)") }
        domain.engine.signal(container: nil)
        try await eventually { try domain.engine.index.childCount(of: .root) == 3001 }
        #expect(try domain.row(large).content == .dataless)
        withExtendedLifetime(filler) {}
    }
}

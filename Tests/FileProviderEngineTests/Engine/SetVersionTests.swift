import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting
import Testing

/// Tests of the version numbers by which programs learn that a set has other items than before.
@Suite struct SetVersionTests {
    private func versions(_ domain: TestDomain) -> [ItemSet: UInt64] {
        Dictionary(
            uniqueKeysWithValues: [ItemSet.materialized, .pending].map { ($0, domain.engine.sets.version(of: $0)) })
    }

    /// Runs a closure, and waits until the versions of exactly these sets have changed.
    private func expectChange(
        of sets: Set<ItemSet>, in domain: TestDomain, by body: () async throws -> Void
    ) async throws {
        let before = versions(domain)
        try await body()
        try await eventually {
            let after = versions(domain)
            return Set(before.keys.filter { before[$0] != after[$0] }) == sets
        }
    }

    @Test func aVersionIsAnotherOneWhenSomethingInTheSetIs() async throws {
        let domain = try TestDomain()
        let other = domain.provider.addFile("other.txt", "text")
        domain.provider.addFile("a.txt", "text")
        let folder = domain.provider.addFolder("Folder")
        domain.provider.addFile("inner.txt", "text", in: folder)
        // The root is in no set, and the items in it are not local.
        try await expectChange(of: [], in: domain) {
            try await domain.list()
            domain.provider.update(other) { $0.size = 12 }
            domain.engine.signal(container: nil)
            try await eventually { try domain.engine.index.item(identifier: other)?.item.size == 12 }
        }
        let number = try await domain.item("Folder").number
        try await expectChange(of: [.materialized], in: domain) { try await domain.list(number) }
        let file = try await domain.item("a.txt").number
        try await expectChange(of: [.materialized], in: domain) { _ = try await domain.read(file) }
        try await expectChange(of: [.materialized], in: domain) { try await domain.engine.evict(file) }
        domain.provider.hold(.move)
        try await expectChange(of: [.pending], in: domain) { try await domain.rename("other.txt", "renamed.txt") }
        try await expectChange(of: [.pending], in: domain) {
            domain.provider.release(.move)
            try await domain.settle()
        }
        let before = versions(domain)
        try domain.restart()
        // A client that knows a version of the previous process enumerates anew.
        #expect(versions(domain).allSatisfy { before[$0.key] != $0.value })
    }

    @Test func waitersGetTheChangeAndTheEndOfADomain() async throws {
        let domain = try TestDomain()
        let sets = domain.engine.sets
        domain.provider.addLink("link", to: "a.txt")
        let known = sets.version(of: .materialized)
        let told = Task { try await sets.wait(for: .materialized, toDifferFrom: known) }
        try await domain.list()
        try await told.value
        // The wait ends at once if the version differs already.
        try await sets.wait(for: .materialized, toDifferFrom: known)
        let cancelled = Task { try await sets.wait(for: .pending, toDifferFrom: sets.version(of: .pending)) }
        cancelled.cancel()
        try await cancelled.value
        let left = Task { try await sets.wait(for: .pending, toDifferFrom: sets.version(of: .pending)) }
        await domain.engine.close()
        await #expect(throws: ProviderError.self) { try await left.value }
        await #expect(throws: ProviderError.self) { try await sets.wait(for: .pending, toDifferFrom: 0) }
    }
}

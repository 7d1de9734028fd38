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

/// Fetches that reuse contents which the provider has replaced.
@Suite(.ownThreads) struct DifferenceTests {
    private static let old = String(repeating: "old ", count: 30_000)
    private static let new = old + "and new"

    /// Returns a domain with a local file, and the file's number.
    private func domain(
        text: String = old, _ behave: @escaping @Sendable (inout MemoryProvider.Behaviour) -> Void = { _ in },
        _ configure: (inout DomainConfiguration) -> Void = { _ in }
    ) async throws -> (TestDomain, ItemNumber, String) {
        let domain = try TestDomain(MemoryProvider(), configure)
        domain.provider.behave {
            $0.usesExistingContents = true
            behave(&$0)
        }
        let identifier = domain.provider.addFile("file", text)
        let number = try await domain.item("file").number
        try await domain.engine.download(number)
        return (domain, number, identifier)
    }

    /// Changes the file at the provider, and waits until the engine knows.
    private func change(_ domain: TestDomain, _ identifier: String, to text: String = new) async throws {
        domain.provider.write(text, to: identifier)
        domain.engine.signal(container: nil)
        let version = domain.provider.item(of: identifier)?.contentVersion
        // The number of an open file changes with its contents.
        try await eventually {
            let row = try domain.engine.index.item(named: "file", in: .root)
            return row?.item.contentVersion == version && row?.content == .dataless
        }
    }

    private func differences(_ domain: TestDomain) -> Int {
        domain.provider.requests.count { if case .difference = $0 { true } else { false } }
    }

    @Test func aNewVersionIsFetchedWithTheHelpOfTheOldOne() async throws {
        let (domain, number, identifier) = try await domain()
        let version = try domain.row(number).localVersion
        try await change(domain, identifier)
        #expect(domain.hasFile(number, in: "cache/older"))
        #expect(try await domain.read("file") == Self.new)
        #expect(domain.provider.requests.contains(.difference(of: identifier, to: version)))
        #expect(domain.provider.count(.contents) == 2)
        #expect(!domain.hasFile(number, in: "cache/older"))
    }

    @Test func aProviderThatFetchesWholeFilesIsAskedOnce() async throws {
        let (domain, number, identifier) = try await domain { $0.usesExistingContents = false }
        try await change(domain, identifier)
        #expect(try await domain.read("file") == Self.new)
        try await change(domain, identifier, to: Self.old)
        #expect(!domain.hasFile(number, in: "cache/older"))
        #expect(try await domain.read("file") == Self.old)
        #expect(differences(domain) == 0)
    }

    @Test(arguments: [ProviderError.Kind.expired, .badAnswer, .cannotSynchronize, .noSpace])
    func aFileWhoseOldVersionIsOfNoUseIsFetchedWhole(kind: ProviderError.Kind) async throws {
        let (domain, _, identifier) = try await domain()
        try await change(domain, identifier)
        domain.provider.fail(.contents, with: .of(kind))
        #expect(try await domain.read("file") == Self.new)
        #expect(differences(domain) == 1)
        #expect(domain.provider.requests.count { $0 == .contents(of: identifier) } == 2)
    }

    @Test func aFailureThatPassesLeavesTheOldVersion() async throws {
        let (domain, _, identifier) = try await domain()
        try await change(domain, identifier)
        domain.provider.fail(.contents, with: .of(.transient))
        let opened = try await domain.open(try domain.number("file"))
        async let text = opened.text()
        try await eventually {
            domain.clock.advance(by: 1)
            return differences(domain) == 2
        }
        #expect(try await text == Self.new)
        try await opened.closed()
    }

    @Test func contentsOfAWrongSizeAreFetchedWhole() async throws {
        let (domain, _, identifier) = try await domain()
        try await change(domain, identifier)
        // The provider reports another size than that of the contents that it hands over.
        domain.provider.update(identifier) { $0.size = 7 }
        #expect(try await domain.read("file") == Self.new)
        #expect(differences(domain) == 1)
    }

    @Test func aReplacedOpenFileHelpsWithItsSuccessor() async throws {
        let (domain, number, identifier) = try await domain()
        let opened = try await domain.open(number)
        #expect(try await opened.text() == Self.old)
        let shorter = String(Self.old.dropLast(8))
        domain.provider.write(shorter, to: identifier)
        domain.engine.signal(container: nil)
        try await eventually { try domain.number("file") != number }
        #expect(try await domain.read("file") == shorter)
        #expect(differences(domain) == 1)
        #expect(try await opened.text() == Self.old)
        try await opened.closed()
    }

    @Test func anOpenFileGrowsByTheDifference() async throws {
        let (domain, number, identifier) = try await domain()
        let opened = try await domain.open(number)
        #expect(try await opened.text() == Self.old)
        domain.provider.write(Self.new, to: identifier)
        domain.engine.signal(container: nil)
        try await eventually { try domain.row(number).localSize == Int64(Self.new.utf8.count) }
        #expect(try await opened.text() == Self.new)
        #expect(differences(domain) == 1)
        try await opened.closed()
    }

    /// Contents larger than the files that are evicted in any case when the disk is full.
    private static let large = String(repeating: "old ", count: 1_500_000)

    private func makeRoom(_ domain: TestDomain) async -> Bool {
        let engine = domain.engine
        return await withCheckedContinuation { continuation in
            engine.makeRoom(for: 5 << 20) { continuation.resume(returning: $0) }
        }
    }

    @Test func oldVersionsMakeRoomOnAFullDisk() async throws {
        let (domain, number, identifier) = try await domain(text: Self.large)
        try await change(domain, identifier)
        #expect(await makeRoom(domain))
        #expect(!domain.hasFile(number, in: "cache/older"))
    }

    @Test func anOldVersionThatIsReadMakesNoRoom() async throws {
        let (domain, number, identifier) = try await domain(text: Self.large)
        let opened = try await domain.open(number)
        _ = try await opened.whenReady()
        try await change(domain, identifier)
        let successor = try domain.number("file")
        #expect(successor != number)
        #expect(await !makeRoom(domain))
        #expect(domain.hasFile(successor, in: "cache/older"))
        try await opened.closed()
        #expect(await makeRoom(domain))
        #expect(!domain.hasFile(successor, in: "cache/older"))
    }

    @Test func anOldVersionGoesOnceAnEditIsConfirmed() async throws {
        let (domain, number, identifier) = try await domain()
        try await change(domain, identifier)
        try await domain.overwrite("file", "edited")
        try await domain.settle()
        #expect(domain.provider.text(at: "file") == "edited")
        #expect(!domain.hasFile(number, in: "cache/older"))
    }

    @Test func anOldVersionGoesOnceAllPartsAreLocal() async throws {
        let (domain, number, identifier) = try await domain(text: Self.large) { $0.servesParts = true }
        try await change(domain, identifier, to: Self.large + "and new")
        let opened = try await domain.open(number)
        let size = Self.large.utf8.count + 7
        #expect(try await opened.read(size - 7..<size) == Array("and new".utf8))
        _ = try await opened.read(0..<size)
        try await eventually { try domain.row(number).content == .current }
        #expect(!domain.hasFile(number, in: "cache/older"))
        try await opened.closed()
    }

    @Test func smallFilesAndEvictedOnesLeaveNothing() async throws {
        let (domain, number, identifier) = try await domain(text: "small")
        try await change(domain, identifier)
        #expect(!domain.hasFile(number, in: "cache/older"))
        try await domain.engine.download(number)
        try await change(domain, identifier, to: Self.old)
        #expect(domain.hasFile(number, in: "cache/older"))
        try await domain.engine.doing { try $0.evict(number) }
        #expect(!domain.hasFile(number, in: "cache/older"))
    }

    @Test func aRemovedFileLeavesNothing() async throws {
        let (domain, number, identifier) = try await domain()
        try await change(domain, identifier)
        #expect(domain.hasFile(number, in: "cache/older"))
        domain.provider.remove(identifier)
        domain.engine.signal(container: nil)
        try await eventually { !domain.hasFile(number, in: "cache/older") }
    }

    @Test func oldVersionsGoWithTheEngine() async throws {
        let (domain, number, identifier) = try await domain()
        try await change(domain, identifier)
        try domain.restart()
        #expect(!domain.hasFile(number, in: "cache/older"))
        #expect(try await domain.read("file") == Self.new)
        #expect(differences(domain) == 0)
    }

    @Test func oldVersionsTakeASmallShareOfTheCache() async throws {
        let size = Int64(Self.old.utf8.count)
        let (domain, number, identifier) = try await domain { _ in
        } _: {
            $0.cacheLimit = size * 8 + 100
        }
        try await change(domain, identifier)
        #expect(domain.hasFile(number, in: "cache/older"))
        let other = domain.provider.addFile("other", Self.old)
        domain.engine.signal(container: nil)
        try await eventually { try domain.names() == ["file", "other"] }
        let second = try domain.number("other")
        try await domain.engine.download(second)
        domain.provider.write(Self.new, to: other)
        domain.engine.signal(container: nil)
        try await eventually { try domain.row(second).content == .dataless }
        // There is room for the contents of one file only.
        #expect(domain.hasFile(second, in: "cache/older") && !domain.hasFile(number, in: "cache/older"))
    }
}

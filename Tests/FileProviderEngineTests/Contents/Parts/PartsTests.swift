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

/// Contents whose bytes depend on their offset. They are made once, as that takes time.
private enum Sample {
    static let old = made(0)
    static let new = made(7)

    private static func made(_ seed: UInt64) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: PartsTests.size) { bytes, count in
            let words = UnsafeMutableRawBufferPointer(bytes).bindMemory(to: UInt64.self)
            for index in 0..<words.count { words[index] = (UInt64(index) &+ seed) &* 0x9E37_79B9_7F4A_7C15 }
            count = bytes.count
        }
    }
}

extension OpenHandle {
    /// Reads a range of the file, waiting until its bytes are available.
    func read(_ range: Range<Int>) async throws -> [UInt8] {
        let result = await withCheckedContinuation { continuation in
            _ = bytes(at: Int64(range.lowerBound), count: range.count) { continuation.resume(returning: $0) }
        }
        let file = try result.get()
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: range.count, alignment: 16)
        defer { room.deallocate() }
        let count = try file.read(into: room, at: range.lowerBound)
        return Array(room[..<count])
    }
}

@Suite(.ownThreads) struct PartsTests {
    static let size = 6 << 20
    private static let block = 256 << 10

    /// Creates a domain with one large file of a provider that serves byte ranges.
    private func domain(_ bytes: [UInt8] = Sample.old) async throws -> (TestDomain, String, ItemNumber) {
        let domain = try TestDomain()
        let identifier = domain.provider.addFile("file", bytes)
        domain.provider.behave { $0.servesParts = true }
        return (domain, identifier, try await domain.item("file").number)
    }

    private func ranges(_ domain: TestDomain) -> [Range<Int64>] {
        domain.provider.requests.compactMap { request in
            if case .part(_, let range) = request { range } else { nil }
        }
    }

    // MARK: Fetching

    @Test func aReadFetchesItsOwnBlocksOnly() async throws {
        let (domain, _, number) = try await domain()
        let opened = try await domain.open(number)
        #expect(try await opened.read(3_000_000..<3_000_010) == Array(Sample.old[3_000_000..<3_000_010]))
        #expect(ranges(domain) == [Int64(11 * Self.block)..<Int64(12 * Self.block)])
        #expect(try await opened.read(Self.size - 5..<Self.size + 100) == Array(Sample.old.suffix(5)))
        #expect(try await opened.read(Self.size + 5..<Self.size + 100).isEmpty)
        #expect(!opened.isComplete && domain.provider.count(.contents) == 0)
        try await opened.closed()
        try await eventually { try domain.row(number).content == .partial }
        try await eventually { try domain.row(number).localSize == Int64(2 * Self.block) }
        #expect(try domain.row(number).state(nil) == .partial)
    }

    @Test func bytesOnceReadAreNotRequestedAgain() async throws {
        let (domain, _, number) = try await domain()
        for _ in 0..<3 {
            let opened = try await domain.open(number)
            _ = try await opened.read(100..<200)
            try await opened.closed()
        }
        #expect(domain.provider.count(.part) == 1)
    }

    @Test func aSmallFileIsFetchedWholeAndSoIsOneOfAProviderWithoutParts() async throws {
        let (domain, _, number) = try await domain(Array(Sample.old.prefix(1 << 20)))
        let opened = try await domain.open(number)
        #expect(try await opened.read(0..<4) == Array(Sample.old.prefix(4)))
        #expect(opened.isComplete)
        let (other, _, large) = try await self.domain()
        other.provider.behave { $0.servesParts = false }
        #expect(try await other.open(large).read(0..<4) == Array(Sample.old.prefix(4)))
        #expect(other.provider.count(.contents) == 1 && domain.provider.count(.part) + other.provider.count(.part) == 0)
    }

    @Test func readersOfTheSameBytesAskOnce() async throws {
        let (domain, _, number) = try await domain()
        domain.provider.hold(.part)
        let opened = try await domain.open(number)
        let outcomes = (0..<10).map { _ in Outcome() }
        for (index, outcome) in outcomes.enumerated() {
            opened.bytes(at: Int64(index * 1000), count: 2000) { outcome.note($0) }
        }
        try await eventually { domain.provider.heldCount(.part) == 1 }
        domain.provider.release(.part)
        try await eventually { outcomes.allSatisfy(\.isThere) }
        #expect(outcomes.allSatisfy { $0.failure == nil } && domain.provider.count(.part) == 1)
    }

    @Test func aReaderDoesNotWaitForAnotherOne() async throws {
        let (domain, _, number) = try await domain()
        domain.provider.hold(.part)
        let opened = try await domain.open(number)
        let outcome = Outcome()
        opened.bytes(at: 0, count: 10) { outcome.note($0) }
        try await eventually { domain.provider.heldCount(.part) == 1 }
        domain.provider.behave { behaviour in
            behaviour.before = { (request) throws(ProviderError) in }
        }
        let other = try await domain.open(number)
        async let bytes = other.read(5_000_000..<5_000_010)
        try await eventually { domain.provider.heldCount(.part) == 2 }
        domain.provider.release(.part)
        #expect(try await bytes == Array(Sample.old[5_000_000..<5_000_010]))
        try await eventually { outcome.isThere }
    }

    @Test func aFileReadFromBeginningToEndIsMaterialized() async throws {
        let (domain, _, number) = try await domain()
        let opened = try await domain.open(number)
        var bytes: [UInt8] = []
        while true {
            let piece = try await opened.read(bytes.count..<bytes.count + (128 << 10))
            if piece.isEmpty { break }
            bytes += piece
        }
        #expect(bytes == Sample.old)
        try await eventually { try domain.row(number).content == .current }
        #expect(try domain.row(number).localSize == Int64(Self.size))
        // Sequential reads fetch growing ranges.
        #expect(domain.provider.count(.part) < 16 && domain.provider.count(.contents) == 0)
        try await opened.closed()
        #expect(domain.hasFile(number, in: "cache/content") && !domain.hasFile(number, in: "cache/parts"))
        let again = try await domain.open(number)
        #expect(again.isComplete)
        #expect(try await again.read(0..<Self.size) == Sample.old)
    }

    @Test func aReaderThatGivesUpBeforeTheFirstReplyHasNotBegun() async throws {
        let (domain, _, number) = try await domain()
        domain.provider.hold(.servesParts)
        let other = try await domain.open(number)
        let (closed, cancelled) = (Outcome(), Outcome())
        let opened = try await domain.open(number)
        opened.bytes(at: 0, count: 10) { closed.note($0) }
        let waiting = other.bytes(at: 0, count: 10) { cancelled.note($0) }
        try await eventually { domain.provider.heldCount(.servesParts) == 2 }
        try await opened.closed()
        waiting.cancel()
        try await eventually { closed.isThere && cancelled.isThere }
        #expect(closed.failure == .cancelled && cancelled.failure == .cancelled)
        domain.provider.release(.servesParts)
        // A read that starts now does not join those that ended.
        #expect(try await other.read(5_000_000..<5_000_010) == Array(Sample.old[5_000_000..<5_000_010]))
        #expect(domain.provider.count(.part) == 1)
    }

    @Test func aDownloadFetchesWhatIsMissing() async throws {
        let (domain, _, number) = try await domain()
        let opened = try await domain.open(number)
        _ = try await opened.read(3_000_000..<3_000_010)
        try await domain.engine.download(number)
        #expect(try domain.row(number).content == .current)
        #expect(domain.provider.count(.contents) == 0)
        #expect(ranges(domain).reduce(0) { $0 + $1.count } == Self.size)
        // A handle that was open before continues with the same file.
        #expect(try await opened.read(0..<Self.size) == Sample.old)
        try await opened.closed()
        #expect(try await domain.open(number).read(0..<Self.size) == Sample.old)
    }

    @Test func aWriteWaitsForTheRestOfTheContents() async throws {
        let (domain, identifier, number) = try await domain()
        let reader = try await domain.open(number)
        _ = try await reader.read(0..<10)
        let writer = try await domain.open(number, for: .writing(truncating: false))
        try await writer.write("new", at: 5_000_000)
        #expect(
            try await reader.read(4_999_999..<5_000_004) == [Sample.old[4_999_999]] + Array("new".utf8) + [
                Sample.old[5_000_003]
            ])
        try await reader.closed()
        try await writer.closed()
        domain.clock.advance(by: 10)
        try await eventually { domain.provider.bytes(of: identifier)?[5_000_000] == UInt8(ascii: "n") }
        #expect(domain.provider.bytes(of: identifier)?.count == Self.size)
    }

    @Test func truncatingToZeroStartsANewFile() async throws {
        let (domain, identifier, number) = try await domain()
        let reader = try await domain.open(number)
        _ = try await reader.read(0..<10)
        let writer = try await domain.open(number, for: .writing(truncating: true))
        #expect(!domain.hasFile(number, in: "cache/parts"))
        try await writer.write("new")
        #expect(try await reader.read(0..<10) == Array("new".utf8))
        try await reader.closed()
        try await writer.closed()
        domain.clock.advance(by: 10)
        try await eventually { domain.provider.bytes(of: identifier) == Array("new".utf8) }
    }

    // MARK: Versions

    @Test func aReaderThatHasBegunGetsNoBytesOfAnotherVersion() async throws {
        let (domain, identifier, number) = try await domain()
        let opened = try await domain.open(number)
        _ = try await opened.read(0..<10)
        domain.provider.write(Sample.new, to: identifier)
        #expect(await failure { _ = try await opened.read(5_000_000..<5_000_010) } == .expired)
        // The local bytes are of the version that this handle started with.
        #expect(try await opened.read(0..<10) == Array(Sample.old.prefix(10)))
        #expect(await failure { _ = try await domain.open(number, for: .writing(truncating: false)) } == .expired)
        // The new version is a file with another item number.
        let other = try await domain.open(try domain.number("file"))
        #expect(try await other.read(5_000_000..<5_000_010) == Array(Sample.new[5_000_000..<5_000_010]))
        #expect(try await opened.read(0..<10) == Array(Sample.old.prefix(10)))
        #expect(await failure { _ = try await opened.read(5_000_000..<5_000_010) } == .expired)
        try await opened.closed()
        try await eventually { !domain.hasFile(number, in: "cache/parts") }
        #expect(try await other.read(0..<10) == Array(Sample.new.prefix(10)))
        try await other.closed()
        #expect(!domain.hasFile(number, in: "cache/content"))
    }

    @Test func aReaderThatHasNotBegunGetsTheNewVersion() async throws {
        let (domain, identifier, number) = try await domain()
        domain.provider.hold(.part)
        let opened = try await domain.open(number)
        async let bytes = opened.read(5_000_000..<5_000_010)
        try await eventually { domain.provider.heldCount(.part) == 1 }
        domain.provider.write(Sample.new, to: identifier)
        domain.provider.release(.part)
        #expect(try await bytes == Array(Sample.new[5_000_000..<5_000_010]))
        #expect(try domain.row(number).item.contentVersion == domain.provider.item(of: identifier)?.contentVersion)
    }

    @Test func partsOfAnOlderVersionGoWhenTheProviderTellsOfAnother() async throws {
        let (domain, identifier, number) = try await domain()
        let opened = try await domain.open(number)
        _ = try await opened.read(0..<10)
        try await opened.closed()
        try await eventually { try domain.row(number).content == .partial }
        domain.provider.write(Sample.new, to: identifier)
        domain.engine.signal(container: nil)
        try await eventually { try domain.row(number).content == .dataless }
        #expect(!domain.hasFile(number, in: "cache/parts"))
        #expect(try await domain.open(number).read(0..<10) == Array(Sample.new.prefix(10)))
    }

    @Test func aVersionThatIsNotToBeHadIsAskedFor() async throws {
        let (domain, identifier, number) = try await domain()
        domain.provider.write(Sample.new, to: identifier)
        domain.provider.fail(.part, with: .of(.expired))
        #expect(try await domain.open(number).read(0..<10) == Array(Sample.new.prefix(10)))
        #expect(domain.provider.count(.item(identifier)) == 1)
    }

    @Test func aProviderThatHasTheVersionAndDoesNotGiveItIsAskedForTheWhole() async throws {
        let (domain, _, number) = try await domain()
        domain.provider.fail(.part, with: .of(.expired))
        #expect(try await domain.open(number).read(0..<10) == Array(Sample.old.prefix(10)))
        #expect(domain.provider.count(.contents) == 1)
    }

    @Test func noPartIsAskedForWhileTheProviderIsAskedForItsVersion() async throws {
        let (domain, identifier, number) = try await domain()
        domain.provider.hold(.item)
        domain.provider.fail(.part, with: .of(.expired))
        let opened = try await domain.open(number)
        async let bytes = opened.read(0..<10)
        try await eventually { domain.provider.count(.item(identifier)) == 1 }
        async let others = opened.read(3_000_000..<3_000_010)
        try await Task.sleep(for: .milliseconds(50))
        #expect(ranges(domain).count == 1)
        domain.provider.release(.item)
        #expect(try await bytes == Array(Sample.old.prefix(10)))
        #expect(try await others == Array(Sample.old[3_000_000..<3_000_010]))
        #expect(domain.provider.count(.contents) == 1 && ranges(domain).count == 1)
    }

    @Test func aVersionThatChangesAllTheTimeIsFetchedWhole() async throws {
        let (domain, identifier, number) = try await domain()
        domain.provider.behave { behaviour in
            behaviour.part = { [provider = domain.provider] (_, part) throws(ProviderError) in
                var part = part
                provider.write(Sample.old, to: identifier)
                part.item = provider.item(of: identifier) ?? part.item
                return part
            }
        }
        #expect(try await domain.open(number).read(0..<10) == Array(Sample.old.prefix(10)))
        #expect(domain.provider.count(.contents) == 1 && domain.provider.count(.part) < 10)
    }

    // MARK: Invalid replies

    private func readAgainst(
        _ script: @escaping @Sendable (PartRequest, ProviderPart) throws(ProviderError) -> ProviderPart
    ) async throws -> TestDomain {
        let (domain, _, number) = try await domain()
        domain.provider.behave { $0.part = script }
        let opened = try await domain.open(number)
        #expect(try await opened.read(3_000_000..<3_000_010) == Array(Sample.old[3_000_000..<3_000_010]))
        try await opened.closed()
        return domain
    }

    @Test func tooLittleOrAnotherRangeOrAnotherItemHasTheWholeFetched() async throws {
        let changes: [@Sendable (inout ProviderPart) -> Void] = [
            { $0.range = $0.range.lowerBound..<$0.range.upperBound - 1 },
            { $0.range = 0..<100 },
            { $0.range = Int64.max - 10..<Int64.max },
            { $0.item.identifier = "another" },
            { $0.item.size = 100 },
            { try? $0.descriptor.truncate(to: 100) },
        ]
        for (index, change) in changes.enumerated() {
            let domain = try await readAgainst { (_, part) throws(ProviderError) in
                var part = part
                change(&part)
                return part
            }
            #expect(domain.provider.count(.contents) == 1, "\(index)")
        }
    }

    @Test func moreThanWasAskedForIsTaken() async throws {
        let whole = Sample.old
        let domain = try await readAgainst { (_, part) throws(ProviderError) in
            var part = part
            let written: ()? = whole.withUnsafeBytes { try? part.descriptor.writeAll($0, at: 0) }
            if written != nil { part.range = 0..<Int64.max }
            return part
        }
        #expect(domain.provider.count(.contents) == 0 && domain.provider.count(.part) == 1)
        #expect(try await domain.item("file").content == .current)
    }

    @Test(arguments: [Int64.max, 1 << 40, 20 << 20]) func aSizeThatIsALieIsCorrected(size: Int64) async throws {
        let (domain, identifier, _) = try await domain()
        domain.provider.update(identifier) { $0.size = size }
        let other = try TestDomain(domain.provider)
        let number = try await other.item("file").number
        let opened = try await other.open(number)
        #expect(try await opened.read(Self.size - 10..<Self.size + 10) == Array(Sample.old.suffix(10)))
        try await opened.closed()
        #expect(try other.row(number).localSize == Int64(Self.size))
    }

    @Test func transientFailuresAreRetriedAndPermanentOnesReported() async throws {
        let (domain, _, number) = try await domain()
        let opened = try await domain.open(number)
        domain.provider.fail(.part, with: .of(.transient), .of(.serverUnreachable))
        let outcome = Outcome()
        opened.bytes(at: 0, count: 10) { outcome.note($0) }
        for pause in [0.5, 1] {
            try await eventually { domain.clock.waitingCount == 1 }
            domain.clock.advance(by: pause)
        }
        try await eventually { outcome.isThere }
        #expect(outcome.failure == nil)
        domain.provider.fail(.part, with: .of(.notAuthenticated), .of(.noSpace))
        #expect(await failure { _ = try await opened.read(5_000_000..<5_000_010) } == .notAuthenticated)
        #expect(await failure { _ = try await opened.read(5_000_000..<5_000_010) } == .noSpace)
        #expect(try await opened.read(5_000_000..<5_000_010) == Array(Sample.old[5_000_000..<5_000_010]))
    }

    // MARK: Cancellation

    @Test func aCancelledReaderReturnsAtOnceAndNothingIsFetchedForIt() async throws {
        let (domain, _, number) = try await domain()
        domain.provider.hold(.part)
        let opened = try await domain.open(number)
        let outcome = Outcome()
        let waiting = opened.bytes(at: 0, count: 10) { outcome.note($0) }
        try await eventually { domain.provider.heldCount(.part) == 1 }
        waiting.cancel()
        #expect(outcome.failure == .cancelled)
        try await eventually { domain.provider.heldCount(.part) == 0 }
        // The same bytes are requested again.
        async let bytes = opened.read(0..<10)
        try await eventually { domain.provider.heldCount(.part) == 1 }
        domain.provider.release(.part)
        #expect(try await bytes == Array(Sample.old.prefix(10)))
    }

    @Test func theLastClosingGivesUpWhatIsOnItsWay() async throws {
        let (domain, _, number) = try await domain()
        domain.provider.hold(.part)
        let opened = try await domain.open(number)
        let outcome = Outcome()
        opened.bytes(at: 0, count: 10) { outcome.note($0) }
        try await eventually { domain.provider.heldCount(.part) == 1 }
        try await opened.closed()
        try await eventually { domain.provider.heldCount(.part) == 0 && outcome.failure == .cancelled }
        try await eventually { !domain.hasFile(number, in: "cache/parts") }
        #expect(try domain.row(number).content == .dataless)
    }

    @Test func aCancelledRetryAnswersItsWaiters() async throws {
        let (domain, _, number) = try await domain()
        domain.provider.fail(.part, with: .of(.transient))
        let opened = try await domain.open(number)
        let outcome = Outcome()
        opened.bytes(at: 0, count: 10) { outcome.note($0) }
        try await eventually { domain.clock.waitingCount == 1 }
        await domain.engine.close()
        #expect(outcome.isThere && outcome.failure == .disabled)
    }

    @Test func aRemovedItemKeepsItsLocalBytesForOpenHandles() async throws {
        let (domain, identifier, number) = try await domain()
        let opened = try await domain.open(number)
        _ = try await opened.read(0..<10)
        domain.provider.remove(identifier)
        domain.engine.signal(container: nil)
        try await eventually { try domain.engine.index.item(number) == nil }
        #expect(try await opened.read(0..<10) == Array(Sample.old.prefix(10)))
        #expect(await failure { _ = try await opened.read(5_000_000..<5_000_010) } == .noSuchItem)
        try await opened.closed()
        try await eventually { !domain.hasFile(number, in: "cache/parts") }
    }

    // MARK: Persistence

    @Test func partsAreKeptOverAKillAndDroppedWithTheirVersion() async throws {
        let (domain, identifier, number) = try await domain()
        _ = try await domain.open(number).read(0..<10)
        try domain.restart()
        #expect(try domain.row(number).content == .partial)
        let opened = try await domain.open(number)
        #expect(try await opened.read(0..<10) == Array(Sample.old.prefix(10)))
        #expect(domain.provider.count(.part) == 1)
        try await opened.closed()
        domain.provider.write(Sample.new, to: identifier)
        try domain.restart()
        domain.engine.signal(container: nil)
        try await eventually {
            // If the change came before the first anchor, the directory is enumerated again after a delay.
            domain.clock.advance(by: 1)
            return try domain.row(number).content == .dataless
        }
    }

    @Test func partsAreNotTrustedAfterAStartOfTheMachine() async throws {
        let (domain, _, number) = try await domain()
        _ = try await domain.open(number).read(0..<10)
        domain.configuration.bootIdentifier = "another"
        try domain.restart()
        #expect(try domain.row(number).content == .dataless)
        #expect(!domain.hasFile(number, in: "cache/parts"))
    }

    @Test func anEmptiedPartialCacheIsFilledAgain() async throws {
        let (domain, _, number) = try await domain()
        let opened = try await domain.open(number)
        _ = try await opened.read(0..<10)
        try await opened.closed()
        try await eventually { try openDescriptors(beneath: domain.folder.path + "/cache/parts/") == 0 }
        try TreeRemover.remove(
            try #require(FileName("parts")), in: .open(domain.folder.path + "/cache", [.readOnly, .directory]))
        #expect(try await domain.open(number).read(0..<10) == Array(Sample.old.prefix(10)))
        #expect(domain.provider.count(.part) == 2)
    }

    @Test func partsAreEvictedUnlessTheyAreOpen() async throws {
        let (domain, _, number) = try await domain()
        let opened = try await domain.open(number)
        _ = try await opened.read(0..<10)
        #expect(await failure { try await domain.engine.evict(number) } == .notPermitted)
        try await opened.closed()
        try await eventually { try openDescriptors(beneath: domain.folder.path + "/cache/parts/") == 0 }
        await domain.engine.run { $0.evictor.setLimit(0, $0) }
        #expect(try domain.row(number).content == .dataless)
        #expect(!domain.hasFile(number, in: "cache/parts"))
    }

    @Test func nothingIsLeftOpen() async throws {
        let (domain, _, number) = try await domain()
        for place in 0..<10 {
            let opened = try await domain.open(number)
            _ = try await opened.read(place * 500_000..<place * 500_000 + 10)
            try await opened.closed()
        }
        try await eventually { try openDescriptors(beneath: domain.folder.path + "/cache/parts/") == 0 }
    }
}

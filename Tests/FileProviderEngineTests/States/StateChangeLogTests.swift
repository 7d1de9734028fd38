import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting
import Testing

/// Tests of the recorded state changes, which clients receive.
@Suite(.timeLimit(.minutes(20))) struct StateChangeLogTests {
    private func changed(_ number: Int64) -> IndexChange { .changed(ItemNumber(rawValue: number), contents: true) }

    private func item(_ number: Int64, of domain: String = "a") -> StateChangeLog.Entry {
        StateChangeLog.Entry(domain: domain, subject: .item(ItemNumber(rawValue: number)))
    }

    @Test func nothingIsKeptWithoutAFollower() async throws {
        let log = StateChangeLog()
        let writer = StateChangeLog.Writer(log, domain: "a")
        writer.note([changed(2)])
        let start = log.position
        log.follow()
        writer.note([changed(3)])
        #expect(log.entries(from: start)?.entries == [item(3)])
        log.unfollow()
        #expect(log.position == start + 1)
        #expect(log.entries(from: start + 1)?.entries.isEmpty == true)
        writer.note([changed(4)])
        let end = try #require(log.entries(from: log.position))
        #expect(end.entries.isEmpty && end.incomplete.isEmpty)
        // A follower that comes back must know that it has missed something.
        log.follow()
        #expect(log.entries(from: start + 1) == nil && log.entries(from: start) == nil)
        await log.wait(from: start + 1)
    }

    @Test func aPositionOfAnotherProcessIsRecognized() throws {
        let earlier = StateChangeLog()
        earlier.follow()
        let writer = StateChangeLog.Writer(earlier, domain: "a")
        for number in 0..<5 { writer.note([changed(Int64(number + 2))]) }
        let position = earlier.position
        // Whether the later process has noted fewer changes or more.
        for count in [0, 20] {
            let later = StateChangeLog(first: position + 1)
            later.follow()
            for number in 0..<count { StateChangeLog.Writer(later, domain: "a").note([changed(Int64(number + 2))]) }
            #expect(later.entries(from: position) == nil)
        }
        #expect(StateChangeLog().position > position)
    }

    @Test func changesAreNotedInTheirOrderWithWhatIsGone() throws {
        let log = StateChangeLog()
        log.follow()
        let start = log.position
        let writer = StateChangeLog.Writer(log, domain: "a")
        let (file, folder, other) = (ItemNumber(rawValue: 9), ItemNumber(rawValue: 2), ItemNumber(rawValue: 3))
        writer.note([
            .added(file, parent: folder, name: "f"), changed(9), changed(9),
            .moved(file, from: folder, fromName: "f", to: other, toName: "g"), .removed(file, parent: other, name: "g"),
        ])
        let batch = try #require(log.entries(from: start))
        #expect(
            batch.entries.map(\.subject) == [
                .item(file), .gone(parent: folder, name: "f"), .item(file), .gone(parent: other, name: "g"),
            ])
        #expect(log.entries(from: batch.position)?.entries.isEmpty == true)
        #expect(log.entries(from: batch.position + 1) == nil)
    }

    /// The log leaves out an entry that equals the last one. The two names are equal strings, but different names.
    @Test func aNameInAnotherNormalFormIsNotedToo() throws {
        let log = StateChangeLog()
        log.follow()
        let start = log.position
        let removed = ["\u{E9}", "e\u{301}"].map {
            IndexChange.removed(ItemNumber(rawValue: 9), parent: .root, name: $0)
        }
        StateChangeLog.Writer(log, domain: "a").note(removed)
        #expect(log.entries(from: start)?.entries.count == 2)
    }

    @Test func notesBeyondTheLimitAreDroppedAndTheirDomainsKnown() throws {
        let log = StateChangeLog(limit: 10)
        log.follow()
        let start = log.position
        StateChangeLog.Writer(log, domain: "quiet").note([changed(2)])
        let busy = StateChangeLog.Writer(log, domain: "busy")
        for number in 0..<25 { busy.note([changed(Int64(number + 2))]) }
        let all = try #require(log.entries(from: start))
        #expect(all.incomplete == ["quiet", "busy"])
        #expect(all.entries.count <= 10 && all.entries.last == item(26, of: "busy"))
        // A client that has seen the quiet domain's entry has missed nothing of that domain.
        #expect(log.entries(from: start + 1)?.incomplete == ["busy"])
        #expect(log.entries(from: all.position)?.incomplete == [])
    }

    @Test func waitersWakeWithTheFirstNote() async throws {
        let log = StateChangeLog()
        log.follow()
        // An entry that repeats one already seen ends the wait as well.
        for number in 0..<100 {
            let position = log.position
            async let waiting: Void = log.wait(from: position)
            StateChangeLog.Writer(log, domain: "a").note([changed(Int64(number / 2 + 2))])
            await waiting
            #expect(log.entries(from: position)?.entries == [item(Int64(number / 2 + 2))])
        }
    }

    @Test func cancelledWaitersWakeAtOnce() async throws {
        let log = StateChangeLog()
        log.follow()
        for _ in 0..<100 {
            let task = Task { await log.wait(from: log.position) }
            task.cancel()
            await task.value
        }
        #expect(log.entries(from: log.position)?.entries.isEmpty == true)
    }

    @Test func anEngineNotesWhateverAnItemsStateDependsOn() async throws {
        let log = StateChangeLog()
        log.follow()
        let provider = MemoryProvider()
        provider.addFile("file")
        let domain = try TestDomain(provider) { $0.states = StateChangeLog.Writer(log, domain: "test") }
        let file = try await domain.item("file")
        func isNoted(_ what: () async throws -> Void) async throws {
            let position = log.position
            try await what()
            try await eventually {
                log.entries(from: position)?.entries.contains(item(file.number.rawValue, of: "test")) == true
            }
        }
        try await isNoted { try await domain.engine.download(file.number) }
        try await isNoted { try await domain.engine.evict(file.number) }
        try await isNoted { try await domain.engine.pin(file.number, true) }
        try await isNoted { try await domain.engine.pin(file.number, false) }
        let position = log.position
        provider.behave { behaviour in
            behaviour.before = { (request) throws(ProviderError) in
                if request.kind == .changes { throw .of(.serverUnreachable) }
            }
        }
        domain.engine.signal(container: nil)
        try await eventually {
            // The engine retries a few times before it reports the failure.
            domain.clock.advance(by: 1)
            return log.entries(from: position)?.entries.contains(StateChangeLog.Entry(domain: "test", subject: .domain))
                == true
        }
    }
}

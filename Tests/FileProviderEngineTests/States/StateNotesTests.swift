import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import LinuxSystem
import ProviderTesting
import Testing

/// Tests of the recorded state changes, which clients receive.
@Suite(.timeLimit(.minutes(20))) struct StateNotesTests {
    private func changed(_ number: Int64) -> IndexChange { .changed(ItemNumber(rawValue: number), contents: true) }

    private func item(_ number: Int64, of domain: String = "a") -> StateNotes.Note {
        StateNotes.Note(domain: domain, subject: .item(ItemNumber(rawValue: number)))
    }

    @Test func nothingIsKeptWithoutAFollower() async throws {
        let notes = StateNotes()
        let writer = StateNotes.Writer(notes, domain: "a")
        writer.note([changed(2)])
        let start = notes.position
        notes.follow()
        writer.note([changed(3)])
        #expect(notes.notes(from: start)?.notes == [item(3)])
        notes.unfollow()
        #expect(notes.position == start + 1)
        #expect(notes.notes(from: start + 1)?.notes.isEmpty == true)
        writer.note([changed(4)])
        let end = try #require(notes.notes(from: notes.position))
        #expect(end.notes.isEmpty && end.incomplete.isEmpty)
        // A follower that comes back must know that it has missed something.
        notes.follow()
        #expect(notes.notes(from: start + 1) == nil && notes.notes(from: start) == nil)
        await notes.wait(from: start + 1)
    }

    @Test func aPositionOfAnotherProcessIsRecognized() throws {
        let earlier = StateNotes()
        earlier.follow()
        let writer = StateNotes.Writer(earlier, domain: "a")
        for number in 0..<5 { writer.note([changed(Int64(number + 2))]) }
        let position = earlier.position
        // Whether the later process has noted fewer changes or more.
        for count in [0, 20] {
            let later = StateNotes(first: position + 1)
            later.follow()
            for number in 0..<count { StateNotes.Writer(later, domain: "a").note([changed(Int64(number + 2))]) }
            #expect(later.notes(from: position) == nil)
        }
        #expect(StateNotes().position > position)
    }

    @Test func changesAreNotedInTheirOrderWithWhatIsGone() throws {
        let notes = StateNotes()
        notes.follow()
        let start = notes.position
        let writer = StateNotes.Writer(notes, domain: "a")
        let (file, folder, other) = (ItemNumber(rawValue: 9), ItemNumber(rawValue: 2), ItemNumber(rawValue: 3))
        writer.note([
            .added(file, parent: folder, name: "f"), changed(9), changed(9),
            .moved(file, from: folder, fromName: "f", to: other, toName: "g"), .removed(file, parent: other, name: "g"),
        ])
        let batch = try #require(notes.notes(from: start))
        #expect(
            batch.notes.map(\.subject) == [
                .item(file), .gone(parent: folder, name: "f"), .item(file), .gone(parent: other, name: "g"),
            ])
        #expect(notes.notes(from: batch.position)?.notes.isEmpty == true)
        #expect(notes.notes(from: batch.position + 1) == nil)
    }

    @Test func notesBeyondTheLimitAreDroppedAndTheirDomainsKnown() throws {
        let notes = StateNotes(limit: 10)
        notes.follow()
        let start = notes.position
        StateNotes.Writer(notes, domain: "quiet").note([changed(2)])
        let busy = StateNotes.Writer(notes, domain: "busy")
        for number in 0..<25 { busy.note([changed(Int64(number + 2))]) }
        let all = try #require(notes.notes(from: start))
        #expect(all.incomplete == ["quiet", "busy"])
        #expect(all.notes.count <= 10 && all.notes.last == item(26, of: "busy"))
        // A client that has seen the quiet domain's note has missed nothing of that domain.
        #expect(notes.notes(from: start + 1)?.incomplete == ["busy"])
        #expect(notes.notes(from: all.position)?.incomplete == [])
    }

    @Test func waitersWakeWithTheFirstNote() async throws {
        let notes = StateNotes()
        notes.follow()
        // A note that repeats one already seen ends the wait as well.
        for number in 0..<100 {
            let position = notes.position
            async let waiting: Void = notes.wait(from: position)
            StateNotes.Writer(notes, domain: "a").note([changed(Int64(number / 2 + 2))])
            await waiting
            #expect(notes.notes(from: position)?.notes == [item(Int64(number / 2 + 2))])
        }
    }

    @Test func cancelledWaitersWakeAtOnce() async throws {
        let notes = StateNotes()
        notes.follow()
        for _ in 0..<100 {
            let task = Task { await notes.wait(from: notes.position) }
            task.cancel()
            await task.value
        }
        #expect(notes.notes(from: notes.position)?.notes.isEmpty == true)
    }

    @Test func anEngineNotesWhateverAnItemsStateDependsOn() async throws {
        let notes = StateNotes()
        notes.follow()
        let provider = MemoryProvider()
        provider.addFile("file")
        let domain = try TestDomain(provider) { $0.states = StateNotes.Writer(notes, domain: "test") }
        let file = try await domain.item("file")
        func isNoted(_ what: () async throws -> Void) async throws {
            let position = notes.position
            try await what()
            try await eventually {
                notes.notes(from: position)?.notes.contains(item(file.number.rawValue, of: "test")) == true
            }
        }
        try await isNoted { try await domain.engine.download(file.number) }
        try await isNoted { try await domain.engine.evict(file.number) }
        try await isNoted { try await domain.engine.pin(file.number, true) }
        try await isNoted { try await domain.engine.pin(file.number, false) }
        let position = notes.position
        provider.behave { behaviour in
            behaviour.before = { (request) throws(ProviderError) in
                if request.kind == .changes { throw .of(.serverUnreachable) }
            }
        }
        domain.engine.signal(container: nil)
        try await eventually {
            // The engine retries a few times before it reports the failure.
            domain.clock.advance(by: 1)
            return notes.notes(from: position)?.notes.contains(StateNotes.Note(domain: "test", subject: .domain))
                == true
        }
    }
}

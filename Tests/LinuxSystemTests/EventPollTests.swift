import Glibc
import LinuxSystem
import TestThreads
import Testing

@Suite(.ownThreads) struct EventPollTests {
    private func wait(_ poll: EventPoll, milliseconds: CInt = 0) throws -> [EventPoll.Event] {
        var ready: [EventPoll.Event] = []
        try poll.wait(timeoutMilliseconds: milliseconds, appendingTo: &ready)
        return ready
    }

    @Test func aDescriptorIsReportedForAsLongAsItIsReady() throws {
        let poll = try EventPoll()
        let counter = try EventCounter()
        try poll.add(counter.descriptor, for: .readable, token: 42)
        #expect(try wait(poll).isEmpty)
        counter.raise()
        counter.raise()
        for _ in 0..<2 {
            let ready = try wait(poll)
            #expect(ready.map(\.token) == [42])
            #expect(ready.first?.events == .readable)
        }
        counter.reset()
        #expect(try wait(poll).isEmpty)
        counter.reset()
    }

    @Test func awaitedEventsCanBeChangedAndRemoved() throws {
        let poll = try EventPoll()
        let (one, other) = try SequencedPacketSocket.pair()
        try poll.add(one.descriptor, for: [], token: 7)
        #expect(try wait(poll).isEmpty)
        try poll.change(one.descriptor, to: [.readable, .writable], token: 8)
        let ready = try #require(try wait(poll).first)
        #expect(ready.token == 8)
        #expect(ready.events == .writable)
        try poll.remove(one.descriptor)
        other.shutDown()
        #expect(try wait(poll).isEmpty)
        #expect(throws: Errno.noSuchFile) { try poll.remove(one.descriptor) }
        #expect(throws: Errno.noSuchFile) { try poll.change(one.descriptor, to: .readable, token: 1) }
    }

    @Test func theEndOfAConnectionIsReportedUnasked() throws {
        let poll = try EventPoll()
        let (one, other) = try SequencedPacketSocket.pair()
        try poll.add(one.descriptor, for: [], token: 7)
        other.shutDown()
        #expect(try wait(poll, milliseconds: -1).first?.events.contains(.hangUp) == true)
    }

    @Test func manyReadyDescriptorsComeInBatches() throws {
        let poll = try EventPoll()
        let counters = try (0..<100).map { _ in try EventCounter() }
        for (token, counter) in counters.enumerated() {
            try poll.add(counter.descriptor, for: .readable, token: UInt64(token))
            counter.raise()
        }
        var seen: Set<UInt64> = []
        while seen.count < counters.count {
            let ready = try wait(poll, milliseconds: -1)
            #expect(!ready.isEmpty && ready.count <= EventPoll.batchLimit)
            for event in ready {
                seen.insert(event.token)
                counters[Int(event.token)].reset()
            }
        }
        #expect(try wait(poll).isEmpty)
    }

    @Test func aFileThatIsAlwaysReadyCannotBeWaitedFor() throws {
        let poll = try EventPoll()
        let file = try FileDescriptor.open("/proc/self/exe", .readOnly)
        #expect(throws: Errno.notPermitted) { try poll.add(file, for: .readable, token: 1) }
    }
}

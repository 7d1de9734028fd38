import CoordinationService
import FileCoordination
import TestThreads
import Testing

/// Events that a new daemon delays for a moment after its start.
@Suite(.ownThreads) struct HeldBackEventsTests {
    private func claim(_ number: UInt64) -> CoordinationEvent {
        .claim(
            ClaimRequest(number: number, accesses: [Access(path: "/a", key: "/a", traits: .writes)], purpose: "p"))
    }

    private func keep(_ event: CoordinationEvent, from client: UInt64, in events: inout HeldBackEvents) {
        if events.append(event, from: client) != nil { Issue.record("it was not kept: \(event)") }
    }

    private func words(_ items: [HeldBackEvents.Item]) -> [String] {
        items.map { item in
            switch item {
            case .event(.claim(let request), let client): "\(client) claims \(request.number)"
            case .event(_, let client): "\(client) says something"
            case .end(let client, _): "\(client) ends"
            }
        }
    }

    @Test func theEndOfAConnectionComesAfterWhatItHasAskedFor() {
        var events = HeldBackEvents()
        keep(claim(1), from: 1, in: &events)
        keep(claim(1), from: 2, in: &events)
        let first = words(events.takeAll())
        #expect(first == ["1 claims 1", "2 claims 1"])
        // More events arrive while the first are being handled.
        keep(claim(2), from: 1, in: &events)
        events.end(1, nil)
        keep(claim(2), from: 2, in: &events)
        let second = words(events.takeAll())
        #expect(second == ["1 ends", "2 claims 2"])
        let third = events.takeAll()
        #expect(third.isEmpty)
    }

    @Test func onlySoMuchIsKeptForOneProcess() {
        var events = HeldBackEvents()
        for number in 1...UInt64(ClaimUsage.claimLimit) {
            keep(claim(number), from: 1, in: &events)
        }
        guard case .claim(0, .tooManyClaims)? = events.append(claim(0), from: 1) else {
            Issue.record("one more was kept")
            return
        }
        keep(claim(0), from: 2, in: &events)
        for number in 0..<UInt64(HeldBackEvents.limit) {
            keep(.cancel(claim: number), from: 1, in: &events)
        }
        guard case .other? = events.append(.cancel(claim: 0), from: 1) else {
            Issue.record("one more was kept")
            return
        }
    }
}

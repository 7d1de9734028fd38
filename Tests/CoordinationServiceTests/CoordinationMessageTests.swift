import Conduit
import CoordinationService
import FileCoordination
import Foundation
import Synchronization
import Testing

/// What the daemon takes from processes, over connections within this one.
@Suite struct CoordinationMessageTests {
    private func claim(_ number: UInt64, _ path: String, writes: Bool = true) -> CoordinationEvent {
        .claim(
            ClaimRequest(
                number: number, accesses: [Access(path: path, key: path, traits: writes ? .writes : [])],
                purpose: "\(number)"))
    }

    private func serve(
        _ body: (CoordinationService, Connection, AsyncStream<CoordinationEffect>) async throws -> Void
    ) async throws {
        let service = CoordinationService()
        var calls = Service()
        service.addCalls(to: &calls)
        let (stream, continuation) = AsyncStream.makeStream(of: CoordinationEffect.self)
        var hearing = Service()
        hearing.on(EffectsNotice.self) { notice, _ in for effect in notice.effects { continuation.yield(effect) } }
        let (ours, theirs) = try Connection.pair(hearing, calls)
        defer {
            ours.close()
            theirs.close()
        }
        try await body(service, ours, stream)
    }

    @Test func everyEffectCrossesAsItIs() async throws {
        let version = VersionRecord(
            identifier: UUID(), name: "c", computer: "here", modificationDate: Date(timeIntervalSince1970: 1))
        let effects: [CoordinationEffect] = [
            .granted(claim: 1, paths: ["/a", "/b"], keys: ["/a", "/b"]),
            .granted(claim: 1, paths: [], keys: [], hasWaited: false),
            .denied(claim: 2, .deadlock(OtherClaim(client: nil, number: 3), path: "/a")),
            .denied(claim: 2, .deadlock(OtherClaim(client: 4, number: 3), path: "/a")),
            .denied(claim: 4, .presenter(CoordinationFailure(domain: "d", code: 5, message: "m"))),
            .denied(claim: 6, .tooManyClaims(limit: 7)), .denied(claim: 6, .blockedPresenter(path: "/a")),
            .prepare(
                Preparation(
                    number: 8, presenter: 9, relinquishing: .toWriter, saves: true, deletesItem: true,
                    deletedSubitems: ["/a/b"], timeLimit: 10)),
            .reacquire(preparation: 11), .notify(presenter: 12, .moved(to: "/c")), .notify(presenter: 12, .changed),
            .notify(presenter: 12, .subitemChanged("/c")), .notify(presenter: 12, .subitemMoved(from: "/c", to: "/d")),
            .notify(presenter: 12, .attributesChanged(["x"])),
            .notify(presenter: 12, .subitemAttributesChanged("/c", ["x"])),
            .notify(presenter: 12, .versionChanged("/c", VersionChange(.resolved, version))),
            .notify(presenter: 12, .subitemVersionChanged("/c", VersionChange(.lost, version))),
        ]
        let (stream, continuation) = AsyncStream.makeStream(of: [CoordinationEffect].self)
        var hearing = Service()
        hearing.on(EffectsNotice.self) { notice, _ in continuation.yield(notice.effects) }
        let (one, other) = try Connection.pair(Service(), hearing)
        try one.notify(EffectsNotice(effects))
        var iterator = stream.makeAsyncIterator()
        #expect(await iterator.next() == effects)
        one.close()
        other.close()
    }

    @Test func aDaemonThatKnowsNothingOfCoordinationIsNotWaitedFor() throws {
        let (one, other) = try Connection.pair(Service(), Service())
        let coordination = DaemonCoordination(DaemonEntrance { _ in one })
        #expect(throws: ConduitError.self) {
            try coordination.connect(receive: { _ in }, place: { _ in nil }, lost: {})
        }
        other.close()
    }

    @Test func claimsThatMakeNoSenseAreNotTaken() async throws {
        try await serve { service, connection, stream in
            for path in ["", "relative", "/a\0b", "/" + String(repeating: "x", count: 5000)] {
                try connection.notify(EventNotice(claim(1, path)))
            }
            // Numbers that nobody has, and answers to what was never asked.
            try connection.notify(
                EventNotice(.release(claim: 99, outcomes: [ClaimOutcome(access: 5, change: .changed)])))
            try connection.notify(EventNotice(.answer(preparation: 99, failure: nil)))
            try connection.notify(EventNotice(.removePresenter(99)))
            try connection.notify(EventNotice(.moved(ItemMove(path: "/", newPath: "/x", newKey: "/x", excepted: 7))))
            let badName = VersionRecord(
                identifier: UUID(), name: "../c", computer: "here", modificationDate: Date())
            try connection.notify(EventNotice(.changedVersion(path: "/a", VersionChange(.gained, badName))))
            try connection.notify(EventNotice(claim(2, "/a")))
            var iterator = stream.makeAsyncIterator()
            #expect(await iterator.next() == .granted(claim: 2, paths: [], keys: [], hasWaited: false))
            // An outcome of an access that the claim does not have.
            try connection.notify(
                EventNotice(.release(claim: 2, outcomes: [ClaimOutcome(access: 5, change: .changed)])))
            try connection.notify(EventNotice(claim(3, "/a")))
            #expect(await iterator.next() == .granted(claim: 3, paths: [], keys: [], hasWaited: false))
            #expect(service.claimCount == 1)
        }
    }

    @Test func aProcessHasOnlySoManyClaims() async throws {
        try await serve { service, connection, stream in
            let limit = UInt64(Arbiter.claimLimit)
            for number in 1...(limit + 1) { try connection.notify(EventNotice(claim(number, "/a", writes: false))) }
            for await effect in stream {
                guard case .denied(let number, let denial) = effect else { continue }
                #expect(number == limit + 1)
                #expect(denial == .tooManyClaims(limit: Arbiter.claimLimit))
                break
            }
        }
    }
}

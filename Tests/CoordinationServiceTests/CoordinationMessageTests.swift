import Conduit
import CoordinationService
import FileCoordination
import Foundation
import Synchronization
import TestThreads
import Testing

/// Messages that the daemon accepts from processes, over connections within this process.
@Suite(.ownThreads) struct CoordinationMessageTests {
    private func claim(_ number: UInt64, _ path: String, writes: Bool = true) -> CoordinationEvent {
        .claim(
            ClaimRequest(
                number: number,
                accesses: [Access(path: ExactPath(path), key: ExactPath(path), traits: writes ? .writes : [])],
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
            .denied(claim: 4, .presenter(CoordinationError(domain: "d", code: 5, message: "m"))),
            .denied(claim: 6, .tooManyClaims(limit: 7)), .denied(claim: 6, .blockedPresenter(path: "/a")),
            .denied(claim: 6, .refused(reason: "r")),
            .prepare(
                Preparation(
                    number: 8, presenter: 9, relinquishing: .toWriter, saves: true, deletesItem: true, evictsItem: true,
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
        let coordination = DaemonCoordination(DaemonConnector(connect: { _ in one }, join: { _ in one }))
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
            // Claims on two items, and nested claims, are encoded differently from plain ones.
            let (sound, relative) = (
                Access(path: "/a", key: "/a", traits: []), Access(path: "relative", key: "relative", traits: [])
            )
            let unsound = Access(path: "/a", key: "/a", traits: .moves)
            for accesses in [[sound, relative], [unsound], [sound, unsound]] {
                try connection.notify(
                    EventNotice(.claim(ClaimRequest(number: 1, accesses: accesses, purpose: "p"))))
            }
            try connection.notify(
                EventNotice(.claim(ClaimRequest(number: 1, accesses: [relative], purpose: "p", enclosing: [7]))))
            // Numbers that do not exist, and answers to requests that were never made.
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
            // Each refused claim gets a reply, so that its process does not wait forever.
            for _ in 0..<8 {
                guard case .denied(claim: 1, .refused) = await iterator.next() else {
                    Issue.record("it was not refused")
                    break
                }
            }
            #expect(await iterator.next() == .granted(claim: 2, paths: [], keys: [], hasWaited: false))
            // An outcome of an access that the claim does not have.
            try connection.notify(
                EventNotice(.release(claim: 2, outcomes: [ClaimOutcome(access: 5, change: .changed)])))
            try connection.notify(EventNotice(claim(3, "/a")))
            #expect(await iterator.next() == .granted(claim: 3, paths: [], keys: [], hasWaited: false))
            #expect(service.claimCount == 1)
        }
    }

    @Test func aClaimBeyondTheLimitsIsRefusedByTheDaemonToo() async throws {
        try await serve { service, connection, stream in
            let access = Access(path: "/a", key: "/a", traits: [])
            let claims = [
                ClaimRequest(number: 1, accesses: [access], purpose: String(repeating: "p", count: 1_001)),
                ClaimRequest(number: 2, accesses: Array(repeating: access, count: 10_001), purpose: "p"),
                ClaimRequest(number: 3, accesses: [access], purpose: "p"),
            ]
            for claim in claims { try connection.notify(EventNotice(.claim(claim))) }
            var iterator = stream.makeAsyncIterator()
            for number in 1...2 as ClosedRange<UInt64> {
                guard case .denied(number, .refused(let reason)) = await iterator.next() else {
                    Issue.record("it was not refused")
                    return
                }
                #expect(reason.contains("at most"))
            }
            #expect(await iterator.next() == .granted(claim: 3, paths: [], keys: [], hasWaited: false))
            #expect(service.claimCount == 1)
        }
    }

    @Test func grantsThatNoMessageHoldsTogetherComeInSeveralAndOneThatNoneHoldsIsRefused() async throws {
        try await serve { service, connection, stream in
            let deep = String(repeating: "/" + String(repeating: "d", count: 199), count: 19)
            let paths = (0..<1_800).map { ExactPath("/a\(deep)/\($0)") }
            func read(_ number: UInt64) -> CoordinationEvent {
                let accesses = paths.map { Access(path: $0, key: $0, traits: []) }
                return .claim(ClaimRequest(number: number, accesses: accesses, purpose: "\(number)"))
            }
            var iterator = stream.makeAsyncIterator()
            func move(from old: ExactPath, to new: ExactPath, _ readers: [UInt64], hold number: UInt64) async throws {
                try connection.notify(EventNotice(claim(number, old.string)))
                #expect(await iterator.next() == .granted(claim: number, paths: [], keys: [], hasWaited: false))
                for reader in readers { try connection.notify(EventNotice(read(reader))) }
                try connection.notify(
                    EventNotice(.moved(ItemMove(path: old, newPath: new, newKey: new, excepted: nil))))
                try connection.notify(EventNotice(.cancel(claim: number)))
            }
            // The claims wait only for the one that holds the directory.
            try await move(from: "/a", to: "/b", [2, 3, 4], hold: 1)
            for number in 2...4 as ClosedRange<UInt64> {
                guard case .granted(number, let granted, let keys, _) = await iterator.next() else {
                    Issue.record("\(number) was not granted")
                    return
                }
                #expect(
                    granted.count == paths.count && granted.first?.string.hasPrefix("/b/") == true && keys == granted)
                try connection.notify(EventNotice(.release(claim: number, outcomes: [])))
            }
            try await move(from: "/a", to: ExactPath("/" + String(repeating: "e", count: 900)), [6], hold: 5)
            guard case .denied(claim: 6, .refused) = await iterator.next() else {
                Issue.record("it was not refused")
                return
            }
            #expect(service.claimCount == 0 && connection.closeReason == nil)
        }
    }

    @Test func aProcessHasOnlySoManyClaims() async throws {
        try await serve { service, connection, stream in
            let limit = UInt64(ClaimUsage.claimLimit)
            for number in 1...(limit + 1) { try connection.notify(EventNotice(claim(number, "/a", writes: false))) }
            for await effect in stream {
                guard case .denied(let number, let denial) = effect else { continue }
                #expect(number == limit + 1)
                #expect(denial == .tooManyClaims(limit: ClaimUsage.claimLimit))
                break
            }
        }
    }

    private func firstDenial(
        _ requests: [ClaimRequest], _ connection: Connection, _ stream: AsyncStream<CoordinationEffect>
    ) async throws -> (UInt64, ClaimDenial)? {
        for request in requests { try connection.notify(EventNotice(.claim(request))) }
        for await effect in stream {
            if case .denied(let number, let denial) = effect { return (number, denial) }
        }
        return nil
    }

    private func readings(of paths: [ExactPath], count: Int) -> [ClaimRequest] {
        let accesses = paths.map { Access(path: $0, key: $0, traits: []) }
        return (1...count).map { ClaimRequest(number: UInt64($0), accesses: accesses, purpose: "p") }
    }

    @Test func theClaimsOfAProcessHaveOnlySoManyItems() async throws {
        try await serve { service, connection, stream in
            let paths = (0..<ClaimLimits.accesses).map { ExactPath("/a/\($0)") }
            let count = ClaimUsage.itemLimit / paths.count
            let denial = try await firstDenial(readings(of: paths, count: count + 1), connection, stream)
            #expect(denial?.0 == UInt64(count + 1))
            guard case .refused(let reason) = denial?.1 else {
                Issue.record("it was not refused")
                return
            }
            #expect(reason.contains("\(ClaimUsage.itemLimit) items"))
            #expect(service.claimCount == count)
        }
    }

    @Test func theClaimsOfAProcessHaveOnlySoMuchPath() async throws {
        try await serve { service, connection, stream in
            let deep = String(repeating: "/" + String(repeating: "d", count: 200), count: 16)
            let paths = (0..<2_000).map { ExactPath("\(deep)/\($0)") }
            let denial = try await firstDenial(readings(of: paths, count: 11), connection, stream)
            guard case .refused(let reason) = denial?.1 else {
                Issue.record("it was not refused")
                return
            }
            #expect(reason.contains("\(ClaimUsage.byteLimit) bytes"))
            // After a release there is room for another claim.
            try connection.notify(EventNotice(.release(claim: 1, outcomes: [])))
            try connection.notify(EventNotice(claim(100, "/b")))
            for await effect in stream {
                if case .granted(100, _, _, _) = effect { break }
            }
        }
    }
}

import Conduit
import CoordinationService
import FileCoordination
import Foundation
import LinuxSystem
import Testing

/// What the daemon takes from a confined process that says whatever it likes, over its coordination socket.
@Suite(.timeLimit(.minutes(10))) struct ConfinedMessageTests {
    /// A process with access to one file and one package, of which it may change the former.
    private struct Places: ConfinedPlaces {
        let name = "org.example.confined"
        let container = "/data/containers/c"
        let scopes = "/data/scopes/s"

        func item(at path: String) -> PlacedItem? {
            if path == scopes + "/changing/1/a.txt" {
                return PlacedItem(path: path, realPath: "/home/u/a.txt", isWritable: true)
            }
            guard path.hasPrefix(scopes + "/reading/2/b") else { return nil }
            return PlacedItem(path: scopes + "/reading/2/b", realPath: "/home/u/b", isWritable: false)
        }
    }

    private static let placed = "/data/scopes/s/changing/1/a.txt"

    private func event(_ number: UInt64, _ path: String, writes: Bool = true, adopts: Bool = false) -> EventNotice {
        let access = Access(path: ExactPath(path), key: ExactPath(path), traits: writes ? .writes : [])
        let request = ClaimRequest(number: number, accesses: [access], purpose: "\(path) \(number)")
        return EventNotice(adopts ? .adopt(request) : .claim(request))
    }

    /// A process of the user's and a confined one, with what they hear.
    private final class Side: Sendable {
        let connection: Connection
        let effects: AsyncStream<CoordinationEffect>

        init(_ socket: SequencedPacketSocket) throws {
            let (stream, continuation) = AsyncStream.makeStream(of: CoordinationEffect.self)
            var hearing = Service()
            hearing.on(EffectsNotice.self) { notice, _ in for effect in notice.effects { continuation.yield(effect) } }
            effects = stream
            connection = try Connection(socket, service: hearing)
        }
    }

    private func serve(_ body: (CoordinationService, _ user: Side, _ confined: Side) async throws -> Void) async throws
    {
        let service = CoordinationService()
        var calls = Service()
        service.addCalls(to: &calls)
        let (near, far) = try SequencedPacketSocket.pair()
        let daemon = try Connection(far, service: calls)
        let user = try Side(near)
        let confined = try Side(try SequencedPacketSocket(checking: try service.admit(Places())))
        defer { for connection in [daemon, user.connection, confined.connection] { connection.close() } }
        try await body(service, user, confined)
    }

    @Test func aPlaceStandsForItsFile() async throws {
        try await serve { _, user, confined in
            var (hears, others) = (confined.effects.makeAsyncIterator(), user.effects.makeAsyncIterator())
            try confined.connection.notify(event(1, Self.placed))
            #expect(await hears.next() == .granted(claim: 1, paths: [], keys: [], hasWaited: false))
            try user.connection.notify(event(7, "/home/u/a.txt"))
            // What it no longer sees is not deleted for others.
            try confined.connection.notify(
                EventNotice(.release(claim: 1, outcomes: [ClaimOutcome(access: 0, change: .deleted)])))
            #expect(await others.next() == .granted(claim: 7, paths: [], keys: [], hasWaited: true))
        }
    }

    @Test func nothingIsTakenOverFromADaemonThatWasNeverThere() async throws {
        try await serve { service, user, confined in
            var (hears, others) = (confined.effects.makeAsyncIterator(), user.effects.makeAsyncIterator())
            try user.connection.notify(event(7, "/home/u/a.txt"))
            #expect(await others.next() == .granted(claim: 7, paths: [], keys: [], hasWaited: false))
            try confined.connection.notify(event(1, Self.placed, adopts: true))
            // Another one's answer shows that the first was dealt with and waits.
            try confined.connection.notify(event(2, "/data/containers/c/own"))
            #expect(await hears.next() == .granted(claim: 2, paths: [], keys: [], hasWaited: false))
            #expect(service.claimCount == 3)
            try user.connection.notify(EventNotice(.release(claim: 7, outcomes: [])))
            #expect(await hears.next() == .granted(claim: 1, paths: [], keys: [], hasWaited: true))
        }
    }

    @Test(arguments: [
        "/", "/home/u/a.txt", "/home/u", "/data/scopes/s/reading/2/b", "/data/scopes/s/changing/9/x", "/data/scopes/s",
        "/data/containers", "/data/containers/other",
    ])
    func whatItHasNoAccessToIsNotWritten(path: String) async throws {
        try await serve { service, _, confined in
            var hears = confined.effects.makeAsyncIterator()
            try confined.connection.notify(event(1, path))
            guard case .denied(claim: 1, .refused) = await hears.next() else {
                Issue.record("it was not refused")
                return
            }
            #expect(service.claimCount == 0)
        }
    }

    @Test func ofOtherFilesItHearsNothing() async throws {
        try await serve { _, user, confined in
            var hears = confined.effects.makeAsyncIterator()
            for (number, path) in ["/", "/home/u", Self.placed].enumerated() {
                let place = PresenterPlace(
                    number: UInt64(number + 1), path: ExactPath(path), key: ExactPath(path))
                try confined.connection.notify(EventNotice(.present(place)))
            }
            // An answer shows that they are registered.
            try confined.connection.notify(event(9, "/data/containers/c/own"))
            #expect(await hears.next() == .granted(claim: 9, paths: [], keys: [], hasWaited: false))
            for (number, path) in ["/home/u/secret", "/home/u/a.txt"].enumerated() {
                try user.connection.notify(
                    EventNotice(.changedAttributes(path: ExactPath(path), names: ["\(number)"], excepted: nil)))
            }
            #expect(await hears.next() == .notify(presenter: 3, .attributesChanged(["1"])))
        }
    }
}

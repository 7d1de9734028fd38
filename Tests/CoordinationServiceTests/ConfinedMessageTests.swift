import Conduit
import CoordinationService
import FileCoordination
import TestThreads
import Testing

/// Messages that the daemon accepts from a confined process over its coordination socket, including hostile ones.
@Suite(.timeLimit(.minutes(10)), .ownThreads) struct ConfinedMessageTests {
    private typealias Talk = ConfinedTalk

    @Test func aPlaceStandsForItsFile() async throws {
        try await Talk.run { talk in
            let (user, confined) = (talk.user, talk.confined)
            var (hears, others) = (confined.effects.makeAsyncIterator(), user.effects.makeAsyncIterator())
            try confined.claim(1, Talk.placed)
            #expect(await hears.next() == .granted(claim: 1, paths: [], keys: [], hasWaited: false))
            try user.claim(7, "/home/u/a.txt")
            // The reply to a second claim shows that the first was handled and waits.
            try user.claim(8, "/home/u/b.txt")
            #expect(await others.next() == .granted(claim: 8, paths: [], keys: [], hasWaited: false))
            // An item that the confined process no longer sees is not reported as deleted to other processes.
            try confined.say(.release(claim: 1, outcomes: [ClaimOutcome(access: 0, change: .deleted)]))
            #expect(await others.next() == .granted(claim: 7, paths: [], keys: [], hasWaited: true))
        }
    }

    @Test func nothingIsTakenOverFromADaemonThatWasNeverThere() async throws {
        try await Talk.run { talk in
            let (service, user, confined) = (talk.service, talk.user, talk.confined)
            var (hears, others) = (confined.effects.makeAsyncIterator(), user.effects.makeAsyncIterator())
            try user.claim(7, "/home/u/a.txt")
            #expect(await others.next() == .granted(claim: 7, paths: [], keys: [], hasWaited: false))
            try confined.say(
                .adopt(
                    ClaimRequest(
                        number: 1,
                        accesses: [
                            Access(path: ExactPath(Talk.placed), key: ExactPath(Talk.placed), traits: .writes)
                        ], purpose: "1")))
            // The reply to a second claim shows that the first was handled and waits.
            try confined.claim(2, "/data/containers/c/own")
            #expect(await hears.next() == .granted(claim: 2, paths: [], keys: [], hasWaited: false))
            #expect(service.claimCount == 3)
            try user.say(.release(claim: 7, outcomes: []))
            #expect(await hears.next() == .granted(claim: 1, paths: [], keys: [], hasWaited: true))
        }
    }

    @Test(arguments: [
        "/", "/home/u/a.txt", "/home/u", "/data/scopes/s/reading/2/b", "/data/scopes/s/changing/9/x", "/data/scopes/s",
        "/data/containers", "/data/containers/other",
    ])
    func filesThatItCannotAccessAreNotWritten(path: String) async throws {
        try await Talk.run { talk in
            let (service, confined) = (talk.service, talk.confined)
            var hears = confined.effects.makeAsyncIterator()
            try confined.claim(1, path)
            guard case .denied(claim: 1, .refused) = await hears.next() else {
                Issue.record("it was not refused")
                return
            }
            #expect(service.claimCount == 0)
        }
    }

    @Test func aClaimBeyondTheSizeOfAMessageIsRefusedUnread() async throws {
        try await Talk.run { talk in
            let (service, user, confined) = (talk.service, talk.user, talk.confined)
            var others = user.effects.makeAsyncIterator()
            let (ended, continuation) = AsyncStream.makeStream(of: CloseReason.self)
            confined.connection.onClose { continuation.yield($0) }
            // The largest message that a connection sends has 16 MiB.
            let name = String(repeating: "n", count: 250)
            let folder = Talk.container + String(repeating: "/" + name, count: 15)
            let accesses = (0..<4_000).map { number in
                let path = ExactPath("\(folder)/\(number)")
                return Access(path: path, key: path, traits: .writes)
            }
            try #require(accesses.reduce(0) { $0 + $1.path.utf8.count } > ClaimLimits.messageBytes)
            try confined.say(.claim(ClaimRequest(number: 1, accesses: accesses, purpose: "p")))
            try user.claim(7, "/home/u/a.txt")
            #expect(await others.next() == .granted(claim: 7, paths: [], keys: [], hasWaited: false))
            var ends = ended.makeAsyncIterator()
            #expect(await ends.next() == .closedByPeer)
            #expect(service.claimCount == 1)
        }
    }

    @Test func aClaimOfCountlessItemsIsRefusedAndDelaysNoOther() async throws {
        try await Talk.run { talk in
            let (service, user, confined) = (talk.service, talk.user, talk.confined)
            var (hears, others) = (confined.effects.makeAsyncIterator(), user.effects.makeAsyncIterator())
            let accesses = [Access](repeating: Access(path: "/a", key: "/a", traits: []), count: 300_000)
            for number: UInt64 in 1...3 {
                try confined.say(.claim(ClaimRequest(number: number, accesses: accesses, purpose: "p")))
                // The daemon has these messages, and answers others all the same.
                try user.claim(10 + number, "/home/u/\(number).txt")
                let granted = CoordinationEffect.granted(claim: 10 + number, paths: [], keys: [], hasWaited: false)
                #expect(await others.next() == granted)
            }
            for number: UInt64 in 1...3 {
                guard case .denied(claim: number, .refused(let reason)) = await hears.next() else {
                    Issue.record("it was not refused")
                    return
                }
                #expect(reason.contains("at most"))
            }
            #expect(service.claimCount == 3)
            // It goes on.
            try confined.claim(4, Talk.container + "/own")
            #expect(await hears.next() == .granted(claim: 4, paths: [], keys: [], hasWaited: false))
        }
    }

    /// The largest claim that a correct program can make.
    @Test func aClaimWithinTheLimitsIsTakenHoweverLarge() async throws {
        try await Talk.run { talk in
            let confined = talk.confined
            var hears = confined.effects.makeAsyncIterator()
            let length = ClaimLimits.pathBytes / ClaimLimits.accesses - Talk.container.utf8.count - 2
            let (folder, rest) = (String(repeating: "d", count: 250), length - 2 * 251)
            let accesses = (0..<ClaimLimits.accesses).map { number in
                let name = String("\(100_000 + number)" + String(repeating: "n", count: 250)).prefix(rest)
                let path = ExactPath("\(Talk.container)/\(folder)/\(folder)/\(name)")
                return Access(path: path, key: path, traits: .writes)
            }
            try #require(ClaimLimits.fault(accesses, purpose: "p") == nil)
            let purpose = String(repeating: "p", count: ClaimLimits.purposeBytes)
            try confined.say(.claim(ClaimRequest(number: 1, accesses: accesses, purpose: purpose)))
            #expect(await hears.next() == .granted(claim: 1, paths: [], keys: [], hasWaited: false))
        }
    }

    @Test func itHearsNothingOfOtherFiles() async throws {
        try await Talk.run { talk in
            let (user, confined) = (talk.user, talk.confined)
            var hears = confined.effects.makeAsyncIterator()
            for (number, path) in ["/", "/home/u", Talk.placed].enumerated() {
                try confined.present(UInt64(number + 1), path)
            }
            // The reply shows that the presenters are registered.
            try confined.claim(9, "/data/containers/c/own")
            #expect(await hears.next() == .granted(claim: 9, paths: [], keys: [], hasWaited: false))
            for (number, path) in ["/home/u/secret", "/home/u/a.txt"].enumerated() {
                try user.say(.changedAttributes(path: ExactPath(path), names: ["\(number)"], excepted: nil))
            }
            #expect(await hears.next() == .notify(presenter: 3, .attributesChanged(["1"])))
        }
    }
}

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
    func whatItHasNoAccessToIsNotWritten(path: String) async throws {
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

    @Test func ofOtherFilesItHearsNothing() async throws {
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

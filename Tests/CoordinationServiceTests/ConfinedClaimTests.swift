import Conduit
import CoordinationService
import FileCoordination
import FileTesting
import Foundation
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// Limits on the claims of a confined process, regardless of its messages.
@Suite(.timeLimit(.minutes(10)), .ownThreads) struct ConfinedClaimTests {
    private typealias Talk = ConfinedTalk

    private static let own = Talk.container + "/a"

    private func granted(_ claim: UInt64, hasWaited: Bool = false) -> CoordinationEffect {
        .granted(claim: claim, paths: [], keys: [], hasWaited: hasWaited)
    }

    private func moved(to path: String, key: String? = nil) -> [ClaimOutcome] {
        [ClaimOutcome(access: 0, change: .moved(toPath: ExactPath(path), key: ExactPath(key ?? path)))]
    }

    /// Makes the user's process present items, and waits until the daemon has registered them. Messages of two
    /// processes have no order otherwise.
    private func present(_ paths: String..., to talk: Talk) async throws {
        for (number, path) in paths.enumerated() { try talk.user.present(UInt64(9 + number), path) }
        var hears = talk.user.effects.makeAsyncIterator()
        try talk.user.claim(500, "/home/presented")
        #expect(await hears.next() == granted(500))
    }

    /// Returns the first effect that the user's process receives after the daemon has handled all messages of the
    /// confined process so far.
    private func nextOfUser(_ talk: Talk) async throws -> CoordinationEffect? {
        var (hears, others) = (talk.confined.effects.makeAsyncIterator(), talk.user.effects.makeAsyncIterator())
        try talk.confined.claim(1_000, Talk.container + "/last")
        while let effect = await hears.next(), effect != granted(1_000) {}
        try talk.user.claim(1_000, "/home/last")
        return await others.next()
    }

    @Test func oneNumberIsOneClaim() async throws {
        try await Talk.run { talk in
            var hears = talk.confined.effects.makeAsyncIterator()
            try await present("/home/u/b", to: talk)
            try talk.confined.claim(7, Talk.readOnly, .isQuiet)
            #expect(await hears.next() == granted(7))
            try talk.confined.claim(7, Self.own, [.writes, .moves])
            guard case .denied(claim: 7, .refused) = await hears.next() else {
                Issue.record("it was not refused")
                return
            }
            try talk.confined.say(.release(claim: 7, outcomes: moved(to: Talk.container + "/loot")))
            #expect(try await nextOfUser(talk) == granted(1_000))
            // A claim number is not reused either, as messages about it may still be in flight.
            try talk.confined.claim(7, Self.own)
            guard case .denied(claim: 7, .refused) = await hears.next() else {
                Issue.record("it was not refused")
                return
            }
        }
    }

    @Test(arguments: [Access.Traits.deletes, .moves, .replaces, .evicts])
    func onlyWhatIsWrittenIsDeletedOrGivenUp(_ trait: Access.Traits) async throws {
        try await Talk.run { talk in
            try talk.user.present(9, "/home/u/b")
            for (side, path) in [(talk.confined, Talk.readOnly), (talk.user, "/home/u/b")] {
                var hears = side.effects.makeAsyncIterator()
                try side.claim(1, path, [trait, .isQuiet])
                guard case .denied(claim: 1, .refused(let reason)) = await hears.next() else {
                    Issue.record("it was not refused")
                    return
                }
                #expect(reason.contains("only read"))
            }
            #expect(talk.service.claimCount == 0)
        }
    }

    @Test(arguments: [Access.Traits.deletes, .moves, .replaces, .evicts])
    func anItemOfOthersIsChangedInPlaceAndNothingElse(_ trait: Access.Traits) async throws {
        try await Talk.run { talk in
            var others = talk.user.effects.makeAsyncIterator()
            try talk.user.present(9, "/home/u/a.txt")
            try talk.user.claim(1, "/home/other")
            #expect(await others.next() == granted(1))
            try talk.confined.claim(1, Talk.placed, [.writes, trait])
            guard case .prepare(let preparation) = await others.next() else {
                Issue.record("it was not asked")
                return
            }
            #expect(preparation.relinquishing == .toWriter)
            #expect(!preparation.deletesItem && !preparation.evictsItem)
        }
    }

    @Test func aMoveGuardsNothingOutsideOfTheContainer() async throws {
        try await Talk.run { talk in
            var (hears, others) = (talk.confined.effects.makeAsyncIterator(), talk.user.effects.makeAsyncIterator())
            try talk.confined.claim(1, Self.own, [.writes, .moves])
            #expect(await hears.next() == granted(1))
            try talk.confined.claim(2, Self.own)
            try talk.confined.claim(3, Self.own, .isQuiet)
            try talk.confined.say(
                .moved(
                    ItemMove(
                        path: ExactPath(Self.own), newPath: ExactPath(Talk.container + "/b"), newKey: "/",
                        excepted: nil)))
            // Both claims have arrived, and the first of them is granted.
            #expect(
                await hears.next()
                    == .granted(
                        claim: 2, paths: [ExactPath(Talk.container + "/b")], keys: [ExactPath(Talk.container + "/b")]))
            try talk.user.claim(5, "/home/u/else")
            #expect(await others.next() == granted(5))
        }
    }

    @Test func anOutcomeGuardsNothingOutsideOfTheContainer() async throws {
        try await Talk.run { talk in
            var (hears, others) = (talk.confined.effects.makeAsyncIterator(), talk.user.effects.makeAsyncIterator())
            let path = Talk.container + "/b"
            try talk.confined.claim(1, Self.own, [.writes, .moves])
            #expect(await hears.next() == granted(1))
            try talk.confined.claim(2, Self.own)
            try talk.confined.say(.release(claim: 1, outcomes: moved(to: path, key: "/")))
            #expect(await hears.next() == .granted(claim: 2, paths: [ExactPath(path)], keys: [ExactPath(path)]))
            try talk.user.claim(5, "/home/u/else")
            #expect(await others.next() == granted(5))
        }
    }

    @Test func itsAnnouncedMovesDoNotLeaveTheContainer() async throws {
        try await Talk.run { talk in
            var hears = talk.confined.effects.makeAsyncIterator()
            try talk.confined.claim(1, Self.own, [.writes, .moves, .isQuiet])
            #expect(await hears.next() == granted(1))
            try await present(Self.own, to: talk)
            try talk.confined.say(.release(claim: 1, outcomes: moved(to: "/home/u/a.txt")))
            #expect(try await nextOfUser(talk) == .notify(presenter: 9, .changed))
        }
    }

    @Test(arguments: [ClaimOutcome.Change.changed, .deleted, .moved(toPath: "/home/u/c", key: "/home/u/c")])
    func filesThatItMayOnlyReadCountAsUnchanged(_ change: ClaimOutcome.Change) async throws {
        try await Talk.run { talk in
            var hears = talk.confined.effects.makeAsyncIterator()
            try await present("/home/u/b", "/home/u/a.txt", to: talk)
            for (number, path) in [Talk.readOnly, Talk.placed].enumerated() {
                let claim = UInt64(number + 1)
                try talk.confined.claim(claim, path, .isQuiet)
                #expect(await hears.next() == granted(claim))
                try talk.confined.say(.release(claim: claim, outcomes: [ClaimOutcome(access: 0, change: change)]))
            }
            #expect(try await nextOfUser(talk) == granted(1_000))
        }
    }

    @Test func itDoesNotLearnWhereAnotherProgramMovesItems() async throws {
        try await Talk.run { talk in
            var hears = talk.confined.effects.makeAsyncIterator()
            try talk.confined.present(9, Self.own)
            // The reply shows that the presenter is registered.
            try talk.confined.claim(1, Talk.container + "/b")
            #expect(await hears.next() == granted(1))
            let move = ItemMove(
                path: ExactPath(Self.own), newPath: "/home/u/secret", newKey: "/home/u/secret", excepted: nil)
            try talk.user.say(.moved(move))
            #expect(await hears.next() == .notify(presenter: 9, .changed))
            // It is no longer a presenter at that path.
            var others = talk.user.effects.makeAsyncIterator()
            try talk.user.claim(1, "/home/u/secret")
            #expect(await others.next() == granted(1))
        }
    }

    @Test func errorsOfAnotherProgramsPresenterStayPrivate() async throws {
        try await Talk.run { talk in
            var (hears, others) = (talk.confined.effects.makeAsyncIterator(), talk.user.effects.makeAsyncIterator())
            try talk.user.present(9, "/home/u/a.txt")
            try talk.user.claim(1, "/home/other")
            #expect(await others.next() == granted(1))
            try talk.confined.claim(1, Talk.placed)
            guard case .prepare(let preparation) = await others.next() else {
                Issue.record("it was not asked")
                return
            }
            let failure = CoordinationError(domain: "org.example.secret", code: 4711, message: "/home/u/secret")
            try talk.user.say(.answer(preparation: preparation.number, failure: failure))
            guard case .denied(claim: 1, .presenter(let told)) = await hears.next() else {
                Issue.record("it was not refused")
                return
            }
            #expect(told.domain == CocoaError.errorDomain && told.code != 4711 && !told.message.contains("secret"))
        }
    }

    // MARK: Connections

    @Test func grantsStayWhenTheDaemonClosedTheSocket() async throws {
        try await Talk.run { talk in
            try await fail(talk)
            // Its waiting claim is not kept.
            await eventually { talk.service.claimCount < 3 }
            #expect(talk.service.claimCount == 2)
        }
    }

    @Test func grantsExpire() async throws {
        try await Talk.run(patience: .milliseconds(1)) { talk in
            try await fail(talk)
            await eventually { talk.service.claimCount == 1 }
        }
    }

    @Test func grantsEndWithTheProcess() async throws {
        try await Talk.run { talk in
            var hears = talk.confined.effects.makeAsyncIterator()
            try talk.confined.claim(1, Self.own)
            #expect(await hears.next() == granted(1))
            talk.confined.connection.close()
            await eventually { talk.service.claimCount == 0 }
        }
    }

    /// Makes a confined process hold one item, wait for another, and send a malformed message.
    private func fail(_ talk: Talk) async throws {
        var (hears, others) = (talk.confined.effects.makeAsyncIterator(), talk.user.effects.makeAsyncIterator())
        try talk.user.claim(1, "/home/u/a.txt")
        #expect(await others.next() == granted(1))
        try talk.confined.claim(1, Self.own)
        #expect(await hears.next() == granted(1))
        try talk.confined.claim(2, Talk.placed)
        await eventually { talk.service.claimCount == 3 }
        let bytes = Array("nonsense".utf8)
        try retrying { send(talk.socket.rawValue, bytes, bytes.count, CInt(MSG_NOSIGNAL)) }
    }

    @Test func grantsBeyondTheLimitOfANewDaemonAreDropped() async throws {
        let folder = try TestFolder()
        let marker = folder.path + "/marker"
        try Data().write(to: URL(fileURLWithPath: marker))
        try await Talk.run(CoordinationService(marker: marker)) { talk in
            var hears = talk.confined.effects.makeAsyncIterator()
            let accesses = (0..<ClaimLimits.accesses).map { ExactPath(Talk.container + "/\($0)") }.map {
                Access(path: $0, key: $0, traits: [])
            }
            let count = UInt64(ClaimUsage.itemLimit / accesses.count)
            for number in 1...(count + 1) {
                try talk.confined.say(.claim(ClaimRequest(number: number, accesses: accesses, purpose: "p")))
            }
            var denied: UInt64?
            while denied == nil, let effect = await hears.next() {
                if case .denied(let number, .refused) = effect { denied = number }
            }
            #expect(denied == count + 1)
            #expect(talk.service.confinedClaimCount == Int(count))
        }
    }
}

import FileCoordination
import Testing

/// What the arbiter makes of processes that say what no honest one says, and of those that are confined.
@Suite struct DishonestProcessTests {
    private static func claim(_ number: UInt64, _ path: ExactPath, _ traits: Access.Traits = .writes)
        -> CoordinationEvent
    {
        .claim(
            ClaimRequest(
                number: number, accesses: [Access(path: path, key: path, traits: traits)], purpose: "\(path) \(number)")
        )
    }

    private static func outcome(_ change: ClaimOutcome.Change, of access: Int = 0) -> ClaimOutcome {
        ClaimOutcome(access: access, change: change)
    }

    private static let away = ClaimOutcome.Change.moved(toPath: "/away", key: "/away")

    @Test(arguments: [ClaimOutcome.Change.changed, .deleted, away])
    func whatWasOnlyReadHasNotBecomeAnythingElse(_ change: ClaimOutcome.Change) {
        var arbiter = Arbiter()
        _ = arbiter.apply(.present(PresenterPlace(number: 9, path: "/home/a", key: "/home/a")), from: 1)
        _ = arbiter.apply(Self.claim(1, "/home", .isQuiet), from: 2)
        _ = arbiter.apply(Self.claim(2, "/home/a"), from: 3)
        let effects = arbiter.apply(.release(claim: 1, outcomes: [Self.outcome(change)]), from: 2)
        // The one that waited has its turn, where it has asked for it: the presenter is asked to make way for it.
        #expect(effects.count == 1)
        guard case .prepare(let preparation)? = effects.first?.effect else {
            Issue.record("\(effects)")
            return
        }
        let granted = arbiter.apply(.answer(preparation: preparation.number, failure: nil), from: 1)
        #expect(granted.map(\.effect) == [.granted(claim: 2, paths: [], keys: [], hasWaited: true)])
    }

    @Test func onlyWhatWasClaimedToBeMovedHasMoved() {
        var arbiter = Arbiter()
        _ = arbiter.apply(Self.claim(1, "/a"), from: 1)
        _ = arbiter.apply(.present(PresenterPlace(number: 9, path: "/a", key: "/a")), from: 2)
        #expect(arbiter.apply(.release(claim: 1, outcomes: [Self.outcome(Self.away)]), from: 1).isEmpty)
    }

    @Test func anItemHasOneOutcome() {
        var arbiter = Arbiter()
        _ = arbiter.apply(Self.claim(1, "/a", [.writes, .moves]), from: 1)
        _ = arbiter.apply(.present(PresenterPlace(number: 9, path: "/a", key: "/a")), from: 2)
        let outcomes = [.changed, Self.away].map { Self.outcome($0) }
        let effects = arbiter.apply(.release(claim: 1, outcomes: outcomes), from: 1).map(\.effect)
        #expect(effects == [.notify(presenter: 9, .changed)])
    }

    @Test func aConfinedProcessDoesNotFollowWhatLeavesItsFolder() {
        var arbiter = Arbiter()
        arbiter.confine(1, to: "/c")
        _ = arbiter.apply(.present(PresenterPlace(number: 8, path: "/c/a", key: "/c/a")), from: 1)
        _ = arbiter.apply(.present(PresenterPlace(number: 9, path: "/c/b", key: "/c/b")), from: 1)
        func move(_ path: ExactPath, _ newPath: ExactPath) -> [CoordinationEffect] {
            arbiter.apply(
                .moved(ItemMove(path: path, newPath: newPath, newKey: newPath, excepted: nil)), from: 2
            ).map(\.effect)
        }
        #expect(move("/c/a", "/home/a") == [.notify(presenter: 8, .changed)])
        #expect(move("/c/b", "/c/d") == [.notify(presenter: 9, .moved(to: "/c/d"))])
        // It is not asked for what is no longer there.
        let granted = arbiter.apply(Self.claim(1, "/home/a"), from: 2).map(\.effect)
        #expect(granted == [.granted(claim: 1, paths: [], keys: [], hasWaited: false)])
    }

    @Test func aConfinedProcessHoldsNothingThatHasLeftItsFolder() {
        var arbiter = Arbiter()
        arbiter.confine(1, to: "/c")
        _ = arbiter.apply(Self.claim(1, "/c/a", [.writes, .moves]), from: 2)
        _ = arbiter.apply(Self.claim(7, "/c/a"), from: 1)
        let move = Self.outcome(.moved(toPath: "/home/a", key: "/home/a"))
        let effects = arbiter.apply(.release(claim: 1, outcomes: [move]), from: 2).map(\.effect)
        #expect(effects == [.granted(claim: 7, paths: [], keys: [], hasWaited: true)])
        let granted = arbiter.apply(Self.claim(2, "/home/a"), from: 2).map(\.effect)
        #expect(granted == [.granted(claim: 2, paths: [], keys: [], hasWaited: false)])
        // What it has access to outside is another matter.
        _ = arbiter.apply(Self.claim(8, "/home/a"), from: 1)
        let followed = arbiter.apply(
            .moved(ItemMove(path: "/home/a", newPath: "/home/b", newKey: "/home/b", excepted: nil)), from: 2
        ).map(\.effect)
        #expect(followed == [.granted(claim: 8, paths: ["/home/b"], keys: ["/home/b"], hasWaited: true)])
    }
}

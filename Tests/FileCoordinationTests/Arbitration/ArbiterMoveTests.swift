import FileCoordination
import TestThreads
import Testing

/// Former faults of the arbiter in moves and takeovers, found by random schedules.
@Suite(.ownThreads) struct ArbiterMoveTests {
    private static func claim(
        _ number: UInt64, _ path: ExactPath, in package: ExactPath? = nil, blocking: [UInt64] = [],
        answering: [UInt64] = [], _ traits: Access.Traits = .writes
    ) -> ClaimRequest {
        ClaimRequest(
            number: number, accesses: [Access(path: path, key: package ?? path, traits: traits)], purpose: "\(number)",
            answering: answering, blocking: blocking)
    }

    private static func granted(_ effects: [AddressedEffect]) -> [String] {
        effects.compactMap {
            guard case .granted(let claim, let paths, let keys, _) = $0.effect else { return nil }
            return (["\(claim)"] + zip(paths, keys).map { "\($0) in \($1)" }).joined(separator: " ")
        }
    }

    @Test func allMovesOfAClaimApplyBeforeTheNextGrant() {
        var arbiter = Arbiter()
        let accesses = ["/a", "/f"].map { Access(path: $0, key: $0, traits: [.writes, .moves]) }
        _ = arbiter.apply(.claim(ClaimRequest(number: 1, accesses: accesses, purpose: "1")), from: 1)
        _ = arbiter.apply(.claim(Self.claim(2, "/f/x")), from: 2)
        _ = arbiter.apply(.claim(Self.claim(3, "/a/x")), from: 2)
        let effects = arbiter.apply(
            .release(
                claim: 1,
                outcomes: [
                    ClaimOutcome(access: 0, change: .moved(toPath: "/b", key: "/b")),
                    ClaimOutcome(access: 1, change: .moved(toPath: "/g", key: "/g")),
                ]), from: 1)
        #expect(Self.granted(effects) == ["2 /g/x in /g/x", "3 /b/x in /b/x"])
    }

    @Test func waitersForAPartOfAPackageMoveAlongAndWaitForAllOfIt() {
        var arbiter = Arbiter()
        _ = arbiter.apply(.claim(Self.claim(1, "/d.pkg", [.writes, .moves])), from: 1)
        _ = arbiter.apply(.claim(Self.claim(2, "/d.pkg/one", in: "/d.pkg")), from: 2)
        _ = arbiter.apply(.claim(Self.claim(3, "/d.pkg/two", in: "/d.pkg")), from: 3)
        let moved = ClaimOutcome(access: 0, change: .moved(toPath: "/e.pkg", key: "/e.pkg"))
        #expect(
            Self.granted(arbiter.apply(.release(claim: 1, outcomes: [moved]), from: 1)) == ["2 /e.pkg/one in /e.pkg"])
        #expect(
            Self.granted(arbiter.apply(.release(claim: 2, outcomes: []), from: 2)) == ["3 /e.pkg/two in /e.pkg"])
    }

    @Test func filesMovedOutOfAPackageTakeTheirWaitersAlong() {
        var arbiter = Arbiter()
        _ = arbiter.apply(.claim(Self.claim(1, "/d.pkg/one", in: "/d.pkg", [.writes, .moves])), from: 1)
        _ = arbiter.apply(.claim(Self.claim(2, "/d.pkg/one", in: "/d.pkg")), from: 2)
        let moved = ClaimOutcome(access: 0, change: .moved(toPath: "/one", key: "/one"))
        #expect(Self.granted(arbiter.apply(.release(claim: 1, outcomes: [moved]), from: 1)) == ["2 /one in /one"])
        #expect(Self.granted(arbiter.apply(.claim(Self.claim(3, "/d.pkg")), from: 3)) == ["3"])
    }

    @Test func anAdoptedClaimGoesOnWhateverPresentersSay() {
        var arbiter = Arbiter()
        _ = arbiter.apply(.present(PresenterPlace(number: 9, path: "/a", key: "/a")), from: 1)
        // The claiming thread is the queue of a presenter that came to present the item later.
        let adopted = arbiter.apply(.adopt(Self.claim(1, "/a", blocking: [9])), from: 1)
        guard case .prepare(let preparation)? = adopted.first?.effect, adopted.count == 1 else {
            Issue.record("\(adopted)")
            return
        }
        _ = arbiter.apply(.claim(Self.claim(2, "/a")), from: 2)
        let failure = CoordinationError(domain: "d", code: 1, message: "")
        #expect(arbiter.apply(.answer(preparation: preparation.number, failure: failure), from: 1).isEmpty)
        #expect(arbiter.claimCount(of: 1) == 1)
        _ = arbiter.apply(.removePresenter(9), from: 1)
        #expect(Self.granted(arbiter.apply(.release(claim: 1, outcomes: []), from: 1)) == ["2"])
    }

    @Test func noClaimPassesOthersInTheNameOfAnothersPresenter() {
        var arbiter = Arbiter()
        _ = arbiter.apply(.present(PresenterPlace(number: 9, path: "/a", key: "/a")), from: 1)
        let asked = arbiter.apply(.claim(Self.claim(1, "/a")), from: 2).map(\.effect)
        guard case .prepare(let preparation)? = asked.first else {
            Issue.record("\(asked)")
            return
        }
        _ = arbiter.apply(.claim(Self.claim(2, "/a/b")), from: 3)
        let answering = [preparation.number]
        #expect(arbiter.apply(.claim(Self.claim(3, "/a/b", answering: answering)), from: 4).isEmpty)
        // The presenter's own process may pass. Its claim then conflicts with the one that waits for the presenter: a
        // deadlock.
        let own = arbiter.apply(.claim(Self.claim(4, "/a/b", answering: answering)), from: 1).map(\.effect)
        guard case .denied(4, .deadlock)? = own.first else {
            Issue.record("\(own)")
            return
        }
    }
}

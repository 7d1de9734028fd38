import FileCoordination
import TestThreads
import Testing

/// Moves of items that a confined process has claimed. The arbiter follows them only within the process's container and
/// groups.
@Suite(.ownThreads) struct ArbiterConfinementTests {
    private static func claim(_ number: UInt64, _ path: ExactPath, _ traits: Access.Traits = .writes)
        -> CoordinationEvent
    {
        .claim(
            ClaimRequest(
                number: number, accesses: [Access(path: path, key: path, traits: traits)], purpose: "\(path) \(number)")
        )
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
        // The presenter is not asked about an item that has moved away.
        let granted = arbiter.apply(Self.claim(1, "/home/a"), from: 2).map(\.effect)
        #expect(granted == [.granted(claim: 1, paths: [], keys: [], hasWaited: false)])
    }

    @Test func theFoldersOfGroupsAreTheConfinedProcessesOwn() {
        var arbiter = Arbiter()
        arbiter.confine(1, to: "/c", and: ["/g"])
        _ = arbiter.apply(.present(PresenterPlace(number: 8, path: "/g/a", key: "/g/a")), from: 1)
        _ = arbiter.apply(.present(PresenterPlace(number: 9, path: "/g/b", key: "/g/b")), from: 1)
        func move(_ path: ExactPath, _ newPath: ExactPath) -> [CoordinationEffect] {
            arbiter.apply(
                .moved(ItemMove(path: path, newPath: newPath, newKey: newPath, excepted: nil)), from: 2
            ).map(\.effect)
        }
        #expect(move("/g/a", "/home/a") == [.notify(presenter: 8, .changed)])
        #expect(move("/g/b", "/c/d") == [.notify(presenter: 9, .moved(to: "/c/d"))])
    }

    @Test func aConfinedProcessHoldsNothingThatHasLeftItsFolder() {
        var arbiter = Arbiter()
        arbiter.confine(1, to: "/c")
        _ = arbiter.apply(Self.claim(1, "/c/a", [.writes, .moves]), from: 2)
        _ = arbiter.apply(Self.claim(7, "/c/a"), from: 1)
        let move = ClaimOutcome(access: 0, change: .moved(toPath: "/home/a", key: "/home/a"))
        let effects = arbiter.apply(.release(claim: 1, outcomes: [move]), from: 2).map(\.effect)
        #expect(effects == [.granted(claim: 7, paths: [], keys: [], hasWaited: true)])
        let granted = arbiter.apply(Self.claim(2, "/home/a"), from: 2).map(\.effect)
        #expect(granted == [.granted(claim: 2, paths: [], keys: [], hasWaited: false)])
        // Items outside that the process has access to are followed otherwise.
        _ = arbiter.apply(Self.claim(8, "/home/a"), from: 1)
        let followed = arbiter.apply(
            .moved(ItemMove(path: "/home/a", newPath: "/home/b", newKey: "/home/b", excepted: nil)), from: 2
        ).map(\.effect)
        #expect(followed == [.granted(claim: 8, paths: ["/home/b"], keys: ["/home/b"], hasWaited: true)])
    }
}

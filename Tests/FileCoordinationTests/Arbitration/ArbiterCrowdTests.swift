import FileCoordination
import TestThreads
import Testing

/// Many claims that wait for one item. A test that does not end shows that deciding is too slow.
@Suite(.timeLimit(.minutes(10)), .ownThreads) struct ArbiterCrowdTests {
    private static func claim(_ number: UInt64, _ path: ExactPath, purpose: String? = nil, inside outer: [UInt64] = [])
        -> CoordinationEvent
    {
        .claim(
            ClaimRequest(
                number: number, accesses: [Access(path: path, key: path, traits: .writes)],
                purpose: purpose ?? "\(number)",
                enclosing: outer))
    }

    private static func granted(_ effects: [AddressedEffect]) -> [ClaimIdentifier] {
        effects.compactMap {
            if case .granted(let claim, _, _, _) = $0.effect {
                ClaimIdentifier(client: $0.client, number: claim)
            } else {
                nil
            }
        }
    }

    /// Releases each granted claim, and returns the order in which the claims were granted.
    private static func drain(_ arbiter: inout Arbiter, from first: ClaimIdentifier) -> [ClaimIdentifier] {
        var order = [first]
        var next = 0
        while next < order.count {
            order += granted(arbiter.apply(.release(claim: order[next].number, outcomes: []), from: order[next].client))
            next += 1
        }
        return order
    }

    @Test func manyNestedClaimsOfOneItemAreServedInOrderAndDelayNoOther() {
        let count: UInt64 = 1_000
        var arbiter = Arbiter()
        _ = arbiter.apply(Self.claim(1, "/index"), from: 1)
        for number in 1...count {
            _ = arbiter.apply(Self.claim(number, ExactPath("/own/\(number)")), from: 2)
            _ = arbiter.apply(Self.claim(count + number, "/index", inside: [number]), from: 2)
            // Another process claims and releases an item meanwhile.
            #expect(Self.granted(arbiter.apply(Self.claim(number, "/elsewhere"), from: 3)).count == 1)
            _ = arbiter.apply(.release(claim: number, outcomes: []), from: 3)
        }
        let order = Self.drain(&arbiter, from: ClaimIdentifier(client: 1, number: 1))
        #expect(order.dropFirst().map(\.number) == Array((count + 1)...(2 * count)))
        for number in 1...count { _ = arbiter.apply(.release(claim: number, outcomes: []), from: 2) }
        #expect(arbiter.claimCount == 0)
    }

    @Test func theSameWhileAPresenterOfSomethingElseHasNotAnswered() {
        let count: UInt64 = 1_000
        var arbiter = Arbiter()
        _ = arbiter.apply(.present(PresenterPlace(number: 1, path: "/document", key: "/document")), from: 4)
        #expect(Self.granted(arbiter.apply(Self.claim(1, "/document"), from: 5)).isEmpty)
        _ = arbiter.apply(Self.claim(1, "/index"), from: 1)
        for number in 1...count {
            _ = arbiter.apply(Self.claim(number, ExactPath("/own/\(number)")), from: 2)
            _ = arbiter.apply(Self.claim(count + number, "/index", inside: [number]), from: 2)
        }
        #expect(Self.drain(&arbiter, from: ClaimIdentifier(client: 1, number: 1)).count == Int(count) + 1)
    }

    @Test func manyNestedClaimsThatWaitForEachOtherInACircleAreToldSoOnce() {
        let count: UInt64 = 200
        var arbiter = Arbiter()
        for number in 1...count { _ = arbiter.apply(Self.claim(number, ExactPath("/own/\(number)")), from: 1) }
        var denials = 0
        for number in 1...count {
            let effects = arbiter.apply(
                Self.claim(count + number, ExactPath("/own/\(number % count + 1)"), inside: [number]), from: 1)
            for case .denied(_, .deadlock) in effects.map(\.effect) { denials += 1 }
        }
        #expect(denials == 1)
    }

    @Test(arguments: [1, 2, 5]) func aCrowdAtOnePathIsServedInItsOrder(everyHowManiethReads interval: UInt64) {
        let count: UInt64 = 20_000
        var arbiter = Arbiter()
        _ = arbiter.apply(Self.claim(0, "/index"), from: 1)
        for number in 1...count {
            let traits: Access.Traits = number % interval == 1 ? [] : .writes
            _ = arbiter.apply(
                .claim(
                    ClaimRequest(
                        number: number, accesses: [Access(path: "/index", key: "/index", traits: traits)],
                        purpose: "\(number)")), from: 1)
        }
        let order = Self.drain(&arbiter, from: ClaimIdentifier(client: 1, number: 0))
        #expect(order.map(\.number) == Array(0...count))
    }

    @Test(arguments: [nil, "another"]) func aCrowdOfOnePurposeIsGrantedAtOnce(beside other: String?) {
        // With a second purpose each claim is compared with it, which takes longer.
        let count: UInt64 = other == nil ? 20_000 : 2_000
        var arbiter = Arbiter()
        _ = arbiter.apply(Self.claim(0, "/index"), from: 1)
        for number in 1...count {
            _ = arbiter.apply(Self.claim(number, "/index", purpose: "shared"), from: 2)
        }
        // The last claim of all.
        if let other { _ = arbiter.apply(Self.claim(0, "/index", purpose: other), from: 3) }
        let released = Self.granted(arbiter.apply(.release(claim: 0, outcomes: []), from: 1))
        #expect(released.map(\.number) == Array(1...count))
        if other == nil { return }
        for number in 1..<count { _ = arbiter.apply(.release(claim: number, outcomes: []), from: 2) }
        #expect(Self.granted(arbiter.apply(.release(claim: count, outcomes: []), from: 2)).map(\.client) == [3])
    }

    @Test func aGrantSaysWhetherOthersHadToBeWaitedFor() {
        var arbiter = Arbiter()
        #expect(
            arbiter.apply(Self.claim(1, "/a"), from: 1).map(\.effect)
                == [.granted(claim: 1, paths: [], keys: [], hasWaited: false)])
        #expect(arbiter.apply(Self.claim(2, "/a"), from: 1).isEmpty)
        #expect(
            arbiter.apply(.release(claim: 1, outcomes: []), from: 1).map(\.effect)
                == [.granted(claim: 2, paths: [], keys: [], hasWaited: true)])
    }

    @Test func aProcessThatEndsWithManyNestedClaimsLeavesNothing() {
        let count: UInt64 = 1_000
        var arbiter = Arbiter()
        _ = arbiter.apply(Self.claim(1, "/index"), from: 1)
        for number in 1...count {
            _ = arbiter.apply(Self.claim(number, ExactPath("/own/\(number)")), from: 2)
            _ = arbiter.apply(Self.claim(count + number, "/index", inside: [number]), from: 2)
        }
        _ = arbiter.apply(Self.claim(9_999, "/index"), from: 3)
        _ = arbiter.end(client: 2)
        #expect(arbiter.claimCount == 2)
        #expect(Self.granted(arbiter.end(client: 1)) == [ClaimIdentifier(client: 3, number: 9_999)])
    }

    @Test func aNestedClaimPassesThoseThatWaitByWayOfOneThatIsNotOfTheirPurpose() {
        var arbiter = Arbiter()
        _ = arbiter.apply(Self.claim(1, "/a/e"), from: 1)
        for number in 2...3 as ClosedRange<UInt64> {
            _ = arbiter.apply(Self.claim(number, "/a", purpose: "shared"), from: 2)
        }
        _ = arbiter.apply(Self.claim(4, "/a"), from: 2)
        // The claim waits for 4, and thus for 1, but not for 2 and 3.
        _ = arbiter.apply(Self.claim(5, "/a/b", purpose: "shared"), from: 2)
        #expect(Self.granted(arbiter.apply(Self.claim(6, "/a/b", inside: [1]), from: 1)).map(\.number) == [6])
    }
}

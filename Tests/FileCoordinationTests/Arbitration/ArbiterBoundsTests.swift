import FileCoordination
import FileTesting
import Foundation
import Glibc
import TestThreads
import Testing

/// Limits on the work and memory that one process can cause in the arbiter, regardless of its messages. A test that
/// does not end shows that a limit on time fails.
@Suite(.timeLimit(.minutes(10)), .ownThreads) struct ArbiterBoundsTests {
    private static func claim(
        _ number: UInt64, _ path: ExactPath, _ traits: Access.Traits = .writes, blocking: [UInt64] = []
    ) -> CoordinationEvent {
        .claim(
            ClaimRequest(
                number: number, accesses: [Access(path: path, key: path, traits: traits)], purpose: "\(number)",
                blocking: blocking))
    }

    private static func claim(_ number: UInt64, _ paths: [ExactPath], _ traits: Access.Traits) -> CoordinationEvent {
        .claim(
            ClaimRequest(
                number: number, accesses: paths.map { Access(path: $0, key: $0, traits: traits) }, purpose: "\(number)")
        )
    }

    private static func present(_ number: UInt64, _ path: ExactPath) -> CoordinationEvent {
        .present(PresenterPlace(number: number, path: path, key: path))
    }

    private static func move(_ path: ExactPath, _ newPath: ExactPath) -> CoordinationEvent {
        .moved(ItemMove(path: path, newPath: newPath, newKey: newPath, excepted: nil))
    }

    private static func granted(_ effects: [AddressedEffect]) -> [UInt64] {
        effects.compactMap { if case .granted(let claim, _, _, _) = $0.effect { claim } else { nil } }
    }

    private static func denied(_ effects: [AddressedEffect]) -> [UInt64] {
        effects.compactMap { if case .denied(let claim, _) = $0.effect { claim } else { nil } }
    }

    private static func preparations(_ effects: [AddressedEffect]) -> [Preparation] {
        effects.compactMap { if case .prepare(let preparation) = $0.effect { preparation } else { nil } }
    }

    private static func begin(_ arbiter: inout Arbiter, client: UInt64, of process: UInt64) -> Bool {
        arbiter.begin(client: client, of: process)
    }

    /// Runs a function on a thread with a small stack.
    private func onSmallStack<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: body()) }
            thread.stackSize = 256 << 10
            thread.start()
        }
    }

    private static func deep(_ names: Int, _ name: String = "x") -> String {
        Array(repeating: name, count: names).joined(separator: "/")
    }

    // MARK: Depth

    @Test func pathsAsDeepAsTheSystemTakesThemNeedNoStack() async {
        let (asked, granted) = await onSmallStack { () -> (Int, [UInt64]) in
            var arbiter = Arbiter()
            _ = arbiter.apply(Self.present(1, ExactPath("/c/" + Self.deep(2_000))), from: 1)
            _ = arbiter.apply(Self.claim(2, ExactPath("/c/" + Self.deep(1_999))), from: 2)
            // The claim waits for all claims beneath, and for the presenter there.
            _ = arbiter.apply(Self.claim(3, "/c"), from: 2)
            _ = arbiter.apply(Self.move("/c", "/d"), from: 2)
            let asked = Self.preparations(arbiter.apply(.cancel(claim: 2), from: 2)).count
            return (asked, Self.granted(arbiter.apply(.removePresenter(1), from: 1)))
        }
        #expect(asked == 1)
        #expect(granted == [3])
    }

    @Test func claimsDoNotFollowMovesToTooLongPaths() async {
        let asked = await onSmallStack { () -> [Int] in
            var arbiter = Arbiter()
            _ = arbiter.apply(Self.present(1, "/c/p0/a"), from: 1)
            var moved: [Int] = []
            for number in 0..<200 {
                let effects = arbiter.apply(
                    Self.move(ExactPath("/c/p\(number)"), ExactPath("/c/p\(number + 1)/" + Self.deep(1_900))), from: 1)
                moved.append(effects.count)
            }
            return moved + [arbiter.apply(Self.claim(2, "/c"), from: 1).count]
        }
        // The presenter is notified once. It presents nothing after the second move, so the claim is granted without
        // asking it.
        #expect(asked == [1] + Array(repeating: 0, count: 199) + [1])
    }

    @Test func aClaimThatMovesToAPathThatIsTooLongIsRefused() {
        var arbiter = Arbiter()
        _ = arbiter.apply(Self.claim(1, "/a"), from: 1)
        _ = arbiter.apply(Self.claim(2, "/a/b/c"), from: 2)
        _ = arbiter.apply(Self.claim(3, "/a/b"), from: 3)
        let path = ExactPath("/" + String(repeating: "x", count: Int(PATH_MAX) - 3))
        let effects = arbiter.apply(Self.move("/a/b", path), from: 1)
        // The first path would now be too long by one byte, and the second is not.
        #expect(Self.denied(effects) == [2])
        #expect(Self.granted(effects) == [3])
        #expect(arbiter.claimCount == 2)
    }

    @Test func aLongQueueOfClaimsThatAreRefusedOneAfterTheOtherNeedsNoStack() async {
        let count: UInt64 = 20_000
        let (denied, left) = await onSmallStack { () -> (Int, Int) in
            var arbiter = Arbiter()
            _ = arbiter.apply(Self.claim(1, "/a"), from: 1)
            _ = arbiter.apply(Self.present(9, "/a"), from: 1)
            for number in 2...count { _ = arbiter.apply(Self.claim(number, "/a", blocking: [9]), from: 1) }
            let effects = arbiter.apply(.release(claim: 1, outcomes: []), from: 1)
            return (Self.denied(effects).count, arbiter.claimCount)
        }
        #expect(denied == Int(count) - 1)
        #expect(left == 0)
    }

    // MARK: Memory

    @Test func theSizeOfMovedClaimsIsCountedAgain() {
        let count: UInt64 = 18_000
        var arbiter = Arbiter()
        _ = arbiter.apply(Self.claim(1, "/"), from: 1)
        for number in 1...count {
            _ = arbiter.apply(Self.claim(number, ExactPath("/r/\(number)"), []), from: 2)
        }
        let long = "/" + Self.deep(16, String(repeating: "y", count: 250))
        let effects = arbiter.apply(Self.move("/r", ExactPath(long)), from: 1)
        let left = arbiter.claimCount(of: 2)
        #expect(left * long.utf8.count <= ClaimUsage.byteLimit)
        #expect(left * (long.utf8.count + 1_000) > ClaimUsage.byteLimit)
        #expect(Self.denied(effects).count + left == Int(count))
        // After moving back, there is room.
        _ = arbiter.apply(Self.move(ExactPath(long), "/r"), from: 1)
        #expect(Self.denied(arbiter.apply(Self.claim(count + 1, "/r/more", []), from: 2)).isEmpty)
    }

    @Test func theNamesInAPathCountAsWellAsItsBytes() {
        var arbiter = Arbiter()
        var denied = 0
        for number in 1...2_000 as ClosedRange<UInt64> {
            let effects = arbiter.apply(Self.claim(number, ExactPath("/\(number)/" + Self.deep(2_000)), []), from: 1)
            denied += Self.denied(effects).count
        }
        #expect(denied > 500)
    }

    @Test func aClaimIsInsideOfOnlySoManyOthersAndInTheWayOfSoManyPresenters() {
        var arbiter = Arbiter()
        let numbers = Array(0...UInt64(ClaimUsage.nestingLimit))
        #expect(Self.denied(arbiter.apply(Self.claim(1, "/a", blocking: numbers), from: 1)) == [1])
        #expect(Self.granted(arbiter.apply(Self.claim(2, "/a", blocking: numbers.dropLast()), from: 1)) == [2])
        #expect(Self.denied(arbiter.apply(Self.claim(3, "/b", blocking: [1]), from: 1)) == [3])
        #expect(Self.granted(arbiter.apply(Self.claim(4, "/b"), from: 1)) == [4])
    }

    @Test func thePresentersOfAProcessHaveOnlySoMuchPath() {
        var arbiter = Arbiter()
        for number in 1...2_000 as ClosedRange<UInt64> {
            _ = arbiter.apply(Self.present(number, ExactPath("/\(number)/" + Self.deep(2_000))), from: 1)
        }
        let asked = Self.preparations(arbiter.apply(Self.claim(1, "/"), from: 2)).count
        #expect(asked > 500 && asked < 1_500)
        // A presenter over the limit presents nothing. At a short path it can present an item again.
        _ = arbiter.apply(.cancel(claim: 1), from: 2)
        _ = arbiter.apply(Self.present(2_000, "/a"), from: 1)
        #expect(Self.preparations(arbiter.apply(Self.claim(2, "/a"), from: 2)).map(\.presenter) == [2_000])
    }

    @Test func aProcessIsAskedForOnlySoManyClaimsAtATime() {
        let presenters: UInt64 = 1_000
        var arbiter = Arbiter()
        for number in 1...presenters { _ = arbiter.apply(Self.present(number, "/a"), from: 1) }
        let claims = UInt64(ClaimUsage.preparationLimit) / presenters
        for number in 1...claims { _ = arbiter.apply(Self.claim(number, "/a", []), from: 2) }
        // The limit is reached, so the claim is granted without asking presenters.
        #expect(Self.granted(arbiter.apply(Self.claim(claims + 1, "/a", []), from: 2)) == [claims + 1])
        _ = arbiter.apply(.cancel(claim: 1), from: 2)
        let asked = Self.preparations(arbiter.apply(Self.claim(claims + 2, "/a", []), from: 2))
        #expect(asked.count == Int(presenters))
    }

    // MARK: Connections

    @Test func allConnectionsOfAProcessCountTogether() {
        var arbiter = Arbiter()
        let numbers = Array(1...UInt64(ClaimUsage.nestingLimit))
        for client in 1...4 as ClosedRange<UInt64> {
            #expect(Self.begin(&arbiter, client: client, of: client < 4 ? 70 : 80))
        }
        for client in 1...2 as ClosedRange<UInt64> {
            let path = ExactPath("/\(client)")
            #expect(Self.granted(arbiter.apply(Self.claim(1, path, blocking: numbers), from: client)) == [1])
        }
        #expect(Self.denied(arbiter.apply(Self.claim(1, "/3", blocking: [1]), from: 3)) == [1])
        #expect(Self.granted(arbiter.apply(Self.claim(1, "/4", blocking: [1]), from: 4)) == [1])
        // The claims that are kept for a lost connection count as well.
        _ = arbiter.end(client: 1, keepingGranted: true)
        #expect(Self.denied(arbiter.apply(Self.claim(2, "/3", blocking: [1]), from: 3)) == [2])
        _ = arbiter.end(client: 1)
        #expect(Self.granted(arbiter.apply(Self.claim(3, "/3", blocking: [1]), from: 3)) == [3])
    }

    @Test func aProcessHasOnlySoManyPresentersOverAllItsConnections() {
        var arbiter = Arbiter()
        for client in 1...3 as ClosedRange<UInt64> { #expect(Self.begin(&arbiter, client: client, of: 70)) }
        for client in 1...3 as ClosedRange<UInt64> {
            for number in 1...UInt64(ClaimUsage.presenterLimit + 1) {
                _ = arbiter.apply(Self.present(number, "/a"), from: client)
            }
        }
        let asked = Self.preparations(arbiter.apply(Self.claim(1, "/a"), from: 4))
        #expect(asked.count == 2 * ClaimUsage.presenterLimit)
    }

    @Test func aProcessHasOnlySoManyConnections() {
        var arbiter = Arbiter()
        let count = UInt64(ClaimUsage.connectionLimit)
        for client in 1...count { #expect(Self.begin(&arbiter, client: client, of: 70)) }
        #expect(!Self.begin(&arbiter, client: count + 1, of: 70))
        #expect(Self.begin(&arbiter, client: count + 2, of: 71))
        // A lost connection counts while its claims are kept.
        _ = arbiter.end(client: 1, keepingGranted: true)
        #expect(!Self.begin(&arbiter, client: count + 1, of: 70))
        _ = arbiter.end(client: 1)
        #expect(Self.begin(&arbiter, client: count + 1, of: 70))
    }

    // MARK: Many presenters

    @Test func deletingManyFilesInAFolderThatIsInManyWindowsIsSaidOnceToEach() {
        let paths = (0..<10_000).map { ExactPath("/t/\($0)") }
        let windows: UInt64 = 1_000
        var arbiter = Arbiter()
        for number in 1...windows { _ = arbiter.apply(Self.present(number, "/t"), from: 1) }
        _ = arbiter.apply(Self.present(1, "/t/77"), from: 2)
        let asked = Self.preparations(arbiter.apply(Self.claim(1, paths, [.writes, .deletes]), from: 3))
        // Only as many presenters as fit into messages receive the full list of deleted items. The others receive
        // nothing.
        let bytes = paths.reduce(0) { $0 + $1.utf8.count }
        #expect(asked.count == ClaimLimits.pathBytes / bytes + 1)
        for preparation in asked.dropLast() { #expect(preparation.deletedSubitems == paths.sorted()) }
        #expect(asked.last?.deletesItem == true && asked.last?.relinquishing == .toWriter)
        for preparation in asked {
            _ = arbiter.apply(
                .answer(preparation: preparation.number, failure: nil), from: preparation.presenter == 1 ? 2 : 1)
            _ = arbiter.apply(.answer(preparation: preparation.number, failure: nil), from: 1)
        }
        let outcomes = paths.indices.map { ClaimOutcome(access: $0, change: .deleted) }
        var told: [UInt64: Int] = [:]
        for case .notify(let presenter, let notice) in arbiter.apply(.release(claim: 1, outcomes: outcomes), from: 3)
            .map(\.effect)
        {
            // Not every file is reported to every window, but each window is notified of a change.
            if notice == .changed { told[presenter, default: 0] += 1 }
        }
        #expect(told.count == Int(windows) && told.values.allSatisfy { $0 == 1 })
        #expect(arbiter.claimCount == 0)
    }

    @Test func theEffectOnAPresenterDoesNotDependOnOtherClaimedPaths() {
        var random = RandomNumbers(seed: 1)
        let names = ["a", "b", "a-b", "a.b", "c"]
        func path() -> ExactPath {
            ExactPath(
                (0...(random.next() % 3)).map { _ in "/" + (names.randomElement(using: &random) ?? "a") }.joined())
        }
        let kinds: [Access.Traits] = [
            [], .saves, .isQuiet, .writes, [.writes, .deletes], [.writes, .moves], [.writes, .replaces],
            [.writes, .evicts], [.writes, .isQuiet],
        ]
        for _ in 0..<2_000 {
            let accesses = (0..<6).map { _ -> Access in
                let path = path()
                return Access(path: path, key: path, traits: kinds.randomElement(using: &random) ?? [])
            }
            var together = Arbiter()
            let place = path()
            func ask(_ accesses: [Access]) -> Preparation? {
                var arbiter = together
                let request = ClaimRequest(number: 1, accesses: accesses, purpose: "p")
                return Self.preparations(arbiter.apply(.claim(request), from: 2)).first
            }
            _ = together.apply(Self.present(1, place), from: 1)
            let all = ask(accesses)
            let each = accesses.compactMap { ask([$0]) }
            #expect(all?.relinquishing == each.map(\.relinquishing).max())
            #expect(all.map(\.saves) == (each.isEmpty ? nil : each.contains { $0.saves }))
            #expect(all.map(\.deletesItem) == (each.isEmpty ? nil : each.contains { $0.deletesItem }))
            #expect(all.map(\.evictsItem) == (each.isEmpty ? nil : each.contains { $0.evictsItem }))
            #expect(Set(all?.deletedSubitems ?? []) == Set(each.flatMap(\.deletedSubitems)))
            // The same accesses one by one, each according to the rules.
            for access in accesses {
                let one = ask([access])
                let isHere = place == access.path || PlainPath.isBeneath(place, access.path)
                let isLoud = isHere && !access.traits.contains(.isQuiet)
                #expect((one?.relinquishing ?? .none) == (isLoud ? access.writes ? .toWriter : .toReader : .none))
                #expect((one?.saves ?? false) == (isLoud && access.traits.contains(.saves)))
                #expect((one?.evictsItem ?? false) == (isHere && access.traits.contains(.evicts)))
                let isGone = access.traits.contains(.deletes) || access.traits.contains(.replaces)
                #expect((one?.deletesItem ?? false) == (isHere && isGone))
                let isInside = access.traits.contains(.deletes) && PlainPath.isBeneath(access.path, place)
                #expect((one?.deletedSubitems ?? []) == (isInside ? [access.path] : []))
            }
        }
    }

    // MARK: Outcomes

    @Test func readsHaveNoOutcome() {
        var arbiter = Arbiter()
        _ = arbiter.apply(Self.present(1, "/home/u/a.txt"), from: 1)
        let asked = Self.preparations(arbiter.apply(Self.claim(7, "/home/u", []), from: 2))
        for preparation in asked { _ = arbiter.apply(.answer(preparation: preparation.number, failure: nil), from: 1) }
        for change in [.moved(toPath: "/c/loot", key: "/c/loot"), .changed, .deleted] as [ClaimOutcome.Change] {
            let effects = arbiter.apply(
                .release(claim: 7, outcomes: [ClaimOutcome(access: 0, change: change)]), from: 2)
            for case .notify(_, let notice) in effects.map(\.effect) { Issue.record("\(notice)") }
            _ = arbiter.apply(Self.claim(7, "/home/u", .isQuiet), from: 2)
        }
    }

    @Test func anItemHasOneOutcome() {
        var arbiter = Arbiter()
        _ = arbiter.apply(Self.present(1, "/d"), from: 1)
        _ = arbiter.apply(Self.claim(1, "/d/a", [.writes, .moves, .isQuiet]), from: 2)
        let outcomes = (0..<1_000).map {
            ClaimOutcome(access: 0, change: .moved(toPath: ExactPath("/d/\($0)"), key: ExactPath("/d/\($0)")))
        }
        let notices = arbiter.apply(.release(claim: 1, outcomes: outcomes), from: 2).map(\.effect)
        #expect(
            notices == [
                .notify(presenter: 1, .subitemChanged("/d/a")), .notify(presenter: 1, .subitemChanged("/d/0")),
            ])
    }
}

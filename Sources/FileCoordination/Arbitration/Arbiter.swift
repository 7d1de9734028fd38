/// Decides which claims on files may be used at the same time, and what their presenters are asked and told.
///
/// It is a value without a clock, threads or files: events of processes go in, effects for processes come out, and the same
/// events in the same order have the same effects. A process that coordinates alone has one of its own, the daemon has one for
/// everybody.
///
/// The rules. A claim excludes others from an item, from what is beneath it and from what is above it, unless both only read
/// or both have the same purpose. Claims that exclude each other are granted in the order in which they were made. But a claim
/// does not stand behind one that waits for it: behind one that cannot be granted before a claim has ended that encloses this
/// one, has its purpose, or waits for its presenter. All items of a claim are granted at once.
///
/// A claim whose turn has come first has the presenters of its items prepared, and excludes others from then on; it is granted
/// when all have answered.
package struct Arbiter: Sendable {
    enum Phase: Sendable {
        /// Behind others.
        case waiting
        /// Its turn has come; presenters prepare themselves.
        case preparing
        case granted
    }

    struct Claim: Sendable {
        let identifier: ClaimIdentifier
        let sequence: UInt64
        let cost: ClaimCost
        var request: ClaimRequest
        /// The nodes of its accesses in the tree.
        var nodes: [Int] = []
        var phase = Phase.waiting
        var hasMoved = false
        /// Whether it was not granted as soon as it was made.
        var hasWaited = false
        /// One of those that it waits for: until that one has ended there is no need to look again.
        var blocker: ClaimIdentifier?
        /// The presenters that were asked to prepare themselves, and those of them that have not answered.
        var preparations: [UInt64] = []
        var unanswered: Set<UInt64> = []

        var isHolding: Bool { phase != .waiting }
        func entry(_ access: Int) -> PathTree.Entry {
            PathTree.Entry(claim: identifier, access: access, sequence: sequence)
        }
        var isNested: Bool {
            !request.enclosing.isEmpty || !request.answering.isEmpty || !request.blocking.isEmpty
        }
        func isBlocking(_ presenter: PresenterIdentifier) -> Bool {
            presenter.client == identifier.client && request.blocking.contains(presenter.number)
        }
        var presenter: PresenterIdentifier? {
            request.presenter.map { PresenterIdentifier(client: identifier.client, number: $0) }
        }
    }

    struct Presenter: Sendable {
        var place: PresenterPlace
    }

    struct RunningPreparation: Sendable {
        let claim: ClaimIdentifier
        let presenter: PresenterIdentifier
        let relinquishing: Preparation.Relinquishing
    }

    var claims: [ClaimIdentifier: Claim] = [:]
    /// What the claims of each process take.
    private var usages: [UInt64: ClaimUsage] = [:]
    /// Who looks again when a claim has ended.
    var watchers: [ClaimIdentifier: [ClaimIdentifier]] = [:]
    /// Claims that are not granted yet and enclosed by others, made while a presenter prepares itself, or block one's queue.
    var nested: Set<ClaimIdentifier> = []
    /// Those of them that keep a presenter from answering.
    var nestedInMessages: Set<ClaimIdentifier> = []
    /// Those that wait, by the presenter on whose behalf they are made.
    var waitingByPresenter: [PresenterIdentifier: Set<ClaimIdentifier>] = [:]
    var holdersByPurpose: [String: Set<ClaimIdentifier>] = [:]
    var presenters: [PresenterIdentifier: Presenter] = [:]
    var presenterCounts: [UInt64: Int] = [:]
    var preparations: [UInt64: RunningPreparation] = [:]
    var unansweredByPresenter: [PresenterIdentifier: Set<UInt64>] = [:]
    /// The folders of the processes that are confined.
    var confinements: [UInt64: ExactPath] = [:]
    var tree = PathTree()
    private var nextSequence: UInt64 = 1
    var nextPreparation: UInt64 = 1
    /// Whether, since nested claims were last looked at, anything has happened that may concern more than one claim.
    var hasEntangled = false
    /// Collected while an event is dealt with.
    var effects: [AddressedEffect] = []

    package init() {}

    /// Deals with what a process says.
    package mutating func apply(_ event: CoordinationEvent, from client: UInt64) -> [AddressedEffect] {
        func identifier(_ number: UInt64) -> ClaimIdentifier { ClaimIdentifier(client: client, number: number) }
        switch event {
        case .claim(let request): add(request, identifier(request.number))
        case .adopt(let request): adopt(request, identifier(request.number))
        case .adoptedAll: break
        case .release(let claim, let outcomes): release(identifier(claim), outcomes)
        case .cancel(let claim): settle(end(identifier(claim)))
        case .answer(let preparation, let failure):
            hasEntangled = true
            guard preparations[preparation]?.presenter.client == client else { break }
            answer(preparation, failure)
        case .present(let place): present(place, client)
        case .removePresenter(let number): remove(PresenterIdentifier(client: client, number: number))
        case .moved(let move):
            let excepted = move.excepted.map { PresenterIdentifier(client: client, number: $0) }
            var told: Set<Told> = []
            let moved = carryAlong(move, excepted, isAnnounced: true, &told)
            settle(moved)
            if !moved.isEmpty { lookAfterMoves() }
        case .changedAttributes(let path, let names, let excepted):
            tell(
                presentersOf: path, .attributesChanged(names), orOfDirectory: .subitemAttributesChanged(path, names),
                excepted.map { PresenterIdentifier(client: client, number: $0) })
        case .changedVersion(let path, let change):
            tell(
                presentersOf: path, .versionChanged(path, change),
                orOfDirectory: .subitemVersionChanged(path, change), nil)
        }
        return takeEffects()
    }

    /// A process has gone: what it held is free, and its presenters need not be waited for.
    ///
    /// - Parameter keepingGranted: whether it cannot be reached but lives, and goes on using what it was granted.
    package mutating func end(client: UInt64, keepingGranted: Bool = false) -> [AddressedEffect] {
        for presenter in presenters.keys.filter({ $0.client == client }).sorted() { remove(presenter) }
        hasEntangled = true
        var toSettle: [ClaimIdentifier] = []
        let ended = claims.values.filter {
            $0.identifier.client == client && !(keepingGranted && $0.phase == .granted)
        }
        for claim in ended.sorted(by: { $0.sequence < $1.sequence }) {
            toSettle += end(claim.identifier)
        }
        settle(toSettle)
        if usages[client]?.count == 0 { usages[client] = nil }
        if !keepingGranted { confinements[client] = nil }
        effects.removeAll { $0.client == client }
        return takeEffects()
    }

    /// A presenter's time is over. Returns where its item is, if it was still waited for, beside the effects.
    package mutating func expire(preparation: UInt64) -> (path: String, effects: [AddressedEffect])? {
        guard let running = preparations[preparation],
            unansweredByPresenter[running.presenter]?.contains(preparation) == true
        else { return nil }
        hasEntangled = true
        let path = presenters[running.presenter]?.place.path?.string ?? ""
        answer(preparation, nil)
        return (path, takeEffects())
    }

    /// How many claims there are, granted and waiting.
    package var claimCount: Int { claims.count }

    /// How many claims a process has, granted and waiting.
    package func claimCount(of client: UInt64) -> Int { usages[client]?.count ?? 0 }

    private mutating func takeEffects() -> [AddressedEffect] {
        lookAtNestedClaims()
        defer { effects = [] }
        return effects
    }

    /// While a presenter is waited for, claims of its thread come to be waited for, and no longer to be favoured, by what happens to
    /// claims elsewhere: others need not stand behind what waits for them, or they wait for each other.
    ///
    /// Nothing of that comes of claims that nobody else has to do with, which are nearly all.
    private mutating func lookAtNestedClaims() {
        guard hasEntangled else { return }
        hasEntangled = false
        if nested.isEmpty || !hasDelayedPreparation { return }
        var told: Int
        repeat {
            // One that goes on, or is told that it cannot, may let another one go on.
            told = effects.count
            settle(entangledClaims())
            denyDeadlocks(among: nested)
        } while effects.count != told
    }

    mutating func tell(_ client: UInt64, _ effect: CoordinationEffect) {
        effects.append(AddressedEffect(client: client, effect: effect))
    }
}

// MARK: - Claims

extension Arbiter {
    private mutating func add(_ request: ClaimRequest, _ identifier: ClaimIdentifier) {
        // A number that is in use already is a mistake of the process, to its own harm only.
        guard claims[identifier] == nil else { return }
        guard insert(request, identifier) else { return }
        settle([identifier])
        guard let claim = claims[identifier], claim.phase == .waiting else { return }
        hasEntangled = true
        // Nobody waits for the latest claim but by way of what it is inside of.
        guard claim.isNested, isEntangled(claim) else { return }
        if let other = deadlock(of: identifier) { return deny(identifier, becauseOf: other) }
        // Now that this one waits, others need not stand behind those that wait for it.
        settle(entangledClaims())
    }

    private mutating func adopt(_ request: ClaimRequest, _ identifier: ClaimIdentifier) {
        guard claims[identifier] == nil else { return }
        // No more than what another arbiter can have granted, within the same bounds.
        guard insert(request, identifier) else { return }
        hasEntangled = true
        takeTurn(identifier)
        claims[identifier]?.phase = .granted
        forgetNested(identifier)
        // They make way for as long as it is used, but it is not they who decide whether it is.
        guard let claim = claims[identifier] else { return }
        settle(prepareForClaim(claim).flatMap { waitingByPresenter[$0] ?? [] })
    }

    /// Returns whether there was room for it. If not, its process is told.
    private mutating func insert(_ request: ClaimRequest, _ identifier: ClaimIdentifier) -> Bool {
        let cost = ClaimCost(request)
        if let denial = usages[identifier.client]?.denial(of: cost) {
            tell(identifier.client, .denied(claim: identifier.number, denial))
            return false
        }
        let sequence = nextSequence
        nextSequence += 1
        var claim = Claim(identifier: identifier, sequence: sequence, cost: cost, request: request)
        for (number, access) in request.accesses.enumerated() {
            claim.nodes.append(
                tree.insert(claim.entry(number), at: access.key, .init(writes: access.writes, holds: false)))
        }
        claims[identifier] = claim
        usages[identifier.client, default: ClaimUsage()].add(cost)
        if claim.isNested { nested.insert(identifier) }
        if !request.answering.isEmpty || !request.blocking.isEmpty { nestedInMessages.insert(identifier) }
        if let presenter = claim.presenter { waitingByPresenter[presenter, default: []].insert(identifier) }
        return true
    }

    func deniedPath(_ identifier: ClaimIdentifier) -> String {
        claims[identifier]?.request.accesses.first?.path.string ?? ""
    }

    mutating func deny(_ identifier: ClaimIdentifier, becauseOf other: ClaimIdentifier) {
        let client = other.client == identifier.client ? nil : other.client
        tell(
            identifier.client,
            .denied(
                claim: identifier.number,
                .deadlock(OtherClaim(client: client, number: other.number), path: deniedPath(other))))
        settle(end(identifier))
    }

    private mutating func forgetNested(_ identifier: ClaimIdentifier) {
        if !nested.isEmpty { nested.remove(identifier) }
        if !nestedInMessages.isEmpty { nestedInMessages.remove(identifier) }
    }

    private mutating func forgetWaiting(_ claim: Claim) {
        guard let presenter = claim.presenter else { return }
        waitingByPresenter[presenter]?.remove(claim.identifier)
        if waitingByPresenter[presenter]?.isEmpty == true { waitingByPresenter[presenter] = nil }
    }

    /// Takes a claim out, in whatever phase it is. Returns those that waited for it.
    mutating func end(_ identifier: ClaimIdentifier) -> [ClaimIdentifier] {
        guard let claim = claims.removeValue(forKey: identifier) else { return [] }
        if !hasEntangled, !nested.isEmpty, !unansweredByPresenter.isEmpty {
            hasEntangled = claim.isNested || !claim.preparations.isEmpty || hasExcluding(claim)
        }
        usages[identifier.client]?.remove(claim.cost)
        forgetNested(identifier)
        forgetWaiting(claim)
        for (number, access) in claim.request.accesses.enumerated() {
            tree.remove(
                claim.entry(number), at: claim.nodes[number], .init(writes: access.writes, holds: claim.isHolding))
        }
        if claim.isHolding {
            holdersByPurpose[claim.request.purpose]?.remove(identifier)
            if holdersByPurpose[claim.request.purpose]?.isEmpty == true {
                holdersByPurpose[claim.request.purpose] = nil
            }
        }
        for number in claim.preparations {
            guard let preparation = preparations.removeValue(forKey: number) else { continue }
            forgetUnanswered(number, of: preparation.presenter)
            tell(preparation.presenter.client, .reacquire(preparation: number))
        }
        return watchers.removeValue(forKey: identifier) ?? []
    }

    private mutating func release(_ identifier: ClaimIdentifier, _ outcomes: [ClaimOutcome]) {
        guard let claim = claims[identifier], claim.phase == .granted else { return settle(end(identifier)) }
        let waiting = end(identifier)
        // All that has moved is where it is now before anybody gets anything.
        let moved = report(outcomes, of: claim)
        settle(waiting + moved)
        if !moved.isEmpty { lookAfterMoves() }
    }

    /// Looks again at claims, and at those that follow from it, in the order in which they were made.
    mutating func settle(_ identifiers: [ClaimIdentifier]) {
        guard !identifiers.isEmpty else { return }
        var agenda = identifiers
        if agenda.count > 1 {
            agenda = Array(Set(agenda)).sorted { (claims[$0]?.sequence ?? 0) < (claims[$1]?.sequence ?? 0) }
        }
        for identifier in agenda {
            guard let claim = claims[identifier] else { continue }
            switch claim.phase {
            case .waiting:
                // Those are in the way until they end.
                if let blocker = claim.blocker, claims[blocker]?.phase == .granted { continue }
                if let blocker = firstBlocker(of: claim) { wait(identifier, for: blocker) } else { hold(identifier) }
            case .preparing: grantIfReady(identifier)
            case .granted: break
            }
        }
    }

    private mutating func wait(_ identifier: ClaimIdentifier, for blocker: ClaimIdentifier) {
        guard claims[identifier]?.blocker != blocker || watchers[blocker] == nil else { return }
        claims[identifier]?.blocker = blocker
        claims[identifier]?.hasWaited = true
        watchers[blocker, default: []].append(identifier)
        // One that is granted for long may be waited for by many that are cancelled.
        let count = watchers[blocker]?.count ?? 0
        if count >= 1_024, count & (count - 1) == 0 {
            watchers[blocker]?.removeAll { claims[$0]?.blocker != blocker }
        }
    }

    /// A claim's turn has come.
    private mutating func hold(_ identifier: ClaimIdentifier) {
        guard let claim = takeTurn(identifier) else { return }
        if !hasEntangled, !nested.isEmpty, !unansweredByPresenter.isEmpty { hasEntangled = hasExcluding(claim) }
        let asked = prepareForClaim(claim)
        // Nobody was in its way a moment ago.
        if asked.isEmpty { return grant(claim) }
        claims[identifier]?.hasWaited = true
        hasEntangled = true
        if let presenter = asked.first(where: { claim.isBlocking($0) }) {
            let path = presenters[presenter]?.place.path?.string ?? ""
            tell(identifier.client, .denied(claim: identifier.number, .blockedPresenter(path: path)))
            return settle(end(identifier))
        }
        // What is done on behalf of those does not wait for this claim any longer.
        settle(asked.flatMap { waitingByPresenter[$0] ?? [] })
    }

    /// From now on others are excluded. Returns the claim as it was before.
    @discardableResult
    private mutating func takeTurn(_ identifier: ClaimIdentifier) -> Claim? {
        guard let claim = claims[identifier] else { return nil }
        claims[identifier]?.phase = .preparing
        for (number, access) in claim.request.accesses.enumerated() {
            tree.hold(claim.entry(number), at: claim.nodes[number], writes: access.writes)
        }
        forgetWaiting(claim)
        holdersByPurpose[claim.request.purpose, default: []].insert(identifier)
        return claim
    }

    mutating func grantIfReady(_ identifier: ClaimIdentifier) {
        guard let claim = claims[identifier], claim.phase == .preparing, claim.unanswered.isEmpty else { return }
        // A presenter may have begun something itself while it prepared, and not be done with it.
        if let blocker = firstObstacle(to: claim) { return wait(identifier, for: blocker) }
        grant(claim)
    }

    private mutating func grant(_ claim: Claim) {
        let identifier = claim.identifier
        claims[identifier]?.phase = .granted
        forgetNested(identifier)
        tell(
            identifier.client,
            .granted(
                claim: identifier.number, paths: claim.hasMoved ? claim.request.accesses.map(\.path) : [],
                keys: claim.hasMoved ? claim.request.accesses.map(\.key) : [], hasWaited: claim.hasWaited))
    }
}

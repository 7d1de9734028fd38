/// The life cycle of claims.
extension Arbiter {
    mutating func add(_ request: ClaimRequest, _ identifier: ClaimIdentifier) {
        // The request is ignored if the process has already used the number for a claim. This harms only that process.
        guard claims[identifier] == nil else { return }
        guard insert(request, identifier) else { return }
        settle([identifier])
        guard let claim = claims[identifier], claim.phase == .waiting else { return }
        hasEntangled = true
        // The newest claim is the last in every queue. Therefore another claim can wait for it only by waiting for a
        // claim that cannot end before it.
        guard claim.isNested, isEntangled(claim) else { return }
        if let other = deadlock(of: identifier) { return deny(identifier, becauseOf: other) }
        // This claim waits now. Therefore other nested claims may pass the claims that wait for this claim.
        settle(entangledClaims())
    }

    mutating func adopt(_ request: ClaimRequest, _ identifier: ClaimIdentifier) {
        guard claims[identifier] == nil else { return }
        // An adopted claim is subject to the same limits as any other.
        guard insert(request, identifier) else { return }
        hasEntangled = true
        takeTurn(identifier)
        claims[identifier]?.phase = .granted
        forgetNested(identifier)
        // The process already uses the items of the claim. Presenters are asked to relinquish them, but cannot prevent
        // the claim.
        guard let claim = claims[identifier] else { return }
        settle(prepareForClaim(claim).flatMap { waitingByPresenter[$0] ?? [] })
    }

    /// Inserts a claim. If the claim exceeds a limit, denies it and returns `false`.
    private mutating func insert(_ request: ClaimRequest, _ identifier: ClaimIdentifier) -> Bool {
        let cost = ClaimCost(request)
        if let denial = denial(of: cost, for: identifier.client) {
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

    /// Returns the reason to deny a claim of the given cost; `nil` if the cost is within the limits of the client and
    /// of its process.
    func denial(of cost: ClaimCost, for client: UInt64) -> ClaimDenial? {
        if let denial = usages[client, default: ClaimUsage()].denial(of: cost) { return denial }
        let connections = processes.connections(beside: client)
        if connections.isEmpty { return nil }
        var all = ClaimUsage()
        for connection in connections { if let usage = usages[connection] { all.add(usage) } }
        return all.denial(of: cost, times: ClaimUsage.connectionsFactor)
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

    /// Removes a claim in any phase. Returns the claims that waited for this claim.
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
            changeUsage(of: preparation.presenter.client) { $0.preparations -= 1 }
            tell(preparation.presenter.client, .reacquire(preparation: number))
        }
        return watchers.removeValue(forKey: identifier) ?? []
    }

    mutating func release(_ identifier: ClaimIdentifier, _ outcomes: [ClaimOutcome]) {
        guard let claim = claims[identifier], claim.phase == .granted else { return settle(end(identifier)) }
        let waiting = end(identifier)
        // All moves are applied before any other claim is granted.
        let moved = report(Self.plausible(outcomes, of: claim), of: claim)
        settle(waiting + moved)
        if !moved.isEmpty { lookAfterMoves() }
    }

    /// Drops implausible outcomes. Only a written item can have an outcome, and at most one. A move is plausible only
    /// for an access with the trait `moves`, because accesses without this trait do not exclude accesses to the
    /// destination.
    private static func plausible(_ outcomes: [ClaimOutcome], of claim: Claim) -> [ClaimOutcome] {
        let accesses = claim.request.accesses
        var known: Set<Int> = []
        return outcomes.filter { outcome in
            guard accesses.indices.contains(outcome.access), accesses[outcome.access].writes else { return false }
            if case .moved = outcome.change, !accesses[outcome.access].traits.contains(.moves) { return false }
            return outcomes.count == 1 || known.insert(outcome.access).inserted
        }
    }

    /// Checks, in the order in which the claims were made, whether each of the given claims can proceed now. Claims
    /// that are affected by the result for one claim are checked before the next of the given claims.
    ///
    /// A nested call only adds to the agenda of the outer call. After a call, callers must read claims from `claims`
    /// again, because copies may be outdated.
    mutating func settle(_ identifiers: [ClaimIdentifier]) {
        guard !identifiers.isEmpty else { return }
        if identifiers.count == 1 {
            agenda.append(identifiers[0])
        } else {
            agenda += Array(Set(identifiers)).sorted { (claims[$0]?.sequence ?? 0) > (claims[$1]?.sequence ?? 0) }
        }
        if isSettling { return }
        isSettling = true
        while let identifier = agenda.popLast() { look(at: identifier) }
        isSettling = false
    }

    private mutating func look(at identifier: ClaimIdentifier) {
        guard let claim = claims[identifier] else { return }
        switch claim.phase {
        case .waiting:
            // A granted blocker remains in the way until it ends.
            if let blocker = claim.blocker, claims[blocker]?.phase == .granted { return }
            if let blocker = firstBlocker(of: claim) { wait(identifier, for: blocker) } else { hold(identifier) }
        case .preparing: grantIfReady(identifier)
        case .granted: break
        }
    }

    private mutating func wait(_ identifier: ClaimIdentifier, for blocker: ClaimIdentifier) {
        guard claims[identifier]?.blocker != blocker || watchers[blocker] == nil else { return }
        claims[identifier]?.blocker = blocker
        claims[identifier]?.hasWaited = true
        watchers[blocker, default: []].append(identifier)
        // While one claim is held for a long time, many claims that wait for it may be cancelled. They are removed from
        // the list whenever its length reaches a power of two.
        let count = watchers[blocker]?.count ?? 0
        if count >= 1_024, count & (count - 1) == 0 {
            watchers[blocker]?.removeAll { claims[$0]?.blocker != blocker }
        }
    }

    /// Makes a waiting claim exclude other claims, and asks the presenters of its items to prepare.
    private mutating func hold(_ identifier: ClaimIdentifier) {
        guard let claim = takeTurn(identifier) else { return }
        if !hasEntangled, !nested.isEmpty, !unansweredByPresenter.isEmpty { hasEntangled = hasExcluding(claim) }
        let asked = prepareForClaim(claim)
        // If no presenter must prepare, the claim is granted: the caller has checked that no other claim is in its way.
        if asked.isEmpty { return grant(claim) }
        claims[identifier]?.hasWaited = true
        hasEntangled = true
        if let presenter = asked.first(where: { claim.isBlocking($0) }) {
            let path = presenters[presenter]?.place.path?.string ?? ""
            tell(identifier.client, .denied(claim: identifier.number, .blockedPresenter(path: path)))
            return settle(end(identifier))
        }
        // Claims on behalf of the asked presenters no longer wait for this claim.
        settle(asked.flatMap { waitingByPresenter[$0] ?? [] })
    }

    /// Makes a waiting claim exclude other claims. Returns the claim as it was before this call; `nil` if it does not
    /// exist.
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
        // While a presenter prepared, it may have made a claim of its own that has not ended.
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

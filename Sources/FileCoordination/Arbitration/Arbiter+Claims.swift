/// Claims from their making to their end.
extension Arbiter {
    mutating func add(_ request: ClaimRequest, _ identifier: ClaimIdentifier) {
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

    mutating func adopt(_ request: ClaimRequest, _ identifier: ClaimIdentifier) {
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

    /// Why something more is not taken of a process.
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
            changeUsage(of: preparation.presenter.client) { $0.preparations -= 1 }
            tell(preparation.presenter.client, .reacquire(preparation: number))
        }
        return watchers.removeValue(forKey: identifier) ?? []
    }

    mutating func release(_ identifier: ClaimIdentifier, _ outcomes: [ClaimOutcome]) {
        guard let claim = claims[identifier], claim.phase == .granted else { return settle(end(identifier)) }
        let waiting = end(identifier)
        // All that has moved is where it is now before anybody gets anything.
        let moved = report(Self.plausible(outcomes, of: claim), of: claim)
        settle(waiting + moved)
        if !moved.isEmpty { lookAfterMoves() }
    }

    /// What becomes of an item becomes of it once, and of what is only read nothing. What was not claimed to be moved stays where
    /// it is: nobody was kept from the place where it is said to have gone to.
    private static func plausible(_ outcomes: [ClaimOutcome], of claim: Claim) -> [ClaimOutcome] {
        let accesses = claim.request.accesses
        var known: Set<Int> = []
        return outcomes.filter { outcome in
            guard accesses.indices.contains(outcome.access), accesses[outcome.access].writes else { return false }
            if case .moved = outcome.change, !accesses[outcome.access].traits.contains(.moves) { return false }
            return outcomes.count == 1 || known.insert(outcome.access).inserted
        }
    }

    /// Looks again at claims, in the order in which they were made, and at those that follow from each before the next.
    ///
    /// What calls this while a claim is looked at does nothing after it.
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
            // Those are in the way until they end.
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

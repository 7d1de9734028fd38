/// The rules by which claims wait for each other, and the detection of deadlocks.
extension Arbiter {
    /// Returns a claim that prevents the given waiting claim from proceeding; `nil` if no claim does.
    func firstBlocker(of claim: Claim) -> ClaimIdentifier? {
        if !hasExcluding(claim) { return nil }
        var found: ClaimIdentifier?
        var favour = Favour(claimsBefore(claim))
        forEachExcluding(claim, waitingBefore: claim.sequence) { other, access, relation in
            guard isBlocker(other, access, relation, of: claim, &favour) else { return true }
            found = other.identifier
            return false
        }
        return found
    }

    /// Returns a granted claim that prevents the grant of the given preparing claim; `nil` if no claim does.
    func firstObstacle(to claim: Claim) -> ClaimIdentifier? { obstacles(to: claim, atMost: 1).first }

    func isInTheWayOfHolders(_ claim: Claim) -> Bool {
        var isInTheWay = false
        forEachExcluding(claim) { _, _, _ in
            isInTheWay = true
            return false
        }
        return isInTheWay
    }

    private func obstacles(to claim: Claim, atMost limit: Int = .max) -> [ClaimIdentifier] {
        var found: [ClaimIdentifier] = []
        forEachExcluding(claim) { other, access, relation in
            if other.phase == .granted, !isEnclosingReader(other, access, relation, of: claim) {
                found.append(other.identifier)
            }
            return found.count < limit
        }
        return found
    }

    // MARK: Deadlocks

    /// Returns a claim that the given claim waits for, and that cannot end before the given claim has ended. Returns
    /// `nil` if there is no deadlock.
    func deadlock(of identifier: ClaimIdentifier) -> ClaimIdentifier? {
        guard let claim = claims[identifier] else { return nil }
        let waiting = claimsWaiting(for: [identifier], isExact: true)
        if waiting.isEmpty { return nil }
        var found: ClaimIdentifier?
        switch claim.phase {
        case .waiting:
            var favour = Favour(claimsBefore(claim))
            forEachExcluding(claim, waitingBefore: claim.sequence) { other, access, relation in
                guard waiting.contains(other.identifier), isBlocker(other, access, relation, of: claim, &favour) else {
                    return true
                }
                found = other.identifier
                return false
            }
        case .preparing:
            found =
                inOrder(waiting.intersection(nested)).first {
                    claims[$0].map(outer(of:))?.contains(identifier) ?? false
                }
                ?? obstacles(to: claim).first { waiting.contains($0) }
        case .granted: break
        }
        return found
    }

    /// Returns the nested claims that may be part of a deadlock: those for which ``claimsBefore(_:)`` includes a claim
    /// that other claims wait for. Every deadlock includes one of the returned claims. Usually the result is empty.
    func entangledClaims() -> [ClaimIdentifier] {
        nested.filter { claims[$0].map(isEntangled) ?? false }
    }

    func isEntangled(_ claim: Claim) -> Bool {
        claimsBefore(claim).contains { claims[$0].map(isWaitedFor) ?? false }
    }

    /// Whether a claim that waits for a presenter may also be delayed by another claim: a nested claim prevents a
    /// presenter from replying, or a granted claim prevents the grant.
    var hasDelayedPreparation: Bool {
        if unansweredByPresenter.isEmpty { return false }
        if !nestedInMessages.isEmpty { return true }
        return unansweredByPresenter.values.contains { unanswered in
            unanswered.contains { number in
                preparations[number].flatMap { claims[$0.claim] }.map { firstObstacle(to: $0) != nil } ?? false
            }
        }
    }

    func inOrder(_ identifiers: some Collection<ClaimIdentifier>) -> [ClaimIdentifier] {
        identifiers.sorted { (claims[$0]?.sequence ?? 0) < (claims[$1]?.sequence ?? 0) }
    }

    // MARK: Nested claims

    /// Returns the claims that cannot end before the given claim has ended: the claims that its thread holds, and the
    /// claims that wait for a presenter whose reply the given claim delays. The result is empty unless the given claim
    /// is nested and not granted yet.
    func outer(of claim: Claim) -> [ClaimIdentifier] {
        if claim.phase == .granted || !claim.isNested { return [] }
        var found: [ClaimIdentifier] = []
        for number in claim.request.enclosing {
            let identifier = ClaimIdentifier(client: claim.identifier.client, number: number)
            if claims[identifier]?.phase == .granted { found.append(identifier) }
        }
        func add(_ preparation: UInt64) {
            guard preparations[preparation]?.presenter.client == claim.identifier.client,
                let asking = preparations[preparation]?.claim, let other = claims[asking], other.phase == .preparing,
                other.unanswered.contains(preparation)
            else { return }
            found.append(asking)
        }
        claim.request.answering.forEach(add)
        for number in claim.request.blocking {
            unansweredByPresenter[PresenterIdentifier(client: claim.identifier.client, number: number)]?.forEach(add)
        }
        return found
    }

    /// Returns the holding claims that end only after `claim`, have the same purpose as `claim`, or wait for the
    /// presenter of `claim`. An earlier claim that waits for one of them must not make `claim` wait.
    private func claimsBefore(_ claim: Claim) -> Set<ClaimIdentifier> {
        // The set, which may be large, is copied only if other claims are added.
        var found = holdersByPurpose[claim.request.purpose] ?? []
        for number in claim.request.enclosing {
            let identifier = ClaimIdentifier(client: claim.identifier.client, number: number)
            if claims[identifier] != nil { found.insert(identifier) }
        }
        for number in claim.request.answering where preparations[number]?.presenter.client == claim.identifier.client {
            if let asking = preparations[number]?.claim { found.insert(asking) }
        }
        if let presenter = claim.presenter, let unanswered = unansweredByPresenter[presenter] {
            for number in unanswered { if let asking = preparations[number]?.claim { found.insert(asking) } }
        }
        // A presenter whose queue this claim blocks can reply only after this claim has ended.
        for number in claim.request.blocking {
            let presenter = PresenterIdentifier(client: claim.identifier.client, number: number)
            for question in unansweredByPresenter[presenter] ?? [] {
                if let asking = preparations[question]?.claim { found.insert(asking) }
            }
        }
        if found.contains(claim.identifier) { found.remove(claim.identifier) }
        return found
    }

    /// The result of ``claimsBefore(_:)`` for a claim, and the claims that wait for one of the claims in this result.
    /// The second set is computed on first use.
    struct Favour {
        let claims: Set<ClaimIdentifier>
        fileprivate var waiting: Set<ClaimIdentifier>?

        fileprivate init(_ claims: Set<ClaimIdentifier>) { self.claims = claims }
    }

    func favour(of claim: Claim) -> Favour { Favour(claimsBefore(claim)) }

    func isBlocker(
        _ other: Claim, _ access: Access, _ relation: PathTree.Relation, of claim: Claim, _ favour: inout Favour
    ) -> Bool {
        guard other.isHolding else {
            guard other.sequence < claim.sequence else { return false }
            if favour.claims.isEmpty { return true }
            let waiting = favour.waiting ?? claimsWaiting(for: favour.claims, isExact: false)
            favour.waiting = waiting
            return !waiting.contains(other.identifier)
        }
        if isEnclosingReader(other, access, relation, of: claim) { return false }
        guard other.phase == .preparing else { return true }
        // `claim` does not wait for a preparing claim that waits for the presenter of `claim`: the presenter may need
        // `claim` to save its item before it replies. `claim` also does not wait for a preparing claim that waits for
        // one of the claims in `favour`.
        if let presenter = claim.presenter,
            other.unanswered.contains(where: { preparations[$0]?.presenter == presenter })
        {
            return false
        }
        return favour.claims.isEmpty || favour.claims.isDisjoint(with: obstacles(to: other))
    }

    /// Whether `other` is a claim of the same thread to read a directory that contains an item of `claim`. Such a claim
    /// does not block `claim`: a thread itself ensures that its own accesses do not conflict.
    func isEnclosingReader(
        _ other: Claim, _ access: Access, _ relation: PathTree.Relation, of claim: Claim
    ) -> Bool {
        relation == .above && !access.writes && other.identifier.client == claim.identifier.client
            && claim.request.enclosing.contains(other.identifier.number)
    }

    func hasExcluding(_ claim: Claim) -> Bool {
        for (number, access) in claim.request.accesses.enumerated()
        where tree.hasExcluding(
            claim.identifier, of: claim.request.purpose, at: claim.nodes[number], writes: access.writes)
        {
            return true
        }
        return false
    }

    /// Calls a function for every access of a holding claim that excludes an access of `claim`. If a sequence number is
    /// given, accesses of waiting claims with a lower number are included. Stops when the function returns `false`.
    private func forEachExcluding(
        _ claim: Claim, waitingBefore sequence: UInt64? = nil, _ body: (Claim, Access, PathTree.Relation) -> Bool
    ) {
        for (number, access) in claim.request.accesses.enumerated() {
            var goesOn = true
            tree.forEachExcluding(
                at: claim.nodes[number], of: claim.request.purpose, writes: access.writes, waitingBefore: sequence
            ) { entry, relation in
                guard entry.claim != claim.identifier, let other = claims[entry.claim] else { return true }
                goesOn = body(other, other.request.accesses[entry.access], relation)
                return goesOn
            }
            if !goesOn { return }
        }
    }
}

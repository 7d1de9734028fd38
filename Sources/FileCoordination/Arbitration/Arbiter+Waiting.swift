/// Who waits for whom.
extension Arbiter {
    /// One of those that a waiting claim waits for; `nil` when its turn has come.
    func firstBlocker(of claim: Claim) -> ClaimIdentifier? {
        if !hasExcluding(claim) { return nil }
        var found: ClaimIdentifier?
        let favoured = claimsBefore(claim)
        forEachExcluding(claim) { other, access, relation in
            guard isBlocker(other, access, relation, of: claim, favoured) else { return true }
            found = other.identifier
            return false
        }
        return found
    }

    /// A granted claim that keeps another one, whose turn has come, from being granted.
    func firstObstacle(to claim: Claim) -> ClaimIdentifier? { obstacles(to: claim, atMost: 1).first }

    func isInTheWayOfHolders(_ claim: Claim) -> Bool {
        var isInTheWay = false
        forEachExcluding(claim) { other, _, _ in
            isInTheWay = other.isHolding
            return !isInTheWay
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

    /// Another claim that cannot end before this one has, while this one waits for it.
    func deadlock(of identifier: ClaimIdentifier) -> ClaimIdentifier? {
        guard let claim = claims[identifier] else { return nil }
        for first in successors(of: claim) {
            var visited: Set<ClaimIdentifier> = [first]
            var open = [first]
            while let next = open.popLast() {
                if next == identifier { return first }
                guard let other = claims[next] else { continue }
                for successor in successors(of: other) where visited.insert(successor).inserted {
                    open.append(successor)
                }
            }
        }
        return nil
    }

    /// All that must have ended before a claim can be granted or, when it is granted, released.
    private func successors(of claim: Claim) -> [ClaimIdentifier] {
        switch claim.phase {
        case .waiting:
            var found: [ClaimIdentifier] = []
            let favoured = claimsBefore(claim)
            forEachExcluding(claim) { other, access, relation in
                if isBlocker(other, access, relation, of: claim, favoured) { found.append(other.identifier) }
                return true
            }
            return found
        case .preparing: return inside(claim) + obstacles(to: claim)
        case .granted: return inside(claim)
        }
    }

    /// The claims that are made by a claim's user, by a presenter while it prepares itself for it, or on such a presenter's queue.
    private func inside(_ claim: Claim) -> [ClaimIdentifier] {
        nested.filter { identifier in
            guard let other = claims[identifier] else { return false }
            if claim.phase == .preparing {
                return !claim.unanswered.isDisjoint(with: other.request.answering)
                    || claim.unanswered.contains { preparations[$0].map { other.isBlocking($0.presenter) } ?? false }
            }
            return other.identifier.client == claim.identifier.client
                && other.request.enclosing.contains(claim.identifier.number)
        }.sorted { (claims[$0]?.sequence ?? 0) < (claims[$1]?.sequence ?? 0) }
    }

    /// The holding claims that end only after this one, or with its help: nobody who waits for them may make it wait.
    private func claimsBefore(_ claim: Claim) -> Set<ClaimIdentifier> {
        var found: Set<ClaimIdentifier> = []
        for number in claim.request.enclosing {
            let identifier = ClaimIdentifier(client: claim.identifier.client, number: number)
            if claims[identifier] != nil { found.insert(identifier) }
        }
        for number in claim.request.answering {
            if let asking = preparations[number]?.claim { found.insert(asking) }
        }
        if let kin = holdersByPurpose[claim.request.purpose] { found.formUnion(kin) }
        if let presenter = claim.presenter, let unanswered = unansweredByPresenter[presenter] {
            for number in unanswered { if let asking = preparations[number]?.claim { found.insert(asking) } }
        }
        // A presenter whose queue this claim blocks answers when it has ended.
        for number in claim.request.blocking {
            let presenter = PresenterIdentifier(client: claim.identifier.client, number: number)
            for question in unansweredByPresenter[presenter] ?? [] {
                if let asking = preparations[question]?.claim { found.insert(asking) }
            }
        }
        found.remove(claim.identifier)
        return found
    }

    private func isBlocker(
        _ other: Claim, _ access: Access, _ relation: PathTree.Relation, of claim: Claim,
        _ favoured: Set<ClaimIdentifier>
    ) -> Bool {
        guard other.isHolding else {
            guard other.sequence < claim.sequence else { return false }
            return favoured.isEmpty || !waits(other, forAnyOf: favoured)
        }
        if isEnclosingReader(other, access, relation, of: claim) { return false }
        guard other.phase == .preparing else { return true }
        // It waits for the presenter on whose behalf this claim is made, to save, say; or for one that encloses this claim,
        // made on such a presenter's behalf.
        if let presenter = claim.presenter,
            other.unanswered.contains(where: { preparations[$0]?.presenter == presenter })
        {
            return false
        }
        return favoured.isEmpty || favoured.isDisjoint(with: obstacles(to: other))
    }

    /// Whether it is the same thread that reads the directory which the item is in: it knows what it does.
    private func isEnclosingReader(
        _ other: Claim, _ access: Access, _ relation: PathTree.Relation, of claim: Claim
    ) -> Bool {
        relation == .above && !access.writes && other.identifier.client == claim.identifier.client
            && claim.request.enclosing.contains(other.identifier.number)
    }

    /// Whether a waiting claim waits, also by way of others, for one of some claims.
    private func waits(_ claim: Claim, forAnyOf sought: Set<ClaimIdentifier>) -> Bool {
        var visited: Set<ClaimIdentifier> = [claim.identifier]
        var open = [claim.identifier]
        while let next = open.popLast() {
            guard let current = claims[next] else { continue }
            var found: [ClaimIdentifier] = []
            if current.phase == .waiting {
                forEachExcluding(current) { other, _, _ in
                    if other.isHolding || other.sequence < current.sequence { found.append(other.identifier) }
                    return true
                }
            } else {
                found = successors(of: current)
            }
            for successor in found {
                if sought.contains(successor) { return true }
                if visited.insert(successor).inserted { open.append(successor) }
            }
        }
        return false
    }

    private func hasExcluding(_ claim: Claim) -> Bool {
        for (number, access) in claim.request.accesses.enumerated()
        where tree.hasExcluding(claim.identifier, at: claim.nodes[number], writes: access.writes) {
            return true
        }
        return false
    }

    /// Calls a function for every access of other claims that cannot be used together with one of a claim's own.
    private func forEachExcluding(_ claim: Claim, _ body: (Claim, Access, PathTree.Relation) -> Bool) {
        for (number, access) in claim.request.accesses.enumerated() {
            var goesOn = true
            tree.forEachExcluding(at: claim.nodes[number], writes: access.writes) { entry, relation in
                guard entry.claim != claim.identifier, let other = claims[entry.claim],
                    other.request.purpose != claim.request.purpose
                else { return true }
                goesOn = body(other, other.request.accesses[entry.access], relation)
                return goesOn
            }
            if !goesOn { return }
        }
    }
}

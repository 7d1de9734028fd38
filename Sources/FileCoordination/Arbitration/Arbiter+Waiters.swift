/// The search for the claims that wait for other claims.
extension Arbiter {
    /// The entries of the tree's queues that a search has already examined. The claims for one item all wait for nearly
    /// the same claims. Therefore each entry is examined only once where possible, and the time of a search is linear
    /// in the number of claims.
    private struct Marks {
        struct Mark {
            /// All entries with a greater sequence number have been examined.
            var after = UInt64.max
            /// Entries that were examined and do not wait for any claim found so far. They are examined again for each
            /// further claim.
            var skipped: [PathTree.Entry] = []
        }

        struct Key: Hashable {
            let node: Int
            let group: PathTree.Group
        }

        struct Subtree {
            var after: UInt64
            var writes: Bool
        }

        var marks: [Key: Mark] = [:]
        /// Nodes beneath which all entries were examined and none was skipped.
        var subtrees: [Int: Subtree] = [:]
        var skips = 0
    }

    /// Returns the claims that wait, directly or indirectly, for at least one of the given claims.
    ///
    /// - Parameter isExact: Whether to omit claims that may pass the earlier claims that exclude them. If it is
    ///   `false`, a claim counts as waiting for every earlier claim that excludes it. The rule by which claims may pass
    ///   is itself computed from the result for `false`.
    func claimsWaiting(for sought: some Collection<ClaimIdentifier>, isExact: Bool) -> Set<ClaimIdentifier> {
        var reached: Set<ClaimIdentifier> = []
        var open = Array(sought)
        var marks = Marks()
        var favours: [ClaimIdentifier: Favour] = [:]
        while let next = open.popLast() {
            guard let claim = claims[next] else { continue }
            func reach(_ identifier: ClaimIdentifier) {
                if reached.insert(identifier).inserted, !sought.contains(identifier) { open.append(identifier) }
            }
            forEachWaiter(for: claim, &marks) { other, access, relation in
                if reached.contains(other.identifier) { return true }
                if isExact, !other.isHolding, isFavoured(other) {
                    var known = favours[other.identifier] ?? favour(of: other)
                    let waits = isBlocker(claim, access, relation, of: other, &known)
                    favours[other.identifier] = known
                    if !waits { return false }
                }
                reach(other.identifier)
                return true
            }
            outer(of: claim).forEach(reach)
        }
        return reached
    }

    /// Whether a waiting claim is of a kind that can pass earlier claims.
    private func isFavoured(_ claim: Claim) -> Bool {
        claim.isNested || claim.presenter != nil || holdersByPurpose[claim.request.purpose] != nil
    }

    /// Whether another claim waits for the given claim.
    func isWaitedFor(_ claim: Claim) -> Bool {
        if !outer(of: claim).isEmpty { return true }
        for (number, access) in claim.request.accesses.enumerated() {
            let hasNone = tree.forEachNode(around: claim.nodes[number]) { node, relation in
                for group in groups(waitingFor: claim, access) {
                    for entry in tree.entries(at: node, group).after(0, through: .max)
                    where waits(entry, for: claim, access, relation) != nil {
                        return false
                    }
                }
                return true
            }
            if !hasNone { return true }
        }
        return false
    }

    /// Returns the groups of entries whose claims may wait for `access` of `claim`. If `claim` is granted, these
    /// include the preparing claims. A preparing claim does not wait for other preparing claims.
    private func groups(waitingFor claim: Claim, _ access: Access) -> [PathTree.Group] {
        var groups: [PathTree.Group] = access.writes ? [.waitingWriters, .waitingReaders] : [.waitingWriters]
        if claim.phase == .granted { groups += access.writes ? [.holdingWriters, .holdingReaders] : [.holdingWriters] }
        return groups
    }

    /// Returns the claim of an entry if the entry's place in the queue makes that claim wait for `access` of `claim`;
    /// otherwise `nil`. `relation` is the entry's relation to the access.
    private func waits(
        _ entry: PathTree.Entry, for claim: Claim, _ access: Access, _ relation: PathTree.Relation
    ) -> Claim? {
        guard entry.claim != claim.identifier, let other = claims[entry.claim],
            other.request.purpose != claim.request.purpose
        else { return nil }
        switch other.phase {
        case .waiting: return claim.isHolding || claim.sequence < entry.sequence ? other : nil
        case .preparing:
            return claim.phase == .granted && !isEnclosingReader(claim, access, relation.reversed, of: other)
                ? other : nil
        case .granted: return nil
        }
    }

    /// Calls a function for each claim that waits directly for `claim` and was not examined before. The function
    /// receives the waiting claim, the access for which it waits, and the relation of that access to the waiting
    /// claim's own access. The function returns `false` if the waiting claim must be examined again later, when the
    /// waiters of other claims are searched.
    private func forEachWaiter(
        for claim: Claim, _ marks: inout Marks, _ body: (Claim, Access, PathTree.Relation) -> Bool
    ) {
        let after = claim.isHolding ? 0 : claim.sequence
        for (number, access) in claim.request.accesses.enumerated() {
            let groups = groups(waitingFor: claim, access)
            func look(_ node: Int, _ relation: PathTree.Relation) -> Bool {
                for group in groups {
                    let queue = tree.entries(at: node, group)
                    if !queue.isEmpty { look(queue, Marks.Key(node: node, group: group), relation) }
                }
                return true
            }
            func look(_ queue: EntryQueue, _ key: Marks.Key, _ relation: PathTree.Relation) {
                var mark = marks.marks.removeValue(forKey: key) ?? Marks.Mark()
                func isDone(_ entry: PathTree.Entry) -> Bool {
                    guard let other = waits(entry, for: claim, access, relation) else {
                        // A granted claim waits for no other claim.
                        return claims[entry.claim]?.phase == .granted
                    }
                    return body(other, access, relation.reversed)
                }
                if !mark.skipped.isEmpty { mark.skipped.removeAll(where: isDone) }
                for entry in queue.after(after, through: mark.after) where !isDone(entry) {
                    mark.skipped.append(entry)
                }
                // All entries that are still in `skipped`, also those from earlier claims, prevent a mark for their
                // subtree.
                marks.skips += mark.skipped.count
                mark.after = min(mark.after, after)
                marks.marks[key] = mark
            }
            let node = claim.nodes[number]
            tree.forEachNode(atOrAbove: node, look)
            // The mark of a subtree does not show whether the queues of holding claims were examined. Only granted
            // claims need these queues, and examine the subtree again.
            let isKnown = marks.subtrees[node].map { $0.after <= after && ($0.writes || !access.writes) } ?? false
            if isKnown, claim.phase != .granted { continue }
            let skips = marks.skips
            tree.forEachNode(beneath: node, look)
            if marks.skips == skips { marks.subtrees[node] = Marks.Subtree(after: after, writes: access.writes) }
        }
    }
}

extension PathTree.Relation {
    fileprivate var reversed: PathTree.Relation {
        switch self {
        case .above: .beneath
        case .same: .same
        case .beneath: .above
        }
    }
}

/// Looking against the direction of waiting: from what is waited for to those that wait.
extension Arbiter {
    /// How far the queues of the tree were looked at already. What one claim has looked at, the next one need not: those who
    /// wait for an item all wait for nearly the same. So looking takes no longer than there are claims.
    private struct Marks {
        struct Mark {
            /// Everybody after this one was looked at,
            var after = UInt64.max
            /// but these only by claims that they do not wait for.
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
        /// Nodes beneath which everybody was looked at, and nobody skipped.
        var subtrees: [Int: Subtree] = [:]
        var skips = 0
    }

    /// The claims that wait, also by way of others, for one of some claims.
    ///
    /// - Parameter isExact: whether those are left out that stand behind others and need not. Who need not is a question of who
    ///   waits; to answer that, all who stand behind others are taken for waiting.
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

    /// Whether there may be others that a waiting claim need not stand behind.
    private func isFavoured(_ claim: Claim) -> Bool {
        claim.isNested || claim.presenter != nil || holdersByPurpose[claim.request.purpose] != nil
    }

    /// Whether anybody waits for a claim.
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

    /// Where those are that wait for an access: whose turn has come waits for what is granted.
    private func groups(waitingFor claim: Claim, _ access: Access) -> [PathTree.Group] {
        var groups: [PathTree.Group] = access.writes ? [.waitingWriters, .waitingReaders] : [.waitingWriters]
        if claim.phase == .granted { groups += access.writes ? [.holdingWriters, .holdingReaders] : [.holdingWriters] }
        return groups
    }

    /// The claim that an entry is of, if it waits for an access of another one by their order, seen from which it is there.
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

    /// Calls a function for those that wait for a claim directly and were not looked at before, with what they wait for and where
    /// that is, seen from there. It returns whether they need not be looked at again.
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
                        // One that is granted waits for nobody.
                        return claims[entry.claim]?.phase == .granted
                    }
                    return body(other, access, relation.reversed)
                }
                if !mark.skipped.isEmpty { mark.skipped.removeAll(where: isDone) }
                for entry in queue.after(after, through: mark.after) where !isDone(entry) {
                    mark.skipped.append(entry)
                }
                // Those that an earlier claim has skipped and this one as well are skipped still.
                marks.skips += mark.skipped.count
                mark.after = min(mark.after, after)
                marks.marks[key] = mark
            }
            let node = claim.nodes[number]
            tree.forEachNode(atOrAbove: node, look)
            // That holding claims were looked at cannot be told from the sequence of one that waits.
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

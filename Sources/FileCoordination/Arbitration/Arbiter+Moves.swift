/// Moves of items, and the presenters and waiting claims that follow them.
extension Arbiter {
    /// Applies a move: notifies presenters, and updates the paths of presenters and of claims that are not granted.
    /// Returns the claims that may now be able to proceed: the claims whose items were moved, and the claims that
    /// waited for them.
    ///
    /// A presenter whose new path is too long no longer presents an item. A claim whose new path is too long is denied.
    mutating func carryAlong(
        _ move: ItemMove, isAnnounced: Bool, _ telling: inout Telling
    ) -> [ClaimIdentifier] {
        guard move.path != move.newPath, !PlainPath.isBeneath(move.newPath, move.path) else { return [] }
        let bytes = move.path.utf8.count + move.newPath.utf8.count
        for identifier in tree.presenters(around: [move.path, move.newPath]) {
            guard let place = presenters[identifier]?.place, let presented = place.path else { continue }
            if PlainPath.isAtOrBeneath(presented, move.path) {
                carryAlong(identifier, place, from: presented, move, &telling)
                continue
            }
            let isAbove = PlainPath.isBeneath(move.path, presented)
            let isAboveNew = PlainPath.isBeneath(move.newPath, presented)
            guard isAbove || isAboveNew else { continue }
            if !telling.takeRoom(for: bytes) {
                notify(identifier, .changed, &telling)
            } else if isAnnounced {
                notify(identifier, .subitemMoved(from: move.path, to: move.newPath), &telling)
            } else {
                if isAbove { notify(identifier, .subitemChanged(move.path), &telling) }
                if isAboveNew { notify(identifier, .subitemChanged(move.newPath), &telling) }
            }
        }
        return carryClaimsAlong(move)
    }

    private mutating func carryAlong(
        _ identifier: PresenterIdentifier, _ place: PresenterPlace, from presented: ExactPath, _ move: ItemMove,
        _ telling: inout Telling
    ) {
        let path = PlainPath.moved(presented, from: move.path, to: move.newPath)
        guard mayFollow(identifier.client, from: presented, to: path) else {
            return notify(identifier, .changed, &telling)
        }
        let key = Self.key(place.key ?? presented, after: move, of: path)
        guard !ClaimLimits.isTooLong(path), !ClaimLimits.isTooLong(key) else {
            return present(PresenterPlace(number: place.number, path: nil, key: nil), identifier.client)
        }
        present(PresenterPlace(number: place.number, path: path, key: key), identifier.client)
        notify(identifier, .moved(to: path), &telling)
    }

    /// Returns the new value of ``Access/key`` for an item at or beneath the source of the given move. `key` is the
    /// value before the move. The result is `move.newKey` if the destination is in a package, or if the source was in a
    /// package. Otherwise, the result is `key` with the move applied.
    ///
    /// - Parameter path: The item's new path. A result that equals this path shares its storage.
    private static func key(_ key: ExactPath, after move: ItemMove, of path: ExactPath) -> ExactPath {
        guard move.newKey == move.newPath, PlainPath.isAtOrBeneath(key, move.path) else { return move.newKey }
        let moved = PlainPath.moved(key, from: move.path, to: move.newPath)
        return moved == path ? path : moved
    }

    private mutating func setKey(of entry: PathTree.Entry, to key: ExactPath) {
        guard let claim = claims[entry.claim] else { return }
        let access = claim.request.accesses[entry.access]
        let group = PathTree.Group(writes: access.writes, holds: claim.isHolding)
        tree.remove(entry, at: claim.nodes[entry.access], group)
        claims[entry.claim]?.nodes[entry.access] = tree.insert(entry, at: key, group)
        claims[entry.claim]?.request.accesses[entry.access].key = key
    }

    private mutating func carryClaimsAlong(_ move: ItemMove) -> [ClaimIdentifier] {
        var toSettle: [ClaimIdentifier] = []
        for entry in tree.entries(around: move.path) {
            guard let claim = claims[entry.claim], claim.phase != .granted else { continue }
            let access = claim.request.accesses[entry.access]
            guard PlainPath.isAtOrBeneath(access.path, move.path) else { continue }
            if access.traits.contains(.replaces), access.path == move.path { continue }
            let path = PlainPath.moved(access.path, from: move.path, to: move.newPath)
            guard mayFollow(entry.claim.client, from: access.path, to: path) else { continue }
            let moved = Access(path: path, key: Self.key(access.key, after: move, of: path), traits: access.traits)
            guard makeRoom(for: moved, insteadOf: access, entry.claim) else {
                let reason = "its items have moved to paths that are too long"
                tell(entry.claim.client, .denied(claim: entry.claim.number, .refused(reason: reason)))
                toSettle += end(entry.claim)
                continue
            }
            claims[entry.claim]?.request.accesses[entry.access].path = path
            claims[entry.claim]?.hasMoved = true
            setKey(of: entry, to: moved.key)
            // A preparing claim cannot exclude claims that are already held at the destination. It continues to guard
            // its former path.
            if claim.phase == .preparing, let moved = claims[entry.claim], isInTheWayOfHolders(moved) {
                setKey(of: entry, to: access.key)
            }
            toSettle.append(entry.claim)
            // Claims that waited for this claim may no longer have to wait.
            toSettle += watchers.removeValue(forKey: entry.claim) ?? []
        }
        for identifier in toSettle { claims[identifier]?.blocker = nil }
        return toSettle
    }

    /// Adjusts the cost of a claim after one of its items was moved. Returns `false`, and leaves the cost unchanged, if
    /// the new cost exceeds a limit.
    private mutating func makeRoom(for new: Access, insteadOf old: Access, _ identifier: ClaimIdentifier) -> Bool {
        guard !ClaimLimits.isTooLong(new.path), !ClaimLimits.isTooLong(new.key), let cost = claims[identifier]?.cost
        else { return false }
        let moved = cost.moving(old, to: new)
        usages[identifier.client]?.remove(cost)
        let isRefused = moved.bytes > cost.bytes && denial(of: moved, for: identifier.client) != nil
        usages[identifier.client]?.add(isRefused ? cost : moved)
        if !isRefused { claims[identifier]?.cost = moved }
        return !isRefused
    }

    /// Checks whether nested claims can proceed after a move, and denies nested claims that are in a deadlock. A move
    /// can make the moved claims wait for other claims, and can let nested claims pass the moved claims.
    mutating func lookAfterMoves() {
        hasEntangled = true
        settle(entangledClaims())
        denyDeadlocks(among: nested)
    }

    mutating func denyDeadlocks(among identifiers: Set<ClaimIdentifier>) {
        // Every deadlock passes through one of the entangled claims.
        guard entangledClaims().contains(where: { deadlock(of: $0) != nil }) else { return }
        for identifier in identifiers.sorted(by: { (claims[$0]?.sequence ?? 0) < (claims[$1]?.sequence ?? 0) }) {
            guard let phase = claims[identifier]?.phase, phase != .granted, let other = deadlock(of: identifier) else {
                continue
            }
            deny(identifier, becauseOf: other)
        }
    }
}

/// The limits on the moves that the claims and presenters of a confined process follow when other processes move items.
extension Arbiter {
    /// Limits a client's claims and presenters to its directories. If another process moves an item out of these
    /// directories, the client's claims remain at the item's original path, and its presenters are notified only that
    /// the item has changed.
    ///
    /// - Parameters:
    ///   - folder: The path of the client's container.
    ///   - groups: Further directories of the client, which it shares with other processes.
    package mutating func confine(_ client: UInt64, to folder: ExactPath, and groups: [ExactPath] = []) {
        confinements[client] = [folder] + groups
    }

    /// Whether the client's claims and presenters follow an item that was moved from `path` to `newPath`.
    func mayFollow(_ client: UInt64, from path: ExactPath, to newPath: ExactPath) -> Bool {
        guard !confinements.isEmpty, let folders = confinements[client],
            folders.contains(where: { PlainPath.isAtOrBeneath(path, $0) })
        else { return true }
        return folders.contains { PlainPath.isAtOrBeneath(newPath, $0) }
    }
}

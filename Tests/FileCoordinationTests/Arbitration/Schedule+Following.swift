import FileCoordination

/// What the model knows of who waits where, and for whom.
extension Schedule {
    /// An item moves, and what waits for it moves along: except what is about the place, or is granted.
    ///
    /// - Parameter mover: the claim that ends with the move, if one does.
    mutating func follow(_ move: ItemMove, from mover: ClaimIdentifier?) {
        guard move.path != move.newPath, !Self.isBeneath(move.newPath, move.path) else { return }
        let waiting = claims.filter { $0.value.phase == .waiting }
        let isCertain = waiting.mapValues { isCertainToWait($0) }
        for identifier in waiting.keys {
            guard var model = claims[identifier] else { continue }
            var hasMoved = false
            for (number, access) in model.request.accesses.enumerated() {
                guard access.path == move.path || Self.isBeneath(access.path, move.path) else { continue }
                if access.traits.contains(.replaces), access.path == move.path { continue }
                hasMoved = true
                model.request.accesses[number].path = Self.moved(access.path, move)
                // What was a package is one still, and what comes into one is a part of it.
                model.request.accesses[number].key =
                    move.newKey == move.newPath && (access.key == move.path || Self.isBeneath(access.key, move.path))
                    ? Self.moved(access.key, move) : move.newKey
            }
            guard hasMoved else { continue }
            if isCertain[identifier] != true { model.isUncertain = true }
            // Whose turn has come is before who comes along only then.
            for other in waiting.keys where isCertain[other] != true {
                model.apart.insert(other)
            }
            claims[identifier] = model
        }
    }

    private static func moved(_ path: ExactPath, _ move: ItemMove) -> ExactPath {
        ExactPath(move.newPath.string + path.string.dropFirst(move.path.string.count))
    }

    /// Whether a claim's turn cannot have come: something excludes it that is granted, and that nothing favours.
    private func isCertainToWait(_ model: Model) -> Bool {
        !model.isUncertain
            && claims.values.contains {
                $0.phase == .granted && !$0.isFavoured && $0.request.purpose != model.request.purpose
                    && !Self.mayGoTogether(model, $0)
            }
    }

    /// Whether a claim need not stand behind one that waits: because that waits, also by way of others, for what the claim is
    /// inside of, or for one of the same purpose. What presenters are waited for is not known here.
    func mayPass(_ claim: Model, _ waiting: Model) -> Bool {
        if claim.hasPresenters { return true }
        func isBefore(_ other: Model) -> Bool {
            other.request.purpose == claim.request.purpose
                || other.client == claim.client && claim.request.enclosing.contains(other.request.number)
        }
        var reached: Set<UInt64> = [waiting.request.number]
        var open = [waiting]
        while let next = open.popLast() {
            for other in claims.values where !reached.contains(other.request.number) {
                let isInside =
                    next.phase == .granted && other.phase == .waiting && other.client == next.client
                    && other.request.enclosing.contains(next.request.number)
                let isInTheWay =
                    next.phase == .waiting && other.request.purpose != next.request.purpose
                    && (other.isUncertain || next.isUncertain || Self.exclude(next, other))
                // It may wait for a presenter, whose own claims wait in turn.
                let isPresenters = next.phase == .waiting && other.phase == .waiting && other.hasPresenters
                guard isInside || isInTheWay || isPresenters else { continue }
                if isBefore(other) { return true }
                reached.insert(other.request.number)
                open.append(other)
            }
        }
        return false
    }
}

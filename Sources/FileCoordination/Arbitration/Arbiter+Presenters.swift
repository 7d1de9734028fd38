/// What presenters are asked before a claim is granted, and told afterwards.
extension Arbiter {
    // MARK: Coming and going

    mutating func present(_ place: PresenterPlace, _ client: UInt64) {
        let identifier = PresenterIdentifier(client: client, number: place.number)
        if let known = presenters[identifier] {
            if let key = known.place.key { tree.remove(identifier, at: key) }
        } else {
            // A process knows that limit, and has told whoever added the presenter.
            guard presenterCounts[client, default: 0] < ClaimUsage.presenterLimit else { return }
            presenterCounts[client, default: 0] += 1
        }
        presenters[identifier] = Presenter(place: place)
        if let key = place.key { tree.insert(identifier, at: key) }
    }

    mutating func remove(_ identifier: PresenterIdentifier) {
        guard let presenter = presenters.removeValue(forKey: identifier) else { return }
        let left = (presenterCounts[identifier.client] ?? 1) - 1
        presenterCounts[identifier.client] = left > 0 ? left : nil
        if let key = presenter.place.key { tree.remove(identifier, at: key) }
        if unansweredByPresenter[identifier] != nil { hasEntangled = true }
        for number in (unansweredByPresenter[identifier] ?? []).sorted() { answer(number, nil) }
    }

    // MARK: Asking

    /// Asks the presenters of a claim's items to prepare themselves. Returns those that were asked.
    mutating func prepareForClaim(_ claim: Claim) -> [PresenterIdentifier] {
        guard !presenters.isEmpty else { return [] }
        var asked: [PresenterIdentifier] = []
        var wanted: [PresenterIdentifier: Preparation] = [:]
        for access in claim.request.accesses {
            for identifier in tree.presenters(around: access.key) where identifier != claim.presenter {
                guard let path = presenters[identifier]?.place.path, let key = presenters[identifier]?.place.key
                else { continue }
                var preparation =
                    wanted[identifier]
                    ?? Preparation(
                        number: 0, presenter: identifier.number, timeLimit: claim.request.presenterTimeLimit)
                preparation.add(access, forPresenterOf: path, key: key)
                if !preparation.isEmpty { wanted[identifier] = preparation }
            }
        }
        for (identifier, preparation) in wanted.sorted(by: { $0.key < $1.key }) {
            if hasRelinquished(identifier, preparation, around: claim) { continue }
            ask(identifier, preparation, for: claim.identifier)
            asked.append(identifier)
        }
        return asked
    }

    /// Whether a presenter has made way already, for a claim that encloses this one.
    private func hasRelinquished(
        _ identifier: PresenterIdentifier, _ preparation: Preparation, around claim: Claim
    ) -> Bool {
        guard !preparation.deletesItem, !preparation.evictsItem, preparation.deletedSubitems.isEmpty else {
            return false
        }
        return claim.request.enclosing.contains { number in
            let enclosing = claims[ClaimIdentifier(client: claim.identifier.client, number: number)]
            return enclosing?.preparations.contains {
                guard let running = preparations[$0] else { return false }
                return running.presenter == identifier && running.relinquishing >= preparation.relinquishing
            } ?? false
        }
    }

    private mutating func ask(
        _ identifier: PresenterIdentifier, _ preparation: Preparation, for claim: ClaimIdentifier
    ) {
        let number = nextPreparation
        nextPreparation += 1
        preparations[number] = RunningPreparation(
            claim: claim, presenter: identifier, relinquishing: preparation.relinquishing)
        unansweredByPresenter[identifier, default: []].insert(number)
        claims[claim]?.preparations.append(number)
        claims[claim]?.unanswered.insert(number)
        tell(
            identifier.client,
            .prepare(
                Preparation(
                    number: number, presenter: identifier.number, relinquishing: preparation.relinquishing,
                    saves: preparation.saves, deletesItem: preparation.deletesItem, evictsItem: preparation.evictsItem,
                    deletedSubitems: preparation.deletedSubitems, timeLimit: preparation.timeLimit)))
    }

    /// A presenter is prepared, has failed, or is not waited for any longer.
    mutating func answer(_ number: UInt64, _ failure: CoordinationFailure?) {
        guard let preparation = preparations[number],
            unansweredByPresenter[preparation.presenter]?.contains(number) == true
        else { return }
        forgetUnanswered(number, of: preparation.presenter)
        claims[preparation.claim]?.unanswered.remove(number)
        // One that another arbiter had granted goes on, whatever presenters say.
        if claims[preparation.claim]?.phase == .granted { return }
        if let failure {
            tell(preparation.claim.client, .denied(claim: preparation.claim.number, .presenter(failure)))
            settle(end(preparation.claim))
        } else {
            grantIfReady(preparation.claim)
            // What is done on the presenter's behalf has to wait for that claim from now on.
            denyDeadlocks(among: nested.intersection(waitingByPresenter[preparation.presenter] ?? []))
        }
    }

    mutating func forgetUnanswered(_ number: UInt64, of presenter: PresenterIdentifier) {
        unansweredByPresenter[presenter]?.remove(number)
        if unansweredByPresenter[presenter]?.isEmpty == true { unansweredByPresenter[presenter] = nil }
    }

    // MARK: Telling

    /// Tells presenters what became of the items of a claim that has ended. Returns the claims that have moved along.
    mutating func report(_ outcomes: [ClaimOutcome], of claim: Claim) -> [ClaimIdentifier] {
        var told: Set<Told> = []
        var moved: [ClaimIdentifier] = []
        let accesses = claim.request.accesses
        // Each item has become something once, and only one that was written.
        var next = 0
        for outcome in outcomes where outcome.access >= next && accesses.indices.contains(outcome.access) {
            next = outcome.access + 1
            let access = accesses[outcome.access]
            guard access.writes else { continue }
            switch outcome.change {
            case .none: break
            case .changed: tellOfChange(access.path, access.key, itself: true, claim.presenter, &told)
            case .deleted:
                let isAnnounced = access.traits.contains(.deletes)
                tellOfChange(access.path, access.key, itself: !isAnnounced, claim.presenter, &told)
            case .moved(let path, let key):
                // Nobody was kept from where it has gone to.
                guard access.traits.contains(.moves) else { continue }
                moved += carryAlong(
                    ItemMove(path: access.path, newPath: path, newKey: key, excepted: nil), claim.presenter,
                    isAnnounced: false, &told)
            }
        }
        return moved
    }

    struct Told: Hashable {
        let presenter: PresenterIdentifier
        let notice: PresenterNotice
    }

    private mutating func notify(
        _ identifier: PresenterIdentifier, _ notice: PresenterNotice, _ excepted: PresenterIdentifier?,
        _ told: inout Set<Told>
    ) {
        guard identifier != excepted, told.insert(Told(presenter: identifier, notice: notice)).inserted else { return }
        tell(identifier.client, .notify(presenter: identifier.number, notice))
    }

    private mutating func tellOfChange(
        _ path: ExactPath, _ key: ExactPath, itself: Bool, _ excepted: PresenterIdentifier?, _ told: inout Set<Told>
    ) {
        for identifier in tree.presenters(around: key) {
            guard let place = presenters[identifier]?.place, let presented = place.path else { continue }
            if presented == path {
                if itself { notify(identifier, .changed, excepted, &told) }
            } else if PlainPath.isBeneath(path, presented) {
                // What is in a package is the package's content.
                if place.key == key, key != path { notify(identifier, .changed, excepted, &told) }
                notify(identifier, .subitemChanged(path), excepted, &told)
            }
        }
    }

    /// Tells the presenters of an item one thing, and those of the directories it is in another.
    mutating func tell(
        presentersOf path: ExactPath, _ notice: PresenterNotice, orOfDirectory outer: PresenterNotice,
        _ excepted: PresenterIdentifier?
    ) {
        var told: Set<Told> = []
        for identifier in tree.presenters(around: path) {
            guard let presented = presenters[identifier]?.place.path else { continue }
            if presented == path {
                notify(identifier, notice, excepted, &told)
            } else if PlainPath.isBeneath(path, presented) {
                notify(identifier, outer, excepted, &told)
            }
        }
    }

    // MARK: Moving

    /// An item has moved: presenters learn it, and claims that wait for it or for what is beneath it wait for it there. Returns
    /// these and those that may not have to wait for them any more, to be looked at again.
    mutating func carryAlong(
        _ move: ItemMove, _ excepted: PresenterIdentifier?, isAnnounced: Bool, _ told: inout Set<Told>
    ) -> [ClaimIdentifier] {
        guard move.path != move.newPath, !PlainPath.isBeneath(move.newPath, move.path) else { return [] }
        let concerned = Set(tree.presenters(around: move.path) + tree.presenters(around: move.newPath)).sorted()
        for identifier in concerned {
            guard let place = presenters[identifier]?.place, let presented = place.path else { continue }
            if PlainPath.isAtOrBeneath(presented, move.path) {
                let path = PlainPath.moved(presented, from: move.path, to: move.newPath)
                guard mayFollow(identifier.client, from: presented, to: path) else {
                    notify(identifier, .changed, excepted, &told)
                    continue
                }
                present(
                    PresenterPlace(
                        number: place.number, path: path, key: Self.key(place.key ?? presented, after: move)),
                    identifier.client
                )
                notify(identifier, .moved(to: path), excepted, &told)
                continue
            }
            let isAbove = PlainPath.isBeneath(move.path, presented)
            let isAboveNew = PlainPath.isBeneath(move.newPath, presented)
            if isAnnounced, isAbove || isAboveNew {
                notify(identifier, .subitemMoved(from: move.path, to: move.newPath), excepted, &told)
            } else {
                if isAbove { notify(identifier, .subitemChanged(move.path), excepted, &told) }
                if isAboveNew { notify(identifier, .subitemChanged(move.newPath), excepted, &told) }
            }
        }
        return carryClaimsAlong(move)
    }

    /// What is guarded of an item that has moved. What was a package is taken for one still, and what has come out of one for a
    /// package: neither path tells, and guarding too much does less harm than too little.
    private static func key(_ key: ExactPath, after move: ItemMove) -> ExactPath {
        guard move.newKey == move.newPath, PlainPath.isAtOrBeneath(key, move.path) else { return move.newKey }
        return PlainPath.moved(key, from: move.path, to: move.newPath)
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
            claims[entry.claim]?.request.accesses[entry.access].path = path
            claims[entry.claim]?.hasMoved = true
            setKey(of: entry, to: Self.key(access.key, after: move))
            // One that excludes others already cannot do so where others are before it: it goes on guarding the old place.
            if claim.phase == .preparing, let moved = claims[entry.claim], isInTheWayOfHolders(moved) {
                setKey(of: entry, to: access.key)
            }
            toSettle.append(entry.claim)
            // They may have waited for it, and do not any more.
            toSettle += watchers.removeValue(forKey: entry.claim) ?? []
        }
        for identifier in toSettle { claims[identifier]?.blocker = nil }
        return toSettle
    }

    /// Those that have moved may wait for others now, behind whom the nested ones need not stand.
    mutating func lookAfterMoves() {
        hasEntangled = true
        settle(entangledClaims())
        denyDeadlocks(among: nested)
    }

    mutating func denyDeadlocks(among identifiers: Set<ClaimIdentifier>) {
        // Whoever waits for itself does so by way of one of these.
        guard entangledClaims().contains(where: { deadlock(of: $0) != nil }) else { return }
        for identifier in identifiers.sorted(by: { (claims[$0]?.sequence ?? 0) < (claims[$1]?.sequence ?? 0) }) {
            guard let phase = claims[identifier]?.phase, phase != .granted, let other = deadlock(of: identifier) else {
                continue
            }
            deny(identifier, becauseOf: other)
        }
    }
}

extension Preparation {
    /// What an access to an item means for a presenter of that item, or of one around it.
    fileprivate mutating func add(_ access: Access, forPresenterOf path: ExactPath, key: ExactPath) {
        if PlainPath.isAtOrBeneath(key, access.key), !access.traits.contains(.isQuiet) {
            relinquishing = max(relinquishing, access.writes ? .toWriter : .toReader)
            if access.traits.contains(.saves) { saves = true }
        }
        if access.traits.contains(.evicts), PlainPath.isAtOrBeneath(path, access.path) { evictsItem = true }
        guard access.traits.contains(.deletes) || access.traits.contains(.replaces) else { return }
        if PlainPath.isAtOrBeneath(path, access.path) {
            deletesItem = true
        } else if access.traits.contains(.deletes), PlainPath.isBeneath(access.path, path) {
            // What is replaced leaves no gap in the directory.
            deletedSubitems.append(access.path)
        }
    }
}

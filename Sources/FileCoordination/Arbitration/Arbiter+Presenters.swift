/// The requests to presenters before a claim is granted, and the notices afterwards.
extension Arbiter {
    // MARK: Addition and removal

    /// Adds a presenter, or changes the item of a known presenter. If the client has too many presenters, a new
    /// presenter is not added. If the paths of the client's presenters need too many bytes, the presenter is added
    /// without an item.
    mutating func present(_ place: PresenterPlace, _ client: UInt64) {
        let identifier = PresenterIdentifier(client: client, number: place.number)
        let known = presenters[identifier]
        if let key = known?.place.key { tree.remove(identifier, at: key) }
        changeUsage(of: client) { $0.bytes -= known?.bytes ?? 0 }
        // No denial is sent, because the client's process checks the limit itself and has reported the failure to the
        // caller that added the presenter.
        guard known != nil || hasRoomForPresenter(of: client) else { return }
        var place = place
        var bytes = 0
        if let path = place.path, let key = place.key { bytes = ClaimCost.bytes(path, key) }
        if presenterUsages[client, default: .init()].bytes + bytes > ClaimUsage.byteLimit {
            place = PresenterPlace(number: place.number, path: nil, key: nil)
            bytes = 0
        }
        presenters[identifier] = Presenter(place: place, bytes: bytes)
        changeUsage(of: client) {
            $0.bytes += bytes
            if known == nil { $0.count += 1 }
        }
        if let key = place.key { tree.insert(identifier, at: key) }
    }

    private func hasRoomForPresenter(of client: UInt64) -> Bool {
        guard presenterUsages[client, default: .init()].count < ClaimUsage.presenterLimit else { return false }
        let all = processes.connections(beside: client).reduce(0) { $0 + (presenterUsages[$1]?.count ?? 0) }
        return all < ClaimUsage.presenterLimit * ClaimUsage.connectionsFactor
    }

    mutating func changeUsage(of client: UInt64, _ change: (inout PresenterUsage) -> Void) {
        var usage = presenterUsages[client] ?? PresenterUsage()
        change(&usage)
        presenterUsages[client] = usage.count > 0 || usage.preparations > 0 ? usage : nil
    }

    mutating func remove(_ identifier: PresenterIdentifier) {
        guard let presenter = presenters.removeValue(forKey: identifier) else { return }
        changeUsage(of: identifier.client) {
            $0.count -= 1
            $0.bytes -= presenter.bytes
        }
        if let key = presenter.place.key { tree.remove(identifier, at: key) }
        if unansweredByPresenter[identifier] != nil { hasEntangled = true }
        for number in (unansweredByPresenter[identifier] ?? []).sorted() { answer(number, nil) }
    }

    // MARK: Requests

    /// Asks presenters to prepare for a claim on their items. Returns the presenters that were asked.
    mutating func prepareForClaim(_ claim: Claim) -> [PresenterIdentifier] {
        guard !presenters.isEmpty else { return [] }
        let accesses = claim.request.accesses
        let concerned = tree.presenters(around: accesses.map(\.key)).filter { $0 != claim.presenter }
        if concerned.isEmpty { return [] }
        var asked: [PresenterIdentifier] = []
        let needs = PreparationNeeds(accesses)
        // Deleted subitems are listed only as far as they fit into messages.
        var subitemBytes: [UInt64: Int] = [:]
        for identifier in concerned {
            guard let path = presenters[identifier]?.place.path, let key = presenters[identifier]?.place.key,
                presenterUsages[identifier.client, default: .init()].preparations < ClaimUsage.preparationLimit
            else { continue }
            var preparation = Preparation(
                number: 0, presenter: identifier.number, timeLimit: claim.request.presenterTimeLimit)
            needs.add(to: &preparation, forPresenterOf: path, key: key)
            let room = ClaimLimits.pathBytes - subitemBytes[identifier.client, default: 0]
            let (subitems, bytes) = needs.deletedSubitems(beneath: path, atMost: room)
            preparation.deletedSubitems = subitems
            if bytes > 0 { subitemBytes[identifier.client, default: 0] += bytes }
            if preparation.isEmpty || hasRelinquished(identifier, preparation, around: claim) { continue }
            ask(identifier, preparation, for: claim.identifier)
            asked.append(identifier)
        }
        return asked
    }

    /// Whether the presenter has already relinquished the item for a claim that encloses `claim`.
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
        changeUsage(of: identifier.client) { $0.preparations += 1 }
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

    /// Records the result of the preparation with the given number: the presenter is prepared, has failed, or has timed
    /// out.
    mutating func answer(_ number: UInt64, _ failure: CoordinationError?) {
        guard let preparation = preparations[number],
            unansweredByPresenter[preparation.presenter]?.contains(number) == true
        else { return }
        forgetUnanswered(number, of: preparation.presenter)
        claims[preparation.claim]?.unanswered.remove(number)
        // A claim that another arbiter granted continues regardless of the replies of presenters.
        if claims[preparation.claim]?.phase == .granted { return }
        if let failure {
            tell(preparation.claim.client, .denied(claim: preparation.claim.number, .presenter(failure)))
            settle(end(preparation.claim))
        } else {
            grantIfReady(preparation.claim)
            // From now on, claims on the presenter's behalf have to wait for the claim that the presenter has prepared
            // for.
            denyDeadlocks(among: nested.intersection(waitingByPresenter[preparation.presenter] ?? []))
        }
    }

    mutating func forgetUnanswered(_ number: UInt64, of presenter: PresenterIdentifier) {
        if unansweredByPresenter[presenter]?.remove(number) != nil { settledPreparations.append(number) }
        if unansweredByPresenter[presenter]?.isEmpty == true { unansweredByPresenter[presenter] = nil }
    }

    // MARK: Notices

    /// Notifies presenters of the outcomes of a claim that has ended. Returns the claims that may now be able to
    /// proceed because items have moved.
    mutating func report(_ outcomes: [ClaimOutcome], of claim: Claim) -> [ClaimIdentifier] {
        var telling = Telling(excepted: claim.presenter)
        var moved: [ClaimIdentifier] = []
        for outcome in outcomes where claim.request.accesses.indices.contains(outcome.access) {
            let access = claim.request.accesses[outcome.access]
            switch outcome.change {
            case .none: break
            case .changed: tellOfChange(access, itself: true, &telling)
            case .deleted: tellOfChange(access, itself: !access.traits.contains(.deletes), &telling)
            case .moved(let path, let key):
                moved += carryAlong(
                    ItemMove(path: access.path, newPath: path, newKey: key, excepted: nil),
                    isAnnounced: false, &telling)
            }
        }
        tellOfTheRest(telling)
        return moved
    }

    /// The notices that one event causes.
    struct Telling {
        fileprivate struct Notice: Hashable {
            let presenter: PresenterIdentifier
            let notice: PresenterNotice
        }

        /// The presenter that caused the event and needs no notice.
        let excepted: PresenterIdentifier?
        fileprivate var told: Set<Notice> = []
        /// The number of bytes left for notices. When none are left, presenters are only notified that their items have
        /// changed, without details. The limit matters if, for example, ten thousand windows show a directory and ten
        /// thousand files in it change.
        fileprivate var room = ClaimLimits.noticeBytes
        /// The accesses that are reported without details because the limit on bytes is reached.
        fileprivate var rest: [Access] = []
        fileprivate var restItself: Set<ExactPath> = []

        init(excepted: PresenterIdentifier?) { self.excepted = excepted }

        mutating func takeRoom(for bytes: Int) -> Bool {
            room -= bytes + ClaimLimits.bytesPerNotice
            return room > 0
        }
    }

    mutating func notify(
        _ identifier: PresenterIdentifier, _ notice: PresenterNotice, _ telling: inout Telling
    ) {
        guard identifier != telling.excepted,
            telling.told.insert(.init(presenter: identifier, notice: notice)).inserted
        else { return }
        tell(identifier.client, .notify(presenter: identifier.number, notice))
    }

    private mutating func tellOfChange(_ access: Access, itself: Bool, _ telling: inout Telling) {
        let (path, key) = (access.path, access.key)
        guard telling.room > 0 else {
            telling.rest.append(access)
            if itself { telling.restItself.insert(path) }
            return
        }
        for identifier in tree.presenters(around: key) {
            _ = telling.takeRoom(for: path.utf8.count)
            guard let place = presenters[identifier]?.place, let presented = place.path else { continue }
            if presented == path {
                if itself { notify(identifier, .changed, &telling) }
            } else if PlainPath.isBeneath(path, presented) {
                // The contents of a package include everything in it.
                if place.key == key, key != path { notify(identifier, .changed, &telling) }
                notify(identifier, .subitemChanged(path), &telling)
            }
        }
    }

    private mutating func tellOfTheRest(_ rest: Telling) {
        if rest.rest.isEmpty { return }
        var telling = rest
        let paths = SortedPaths(rest.rest.map(\.path))
        for identifier in tree.presenters(around: rest.rest.map(\.key)) {
            guard let presented = presenters[identifier]?.place.path,
                rest.restItself.contains(presented) || !paths.beneath(presented).isEmpty
            else { continue }
            notify(identifier, .changed, &telling)
        }
    }

    /// Sends `notice` to the presenters of the item at `path`, and `outer` to the presenters of the directories that
    /// contain the item.
    mutating func tell(
        presentersOf path: ExactPath, _ notice: PresenterNotice, orOfDirectory outer: PresenterNotice,
        _ excepted: PresenterIdentifier?
    ) {
        var telling = Telling(excepted: excepted)
        for identifier in tree.presenters(around: path) {
            guard let presented = presenters[identifier]?.place.path else { continue }
            if presented == path {
                notify(identifier, notice, &telling)
            } else if PlainPath.isBeneath(path, presented) {
                notify(identifier, outer, &telling)
            }
        }
    }
}

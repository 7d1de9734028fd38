import FileCoordination

/// The part of the model that knows which presenters the arbiter must ask to relinquish an item, and which presenters
/// it must not notify of changes, because the changes are made on their behalf.
extension Schedule {
    private func isOwn(_ presenter: UInt64, of client: UInt64, _ model: Model) -> Bool {
        model.client == client && model.request.presenter == presenter
    }

    /// Records that the arbiter asks a presenter to relinquish an item for a waiting claim of another process or
    /// presenter. Returns the claims that may be the reason.
    mutating func noteAsked(_ presenter: UInt64, of client: UInt64) throws -> Set<ClaimIdentifier> {
        let place = presenters.first { $0.client == client && $0.place.number == presenter }?.place
        guard let key = place?.key else { throw fault("presenter \(presenter) is asked, and presents nothing") }
        var candidates: Set<ClaimIdentifier> = []
        for (identifier, model) in claims where model.phase == .waiting || identifier == adopted {
            guard !isOwn(presenter, of: client, model),
                model.isUncertain || model.request.accesses.contains(where: { Self.overlap($0.key, key) })
            else { continue }
            if model.phase == .waiting, !isCertainToWait(model) { claims[identifier]?.mayHaveTurn = true }
            claims[identifier]?.asked.insert(presenter)
            candidates.insert(identifier)
        }
        if candidates.isEmpty { throw fault("presenter \(presenter) is asked, and for nobody else") }
        return candidates
    }

    /// Checks that the arbiter asked each presenter of a claimed item before it grants the claim. This includes
    /// presenters that moved to the item's path while the claim waited.
    mutating func checkAsked(_ identifier: ClaimIdentifier, _ model: Model) throws {
        // The presenters may have relinquished the item already for an enclosing claim. If the claim moved after its
        // turn had come, no presenter is asked again.
        guard model.request.enclosing.isEmpty, !model.isUncertain else { return }
        for presenter in presenters where presenter.since <= model.since {
            guard let key = presenter.place.key, !isOwn(presenter.place.number, of: presenter.client, model),
                model.request.accesses.contains(where: {
                    !$0.traits.contains(.isQuiet) && (key == $0.key || Self.isBeneath(key, $0.key))
                })
            else { continue }
            guard model.asked.contains(presenter.place.number) else {
                throw fault("\(identifier) is granted, and presenter \(presenter.place.number) was not asked")
            }
            count("asked before")
            if counts["moved"] != nil { count("asked before, after moves") }
            if counts["taken over"] != nil || counts["came back"] != nil { count("asked before, by another arbiter") }
        }
    }
}

import FileCoordination

/// What the model knows of who has to be asked, and of who must not hear of what is done on their own behalf.
extension Schedule {
    /// Whether all is where it was said to be when it was made.
    private var isPlain: Bool {
        ["moved", "moved in silence", "taken over", "came back"].allSatisfy { counts[$0] == nil }
    }

    private func isOwn(_ presenter: UInt64, of client: UInt64, _ model: Model) -> Bool {
        model.client == client && model.request.presenter == presenter
    }

    /// A presenter is asked: for a claim that waits, and that is somebody else's.
    mutating func noteAsked(_ presenter: UInt64, of client: UInt64) throws {
        guard isPlain, let key = presenters.first(where: { $0.place.number == presenter })?.place.key else { return }
        var isForSomebody = false
        for (identifier, model) in claims where model.phase == .waiting && !isOwn(presenter, of: client, model) {
            guard model.request.accesses.contains(where: { Self.overlap($0.key, key) }) else { continue }
            claims[identifier]?.asked.insert(presenter)
            isForSomebody = true
        }
        guard isForSomebody else { throw fault("presenter \(presenter) is asked, and for nobody else") }
    }

    /// Whoever presented an item when a claim on it was made, and still does, has been asked before the claim is granted.
    mutating func checkAsked(_ identifier: ClaimIdentifier, _ model: Model) throws {
        // They may have made way already for what the claim is inside of.
        guard isPlain, model.request.enclosing.isEmpty else { return }
        for (client, place) in presenters where place.number < model.request.number {
            guard let key = place.key, !isOwn(place.number, of: client, model),
                model.request.accesses.contains(where: {
                    !$0.traits.contains(.isQuiet) && (key == $0.key || Self.isBeneath(key, $0.key))
                })
            else { continue }
            guard model.asked.contains(place.number) else {
                throw fault("\(identifier) is granted, and presenter \(place.number) was not asked")
            }
            count("asked before")
        }
    }
}

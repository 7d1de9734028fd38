import FileCoordination
import Glibc

/// The part of the model that knows which claim waits, for which path, and for which other claims.
extension Schedule {
    /// Updates the model after an item has moved. The paths of waiting claims on the item change with it, except those
    /// of claims that replace the item at its path. Granted claims stay unchanged.
    mutating func follow(_ move: ItemMove) {
        guard move.path != move.newPath, !Self.isBeneath(move.newPath, move.path) else { return }
        followPresenters(move)
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
                model.request.accesses[number].key = Self.key(access.key, after: move)
            }
            guard hasMoved else { continue }
            if isCertain[identifier] != true { model.isUncertain = true }
            // A claim that already had its turn precedes a claim that arrives at the place only by the move.
            for other in waiting.keys where isCertain[other] != true {
                model.apart.insert(other)
            }
            model.since = moment
            model.asked = []
            claims[identifier] = model
        }
    }

    private mutating func followPresenters(_ move: ItemMove) {
        for (index, presenter) in presenters.enumerated() {
            guard let path = presenter.place.path, path == move.path || Self.isBeneath(path, move.path) else {
                continue
            }
            let newPath = Self.moved(path, move)
            let key = Self.key(presenter.place.key ?? path, after: move)
            let isTooLong = max(newPath.utf8.count, key.utf8.count) >= Int(PATH_MAX)
            presenters[index].place = PresenterPlace(
                number: presenter.place.number, path: isTooLong ? nil : newPath, key: isTooLong ? nil : key)
            // A presenter of a disconnected process is asked only after the process is back.
            presenters[index].since = presenter.since == .max ? .max : moment
        }
    }

    private static func moved(_ path: ExactPath, _ move: ItemMove) -> ExactPath {
        ExactPath(move.newPath.string + path.string.dropFirst(move.path.string.count))
    }

    /// Returns the key of an item after a move. A package remains a package, and an item that is moved into a package
    /// becomes part of it.
    private static func key(_ key: ExactPath, after move: ItemMove) -> ExactPath {
        move.newKey == move.newPath && (key == move.path || isBeneath(key, move.path)) ? moved(key, move) : move.newKey
    }

    /// Whether a claim certainly has not had its turn yet, because a granted claim that is not favoured excludes it.
    func isCertainToWait(_ model: Model) -> Bool {
        !model.isUncertain && !model.mayHaveTurn
            && claims.values.contains {
                $0.phase == .granted && !$0.isFavoured && $0.request.purpose != model.request.purpose
                    && !Self.mayGoTogether(model, $0)
            }
    }

    /// Records which waiting claims the candidates may pass. The candidates may have had their turns now, which decides
    /// the order, although they are granted only when presenters have replied.
    mutating func notePassed(by candidates: Set<ClaimIdentifier>) {
        for identifier in candidates {
            guard let model = claims[identifier], model.phase == .waiting, model.isFavoured else { continue }
            for (other, known) in claims where known.phase == .waiting && known.order < model.order {
                guard !model.passed.contains(other), Self.exclude(model, known), mayPass(identifier, model, known)
                else {
                    continue
                }
                claims[identifier]?.passed.insert(other)
            }
        }
    }

    /// Whether a claim may be granted before another one that was made earlier and waits. This is permitted if the
    /// earlier claim waits, directly or through further claims, for one of these: a claim that encloses the later one,
    /// a claim of the same purpose, or a presenter on whose behalf the later one is made.
    func mayPass(_ identifier: ClaimIdentifier, _ claim: Model, _ waiting: Model) -> Bool {
        var others = claims.merging(fading.claims) { known, _ in known }
        // Other claims may wait for this one, and this one waits behind some that it could pass. Neither is a reason
        // yet for passing another claim.
        others[identifier] = claim
        others[identifier]?.phase = .waiting
        others[identifier]?.mayHaveTurn = false
        let before = claimsAskingFor(claim)
        func isBefore(_ other: Model) -> Bool {
            before.contains(ClaimIdentifier(client: other.client, number: other.request.number))
                || other.request.purpose == claim.request.purpose && mayHold(other)
                || other.client == claim.client && claim.request.enclosing.contains(other.request.number)
        }
        if isBefore(waiting) { return true }
        var reached: Set<ClaimIdentifier> = [
            ClaimIdentifier(client: waiting.client, number: waiting.request.number)
        ]
        var open = [waiting]
        while let next = open.popLast() {
            for (other, model) in others where !reached.contains(other) && waits(next, for: model) {
                if other != identifier, isBefore(model) { return true }
                reached.insert(other)
                open.append(model)
            }
        }
        return false
    }

    /// Returns the claims that wait or waited for one of two kinds of presenters: those on whose behalf this claim is
    /// made, and those whose queue it blocks.
    private func claimsAskingFor(_ claim: Model) -> Set<ClaimIdentifier> {
        var found: Set<ClaimIdentifier> = []
        for number in claim.request.answering {
            if let question = asked[number], question.client == claim.client { found.formUnion(question.askers) }
        }
        for question in unanswered where question.client == claim.client {
            guard
                question.presenter == claim.request.presenter || claim.request.blocking.contains(question.presenter)
            else { continue }
            found.formUnion(question.askers)
        }
        return found
    }

    private var unanswered: [Question] { Array(questions.values) + Array(fading.questions.values) }

    /// Whether a claim may exclude others, because it is granted or the arbiter waits for presenters on its behalf.
    private func mayHold(_ model: Model) -> Bool {
        model.phase == .granted || model.isUncertain || model.mayHaveTurn
    }

    private func waits(_ next: Model, for other: Model) -> Bool {
        if next.phase == .granted {
            // The holder of `next` waits for `other`, which is nested in it.
            return other.phase == .waiting && other.client == next.client
                && other.request.enclosing.contains(next.request.number)
        }
        if other.request.purpose != next.request.purpose,
            other.order < next.order || mayHold(other) || next.isUncertain,
            other.isUncertain || next.isUncertain || Self.exclude(next, other)
        {
            return true
        }
        // `next` may wait for a presenter that waits for `other`.
        return other.phase == .waiting && other.hasPresenters
            && claimsAskingFor(other).contains(ClaimIdentifier(client: next.client, number: next.request.number))
    }
}

import FileCoordination
import LinuxSystem

/// What a confined process says and hears of coordination, with its names of files turned into those of everybody else and
/// back.
///
/// It reads any file in turn, for it is handed files by other programs. It writes, presents and announces what it may use
/// itself: what is in its container, and the items that it was given access to. Of other files it learns nothing here, and
/// nobody waits for it because of them but for a reader's time.
final class ConfinedView: Sendable {
    /// An item of a claim, as the process calls it.
    struct Asked: Sendable {
        enum Place: Sendable { case own, placed, foreign }

        let access: Access
        let real: ExactPath
        let place: Place
    }

    private struct State {
        /// Until they end.
        var claims: [UInt64: [Asked]] = [:]
        /// Those of items outside of the container.
        var presenters: [UInt64: (path: ExactPath, realPath: ExactPath)] = [:]
    }

    // Innermost.
    private let state = Lock(State())
    let places: any ConfinedPlaces
    private let container: ExactPath
    private let scopes: ExactPath

    init(_ places: any ConfinedPlaces) {
        self.places = places
        container = ExactPath(places.container)
        scopes = ExactPath(places.scopes)
    }

    /// What becomes of something that the process says.
    enum Verdict {
        case event(CoordinationEvent)
        case refused(claim: UInt64, reason: String)
        /// It is not for this process to say.
        case ignored
    }

    /// Turns what the process says into what the arbiter is told.
    func judge(_ event: CoordinationEvent) -> Verdict {
        switch event {
        // There is no other daemon that can have granted it anything: with that it would have ended.
        case .claim(let request), .adopt(let request): return claim(request)
        case .adoptedAll: return .ignored
        case .release(let claim, let outcomes): return release(claim, outcomes)
        case .cancel(let claim):
            state.withLock { _ = $0.claims.removeValue(forKey: claim) }
            return .event(event)
        case .answer: return .event(event)
        case .present(let place): return .event(.present(present(place)))
        case .removePresenter(let number):
            state.withLock { _ = $0.presenters.removeValue(forKey: number) }
            return .event(event)
        case .moved(let move): return isOwn(move.path) && isOwn(move.newPath) ? .event(event) : .ignored
        case .changedAttributes(let path, let names, let excepted):
            guard let real = changeable(path) else { return .ignored }
            return .event(.changedAttributes(path: real, names: names, excepted: excepted))
        case .changedVersion(let path, let change):
            guard let real = changeable(path) else { return .ignored }
            return .event(.changedVersion(path: real, change))
        }
    }

    private func isOwn(_ path: ExactPath) -> Bool { PlainPath.isAtOrBeneath(path, container) }

    private func isPlace(_ path: ExactPath) -> Bool { PlainPath.isAtOrBeneath(path, scopes) }

    private func changeable(_ path: ExactPath) -> ExactPath? {
        if isOwn(path) { return path }
        guard let item = places.item(at: path.string), item.isWritable else { return nil }
        return PlainPath.moved(path, from: item.path, to: item.realPath)
    }

    private func claim(_ request: ClaimRequest) -> Verdict {
        var request = request
        var asked: [Asked] = []
        for (number, access) in request.accesses.enumerated() {
            var real = access
            let place: Asked.Place
            if isOwn(access.path) {
                place = .own
                let isPackageHere = isOwn(access.key) && PlainPath.isAtOrBeneath(access.path, access.key)
                real.key = isPackageHere ? access.key : access.path
            } else if let item = places.item(at: access.path.string) {
                guard item.isWritable || !access.writes else {
                    return .refused(
                        claim: request.number, reason: "the process has access to \(access.path) for reading only")
                }
                place = .placed
                real.path = PlainPath.moved(access.path, from: item.path, to: item.realPath)
                let isPackageInItem = PlainPath.isAtOrBeneath(access.key, item.path)
                if item.realKey != item.realPath {
                    real.key = item.realKey
                } else if isPackageInItem, PlainPath.isAtOrBeneath(access.path, access.key) {
                    real.key = PlainPath.moved(access.key, from: item.path, to: item.realPath)
                } else {
                    real.key = real.path
                }
            } else {
                guard !isPlace(access.path) else {
                    return .refused(claim: request.number, reason: "there is no item at \(access.path)")
                }
                guard !access.writes else {
                    return .refused(
                        claim: request.number,
                        reason: "\(access.path) is neither in the process's container nor an item that it has access to"
                    )
                }
                place = .foreign
                if !PlainPath.isAtOrBeneath(access.path, access.key) { real.key = access.path }
            }
            asked.append(Asked(access: access, real: real.path, place: place))
            request.accesses[number] = real
        }
        let items = asked
        state.withLock { $0.claims[request.number] = items }
        return .event(.claim(request))
    }

    private func release(_ claim: UInt64, _ outcomes: [ClaimOutcome]) -> Verdict {
        let asked = state.withLock { $0.claims.removeValue(forKey: claim) } ?? []
        let allowed = outcomes.compactMap { outcome -> ClaimOutcome? in
            guard asked.indices.contains(outcome.access) else { return nil }
            switch (asked[outcome.access].place, outcome.change) {
            case (.own, .moved(let path, _)) where !isOwn(path):
                return ClaimOutcome(access: outcome.access, change: .changed)
            case (.own, _), (.placed, .none): return outcome
            // Nothing is renamed or removed there; what it no longer sees may be access that has ended.
            case (.placed, _): return ClaimOutcome(access: outcome.access, change: .changed)
            case (.foreign, _): return nil
            }
        }
        return .event(.release(claim: claim, outcomes: allowed))
    }

    private func present(_ place: PresenterPlace) -> PresenterPlace {
        var outside: (path: ExactPath, realPath: ExactPath)?
        var result = PresenterPlace(number: place.number, path: nil, key: nil)
        if let path = place.path {
            if isOwn(path) {
                result = PresenterPlace(
                    number: place.number, path: path, key: place.key.flatMap { isOwn($0) ? $0 : nil } ?? path)
            } else if let item = places.item(at: path.string) {
                let real = PlainPath.moved(path, from: item.path, to: item.realPath)
                outside = (path, real)
                result = PresenterPlace(
                    number: place.number, path: real, key: item.realKey != item.realPath ? item.realKey : real)
            }
        }
        let presented = outside
        state.withLock { $0.presenters[place.number] = presented }
        return result
    }

    // MARK: What the process hears

    /// Turns what the arbiter says into what the process is told.
    func translate(_ effects: [CoordinationEffect]) -> [CoordinationEffect] { effects.compactMap(translate) }

    private func translate(_ effect: CoordinationEffect) -> CoordinationEffect? {
        switch effect {
        case .granted(let claim, let paths, let keys, let hasWaited):
            let asked = state.withLock { $0.claims[claim] } ?? []
            guard paths.count == asked.count, keys.count == asked.count else {
                return .granted(claim: claim, paths: [], keys: [], hasWaited: hasWaited)
            }
            // What others have handed it stays where the process has it.
            let stays = asked.indices.map { asked[$0].place != .own || !isOwn(paths[$0]) }
            return .granted(
                claim: claim, paths: asked.indices.map { stays[$0] ? asked[$0].access.path : paths[$0] },
                keys: asked.indices.map { stays[$0] ? asked[$0].access.key : keys[$0] }, hasWaited: hasWaited)
        case .denied(let claim, let denial):
            let asked = state.withLock { $0.claims.removeValue(forKey: claim) } ?? []
            return .denied(claim: claim, translate(denial, of: asked))
        case .prepare(var preparation):
            let number = preparation.presenter
            preparation.deletedSubitems = preparation.deletedSubitems.compactMap { name($0, for: number) }
            return .prepare(preparation)
        case .reacquire: return effect
        case .notify(let presenter, let notice):
            return translate(notice, for: presenter).map { .notify(presenter: presenter, $0) }
        }
    }

    private func translate(_ denial: ClaimDenial, of asked: [Asked]) -> ClaimDenial {
        func name(_ path: String) -> String {
            if isOwn(ExactPath(path)) { return path }
            return asked.first { $0.real == ExactPath(path) }?.access.path.string ?? "an item outside of the container"
        }
        switch denial {
        case .deadlock(let other, let path): return .deadlock(other, path: name(path))
        case .blockedPresenter(let path): return .blockedPresenter(path: name(path))
        case .presenter(let failure):
            // Another program's words may tell of its other files.
            return .presenter(
                CoordinationFailure(
                    domain: failure.domain, code: failure.code, message: "a program that has the file open refused"))
        case .refused, .tooManyClaims: return denial
        }
    }

    /// What the process calls an item at or beneath the one that a presenter presents; `nil` for any other.
    private func name(_ path: ExactPath, for presenter: UInt64) -> ExactPath? {
        guard let outside = state.withLock({ $0.presenters[presenter] }) else { return isOwn(path) ? path : nil }
        guard PlainPath.isAtOrBeneath(path, outside.realPath) else { return nil }
        return PlainPath.moved(path, from: outside.realPath, to: outside.path)
    }

    private func translate(_ notice: PresenterNotice, for presenter: UInt64) -> PresenterNotice? {
        switch notice {
        case .moved(let path):
            // The process still finds it where it was.
            let isOutside = state.withLock { state in
                guard state.presenters[presenter] != nil else { return false }
                state.presenters[presenter]?.realPath = path
                return true
            }
            return isOutside ? nil : notice
        case .changed, .attributesChanged: return notice
        case .subitemChanged(let path): return name(path, for: presenter).map { .subitemChanged($0) }
        case .subitemMoved(let old, let new):
            switch (name(old, for: presenter), name(new, for: presenter)) {
            case (let old?, let new?): return .subitemMoved(from: old, to: new)
            case (let path?, nil), (nil, let path?): return .subitemChanged(path)
            case (nil, nil): return nil
            }
        case .subitemAttributesChanged(let path, let names):
            return name(path, for: presenter).map { .subitemAttributesChanged($0, names) }
        case .versionChanged(let path, let change):
            return name(path, for: presenter).map { .versionChanged($0, change) }
        case .subitemVersionChanged(let path, let change):
            return name(path, for: presenter).map { .subitemVersionChanged($0, change) }
        }
    }
}

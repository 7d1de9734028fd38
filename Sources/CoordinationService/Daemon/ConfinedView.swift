import FileCoordination
import LinuxSystem

/// What a confined process says and hears of coordination, with its names of files turned into those of everybody else and
/// back.
///
/// It writes, presents and announces what it may use itself: what is in its container, and the items that it was given access
/// to. Those it can change only in place, so nobody is told that one is to be deleted, moved or replaced.
///
/// A file that it was handed it reads in its turn, one at a time and for a while: it shows the file with the claim, and that is
/// what is claimed, wherever it is by now and whatever the process calls it. Any other file it may read at once as far as
/// anybody here is concerned: nobody is asked, nobody waits, and it learns nothing.
final class ConfinedView: Sendable {
    /// An item of a claim, as the process calls it.
    struct Asked: Sendable {
        enum Place: Sendable { case own, placed, handed, elsewhere }

        let access: Access
        let place: Place
        /// Where the arbiter was told that it is, and which access of the claim it is there; `nil` for what it was not told of.
        let told: (path: ExactPath, number: Int)?
    }

    /// A claim of a file that the process was handed.
    enum Reading: Sendable {
        case waiting
        case granted
        /// It was granted before it was last looked whether it is still there.
        case overdue
    }

    struct State {
        /// Those that the arbiter has been told of, until they end.
        var claims: [UInt64: [Asked]] = [:]
        var readings: [UInt64: Reading] = [:]
        /// Whether somebody looks after `readings`.
        var isLookedAfter = false
        /// Numbers of claims only grow, so that all that is said of one number is said of one claim, whoever learns first that
        /// it has ended.
        var lastClaim: UInt64?
        /// Those of items outside of the container.
        var presenters: [UInt64: (path: ExactPath, realPath: ExactPath)] = [:]
    }

    // Innermost.
    let state = Lock(State())
    let places: any ConfinedPlaces
    let container: ExactPath
    /// The folders of its groups.
    let groups: [ExactPath]
    private let scopes: ExactPath
    /// How long a process is waited for that does not go on.
    let patience: Duration

    init(_ places: any ConfinedPlaces, _ patience: Duration) {
        self.patience = patience
        self.places = places
        container = ExactPath(places.container)
        groups = places.groups.map { ExactPath($0) }
        scopes = ExactPath(places.scopes)
    }

    /// What becomes of something that the process says.
    enum Verdict {
        case event(CoordinationEvent)
        /// A claim that concerns nobody.
        case granted(claim: UInt64)
        case refused(claim: UInt64, reason: String)
        /// It is not for this process to say.
        case ignored
    }

    /// Turns what the process says into what the arbiter is told.
    ///
    /// - Parameter handed: what it has shown with a claim.
    func judge(_ event: CoordinationEvent, _ handed: FileDescriptor?) -> Verdict {
        switch event {
        // There is no other daemon that can have granted it anything: with that it would have ended.
        case .claim(let request), .adopt(let request): return claim(request, handed)
        case .adoptedAll: return .ignored
        case .release(let claim, let outcomes):
            return end(claim).map { .event(.release(claim: claim, outcomes: allowed(outcomes, of: $0))) } ?? .ignored
        case .cancel(let claim): return end(claim) == nil ? .ignored : .event(event)
        case .answer: return .event(event)
        case .present(let place): return .event(.present(present(place)))
        case .removePresenter(let number):
            state.withLock { _ = $0.presenters.removeValue(forKey: number) }
            return .event(event)
        case .moved(let move):
            guard isOwn(move.path), isOwn(move.newPath) else { return .ignored }
            return .event(
                .moved(
                    ItemMove(
                        path: move.path, newPath: move.newPath, newKey: ownKey(move.newKey, of: move.newPath),
                        excepted: move.excepted)))
        case .changedAttributes(let path, let names, let excepted):
            guard let real = changeable(path) else { return .ignored }
            return .event(.changedAttributes(path: real, names: names, excepted: excepted))
        case .changedVersion(let path, let change):
            guard let real = changeable(path) else { return .ignored }
            return .event(.changedVersion(path: real, change))
        }
    }

    var claimCount: Int { state.withLock { $0.claims.count } }

    func isOwn(_ path: ExactPath) -> Bool {
        PlainPath.isAtOrBeneath(path, container) || groups.contains { PlainPath.isAtOrBeneath(path, $0) }
    }

    func isPlace(_ path: ExactPath) -> Bool { PlainPath.isAtOrBeneath(path, scopes) }

    /// What is guarded of an item in the container: no more than a package there that the item is in.
    func ownKey(_ key: ExactPath, of path: ExactPath) -> ExactPath {
        isOwn(key) && PlainPath.isAtOrBeneath(path, key) ? key : path
    }

    private func changeable(_ path: ExactPath) -> ExactPath? {
        if isOwn(path) { return path }
        guard let item = places.item(at: path.string), item.isWritable else { return nil }
        return PlainPath.moved(path, from: item.path, to: item.realPath)
    }

    private func present(_ place: PresenterPlace) -> PresenterPlace {
        var outside: (path: ExactPath, realPath: ExactPath)?
        var result = PresenterPlace(number: place.number, path: nil, key: nil)
        if let path = place.path {
            if isOwn(path) {
                result = PresenterPlace(
                    number: place.number, path: path, key: place.key.map { ownKey($0, of: path) } ?? path)
            } else if let item = places.item(at: path.string) {
                let real = PlainPath.moved(path, from: item.path, to: item.realPath)
                outside = (path, real)
                result = PresenterPlace(
                    number: place.number, path: real, key: item.realKey != item.realPath ? item.realKey : real)
            }
        }
        let presented = outside
        let isKnown = state.withLock { state in
            // As many as the arbiter knows of.
            guard
                presented == nil || state.presenters[place.number] != nil
                    || state.presenters.count < ClaimUsage.presenterLimit
            else { return false }
            state.presenters[place.number] = presented
            return true
        }
        return isKnown ? result : PresenterPlace(number: place.number, path: nil, key: nil)
    }
}

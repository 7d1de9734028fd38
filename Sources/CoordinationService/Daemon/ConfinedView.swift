import FileCoordination
import LinuxSystem

/// Translates between a confined process and the arbiter: it checks the events that the process sends, and maps paths
/// in both directions.
///
/// The process may write, present and announce only items that it may use itself: items in its container, and items to
/// which it was given access. An item outside the container can only be changed in place, so the arbiter is never
/// notified that such an item is to be deleted, moved or replaced.
///
/// A handed file is a file whose open descriptor the process has received from another process. The process reads such
/// a file under claims of limited duration, one file per claim. It passes a descriptor of the file with each claim. The
/// claim is for the current path of the descriptor's file, and not for the path that the process sends. Claims to read
/// other files are not passed to the arbiter. They are granted at once, so the process learns nothing about these
/// files.
final class ConfinedView: Sendable {
    /// One access of a claim, as the process requested it.
    struct RequestedAccess: Sendable {
        enum Place: Sendable { case own, placed, handed, elsewhere }

        let access: Access
        let place: Place
        /// The item's real path, and the index of its access in the claim that is passed to the arbiter; `nil` if that
        /// claim does not include the item.
        let told: (path: ExactPath, number: Int)?
    }

    /// The state of a claim of a handed file.
    enum Reading: Sendable {
        case waiting
        case granted
        /// The claim was already granted at the previous periodic check.
        case overdue
    }

    struct State {
        /// The claims that were passed to the arbiter and have not ended, by the process's number of the claim.
        var claims: [UInt64: [RequestedAccess]] = [:]
        var readings: [UInt64: Reading] = [:]
        /// Whether the next periodic check of `readings` is scheduled.
        var isLookedAfter = false
        /// The greatest claim number that the process has used. Claim numbers only increase. Therefore all messages
        /// with one number concern the same claim, even if one side does not know yet that the claim has ended.
        var lastClaim: UInt64?
        /// The presenters of items outside the container, by number: the path that the process uses, and the real path.
        var presenters: [UInt64: (path: ExactPath, realPath: ExactPath)] = [:]
    }

    // Leaf lock.
    let state = Lock(State())
    let places: any ConfinedPlaces
    let container: ExactPath
    /// The directories of the process's app groups.
    let groups: [ExactPath]
    private let scopes: ExactPath
    /// The duration for which the granted claims of an unresponsive process are retained.
    let patience: Duration

    init(_ places: any ConfinedPlaces, _ patience: Duration) {
        self.patience = patience
        self.places = places
        container = ExactPath(places.container)
        groups = places.groups.map { ExactPath($0) }
        scopes = ExactPath(places.scopes)
    }

    /// A decision about an event from the process.
    enum Decision {
        case event(CoordinationEvent)
        /// A claim that is granted without the arbiter.
        case granted(claim: UInt64)
        case refused(claim: UInt64, reason: String)
        /// An event that this process may not send.
        case ignored
    }

    /// Checks an event of the process, and translates it into an event for the arbiter.
    ///
    /// - Parameter handed: The descriptor that was sent with the event; `nil` if there was none.
    func judge(_ event: CoordinationEvent, _ handed: FileDescriptor?) -> Decision {
        switch event {
        // An adopted claim is checked like a new one. A former daemon cannot have granted it, because the process would
        // have ended together with that daemon.
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

    /// Returns the ``Access/key`` for an item in the container: the path of the package in the container that contains
    /// the item. If there is no such package, returns the item's own path.
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
            // The arbiter has the same limit.
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

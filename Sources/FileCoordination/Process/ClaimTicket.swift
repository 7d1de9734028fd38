import LinuxSystem

/// A claim of this process, from its making to its end, and whoever waits for it.
final class ClaimTicket: Sendable {
    enum Outcome: Sendable {
        case granted([ItemPlace], hasWaited: Bool)
        case denied(ClaimDenial)
        case cancelled
    }

    private struct State {
        var request: ClaimRequest
        var outcome: Outcome?
        var isDelayed = false
        var handler: (@Sendable () -> Void)?
    }

    // Innermost.
    private let state: Lock<State>
    let number: UInt64
    /// Where it was made.
    let site: CallSite

    init(_ request: ClaimRequest, at site: CallSite) {
        number = request.number
        self.site = site
        state = Lock(State(request: request))
    }

    /// What is claimed: where it is now, once it is granted.
    var request: ClaimRequest { state.withLock { $0.request } }
    /// Where it was claimed.
    var askedPlaces: [ItemPlace] { request.accesses.map { ItemPlace(path: $0.path, key: $0.key) } }
    var outcome: Outcome? { state.withLock { $0.outcome } }
    var isGranted: Bool {
        if case .granted = outcome { return true }
        return false
    }

    /// Returns whether it was still open.
    @discardableResult
    func finish(_ outcome: Outcome) -> Bool {
        let (wasOpen, handler) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            guard state.outcome == nil else { return (false, nil) }
            state.outcome = outcome
            if case .granted(let places, _) = outcome, places.count == state.request.accesses.count {
                for (number, place) in places.enumerated() {
                    state.request.accesses[number].path = place.path
                    state.request.accesses[number].key = place.key
                }
            }
            defer { state.handler = nil }
            return (true, state.handler)
        }
        handler?()
        return wasOpen
    }

    /// Calls a function once there is an outcome: at once, or on the thread that brings it, which must not be blocked.
    func onFinish(_ handler: @escaping @Sendable () -> Void) {
        let isFinished = state.withLock { state in
            if state.outcome == nil { state.handler = handler }
            return state.outcome != nil
        }
        if isFinished { handler() }
    }

    /// Whoever decides came to be there only after the claim was made.
    func isDelayed() { state.withLock { $0.isDelayed = true } }

    /// Whether anything can have happened to the items between the claim's making and its being granted.
    var hasWaited: Bool {
        state.withLock { state in
            if case .granted(_, false) = state.outcome { state.isDelayed } else { true }
        }
    }

    /// Blocks until there is an outcome.
    func wait() {
        if outcome != nil { return }
        let latch = Latch()
        onFinish { latch.open() }
        latch.wait()
    }
}

/// Where an item of a granted claim is.
struct ItemPlace: Hashable, Sendable {
    let path: ExactPath
    let key: ExactPath
}

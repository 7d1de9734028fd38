import LinuxSystem

/// A claim of this process, from its creation to its end. A caller can wait for its outcome.
final class ClaimTicket: Sendable {
    enum Outcome: Sendable {
        case granted([GrantedItem], hasWaited: Bool)
        case denied(ClaimDenial)
        case cancelled
    }

    private struct State {
        var request: ClaimRequest
        var outcome: Outcome?
        var isDelayed = false
        var handler: (@Sendable () -> Void)?
    }

    // Leaf lock.
    private let state: Lock<State>
    let number: UInt64
    /// The place of the call that made the claim.
    let site: CallSite

    init(_ request: ClaimRequest, at site: CallSite) {
        number = request.number
        self.site = site
        state = Lock(State(request: request))
    }

    /// The request of the claim. After the grant, it contains the items' current paths.
    var request: ClaimRequest { state.withLock { $0.request } }
    /// The items' paths and keys in the request.
    var askedPlaces: [GrantedItem] { request.accesses.map { GrantedItem(path: $0.path, key: $0.key) } }
    var outcome: Outcome? { state.withLock { $0.outcome } }
    var isGranted: Bool {
        if case .granted = outcome { return true }
        return false
    }

    /// Sets the outcome. Returns `false` if the outcome was set before.
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

    /// Calls a function when the outcome is set, on the thread that sets it. If the outcome is set already, calls the
    /// function at once. The function must not block.
    func onFinish(_ handler: @escaping @Sendable () -> Void) {
        let isFinished = state.withLock { state in
            if state.outcome == nil { state.handler = handler }
            return state.outcome != nil
        }
        if isFinished { handler() }
    }

    /// Records that no authority was connected when the claim was made.
    func isDelayed() { state.withLock { $0.isDelayed = true } }

    /// Whether the items may have changed between the claim's creation and its grant.
    var hasWaited: Bool {
        state.withLock { state in
            if case .granted(_, false) = state.outcome { state.isDelayed } else { true }
        }
    }

    /// Blocks until the outcome is set.
    func wait() {
        if outcome != nil { return }
        let latch = Latch()
        onFinish { latch.open() }
        latch.wait()
    }
}

/// The current path of a granted claim's item, and the item's ``Access/key``.
struct GrantedItem: Hashable, Sendable {
    let path: ExactPath
    let key: ExactPath
}

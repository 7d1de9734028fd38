/// The component that decides which claims are granted at the same time, and which requests and notices presenters get.
///
/// It is a value without a clock, threads or files. Its input is a sequence of events from processes. Its output is a
/// sequence of effects for processes. The same events in the same order have the same effects. A process without a
/// daemon has its own arbiter. The daemon has one arbiter for all processes.
///
/// A claim excludes other claims for the item, for everything beneath it and for everything above it, unless both
/// claims only read, or both have the same purpose. Claims that exclude each other are granted in the order in which
/// they were made. There is one exception. A later claim passes an earlier claim that waits, directly or indirectly,
/// for a third claim, if this third claim encloses the later claim, has the same purpose as the later claim, or waits
/// for the presenter of the later claim. All items of a claim are granted together.
///
/// When a claim's turn has come, it excludes other claims, and the presenters of its items are asked to prepare. The
/// claim is granted when all of these presenters have replied.
package struct Arbiter: Sendable {
    enum Phase: Sendable {
        /// The claim waits behind other claims.
        case waiting
        /// The claim excludes other claims, while presenters prepare.
        case preparing
        case granted
    }

    struct Claim: Sendable {
        let identifier: ClaimIdentifier
        let sequence: UInt64
        var cost: ClaimCost
        var request: ClaimRequest
        /// The nodes of the claim's accesses in the tree.
        var nodes: [Int] = []
        var phase = Phase.waiting
        var hasMoved = false
        /// Whether the claim was not granted immediately.
        var hasWaited = false
        /// One of the claims for which this claim waits. Until that claim has ended, this claim cannot proceed and is
        /// not examined.
        var blocker: ClaimIdentifier?
        /// The preparations that were requested from presenters. Preparations without a reply are also in `unanswered`.
        var preparations: [UInt64] = []
        var unanswered: Set<UInt64> = []

        var isHolding: Bool { phase != .waiting }
        func entry(_ access: Int) -> PathTree.Entry {
            PathTree.Entry(claim: identifier, access: access, sequence: sequence, purpose: request.purpose)
        }
        var isNested: Bool {
            !request.enclosing.isEmpty || !request.answering.isEmpty || !request.blocking.isEmpty
        }
        func isBlocking(_ presenter: PresenterIdentifier) -> Bool {
            presenter.client == identifier.client && request.blocking.contains(presenter.number)
        }
        var presenter: PresenterIdentifier? {
            request.presenter.map { PresenterIdentifier(client: identifier.client, number: $0) }
        }
    }

    struct Presenter: Sendable {
        var place: PresenterPlace
        var bytes: Int
    }

    struct PresenterUsage: Sendable {
        var count = 0
        var bytes = 0
        /// The number of preparations of the client's presenters whose claims have not ended.
        var preparations = 0
    }

    struct RunningPreparation: Sendable {
        let claim: ClaimIdentifier
        let presenter: PresenterIdentifier
        let relinquishing: Preparation.Relinquishing
    }

    var claims: [ClaimIdentifier: Claim] = [:]
    /// The resources that the claims of each connection use.
    var usages: [UInt64: ClaimUsage] = [:]
    var processes = ConnectedProcesses()
    /// For each claim, the claims to examine again when the claim has ended.
    var watchers: [ClaimIdentifier: [ClaimIdentifier]] = [:]
    /// The claims that are not granted yet and must be checked for deadlocks: claims that a thread makes while it holds
    /// another claim or performs a preparation, and claims that block a presenter's queue.
    var nested: Set<ClaimIdentifier> = []
    /// The nested claims that prevent a presenter from replying.
    var nestedInMessages: Set<ClaimIdentifier> = []
    /// The waiting claims, by the presenter for which the items are used.
    var waitingByPresenter: [PresenterIdentifier: Set<ClaimIdentifier>] = [:]
    var holdersByPurpose: [String: Set<ClaimIdentifier>] = [:]
    var presenters: [PresenterIdentifier: Presenter] = [:]
    var presenterUsages: [UInt64: PresenterUsage] = [:]
    var preparations: [UInt64: RunningPreparation] = [:]
    var unansweredByPresenter: [PresenterIdentifier: Set<UInt64>] = [:]
    /// The directories to which the claims and presenters of each confined client are limited.
    var confinements: [UInt64: [ExactPath]] = [:]
    var tree = PathTree()
    var nextSequence: UInt64 = 1
    var nextPreparation: UInt64 = 1
    /// Whether, since the last examination of nested claims, an event happened that may concern more than one claim.
    var hasEntangled = false
    /// The effects of the current event.
    var effects: [AddressedEffect] = []
    /// The preparations that ended because of the latest event: by a reply, by a timeout, or because the presenter or
    /// the claim has ended.
    package internal(set) var settledPreparations: [UInt64] = []
    /// The claims to examine; the last element is examined first. Further claims are appended instead of being examined
    /// recursively, because a long queue would overflow the stack.
    var agenda: [ClaimIdentifier] = []
    var isSettling = false

    package init() {}

    /// Adds the given client: one connection of a process. The limits apply to all connections of a process together.
    /// Returns `false` if the process, or all processes together, have too many connections.
    package mutating func begin(client: UInt64, of process: UInt64) -> Bool { processes.add(client, of: process) }

    /// Applies an event from a process. Returns its effects.
    package mutating func apply(_ event: CoordinationEvent, from client: UInt64) -> [AddressedEffect] {
        if !settledPreparations.isEmpty { settledPreparations = [] }
        func identifier(_ number: UInt64) -> ClaimIdentifier { ClaimIdentifier(client: client, number: number) }
        switch event {
        case .claim(let request): add(request, identifier(request.number))
        case .adopt(let request): adopt(request, identifier(request.number))
        case .adoptedAll: break
        case .release(let claim, let outcomes): release(identifier(claim), outcomes)
        case .cancel(let claim): settle(end(identifier(claim)))
        case .answer(let preparation, let failure):
            hasEntangled = true
            guard preparations[preparation]?.presenter.client == client else { break }
            answer(preparation, failure)
        case .present(let place): present(place, client)
        case .removePresenter(let number): remove(PresenterIdentifier(client: client, number: number))
        case .moved(let move):
            let excepted = move.excepted.map { PresenterIdentifier(client: client, number: $0) }
            var telling = Telling(excepted: excepted)
            let moved = carryAlong(move, isAnnounced: true, &telling)
            settle(moved)
            if !moved.isEmpty { lookAfterMoves() }
        case .changedAttributes(let path, let names, let excepted):
            tell(
                presentersOf: path, .attributesChanged(names), orOfDirectory: .subitemAttributesChanged(path, names),
                excepted.map { PresenterIdentifier(client: client, number: $0) })
        case .changedVersion(let path, let change):
            tell(
                presentersOf: path, .versionChanged(path, change),
                orOfDirectory: .subitemVersionChanged(path, change), nil)
        }
        return takeEffects()
    }

    /// Ends the claims and presenters of a client that has disconnected.
    ///
    /// - Parameter keepingGranted: Whether granted claims remain, because the process is alive and continues to use
    ///   them.
    package mutating func end(client: UInt64, keepingGranted: Bool = false) -> [AddressedEffect] {
        if !settledPreparations.isEmpty { settledPreparations = [] }
        for presenter in presenters.keys.filter({ $0.client == client }).sorted() { remove(presenter) }
        hasEntangled = true
        var toSettle: [ClaimIdentifier] = []
        let ended = claims.values.filter {
            $0.identifier.client == client && !(keepingGranted && $0.phase == .granted)
        }
        for claim in ended.sorted(by: { $0.sequence < $1.sequence }) {
            toSettle += end(claim.identifier)
        }
        settle(toSettle)
        if usages[client]?.count == 0 { usages[client] = nil }
        if !keepingGranted {
            processes.remove(client)
            confinements[client] = nil
        }
        effects.removeAll { $0.client == client }
        return takeEffects()
    }

    /// Stops waiting for a presenter that has timed out. Returns the path of its item, and the effects; `nil` if the
    /// presenter has already replied.
    package mutating func expire(preparation: UInt64) -> (path: String, effects: [AddressedEffect])? {
        if !settledPreparations.isEmpty { settledPreparations = [] }
        guard let running = preparations[preparation],
            unansweredByPresenter[running.presenter]?.contains(preparation) == true
        else { return nil }
        hasEntangled = true
        let path = presenters[running.presenter]?.place.path?.string ?? ""
        answer(preparation, nil)
        return (path, takeEffects())
    }

    /// The number of granted and waiting claims.
    package var claimCount: Int { claims.count }

    /// Returns the number of granted and waiting claims of a client.
    package func claimCount(of client: UInt64) -> Int { usages[client]?.count ?? 0 }

    /// Whether the arbiter waits for a presenter's reply to a preparation.
    package func waits(forPreparation number: UInt64) -> Bool {
        guard let running = preparations[number] else { return false }
        return unansweredByPresenter[running.presenter]?.contains(number) == true
    }

    private mutating func takeEffects() -> [AddressedEffect] {
        lookAtNestedClaims()
        defer { effects = [] }
        return effects
    }

    /// Checks again whether nested claims can proceed or are in a deadlock. While a presenter prepares, other events
    /// can make claims wait for a nested claim of the presenter's thread, or change the set of claims that this nested
    /// claim may pass. Without a new check, a deadlock could remain undetected.
    ///
    /// Most events concern no other claim and need no check.
    private mutating func lookAtNestedClaims() {
        guard hasEntangled else { return }
        hasEntangled = false
        if nested.isEmpty || !hasDelayedPreparation { return }
        var told: Int
        repeat {
            // A grant or a denial may allow another claim to proceed.
            told = effects.count
            settle(entangledClaims())
            denyDeadlocks(among: nested)
        } while effects.count != told
    }

    mutating func tell(_ client: UInt64, _ effect: CoordinationEffect) {
        effects.append(AddressedEffect(client: client, effect: effect))
    }
}

/// An identifier of a claim that is unique among all processes.
package struct ClaimIdentifier: Hashable, Sendable {
    package let client: UInt64
    package let number: UInt64

    package init(client: UInt64, number: UInt64) {
        self.client = client
        self.number = number
    }
}

/// An identifier of a presenter that is unique among all processes.
struct PresenterIdentifier: Hashable, Sendable, Comparable {
    let client: UInt64
    let number: UInt64

    static func < (left: PresenterIdentifier, right: PresenterIdentifier) -> Bool {
        (left.client, left.number) < (right.client, right.number)
    }
}

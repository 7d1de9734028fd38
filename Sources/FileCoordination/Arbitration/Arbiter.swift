/// Decides which claims on files may be used at the same time, and what their presenters are asked and told.
///
/// It is a value without a clock, threads or files: events of processes go in, effects for processes come out, and the same
/// events in the same order have the same effects. A process that coordinates alone has one of its own, the daemon has one for
/// everybody.
///
/// The rules. A claim excludes others from an item, from what is beneath it and from what is above it, unless both only read
/// or both have the same purpose. Claims that exclude each other are granted in the order in which they were made. But a claim
/// does not stand behind one that waits for it: behind one that cannot be granted before a claim has ended that encloses this
/// one, has its purpose, or waits for its presenter. All items of a claim are granted at once.
///
/// A claim whose turn has come first has the presenters of its items prepared, and excludes others from then on; it is granted
/// when all have answered.
package struct Arbiter: Sendable {
    enum Phase: Sendable {
        /// Behind others.
        case waiting
        /// Its turn has come; presenters prepare themselves.
        case preparing
        case granted
    }

    struct Claim: Sendable {
        let identifier: ClaimIdentifier
        let sequence: UInt64
        var cost: ClaimCost
        var request: ClaimRequest
        /// The nodes of its accesses in the tree.
        var nodes: [Int] = []
        var phase = Phase.waiting
        var hasMoved = false
        /// Whether it was not granted as soon as it was made.
        var hasWaited = false
        /// One of those that it waits for: until that one has ended there is no need to look again.
        var blocker: ClaimIdentifier?
        /// The presenters that were asked to prepare themselves, and those of them that have not answered.
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
        /// Preparations of claims that have not ended.
        var preparations = 0
    }

    struct RunningPreparation: Sendable {
        let claim: ClaimIdentifier
        let presenter: PresenterIdentifier
        let relinquishing: Preparation.Relinquishing
    }

    var claims: [ClaimIdentifier: Claim] = [:]
    /// What the claims of each connection take.
    var usages: [UInt64: ClaimUsage] = [:]
    var processes = ConnectedProcesses()
    /// Who looks again when a claim has ended.
    var watchers: [ClaimIdentifier: [ClaimIdentifier]] = [:]
    /// Claims that are not granted yet and enclosed by others, made while a presenter prepares itself, or block one's queue.
    var nested: Set<ClaimIdentifier> = []
    /// Those of them that keep a presenter from answering.
    var nestedInMessages: Set<ClaimIdentifier> = []
    /// Those that wait, by the presenter on whose behalf they are made.
    var waitingByPresenter: [PresenterIdentifier: Set<ClaimIdentifier>] = [:]
    var holdersByPurpose: [String: Set<ClaimIdentifier>] = [:]
    var presenters: [PresenterIdentifier: Presenter] = [:]
    var presenterUsages: [UInt64: PresenterUsage] = [:]
    var preparations: [UInt64: RunningPreparation] = [:]
    var unansweredByPresenter: [PresenterIdentifier: Set<UInt64>] = [:]
    /// The folders of the processes that are confined.
    var confinements: [UInt64: [ExactPath]] = [:]
    var tree = PathTree()
    var nextSequence: UInt64 = 1
    var nextPreparation: UInt64 = 1
    /// Whether, since nested claims were last looked at, anything has happened that may concern more than one claim.
    var hasEntangled = false
    /// Collected while an event is dealt with.
    var effects: [AddressedEffect] = []
    /// The preparations that are waited for no longer since the last event came.
    package internal(set) var settledPreparations: [UInt64] = []
    /// What is still to be looked at, the next one last. What follows from a claim is looked at when that is done with, not inside
    /// of it: a queue may be so long that there would be no stack left.
    var agenda: [ClaimIdentifier] = []
    var isSettling = false

    package init() {}

    /// A connection of a process that may have several. What it has over them counts together.
    ///
    /// - Returns: `false` if it has too many, or all processes together have.
    package mutating func begin(client: UInt64, of process: UInt64) -> Bool { processes.add(client, of: process) }

    /// Deals with what a process says.
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

    /// A process has gone: what it held is free, and its presenters need not be waited for.
    ///
    /// - Parameter keepingGranted: whether it cannot be reached but lives, and goes on using what it was granted.
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

    /// A presenter's time is over. Returns where its item is, if it was still waited for, beside the effects.
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

    /// How many claims there are, granted and waiting.
    package var claimCount: Int { claims.count }

    /// How many claims a process has, granted and waiting.
    package func claimCount(of client: UInt64) -> Int { usages[client]?.count ?? 0 }

    /// Whether a presenter is asked and has not answered.
    package func waits(forPreparation number: UInt64) -> Bool {
        guard let running = preparations[number] else { return false }
        return unansweredByPresenter[running.presenter]?.contains(number) == true
    }

    private mutating func takeEffects() -> [AddressedEffect] {
        lookAtNestedClaims()
        defer { effects = [] }
        return effects
    }

    /// While a presenter is waited for, claims of its thread come to be waited for, and no longer to be favoured, by what happens to
    /// claims elsewhere: others need not stand behind what waits for them, or they wait for each other.
    ///
    /// Nothing of that comes of claims that nobody else has to do with, which are nearly all.
    private mutating func lookAtNestedClaims() {
        guard hasEntangled else { return }
        hasEntangled = false
        if nested.isEmpty || !hasDelayedPreparation { return }
        var told: Int
        repeat {
            // One that goes on, or is told that it cannot, may let another one go on.
            told = effects.count
            settle(entangledClaims())
            denyDeadlocks(among: nested)
        } while effects.count != told
    }

    mutating func tell(_ client: UInt64, _ effect: CoordinationEffect) {
        effects.append(AddressedEffect(client: client, effect: effect))
    }
}

import FileCoordination
import FileTesting

/// One run of an arbiter: processes, claims, presenters, moves and deaths in an order that a seed determines. A model
/// checks each effect. It has the rules, but not the arbiter's implementation.
package struct Schedule {
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    enum Phase { case waiting, granted }

    struct Model {
        var request: ClaimRequest
        var client: UInt64
        var order: Int
        var phase = Phase.waiting
        /// Whether the claim's item was moved when the claim's turn might have come already. In this case the claim may
        /// still guard the item's former path.
        var isUncertain = false
        /// The claims whose order relative to this one is unknown, because of moves.
        var apart: Set<ClaimIdentifier> = []
        /// The value of ``Schedule/moment`` when the claim was made or its item was last moved.
        var since = 0
        /// The presenters that the arbiter has asked since the moment `since`.
        var asked: Set<UInt64> = []
        /// Whether the claim's turn may have come, so that it only waits for presenters.
        var mayHaveTurn = false
        /// The earlier claims that may wait behind this one since its turn came, although it was granted only later.
        var passed: Set<ClaimIdentifier> = []

        /// Whether the claim may be granted before earlier ones that wait for the claim or presenter on whose behalf it
        /// is made.
        var isFavoured: Bool {
            !request.enclosing.isEmpty || request.purpose == "shared" || hasPresenters
        }
        var hasPresenters: Bool {
            !request.answering.isEmpty || !request.blocking.isEmpty || request.presenter != nil
        }
    }

    /// One entry of the log. Entries are formatted only when the history is read.
    enum Entry {
        case event(UInt64, CoordinationEvent)
        case death(UInt64)
        case loss(of: UInt64?)
        case effect(AddressedEffect)
    }

    struct Question {
        let client: UInt64
        let presenter: UInt64
        /// The claims of which at least one is the reason for the request to the presenter.
        let askers: Set<ClaimIdentifier>
    }

    struct Presenter {
        var client: UInt64
        var place: PresenterPlace
        /// The value of ``Schedule/moment`` when the presenter began to present its current path.
        var since: Int
    }

    /// The process and presenter on whose behalf the claim was made that is being released. The arbiter does not notify
    /// them of the claim's changes.
    private var ignorant: (client: UInt64, presenter: UInt64)?
    var random: RandomNumbers
    var arbiter = Arbiter()
    var claims: [ClaimIdentifier: Model] = [:]
    /// The requests to presenters that have no reply yet, by number.
    var questions: [UInt64: Question] = [:]
    /// The requests to presenters on behalf of claims that have not ended, by number.
    var asked: [UInt64: Question] = [:]
    /// The claims and requests that end with the current event, in an unknown order.
    var fading: (claims: [ClaimIdentifier: Model], questions: [UInt64: Question]) = ([:], [:])
    /// The claim that a process reports to a new arbiter at the moment.
    var adopted: ClaimIdentifier?
    var presenters: [Presenter] = []
    /// The number of events so far.
    private(set) var moment = 0
    var nextNumber: UInt64 = 1
    var made = 0
    var log: [Entry] = []
    /// The number of events of each kind. A test checks by them that the schedules cover all kinds.
    package private(set) var counts: [String: Int] = [:]

    static let paths: [ExactPath] = [
        "/a", "/a/b", "/a/b/c", "/a/b/d", "/a/e", "/f", "/f/g", "/p", "/p/x", "/p/y/z",
    ]
    static let destinations: [ExactPath] = ["/f/h", "/a/z", "/m", "/p/n", "/q"]
    /// The arbiter's numbers of the processes. A process that reconnects gets a new number.
    var clients: [UInt64] = [1, 2, 3]

    /// Returns the path of the package that contains `path`, or the path itself. Two directories are packages.
    static func key(of path: ExactPath) -> ExactPath {
        for package in ["/p", "/q"] as [ExactPath] where path == package || isBeneath(path, package) { return package }
        return path
    }

    /// The log in text form, in order.
    package var history: [String] {
        log.map { entry in
            switch entry {
            case .event(let client, let event): "\(client): \(event)"
            case .death(let client): "\(client) dies"
            case .loss(let client): client.map { "\($0) comes back" } ?? "another arbiter takes over"
            case .effect(let effect): "    -> \(effect.client): \(effect.effect)"
            }
        }
    }

    /// Whether the last of the processes sends messages that no correct process sends.
    let hasLiar: Bool
    var liar: UInt64? { hasLiar ? clients.last : nil }

    package init(seed: UInt64) {
        random = RandomNumbers(seed: seed)
        hasLiar = seed % 3 == 0
    }

    /// Runs a number of steps, and then continues until every claim has been served.
    package mutating func run(steps: Int) throws {
        for _ in 0..<steps { try step() }
        var left = 10_000
        while !claims.isEmpty {
            guard try finishSomething(), left > 0 else { throw fault("nobody can go on, and some wait") }
            left -= 1
        }
        guard arbiter.claimCount == 0 else { throw fault("the arbiter knows claims that have ended") }
    }

    func fault(_ words: String) -> Fault { Fault(description: "\(words)\n" + history.joined(separator: "\n")) }

    // MARK: Steps

    private mutating func step() throws {
        switch random.next() % 20 {
        case 0..<9: try makeClaim()
        case 9..<13: _ = try finishSomething()
        case 13: try addPresenter()
        case 14: try cancelSomething()
        case 15: try move()
        case 16:
            switch random.next() % 16 {
            case 0, 1: try die()
            case 2: try takeOver()
            case 3: try comeBack()
            default: break
            }
        case 17: try removePresenter()
        case 18 where hasLiar, 10 where hasLiar: try lie()
        default: _ = try answerSomething()
        }
    }

    mutating func choose<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[Int(random.next() % UInt64(elements.count))]
    }

    private mutating func makeClaim() throws {
        guard claims.count < 12, let client = choose(clients) else { return }
        var accesses: [Access] = []
        for _ in 0..<(random.next() % 4 == 0 ? 2 : 1) {
            guard let path = choose(Self.paths) else { return }
            var traits: Access.Traits = random.next() % 2 == 0 ? .writes : []
            let kinds: [Access.Traits] =
                traits.contains(.writes)
                ? [.deletes, .moves, .replaces, .evicts, .isQuiet, []] : [.saves, .saves, .isQuiet, []]
            if let kind = choose(kinds) { traits.formUnion(kind) }
            accesses.append(Access(path: path, key: Self.key(of: path), traits: traits))
        }
        let number = nextNumber
        nextNumber += 1
        var enclosing: [UInt64] = []
        var answering: [UInt64] = []
        if random.next() % 3 == 0, let outer = choose(idleGranted(of: client)) {
            // The claims of a thread form a stack. A presenter's message is handled entirely within one.
            enclosing = (claims[outer]?.request.enclosing ?? []) + [outer.number]
            answering = claims[outer]?.request.answering ?? []
        } else if random.next() % 3 == 0,
            let question = choose(questions.filter { $0.value.client == client }.keys.sorted())
        {
            answering = [question]
        }
        var presenter: UInt64?
        if random.next() % 3 == 0 { presenter = choose(presenters.filter { $0.client == client })?.place.number }
        if let question = answering.first, random.next() % 2 == 0 { presenter = questions[question]?.presenter }
        // The claiming thread is the presenters' queue, so they answer nothing while it waits.
        var blocking: [UInt64] = []
        if random.next() % 4 == 0 { blocking = presenters.filter { $0.client == client }.map(\.place.number) }
        let purpose = random.next() % 5 == 0 ? "shared" : "own \(number)"
        try make(
            ClaimRequest(
                number: number, accesses: accesses, purpose: purpose, presenter: presenter, enclosing: enclosing,
                answering: answering, blocking: blocking), client)
    }

    mutating func make(_ request: ClaimRequest, _ client: UInt64) throws {
        claims[ClaimIdentifier(client: client, number: request.number)] = Model(
            request: request, client: client, order: made, since: moment)
        made += 1
        try apply(.claim(request), from: client)
    }

    /// Returns granted claims within which the caller has no nested claim.
    private func idleGranted(of client: UInt64? = nil) -> [ClaimIdentifier] {
        claims.filter { identifier, model in
            guard model.phase == .granted, client == nil || client == identifier.client else { return false }
            return identifier.client == liar
                || !claims.values.contains {
                    $0.client == identifier.client && $0.request.enclosing.contains(identifier.number)
                }
        }.keys.sorted { ($0.client, $0.number) < ($1.client, $1.number) }
    }

    mutating func finishSomething(except client: UInt64? = nil) throws -> Bool {
        if client == nil, random.next() % 2 == 0, try answerSomething() { return true }
        guard let claim = choose(idleGranted().filter { $0.client != client }), let model = claims[claim] else {
            return try client == nil && answerSomething()
        }
        let outcomes = claim.client == liar ? lies(about: model) : truths(about: model)
        for outcome in Self.plausible(outcomes, of: model) {
            guard case .moved(let path, let key) = outcome.change else { continue }
            count("moved in silence")
            let source = model.request.accesses[outcome.access].path
            follow(ItemMove(path: source, newPath: path, newKey: key, excepted: nil))
        }
        claims[claim] = nil
        ignorant = model.request.presenter.map { (claim.client, $0) }
        defer { ignorant = nil }
        try apply(.release(claim: claim.number, outcomes: outcomes), from: claim.client)
        return true
    }

    private mutating func truths(about model: Model) -> [ClaimOutcome] {
        model.request.accesses.enumerated().filter(\.element.writes).map { number, access in
            var change: ClaimOutcome.Change = access.traits.contains(.deletes) ? .deleted : .changed
            if access.traits.contains(.moves), random.next() % 2 == 0, let path = choose(Self.destinations) {
                change = .moved(toPath: path, key: Self.key(of: path))
            }
            return ClaimOutcome(access: number, change: change)
        }
    }

    /// Returns the outcomes that an arbiter accepts: one for each written item, and moves only of items that were
    /// claimed for moving.
    private static func plausible(_ outcomes: [ClaimOutcome], of model: Model) -> [ClaimOutcome] {
        let accesses = model.request.accesses
        var known: Set<Int> = []
        return outcomes.filter { outcome in
            guard accesses.indices.contains(outcome.access), accesses[outcome.access].writes else { return false }
            if case .moved = outcome.change, !accesses[outcome.access].traits.contains(.moves) { return false }
            return known.insert(outcome.access).inserted
        }
    }

    private mutating func answerSomething() throws -> Bool {
        let free = questions.filter { question in
            question.value.client == liar
                || !claims.values.contains {
                    $0.client == question.value.client
                        && ($0.request.answering.contains(question.key)
                            || $0.phase == .waiting && $0.request.blocking.contains(question.value.presenter))
                }
        }
        guard let number = choose(free.keys.sorted()), let question = questions.removeValue(forKey: number) else {
            return false
        }
        count("answered")
        let failure = random.next() % 16 == 0 ? CoordinationError(domain: "test", code: 1, message: "") : nil
        try apply(.answer(preparation: number, failure: failure), from: question.client)
        return true
    }

    private mutating func addPresenter() throws {
        guard presenters.count < 4, let client = choose(clients), let path = choose(Self.paths) else { return }
        let number = nextNumber
        nextNumber += 1
        let place = PresenterPlace(number: number, path: path, key: Self.key(of: path))
        presenters.append(Presenter(client: client, place: place, since: moment))
        try apply(.present(place), from: client)
    }

    private mutating func removePresenter() throws {
        guard random.next() % 2 == 0, let presenter = choose(presenters) else { return }
        let number = presenter.place.number
        presenters.removeAll { $0.place.number == number }
        // The requests are answered one after the other.
        fading.questions = questions.filter { $0.value.presenter == number }
        questions = questions.filter { $0.value.presenter != number }
        try apply(.removePresenter(number), from: presenter.client)
    }

    private mutating func cancelSomething() throws {
        let waiting = claims.filter { $0.value.phase == .waiting }.keys
        guard let claim = choose(waiting.sorted { ($0.client, $0.number) < ($1.client, $1.number) }) else { return }
        claims[claim] = nil
        try apply(.cancel(claim: claim.number), from: claim.client)
    }

    private mutating func move() throws {
        guard let source = choose(Self.paths), let destination = choose(Self.destinations) else { return }
        count("moved")
        let move = ItemMove(path: source, newPath: destination, newKey: Self.key(of: destination), excepted: nil)
        follow(move)
        try apply(.moved(move), from: clients[0])
    }

    private mutating func die() throws {
        guard let client = choose(clients) else { return }
        count("died")
        fading = (claims.filter { $0.key.client == client }, questions.filter { $0.value.client == client })
        claims = claims.filter { $0.key.client != client }
        presenters.removeAll { $0.client == client }
        questions = questions.filter { $0.value.client != client }
        log.append(.death(client))
        try take(arbiter.end(client: client))
    }

    // MARK: Effects

    mutating func count(_ name: String) { counts[name, default: 0] += 1 }

    mutating func apply(_ event: CoordinationEvent, from client: UInt64) throws {
        log.append(.event(client, event))
        try take(arbiter.apply(event, from: client))
    }

    mutating func take(_ effects: [AddressedEffect]) throws {
        moment += 1
        defer { fading = ([:], [:]) }
        for addressed in effects {
            log.append(.effect(addressed))
            switch addressed.effect {
            case .granted(let number, let paths, let keys, let hasWaited):
                if !hasWaited { count("at once") }
                try grant(ClaimIdentifier(client: addressed.client, number: number), paths, keys)
            case .denied(let number, let denial):
                if case .deadlock = denial { count("deadlocks") }
                if case .blockedPresenter = denial { count("blocked") }
                guard claims.removeValue(forKey: .init(client: addressed.client, number: number)) != nil else {
                    throw fault("a claim is denied that does not wait")
                }
            case .prepare(let preparation):
                guard
                    preparation.relinquishing != .none || preparation.deletesItem || preparation.evictsItem
                        || !preparation.deletedSubitems.isEmpty
                else { throw fault("a presenter is asked for nothing") }
                if preparation.evictsItem { count("evicted") }
                let question = Question(
                    client: addressed.client, presenter: preparation.presenter,
                    askers: try noteAsked(preparation.presenter, of: addressed.client))
                asked[preparation.number] = question
                questions[preparation.number] = question
                notePassed(by: question.askers)
            case .reacquire(let number):
                questions[number] = nil
                asked[number] = nil
            case .notify(let presenter, _):
                if let ignorant, ignorant == (addressed.client, presenter) {
                    throw fault("presenter \(presenter) is told what it did itself")
                }
                count("told")
            }
        }
    }

    private mutating func grant(_ identifier: ClaimIdentifier, _ paths: [ExactPath], _ keys: [ExactPath]) throws {
        guard var model = claims[identifier], model.phase == .waiting else {
            throw fault("a claim is granted that does not wait")
        }
        count("granted")
        try checkAsked(identifier, model)
        // Without paths in the grant nothing has moved.
        for number in paths.indices {
            model.request.accesses[number].path = paths[number]
            model.request.accesses[number].key = keys[number]
        }
        model.phase = .granted
        claims[identifier] = model
        for (other, known) in claims where other != identifier && known.request.purpose != model.request.purpose {
            switch known.phase {
            case .granted:
                guard Self.mayGoTogether(model, known) || Self.mayGoTogether(known, model) else {
                    throw fault("\(identifier) is granted beside \(other)")
                }
            case .waiting:
                guard known.order < model.order, Self.exclude(model, known), !known.isUncertain,
                    !model.isUncertain, !known.apart.contains(identifier)
                else { continue }
                guard model.passed.contains(other) || model.isFavoured && mayPass(identifier, model, known) else {
                    throw fault("\(identifier) is granted before \(other)")
                }
                count("favoured")
            }
        }
    }

    static func overlap(_ one: ExactPath, _ other: ExactPath) -> Bool {
        one == other || isBeneath(one, other) || isBeneath(other, one)
    }

    static func isBeneath(_ one: ExactPath, _ other: ExactPath) -> Bool {
        one.string.hasPrefix(other.string + "/")
    }

    static func exclude(_ one: Model, _ other: Model) -> Bool {
        one.request.accesses.contains { access in
            other.request.accesses.contains { (access.writes || $0.writes) && overlap(access.key, $0.key) }
        }
    }

    /// Whether the inner claim may be granted while the outer one is. This is so if they do not exclude each other, or
    /// if the inner claim is nested in the outer one, which only reads a directory above the inner claim's items.
    static func mayGoTogether(_ inner: Model, _ outer: Model) -> Bool {
        if !exclude(inner, outer) { return true }
        guard inner.client == outer.client, inner.request.enclosing.contains(outer.request.number) else { return false }
        return inner.request.accesses.allSatisfy { access in
            outer.request.accesses.allSatisfy {
                !(access.writes || $0.writes) || !overlap(access.key, $0.key)
                    || !$0.writes && isBeneath(access.key, $0.key)
            }
        }
    }
}

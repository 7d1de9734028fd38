import FileCoordination

/// One life of an arbiter: processes, claims, presenters, moves and deaths in an order that a seed decides, with a model beside
/// it that knows the rules and nothing of how they are kept.
struct Schedule {
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    private enum Phase { case waiting, granted }

    private struct Model {
        var request: ClaimRequest
        let client: UInt64
        let order: Int
        var phase = Phase.waiting
    }

    /// Written out only when somebody wants to read it.
    private enum Entry {
        case event(UInt64, CoordinationEvent)
        case death(UInt64)
        case effect(AddressedEffect)
    }

    private struct Question {
        let client: UInt64
        let presenter: UInt64
    }

    private var random: SplitMix
    private var arbiter = Arbiter()
    private var claims: [ClaimIdentifier: Model] = [:]
    private var questions: [UInt64: Question] = [:]
    private var presenters: [(client: UInt64, number: UInt64)] = []
    private var nextNumber: UInt64 = 1
    private var made = 0
    private var log: [Entry] = []
    /// What has happened, so that a test can tell that the schedules are worth something.
    private(set) var counts: [String: Int] = [:]

    private static let paths: [ExactPath] = ["/a", "/a/b", "/a/b/c", "/a/b/d", "/a/e", "/f", "/f/g"]
    private static let clients: [UInt64] = [1, 2, 3]

    /// What was said, in its order.
    var history: [String] {
        log.map { entry in
            switch entry {
            case .event(let client, let event): "\(client): \(event)"
            case .death(let client): "\(client) dies"
            case .effect(let effect): "    -> \(effect.client): \(effect.effect)"
            }
        }
    }

    init(seed: UInt64) { random = SplitMix(seed: seed) }

    /// Runs to the end, when everybody has been served.
    mutating func run(steps: Int) throws {
        for _ in 0..<steps { try step() }
        var left = 10_000
        while !claims.isEmpty {
            guard try finishSomething(), left > 0 else { throw fault("nobody can go on, and some wait") }
            left -= 1
        }
        guard arbiter.claimCount == 0 else { throw fault("the arbiter knows claims that have ended") }
    }

    private func fault(_ words: String) -> Fault { Fault(description: "\(words)\n" + history.joined(separator: "\n")) }

    // MARK: Steps

    private mutating func step() throws {
        switch random.next() % 20 {
        case 0..<9: try makeClaim()
        case 9..<13: _ = try finishSomething()
        case 13: try addPresenter()
        case 14: try cancelSomething()
        case 15: try move()
        case 16: if random.next() % 8 == 0 { try die() }
        case 17: try removePresenter()
        default: _ = try answerSomething()
        }
    }

    private mutating func choose<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[Int(random.next() % UInt64(elements.count))]
    }

    private mutating func makeClaim() throws {
        guard claims.count < 12, let client = choose(Self.clients) else { return }
        var accesses: [Access] = []
        for _ in 0..<(random.next() % 4 == 0 ? 2 : 1) {
            guard let path = choose(Self.paths) else { return }
            var traits: Access.Traits = random.next() % 2 == 0 ? .writes : .saves
            if traits.contains(.writes), let kind = choose([.deletes, .moves, .replaces, Access.Traits()]) {
                traits.formUnion(kind)
            }
            accesses.append(Access(path: path, key: path, traits: traits))
        }
        let number = nextNumber
        nextNumber += 1
        var enclosing: [UInt64] = []
        var answering: [UInt64] = []
        if random.next() % 3 == 0, let outer = choose(idleGranted(of: client)) {
            // A thread's claims are a stack, and a presenter's message is all that is done in it.
            enclosing = (claims[outer]?.request.enclosing ?? []) + [outer.number]
            answering = claims[outer]?.request.answering ?? []
        } else if random.next() % 3 == 0,
            let question = choose(questions.filter { $0.value.client == client }.keys.sorted())
        {
            answering = [question]
        }
        var presenter: UInt64?
        if random.next() % 3 == 0 { presenter = choose(presenters.filter { $0.client == client })?.number }
        if let question = answering.first, random.next() % 2 == 0 { presenter = questions[question]?.presenter }
        // Its thread is the queue of presenters: they answer nothing while it waits.
        var blocking: [UInt64] = []
        if random.next() % 4 == 0 { blocking = presenters.filter { $0.client == client }.map(\.number) }
        let purpose = random.next() % 5 == 0 ? "shared" : "own \(number)"
        let request = ClaimRequest(
            number: number, accesses: accesses, purpose: purpose, presenter: presenter, enclosing: enclosing,
            answering: answering, blocking: blocking)
        claims[ClaimIdentifier(client: client, number: number)] = Model(request: request, client: client, order: made)
        made += 1
        try apply(.claim(request), from: client)
    }

    /// Claims whose user is not in the middle of a claim inside of it.
    private func idleGranted(of client: UInt64? = nil) -> [ClaimIdentifier] {
        claims.filter { identifier, model in
            model.phase == .granted && (client == nil || client == identifier.client)
                && !claims.values.contains {
                    $0.client == identifier.client && $0.request.enclosing.contains(identifier.number)
                }
        }.keys.sorted { ($0.client, $0.number) < ($1.client, $1.number) }
    }

    private mutating func finishSomething() throws -> Bool {
        if random.next() % 2 == 0, try answerSomething() { return true }
        guard let claim = choose(idleGranted()), let model = claims.removeValue(forKey: claim) else {
            return try answerSomething()
        }
        var outcomes: [ClaimOutcome] = []
        for (number, access) in model.request.accesses.enumerated() where access.writes {
            outcomes.append(
                ClaimOutcome(access: number, change: access.traits.contains(.deletes) ? .deleted : .changed))
        }
        try apply(.release(claim: claim.number, outcomes: outcomes), from: claim.client)
        return true
    }

    private mutating func answerSomething() throws -> Bool {
        let free = questions.filter { question in
            !claims.values.contains {
                $0.client == question.value.client
                    && ($0.request.answering.contains(question.key)
                        || $0.phase == .waiting && $0.request.blocking.contains(question.value.presenter))
            }
        }
        guard let number = choose(free.keys.sorted()), let question = questions.removeValue(forKey: number) else {
            return false
        }
        count("answered")
        let failure = random.next() % 16 == 0 ? CoordinationFailure(domain: "test", code: 1, message: "") : nil
        try apply(.answer(preparation: number, failure: failure), from: question.client)
        return true
    }

    private mutating func addPresenter() throws {
        guard presenters.count < 4, let client = choose(Self.clients), let path = choose(Self.paths) else { return }
        let number = nextNumber
        nextNumber += 1
        presenters.append((client, number))
        try apply(.present(PresenterPlace(number: number, path: path, key: path)), from: client)
    }

    private mutating func removePresenter() throws {
        guard random.next() % 2 == 0, let presenter = choose(presenters) else { return }
        presenters.removeAll { $0 == presenter }
        questions = questions.filter { $0.value.client != presenter.client || $0.value.presenter != presenter.number }
        try apply(.removePresenter(presenter.number), from: presenter.client)
    }

    private mutating func cancelSomething() throws {
        let waiting = claims.filter { $0.value.phase == .waiting }.keys
        guard let claim = choose(waiting.sorted { ($0.client, $0.number) < ($1.client, $1.number) }) else { return }
        claims[claim] = nil
        try apply(.cancel(claim: claim.number), from: claim.client)
    }

    private mutating func move() throws {
        guard let source = choose(Self.paths), let destination = choose(["/f/h", "/a/z", "/m"] as [ExactPath]) else {
            return
        }
        count("moved")
        // The model follows what the arbiter says where claims have gone.
        try apply(
            .moved(ItemMove(path: source, newPath: destination, newKey: destination, excepted: nil)), from: 1)
    }

    private mutating func die() throws {
        guard let client = choose(Self.clients) else { return }
        count("died")
        claims = claims.filter { $0.key.client != client }
        presenters.removeAll { $0.client == client }
        questions = questions.filter { $0.value.client != client }
        log.append(.death(client))
        try take(arbiter.end(client: client))
    }

    // MARK: What comes of it

    private mutating func count(_ name: String) { counts[name, default: 0] += 1 }

    private mutating func apply(_ event: CoordinationEvent, from client: UInt64) throws {
        log.append(.event(client, event))
        try take(arbiter.apply(event, from: client))
    }

    private mutating func take(_ effects: [AddressedEffect]) throws {
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
                questions[preparation.number] = Question(
                    client: addressed.client, presenter: preparation.presenter)
            case .reacquire(let number): questions[number] = nil
            case .notify: count("told")
            }
        }
    }

    private mutating func grant(_ identifier: ClaimIdentifier, _ paths: [ExactPath], _ keys: [ExactPath]) throws {
        guard var model = claims[identifier], model.phase == .waiting else {
            throw fault("a claim is granted that does not wait")
        }
        count("granted")
        // Without paths nothing has moved.
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
                // One that has moved meanwhile stands somewhere else than the model thinks.
                guard known.order < model.order, Self.exclude(model, known), counts["moved"] == nil else { continue }
                let isFavoured =
                    !model.request.enclosing.isEmpty || !model.request.answering.isEmpty
                    || model.request.purpose == "shared" || model.request.presenter != nil
                    || !model.request.blocking.isEmpty
                guard isFavoured else { throw fault("\(identifier) is granted before \(other)") }
                count("favoured")
            }
        }
    }

    private static func overlap(_ one: ExactPath, _ other: ExactPath) -> Bool {
        one == other || isBeneath(one, other) || isBeneath(other, one)
    }

    private static func isBeneath(_ one: ExactPath, _ other: ExactPath) -> Bool {
        one.string.hasPrefix(other.string + "/")
    }

    private static func exclude(_ one: Model, _ other: Model) -> Bool {
        one.request.accesses.contains { access in
            other.request.accesses.contains { (access.writes || $0.writes) && overlap(access.key, $0.key) }
        }
    }

    /// Whether the first may run beside the second: they do not exclude each other, or it is made by the thread that reads a
    /// directory above.
    private static func mayGoTogether(_ inner: Model, _ outer: Model) -> Bool {
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

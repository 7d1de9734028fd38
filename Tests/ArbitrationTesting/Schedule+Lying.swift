import FileCoordination
import FileTesting
import Glibc

/// Messages of a misbehaving process that no correct process sends. They must harm no other process.
extension Schedule {
    /// Sends a false message that the arbiter may ignore, or treat like the message of a correct process.
    mutating func lie() throws {
        guard let liar else { return }
        count("lied")
        switch random.next() % 8 {
        case 0: try apply(.release(claim: claimOfAnother(liar), outcomes: lies()), from: liar)
        case 1: try apply(.cancel(claim: claimOfAnother(liar)), from: liar)
        case 2: try answerForOthers(liar)
        case 3: try apply(.removePresenter(nextNumber + 7), from: liar)
        case 4: try claimNumberInUse(liar)
        case 5: try moveFarAway(liar)
        case 6: try presentElsewhere(liar)
        default: try claimStrangely(liar)
        }
    }

    /// Returns invalid outcomes of a claim: for items that were only read, for accesses that do not exist, and several
    /// for one item.
    mutating func lies(about model: Model? = nil) -> [ClaimOutcome] {
        let count = UInt64(model?.request.accesses.count ?? 1)
        return (0..<(random.next() % 4)).map { _ in
            let number = random.next() % 8 == 0 ? -1 : Int(random.next() % (count + 1))
            let path = choose(Self.destinations + Self.paths + [Self.far]) ?? "/a"
            let changes: [ClaimOutcome.Change] = [
                .none, .changed, .deleted, .moved(toPath: path, key: Self.key(of: path)),
            ]
            return ClaimOutcome(access: number, change: choose(changes) ?? .none)
        }
    }

    /// A path of nearly the maximum length, so that the paths of most items beneath it would exceed `PATH_MAX`.
    private static let far = ExactPath(
        "/a/" + Array(repeating: "x", count: (Int(PATH_MAX) - 6) / 2).joined(separator: "/"))

    /// Returns the number of a claim or presenter of any process, or a number that is not in use.
    private mutating func anyNumber() -> UInt64 { random.next() % (nextNumber + 3) }

    private mutating func claimOfAnother(_ liar: UInt64) -> UInt64 {
        choose(claims.keys.filter { $0.client != liar }.map(\.number).sorted()) ?? nextNumber + 7
    }

    private mutating func anyNumbers() -> [UInt64] { (0..<(random.next() % 3)).map { _ in anyNumber() } }

    private mutating func answerForOthers(_ liar: UInt64) throws {
        let number = choose(questions.filter { $0.value.client != liar }.keys.sorted()) ?? random.next()
        let failure = CoordinationError(domain: "lie", code: 1, message: "")
        try apply(.answer(preparation: number, failure: random.next() % 2 == 0 ? failure : nil), from: liar)
    }

    private mutating func claimNumberInUse(_ liar: UInt64) throws {
        let own = claims.keys.filter { $0.client == liar }.map(\.number).sorted()
        guard let number = choose(own), let path = choose(Self.paths) else { return }
        let access = Access(path: path, key: path, traits: [.writes, .deletes])
        try apply(.claim(ClaimRequest(number: number, accesses: [access], purpose: "another")), from: liar)
    }

    private mutating func moveFarAway(_ liar: UInt64) throws {
        guard let source = choose(Self.paths) else { return }
        let move = ItemMove(path: source, newPath: Self.far, newKey: Self.far, excepted: anyNumber())
        follow(move)
        try apply(.moved(move), from: liar)
    }

    private mutating func presentElsewhere(_ liar: UInt64) throws {
        guard let index = presenters.firstIndex(where: { $0.client == liar }), let path = choose(Self.paths) else {
            return
        }
        presenters[index].place = PresenterPlace(
            number: presenters[index].place.number, path: path, key: Self.key(of: path))
        presenters[index].since = moment
        try apply(.present(presenters[index].place), from: liar)
    }

    /// Requests a claim with contradictory traits, items outside the guarded paths, and references to claims,
    /// preparations and presenters that do not exist or belong to other processes.
    private mutating func claimStrangely(_ liar: UInt64) throws {
        guard claims.count < 12 else { return }
        var accesses: [Access] = []
        for _ in 0...(random.next() % 3) {
            guard let path = choose(Self.paths),
                let key = choose(Self.paths.filter { Self.overlap($0, path) })
            else { return }
            accesses.append(
                Access(
                    path: path, key: key,
                    traits: Access.Traits(rawValue: UInt16(truncatingIfNeeded: random.next() % 256))))
        }
        let number = nextNumber
        nextNumber += 1
        try make(
            ClaimRequest(
                number: number, accesses: accesses, purpose: random.next() % 2 == 0 ? "shared" : "own \(number)",
                presenter: random.next() % 2 == 0 ? anyNumber() : nil, enclosing: anyNumbers(),
                answering: random.next() % 2 == 0 ? questions.keys.sorted() : anyNumbers(), blocking: anyNumbers(),
                presenterTimeLimit: -1), liar)
    }
}

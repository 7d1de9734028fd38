/// A regular expression of a predicate (`MATCHES`), which must match a whole text.
///
/// It runs as an automaton that follows all paths at once, so that the time is at most proportional to the product of
/// the lengths of pattern and text. Such an automaton cannot evaluate back-references and look-ahead, so a pattern with
/// them is invalid.
struct PredicatePattern: Sendable, Equatable {
    /// A step of the automaton. Its successor is the following element of ``steps``.
    enum Step: Sendable, Equatable {
        case scalar(PredicateScalars)
        /// Execution continues at both steps.
        case fork(Int, Int)
        case jump(Int)
        case place(Place)
        case end
    }

    /// An assertion about a position between two characters.
    enum Place: Sendable, Equatable { case start, end, wordBoundary, noWordBoundary }

    private let steps: [Step]
    private let ignoresCase: Bool
    private let ignoresAccents: Bool

    init(_ text: String, ignoresCase: Bool, ignoresAccents: Bool) throws(ActivationRule.RuleError) {
        var parser = PredicatePatternParser(ignoresAccents ? text.withoutAccents : text)
        let pattern = try parser.parse()
        var writer = PredicatePatternWriter()
        try writer.write(pattern)
        steps = writer.steps + [.end]
        self.ignoresCase = ignoresCase || parser.ignoresCase
        self.ignoresAccents = ignoresAccents
    }

    /// Returns the cost of matching a text, in units of ``PredicateEffort``.
    func cost(of text: String) -> Int { 1 + steps.count * (text.utf8.count + 1) / 20 }

    func matches(_ text: String) -> Bool {
        let scalars = Array((ignoresAccents ? text.withoutAccents : text).unicodeScalars)
        var ways = PredicateWays(count: steps.count)
        var next = PredicateWays(count: steps.count)
        add(0, to: &ways, scalars, 0)
        for (index, scalar) in scalars.enumerated() {
            guard !ways.steps.isEmpty else { return false }
            for step in ways.steps {
                if case .scalar(let wanted) = steps[step], wanted.contains(scalar, ignoresCase: ignoresCase) {
                    add(step + 1, to: &next, scalars, index + 1)
                }
            }
            swap(&ways, &next)
            next.removeAll()
        }
        return ways.steps.contains { steps[$0] == .end }
    }

    /// Adds a step. If the step consumes no character, adds the steps that can follow it instead.
    private func add(_ first: Int, to ways: inout PredicateWays, _ scalars: [Unicode.Scalar], _ index: Int) {
        var open = [first]
        while let step = open.popLast() {
            guard ways.insert(step) else { continue }
            switch steps[step] {
            case .scalar, .end: ways.steps.append(step)
            case .jump(let target): open.append(target)
            case .fork(let one, let other): open += [other, one]
            case .place(let place): if holds(place, scalars, index) { open.append(step + 1) }
            }
        }
    }

    private func holds(_ place: Place, _ scalars: [Unicode.Scalar], _ index: Int) -> Bool {
        func isWord(_ index: Int) -> Bool {
            scalars.indices.contains(index) && PredicateScalars.word.contains(scalars[index], ignoresCase: false)
        }
        return switch place {
        case .start: index == 0
        case .end: index == scalars.count
        case .wordBoundary: isWord(index - 1) != isWord(index)
        case .noWordBoundary: isWord(index - 1) == isWord(index)
        }
    }
}

/// The set of steps at which an automaton currently is.
private struct PredicateWays {
    /// The steps that consume a character, and the final step.
    var steps: [Int] = []
    private var seen: [Bool]
    private var visited: [Int] = []

    init(count: Int) { seen = Array(repeating: false, count: count) }

    mutating func insert(_ step: Int) -> Bool {
        guard !seen[step] else { return false }
        seen[step] = true
        visited.append(step)
        return true
    }

    mutating func removeAll() {
        for step in visited { seen[step] = false }
        visited.removeAll(keepingCapacity: true)
        steps.removeAll(keepingCapacity: true)
    }
}

/// A compiler of a pattern into steps.
private struct PredicatePatternWriter {
    private(set) var steps: [PredicatePattern.Step] = []

    /// The maximum number of steps. It limits patterns such as `((a{100}){100}){100}`.
    private static let most = 5000

    mutating func write(_ node: PredicatePatternNode) throws(ActivationRule.RuleError) {
        guard steps.count <= Self.most else { throw .init("the pattern of MATCHES is too large") }
        switch node {
        case .scalar(let scalars): steps.append(.scalar(scalars))
        case .place(let place): steps.append(.place(place))
        case .sequence(let nodes): for node in nodes { try write(node) }
        case .choice(let nodes): try write(choice: nodes)
        case .repetition(let node, let fewest, let most): try write(node, fewest, most)
        }
    }

    private mutating func write(choice nodes: [PredicatePatternNode]) throws(ActivationRule.RuleError) {
        var ends: [Int] = []
        for node in nodes.dropLast() {
            let fork = reserve()
            try write(node)
            ends.append(reserve())
            steps[fork] = .fork(fork + 1, steps.count)
        }
        if let last = nodes.last { try write(last) }
        for end in ends { steps[end] = .jump(steps.count) }
    }

    /// Writes a repetition.
    ///
    /// - Parameter most: The maximum number of repetitions; `nil` if there is no maximum.
    private mutating func write(
        _ node: PredicatePatternNode, _ fewest: Int, _ most: Int?
    ) throws(ActivationRule.RuleError) {
        for _ in 0..<fewest {
            let start = steps.count
            try write(node)
            // A pattern without steps matches the empty text, however often it is repeated.
            if steps.count == start { return }
        }
        guard let most else {
            let fork = reserve()
            try write(node)
            steps.append(.jump(fork))
            steps[fork] = .fork(fork + 1, steps.count)
            return
        }
        var forks: [Int] = []
        for _ in fewest..<max(fewest, most) {
            forks.append(reserve())
            try write(node)
        }
        for fork in forks { steps[fork] = .fork(fork + 1, steps.count) }
    }

    /// Appends a step that is filled in once its target is known.
    private mutating func reserve() -> Int {
        steps.append(.end)
        return steps.count - 1
    }
}

extension String {
    /// The text with accents removed.
    fileprivate var withoutAccents: String { PredicateComparison.folded(self, ignoresAccents: true) }
}

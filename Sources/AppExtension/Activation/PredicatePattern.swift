/// A regular expression of a predicate (`MATCHES`), which a whole text is of or not.
///
/// It is run as an automaton that follows all ways at once, so that no pattern takes longer than the product of its length and the
/// text's. What cannot be had so, references back and looking ahead, is refused.
struct PredicatePattern: Sendable, Equatable {
    /// What follows is in ``steps``, in the order in which it is gone through.
    enum Step: Sendable, Equatable {
        case scalar(PredicateScalars)
        /// The way goes on at both.
        case fork(Int, Int)
        case jump(Int)
        case place(Place)
        case end
    }

    /// What is true of a place between two characters.
    enum Place: Sendable, Equatable { case start, end, wordBoundary, noWordBoundary }

    private let steps: [Step]
    private let ignoresCase: Bool
    private let ignoresAccents: Bool

    init(_ text: String, ignoresCase: Bool, ignoresAccents: Bool) throws(ActivationRule.Fault) {
        var parser = PredicatePatternParser(ignoresAccents ? text.withoutAccents : text)
        let pattern = try parser.parse()
        var writer = PredicatePatternWriter()
        try writer.write(pattern)
        steps = writer.steps + [.end]
        self.ignoresCase = ignoresCase || parser.ignoresCase
        self.ignoresAccents = ignoresAccents
    }

    /// How much it takes to see whether a text is of it, in what ``PredicateEffort`` counts.
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

    /// Adds a step, or those that it leads to without a character.
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

/// Where an automaton is: each step once.
private struct PredicateWays {
    /// Those that need a character, or are the end.
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

/// Writes the steps of a pattern.
private struct PredicatePatternWriter {
    private(set) var steps: [PredicatePattern.Step] = []

    /// Patterns of more steps are refused: `((a{100}){100}){100}`.
    private static let most = 5000

    mutating func write(_ node: PredicatePatternNode) throws(ActivationRule.Fault) {
        guard steps.count <= Self.most else { throw .init("the pattern of MATCHES is too large") }
        switch node {
        case .scalar(let scalars): steps.append(.scalar(scalars))
        case .place(let place): steps.append(.place(place))
        case .sequence(let nodes): for node in nodes { try write(node) }
        case .choice(let nodes): try write(choice: nodes)
        case .repetition(let node, let fewest, let most): try write(node, fewest, most)
        }
    }

    private mutating func write(choice nodes: [PredicatePatternNode]) throws(ActivationRule.Fault) {
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

    /// - Parameter most: `nil` for any number.
    private mutating func write(
        _ node: PredicatePatternNode, _ fewest: Int, _ most: Int?
    ) throws(ActivationRule.Fault) {
        for _ in 0..<fewest {
            let start = steps.count
            try write(node)
            // Nothing, however often, is nothing.
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

    /// A step that is written when it is known where it leads.
    private mutating func reserve() -> Int {
        steps.append(.end)
        return steps.count - 1
    }
}

extension String {
    /// With what stands for the same letters without accents.
    fileprivate var withoutAccents: String { PredicateComparison.folded(self, ignoresAccents: true) }
}

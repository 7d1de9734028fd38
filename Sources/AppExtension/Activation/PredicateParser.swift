/// A recursive descent parser for predicates; see ``ActivationPredicate`` for the grammar.
struct PredicateParser {
    let tokens: [PredicateToken]
    var index = 0
    private var depth = 0
    /// The parsed values that contain conditions, by the index of their opening bracket. `end` is the index of the
    /// token after the value. A bracket may be parsed twice, as a condition and as a value. Without this cache, the
    /// parsing time would double with each level of nesting.
    var conditionals: [Int: (result: Result<PredicateExpression, ActivationRule.RuleError>, end: Int)] = [:]

    /// The variables of the enclosing subqueries.
    var variables: [String] = []

    let vocabulary: PredicateVocabulary

    /// The maximum depth of nested brackets, and the maximum length of a chain of names. The limit ensures that no text
    /// can overflow the stack.
    static let deepest = 60

    init(tokens: [PredicateToken], _ vocabulary: PredicateVocabulary) {
        self.tokens = tokens
        self.vocabulary = vocabulary
    }

    mutating func parse() throws(ActivationRule.RuleError) -> PredicateNode {
        let node = try predicate()
        guard current.kind == .end else { throw expected("\"AND\", \"OR\" or the end") }
        return node
    }

    mutating func parseValue() throws(ActivationRule.RuleError) -> PredicateExpression {
        let value = try value()
        guard current.kind == .end else { throw expected("the end") }
        return value
    }

    var current: PredicateToken { tokens[min(index, tokens.count - 1)] }

    func expected(_ what: String) -> ActivationRule.RuleError {
        ActivationRule.RuleError("\(what) is expected at character \(current.position), where \(current.name) stands")
    }

    mutating func take(symbol: String) -> Bool {
        guard current.kind == .symbol(symbol) else { return false }
        index += 1
        return true
    }

    mutating func take(word: String) -> Bool {
        guard case .word(let found) = current.kind, found.uppercased() == word else { return false }
        index += 1
        return true
    }

    mutating func require(symbol: String) throws(ActivationRule.RuleError) {
        guard take(symbol: symbol) else { throw expected("\"\(symbol)\"") }
    }

    mutating func nested<Result>(
        _ body: (inout PredicateParser) throws(ActivationRule.RuleError) -> Result
    ) throws(ActivationRule.RuleError) -> Result {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else {
            throw ActivationRule.RuleError("it is nested too deeply at character \(current.position)")
        }
        return try body(&self)
    }

    // MARK: - Conditions

    mutating func predicate() throws(ActivationRule.RuleError) -> PredicateNode {
        try nested { (parser) throws(ActivationRule.RuleError) in
            var nodes = [try parser.conjunction()]
            while parser.take(word: "OR") || parser.take(symbol: "||") { nodes.append(try parser.conjunction()) }
            return nodes.count == 1 ? nodes[0] : .or(nodes)
        }
    }

    private mutating func conjunction() throws(ActivationRule.RuleError) -> PredicateNode {
        var nodes = [try term()]
        while take(word: "AND") || take(symbol: "&&") { nodes.append(try term()) }
        return nodes.count == 1 ? nodes[0] : .and(nodes)
    }

    private mutating func term() throws(ActivationRule.RuleError) -> PredicateNode {
        if take(word: "NOT") || take(symbol: "!") {
            return .not(try nested { (parser) throws(ActivationRule.RuleError) in try parser.term() })
        }
        if take(word: "TRUEPREDICATE") { return .constant(true) }
        if take(word: "FALSEPREDICATE") { return .constant(false) }
        if current.kind == .symbol("(") { return try bracket() }
        return try comparison()
    }

    /// Parses a bracket that contains a condition, or that begins the left side of a comparison.
    private mutating func bracket() throws(ActivationRule.RuleError) -> PredicateNode {
        let start = index
        do throws(ActivationRule.RuleError) {
            try require(symbol: "(")
            let node = try predicate()
            try require(symbol: ")")
            return node
        } catch {
            let reached = index
            index = start
            do throws(ActivationRule.RuleError) {
                return try comparison()
            } catch _ where index <= reached {
                // Report the error of the attempt that parsed more tokens.
                throw error
            }
        }
    }

    private mutating func comparison() throws(ActivationRule.RuleError) -> PredicateNode {
        var quantifier: PredicateNode.Quantifier?
        if take(word: "ANY") || take(word: "SOME") {
            quantifier = .any
        } else if take(word: "ALL") {
            quantifier = .all
        } else if take(word: "NONE") {
            quantifier = PredicateNode.Quantifier.none
        }
        let left = try value()
        var comparison = try comparisonOperator()
        let position = current.position
        let right = try value()
        if comparison.relation == .matches {
            guard case .text(let pattern) = right else {
                throw ActivationRule.RuleError("MATCHES takes a pattern in quotes, at character \(position)")
            }
            comparison.pattern = try PredicatePattern(
                pattern, ignoresCase: comparison.ignoresCase, ignoresAccents: comparison.ignoresAccents)
        }
        return .compare(quantifier, left, comparison, right)
    }

    private mutating func comparisonOperator() throws(ActivationRule.RuleError) -> PredicateComparison {
        let spelling: String? =
            switch current.kind {
            case .symbol(let symbol): symbol
            case .word(let word): word.uppercased()
            default: nil
            }
        let found = spelling.flatMap { PredicateComparison.Relation(rawValue: $0) ?? .synonyms[$0] }
        guard let found else { throw expected("a comparison such as \"==\" or \"UTI-CONFORMS-TO\"") }
        index += 1
        var comparison = PredicateComparison(relation: found)
        guard found.takesOptions, take(symbol: "[") else { return comparison }
        guard case .word(let options) = current.kind, options.lowercased().allSatisfy({ "cd".contains($0) }) else {
            throw expected("\"c\", \"d\" or \"cd\"")
        }
        index += 1
        comparison.ignoresCase = options.lowercased().contains("c")
        comparison.ignoresAccents = options.lowercased().contains("d")
        try require(symbol: "]")
        return comparison
    }
}

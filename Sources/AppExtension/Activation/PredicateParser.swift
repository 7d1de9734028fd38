/// Reads a predicate by recursive descent, see ``ActivationPredicate`` for the grammar.
struct PredicateParser {
    private let tokens: [PredicateToken]
    private var index = 0
    private var depth = 0
    /// The subqueries that were read, by where their brackets begin, and where reading each of them ended. A bracket may be read in
    /// two ways; what is in it is not read twice for that at every depth.
    private var subqueries: [Int: (result: Result<PredicateExpression, ActivationRule.Fault>, end: Int)] = [:]

    /// The variables of the subqueries around what is being read.
    private var variables: [String] = []

    private let vocabulary: PredicateVocabulary

    /// Brackets within brackets past this depth and longer chains of names are refused, so that no text can overflow the stack.
    private static let deepest = 60

    init(tokens: [PredicateToken], _ vocabulary: PredicateVocabulary) {
        self.tokens = tokens
        self.vocabulary = vocabulary
    }

    mutating func parse() throws(ActivationRule.Fault) -> PredicateNode {
        let node = try predicate()
        guard current.kind == .end else { throw expected("\"AND\", \"OR\" or the end") }
        return node
    }

    private var current: PredicateToken { tokens[min(index, tokens.count - 1)] }

    private func expected(_ what: String) -> ActivationRule.Fault {
        ActivationRule.Fault("\(what) is expected at character \(current.position), where \(current.name) stands")
    }

    private mutating func take(symbol: String) -> Bool {
        guard current.kind == .symbol(symbol) else { return false }
        index += 1
        return true
    }

    private mutating func take(word: String) -> Bool {
        guard case .word(let found) = current.kind, found.uppercased() == word else { return false }
        index += 1
        return true
    }

    private mutating func require(symbol: String) throws(ActivationRule.Fault) {
        guard take(symbol: symbol) else { throw expected("\"\(symbol)\"") }
    }

    private mutating func nested<Result>(
        _ body: (inout PredicateParser) throws(ActivationRule.Fault) -> Result
    ) throws(ActivationRule.Fault) -> Result {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else {
            throw ActivationRule.Fault("it is nested too deeply at character \(current.position)")
        }
        return try body(&self)
    }

    // MARK: - Conditions

    private mutating func predicate() throws(ActivationRule.Fault) -> PredicateNode {
        try nested { (parser) throws(ActivationRule.Fault) in
            var nodes = [try parser.conjunction()]
            while parser.take(word: "OR") || parser.take(symbol: "||") { nodes.append(try parser.conjunction()) }
            return nodes.count == 1 ? nodes[0] : .or(nodes)
        }
    }

    private mutating func conjunction() throws(ActivationRule.Fault) -> PredicateNode {
        var nodes = [try term()]
        while take(word: "AND") || take(symbol: "&&") { nodes.append(try term()) }
        return nodes.count == 1 ? nodes[0] : .and(nodes)
    }

    private mutating func term() throws(ActivationRule.Fault) -> PredicateNode {
        if take(word: "NOT") || take(symbol: "!") {
            return .not(try nested { (parser) throws(ActivationRule.Fault) in try parser.term() })
        }
        if take(word: "TRUEPREDICATE") { return .constant(true) }
        if take(word: "FALSEPREDICATE") { return .constant(false) }
        if current.kind == .symbol("(") { return try bracket() }
        return try comparison()
    }

    /// A bracket holds a condition, or the left side of a comparison.
    private mutating func bracket() throws(ActivationRule.Fault) -> PredicateNode {
        let start = index
        do throws(ActivationRule.Fault) {
            try require(symbol: "(")
            let node = try predicate()
            try require(symbol: ")")
            return node
        } catch {
            let reached = index
            index = start
            do throws(ActivationRule.Fault) {
                return try comparison()
            } catch _ where index <= reached {
                // Whichever reading got further says what is wrong.
                throw error
            }
        }
    }

    private mutating func comparison() throws(ActivationRule.Fault) -> PredicateNode {
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
                throw ActivationRule.Fault("MATCHES takes a pattern in quotes, at character \(position)")
            }
            comparison.pattern = try PredicatePattern(
                pattern, ignoresCase: comparison.ignoresCase, ignoresAccents: comparison.ignoresAccents)
        }
        return .compare(quantifier, left, comparison, right)
    }

    private mutating func comparisonOperator() throws(ActivationRule.Fault) -> PredicateComparison {
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

    // MARK: - Values

    private mutating func value() throws(ActivationRule.Fault) -> PredicateExpression { try value(from: 0) }

    /// A value with all arithmetic of at least some precedence.
    private mutating func value(from lowest: Int) throws(ActivationRule.Fault) -> PredicateExpression {
        try nested { (parser) throws(ActivationRule.Fault) in
            let first = try parser.prefixed()
            var steps: [PredicateStep] = []
            while let operation = parser.operation, operation.precedence >= lowest {
                parser.index += 1
                steps.append(.init(operation: operation, value: try parser.value(from: operation.precedence + 1)))
            }
            return steps.isEmpty ? first : .operations(first, steps)
        }
    }

    private var operation: PredicateOperation? {
        if case .symbol(let symbol) = current.kind { PredicateOperation(rawValue: symbol) } else { nil }
    }

    private mutating func prefixed() throws(ActivationRule.Fault) -> PredicateExpression {
        guard case .symbol(let symbol) = current.kind, let prefix = PredicatePrefix(rawValue: symbol) else {
            return try part()
        }
        index += 1
        return .prefixed(prefix, try nested { (parser) throws(ActivationRule.Fault) in try parser.prefixed() })
    }

    /// A value, and what it is asked for.
    private mutating func part() throws(ActivationRule.Fault) -> PredicateExpression {
        var value = try plainValue()
        var isOpen = if case .name(let root) = value { vocabulary.open.contains(root) } else { false }
        // What is reckoned from all that follows it.
        var aggregate: PredicateFunction?
        var names = 0
        while true {
            names += 1
            guard names <= Self.deepest else {
                throw ActivationRule.Fault("too many names follow each other at character \(current.position)")
            }
            if aggregate == nil, take(symbol: "[") {
                value = .element(value, try place())
                continue
            }
            guard take(symbol: ".") else { break }
            if aggregate == nil, take(symbol: "@") {
                if take(word: "COUNT") {
                    value = .count(value)
                } else {
                    aggregate = try aggregateName()
                    guard current.kind == .symbol(".") else { throw expected("\".\" and a name") }
                }
            } else {
                let name = try name(isOpen: isOpen)
                isOpen = isOpen || vocabulary.open.contains(name)
                value = .member(value, name)
            }
        }
        return aggregate.map { .call($0, [value]) } ?? value
    }

    /// What stands in square brackets.
    private mutating func place() throws(ActivationRule.Fault) -> PredicateIndex {
        let place: PredicateIndex
        if take(word: "FIRST") {
            place = .first
        } else if take(word: "LAST") {
            place = .last
        } else if take(word: "SIZE") {
            place = .size
        } else {
            place = .number(try value())
        }
        try require(symbol: "]")
        return place
    }

    private mutating func aggregateName() throws(ActivationRule.Fault) -> PredicateFunction {
        let aggregates: [(String, PredicateFunction)] = [
            ("SUM", .sum), ("AVG", .average), ("MIN", .min), ("MAX", .max),
        ]
        for (word, function) in aggregates where take(word: word) { return function }
        throw expected("\"count\", \"sum\", \"avg\", \"min\" or \"max\"")
    }

    /// What follows a dot.
    ///
    /// - Parameter isOpen: whether any name may: others made them up, and they may be quoted.
    private mutating func name(isOpen: Bool) throws(ActivationRule.Fault) -> String {
        switch current.kind {
        case .word(let name) where isOpen || vocabulary.properties.contains(name):
            index += 1
            return name
        case .text(let name) where isOpen:
            index += 1
            return name
        case .word: throw expected(PredicateVocabulary.list(vocabulary.properties))
        default: throw expected("a name")
        }
    }

    private mutating func plainValue() throws(ActivationRule.Fault) -> PredicateExpression {
        let token = current
        switch token.kind {
        case .number(let number):
            index += 1
            return .number(number)
        case .text(let text):
            index += 1
            return .text(text)
        case .variable(let name):
            guard variables.contains(name) else {
                throw ActivationRule.Fault(
                    "the variable \(token.name) at character \(token.position) is not that of a subquery around it")
            }
            index += 1
            return .variable(name)
        case .word(let word) where word.uppercased() == "SUBQUERY":
            index += 1
            return try subquery()
        case .word(let word) where tokens[min(index + 1, tokens.count - 1)].kind == .symbol("("):
            guard let function = PredicateFunction(spelled: word) else {
                throw expected("a function such as \"sum\" or \"now\"")
            }
            index += 1
            return try call(function, named: word)
        case .word(let word):
            guard let value = constant(word) ?? (vocabulary.roots.contains(word) ? .name(word) : nil) else {
                throw expected("\(PredicateVocabulary.list(vocabulary.roots)), a subquery, a variable or a value")
            }
            index += 1
            return value
        case .symbol("{"):
            index += 1
            return try list()
        case .symbol("("):
            index += 1
            let inner = try value()
            try require(symbol: ")")
            return inner
        default:
            throw expected("a value")
        }
    }

    /// A word that is a value by itself.
    private func constant(_ word: String) -> PredicateExpression? {
        switch word.uppercased() {
        case "YES", "TRUE": .number(1)
        case "NO", "FALSE": .number(0)
        case "NIL", "NULL": .null
        default: nil
        }
    }

    private mutating func call(
        _ function: PredicateFunction, named name: String
    ) throws(ActivationRule.Fault) -> PredicateExpression {
        let position = current.position
        var arguments: [PredicateExpression] = []
        try require(symbol: "(")
        if !take(symbol: ")") {
            repeat { arguments.append(try value()) } while take(symbol: ",")
            try require(symbol: ")")
        }
        guard function.counts.contains(arguments.count) else {
            throw ActivationRule.Fault(
                "\(name) takes \(function.counts.lowerBound) values, and \(arguments.count) are given at character \(position)"
            )
        }
        return .call(function, arguments)
    }

    private mutating func list() throws(ActivationRule.Fault) -> PredicateExpression {
        var elements: [PredicateExpression] = []
        guard !take(symbol: "}") else { return .list(elements) }
        repeat { elements.append(try value()) } while take(symbol: ",")
        try require(symbol: "}")
        return .list(elements)
    }

    private mutating func subquery() throws(ActivationRule.Fault) -> PredicateExpression {
        let start = index
        if let known = subqueries[start] {
            index = known.end
            return try known.result.get()
        }
        do throws(ActivationRule.Fault) {
            let expression = try newSubquery()
            subqueries[start] = (.success(expression), index)
            return expression
        } catch {
            subqueries[start] = (.failure(error), index)
            throw error
        }
    }

    private mutating func newSubquery() throws(ActivationRule.Fault) -> PredicateExpression {
        try require(symbol: "(")
        let collection = try value()
        try require(symbol: ",")
        guard case .variable(let variable) = current.kind else { throw expected("a variable such as \"$item\"") }
        index += 1
        try require(symbol: ",")
        variables.append(variable)
        defer { variables.removeLast() }
        let condition = try predicate()
        try require(symbol: ")")
        return .subquery(collection, variable: variable, condition)
    }
}

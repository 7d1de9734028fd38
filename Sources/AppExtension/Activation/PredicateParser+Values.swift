/// The parsing of values.
extension PredicateParser {
    mutating func value() throws(ActivationRule.RuleError) -> PredicateExpression { try value(from: 0) }

    /// Parses a value with operators whose precedence is at least `lowest`.
    private mutating func value(from lowest: Int) throws(ActivationRule.RuleError) -> PredicateExpression {
        try nested { (parser) throws(ActivationRule.RuleError) in
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

    private mutating func prefixed() throws(ActivationRule.RuleError) -> PredicateExpression {
        guard case .symbol(let symbol) = current.kind, let prefix = PredicatePrefix(rawValue: symbol) else {
            return try part()
        }
        index += 1
        return .prefixed(prefix, try nested { (parser) throws(ActivationRule.RuleError) in try parser.prefixed() })
    }

    /// Parses a value with its suffixes.
    private mutating func part() throws(ActivationRule.RuleError) -> PredicateExpression {
        var value = try plainValue()
        var isOpen = if case .name(let root) = value { vocabulary.open.contains(root) } else { false }
        // The aggregate function, such as `sum`. It applies to the value of the key path that follows it.
        var aggregate: PredicateFunction?
        var names = 0
        while true {
            names += 1
            guard names <= Self.deepest else {
                throw ActivationRule.RuleError("too many names follow each other at character \(current.position)")
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

    /// Parses an index in square brackets.
    private mutating func place() throws(ActivationRule.RuleError) -> PredicateIndex {
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

    private mutating func aggregateName() throws(ActivationRule.RuleError) -> PredicateFunction {
        let aggregates: [(String, PredicateFunction)] = [
            ("SUM", .sum), ("AVG", .average), ("MIN", .min), ("MAX", .max),
        ]
        for (word, function) in aggregates where take(word: word) { return function }
        throw expected("\"count\", \"sum\", \"avg\", \"min\" or \"max\"")
    }

    /// Parses the name after a dot.
    ///
    /// - Parameter isOpen: Whether any name is allowed, even in quotes, because providers define the names.
    private mutating func name(isOpen: Bool) throws(ActivationRule.RuleError) -> String {
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

    private mutating func plainValue() throws(ActivationRule.RuleError) -> PredicateExpression {
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
                throw ActivationRule.RuleError(
                    "the variable \(token.name) at character \(token.position) is not that of a subquery around it")
            }
            index += 1
            return .variable(name)
        case .word(let word) where word.uppercased() == "SUBQUERY":
            index += 1
            return try conditional { (parser) throws(ActivationRule.RuleError) in try parser.subquery() }
        case .word(let word) where word.uppercased() == "TERNARY":
            index += 1
            return try conditional { (parser) throws(ActivationRule.RuleError) in try parser.choice() }
        case .word(let word) where word.uppercased() == "CAST":
            index += 1
            return try cast()
        case .word(let word) where word.uppercased() == "FUNCTION":
            throw ActivationRule.RuleError(
                "FUNCTION, at character \(token.position), is not understood: a rule calls no methods of objects")
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

    /// Returns the value of a keyword.
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
    ) throws(ActivationRule.RuleError) -> PredicateExpression {
        let position = current.position
        var arguments: [PredicateExpression] = []
        try require(symbol: "(")
        if !take(symbol: ")") {
            repeat { arguments.append(try value()) } while take(symbol: ",")
            try require(symbol: ")")
        }
        guard function.counts.contains(arguments.count) else {
            throw ActivationRule.RuleError(
                "\(name) takes \(function.counts.lowerBound) values, and \(arguments.count) are given at character \(position)"
            )
        }
        return .call(function, arguments)
    }

    private mutating func list() throws(ActivationRule.RuleError) -> PredicateExpression {
        var elements: [PredicateExpression] = []
        guard !take(symbol: "}") else { return .list(elements) }
        repeat { elements.append(try value()) } while take(symbol: ",")
        try require(symbol: "}")
        return .list(elements)
    }

    /// Parses a bracketed value that contains a condition. Calls `read` only once for each position: a later call at
    /// the same position returns the stored result.
    private mutating func conditional(
        _ read: (inout PredicateParser) throws(ActivationRule.RuleError) -> PredicateExpression
    ) throws(ActivationRule.RuleError) -> PredicateExpression {
        let start = index
        if let known = conditionals[start] {
            index = known.end
            return try known.result.get()
        }
        do throws(ActivationRule.RuleError) {
            let expression = try read(&self)
            conditionals[start] = (.success(expression), index)
            return expression
        } catch {
            conditionals[start] = (.failure(error), index)
            throw error
        }
    }

    private mutating func subquery() throws(ActivationRule.RuleError) -> PredicateExpression {
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

    private mutating func choice() throws(ActivationRule.RuleError) -> PredicateExpression {
        try require(symbol: "(")
        let condition = try predicate()
        try require(symbol: ",")
        let first = try value()
        try require(symbol: ",")
        let second = try value()
        try require(symbol: ")")
        return .choice(condition, first, second)
    }

    private mutating func cast() throws(ActivationRule.RuleError) -> PredicateExpression {
        try require(symbol: "(")
        let value = try value()
        try require(symbol: ",")
        guard case .text(let name) = current.kind, let type = PredicateCast(spelled: name) else {
            throw expected("\"NSNumber\", \"NSString\" or \"NSDate\"")
        }
        index += 1
        try require(symbol: ")")
        return .cast(value, type)
    }
}

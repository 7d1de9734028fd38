/// The values of names and variables during an evaluation.
struct PredicateScope {
    let values: [String: PredicateValue]
    let effort: PredicateEffort
    /// The current time in seconds since 1970, constant during an evaluation.
    let now: Double
    var variables: [String: PredicateValue] = [:]

    func binding(_ name: String, _ value: PredicateValue) -> PredicateScope {
        var scope = self
        scope.variables[name] = value
        return scope
    }
}

/// The cost limit of an evaluation. It is needed because the cost of a rule grows exponentially with the depth of its
/// nested subqueries.
final class PredicateEffort {
    struct Exhausted: Error {}

    /// The remaining cost. The initial value suffices for a common rule and ten thousand attachments.
    private var left = 2_000_000

    /// Deducts a cost.
    ///
    /// - Throws: ``Exhausted`` if the limit is exceeded.
    func spend(_ amount: Int = 1) throws {
        guard left >= amount else { throw Exhausted() }
        left -= amount
    }
}

extension PredicateExpression {
    func value(_ scope: PredicateScope) throws -> PredicateValue {
        try scope.effort.spend()
        switch self {
        case .number(let number): return .number(number)
        case .text(let text): return .text(text)
        case .null: return .nothing
        case .list(let elements): return .list(try elements.map { try $0.value(scope) })
        case .variable(let name): return scope.variables[name] ?? .nothing
        case .name(let name): return scope.values[name] ?? .nothing
        case .count(let collection): return .number(Double(try collection.value(scope).presentElements.count))
        case .member(let owner, let name): return try owner.value(scope).member(name)
        case .element(let list, let place): return place.element(of: try list.value(scope), try place.index(scope))
        case .prefixed(let prefix, let value): return prefix.result(try value.value(scope))
        case .operations(let first, let steps):
            return try steps.reduce(try first.value(scope)) { left, step in
                step.operation.result(left, try step.value.value(scope))
            }
        case .call(let function, let arguments):
            let values = try arguments.map { try $0.value(scope) }
            try scope.effort.spend(values.reduce(0) { $0 + $1.size })
            return function.result(values, now: scope.now)
        case .choice(let condition, let first, let second):
            return try condition.evaluate(scope) ? first.value(scope) : second.value(scope)
        case .cast(let expression, let type): return type.result(try expression.value(scope), isDate: expression.isDate)
        case .subquery(let collection, let variable, let condition):
            return .list(
                try collection.value(scope).presentElements.filter {
                    try condition.evaluate(scope.binding(variable, $0))
                })
        }
    }
}

extension PredicateNode {
    func evaluate(_ scope: PredicateScope) throws -> Bool {
        try scope.effort.spend()
        switch self {
        case .constant(let answer): return answer
        case .not(let node): return try !node.evaluate(scope)
        case .and(let nodes): return try nodes.allSatisfy { try $0.evaluate(scope) }
        case .or(let nodes): return try nodes.contains { try $0.evaluate(scope) }
        case .compare(let quantifier, let left, let comparison, let right):
            let right = try right.value(scope)
            let left = try left.value(scope)
            func holds(_ left: PredicateValue) throws -> Bool {
                try scope.effort.spend(comparison.cost(left))
                return comparison.holds(left, right)
            }
            switch quantifier {
            case nil: return try holds(left)
            case .any: return try left.elements.contains(where: holds)
            case .all: return try left.elements.allSatisfy(holds)
            case PredicateNode.Quantifier.none?: return try !left.elements.contains(where: holds)
            }
        }
    }
}

extension PredicateIndex {
    /// Returns the index if it is a whole number; otherwise `nil`, for example for `FIRST`.
    fileprivate func index(_ scope: PredicateScope) throws -> Int? {
        guard case .number(let expression) = self, case .number(let number) = try expression.value(scope) else {
            return nil
        }
        return Int(exactly: number)
    }

    fileprivate func element(of list: PredicateValue, _ index: Int?) -> PredicateValue {
        let elements = list.elements
        switch self {
        case .size: return .number(Double(elements.count))
        case .first: return elements.first ?? .nothing
        case .last: return elements.last ?? .nothing
        case .number:
            guard let index, elements.indices.contains(index) else { return .nothing }
            return elements[index]
        }
    }
}

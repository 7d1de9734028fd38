import ItemProvider

/// What names and variables stand for while a predicate is evaluated.
struct PredicateScope {
    let items: [ActivationRule.Item]
    let effort: PredicateEffort
    var variables: [String: PredicateValue] = [:]

    func binding(_ name: String, _ value: PredicateValue) -> PredicateScope {
        var scope = self
        scope.variables[name] = value
        return scope
    }
}

/// What the evaluation of one predicate may cost: subqueries within subqueries look at every item for every item.
final class PredicateEffort {
    struct Exhausted: Error {}

    /// More than enough for ten thousand attachments with a rule of the usual form.
    private var left = 2_000_000

    /// - Throws: ``Exhausted`` when nothing is left.
    func spend() throws {
        guard left > 0 else { throw Exhausted() }
        left -= 1
    }
}

/// A value of the predicate language.
enum PredicateValue {
    case number(Double)
    case text(String)
    case item(ActivationRule.Item)
    /// The registered types of an attachment.
    case attachment([String])
    case list([PredicateValue])
    /// A name that means nothing: everything compared with it is false.
    case nothing

    var elements: [PredicateValue] {
        switch self {
        case .list(let elements): elements
        case .nothing: []
        default: [self]
        }
    }
}

extension PredicateExpression {
    func value(_ scope: PredicateScope) throws -> PredicateValue {
        try scope.effort.spend()
        switch self {
        case .number(let number): return .number(number)
        case .text(let text): return .text(text)
        case .variable(let name): return scope.variables[name] ?? .nothing
        case .name(let name): return name == "extensionItems" ? .list(scope.items.map { .item($0) }) : .nothing
        case .count(let collection): return .number(Double(try collection.value(scope).elements.count))
        case .member(let owner, let name): return Self.member(try owner.value(scope), name)
        case .subquery(let collection, let variable, let condition):
            return .list(
                try collection.value(scope).elements.filter { try condition.evaluate(scope.binding(variable, $0)) })
        }
    }

    /// A property of a value, or of each element of a list, all in one list.
    private static func member(_ owner: PredicateValue, _ name: String) -> PredicateValue {
        switch owner {
        case .item(let item) where name == "attachments": .list(item.attachments.map { .attachment($0) })
        case .attachment(let types) where name == "registeredTypeIdentifiers": .list(types.map { .text($0) })
        case .list(let elements): .list(elements.flatMap { member($0, name).elements })
        default: .nothing
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
                try scope.effort.spend()
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

extension PredicateNode.Comparison {
    func holds(_ left: PredicateValue, _ right: PredicateValue) -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)):
            return switch self {
            case .equal: left == right
            case .unequal: left != right
            case .less: left < right
            case .lessOrEqual: left <= right
            case .greater: left > right
            case .greaterOrEqual: left >= right
            case .conforms, .sameType: false
            }
        case (.text(let left), .text(let right)):
            return switch self {
            case .equal: left == right
            case .unequal: left != right
            case .conforms: TypeIdentifier.conforms(left, to: right)
            case .sameType: TypeIdentifier.areEqual(left, right)
            default: false
            }
        default:
            return false
        }
    }
}

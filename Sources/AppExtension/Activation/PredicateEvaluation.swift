import ItemProvider

/// What names and variables stand for while a predicate is evaluated.
struct PredicateScope {
    let items: [ActivationRule.Item]
    var variables: [String: PredicateValue] = [:]

    func binding(_ name: String, _ value: PredicateValue) -> PredicateScope {
        var scope = self
        scope.variables[name] = value
        return scope
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
    func value(_ scope: PredicateScope) -> PredicateValue {
        switch self {
        case .number(let number): return .number(number)
        case .text(let text): return .text(text)
        case .variable(let name): return scope.variables[name] ?? .nothing
        case .name(let name): return name == "extensionItems" ? .list(scope.items.map { .item($0) }) : .nothing
        case .count(let collection): return .number(Double(collection.value(scope).elements.count))
        case .member(let owner, let name): return Self.member(owner.value(scope), name)
        case .subquery(let collection, let variable, let condition):
            return .list(
                collection.value(scope).elements.filter { condition.evaluate(scope.binding(variable, $0)) })
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
    func evaluate(_ scope: PredicateScope) -> Bool {
        switch self {
        case .constant(let answer): return answer
        case .not(let node): return !node.evaluate(scope)
        case .and(let nodes): return nodes.allSatisfy { $0.evaluate(scope) }
        case .or(let nodes): return nodes.contains { $0.evaluate(scope) }
        case .compare(let quantifier, let left, let comparison, let right):
            let right = right.value(scope)
            let left = left.value(scope)
            switch quantifier {
            case nil: return comparison.holds(left, right)
            case .any: return left.elements.contains { comparison.holds($0, right) }
            case .all: return left.elements.allSatisfy { comparison.holds($0, right) }
            case PredicateNode.Quantifier.none?: return !left.elements.contains { comparison.holds($0, right) }
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

/// A value of the predicate language.
package enum PredicateValue: Sendable, Equatable {
    /// Truth values are 1 and 0.
    case number(Double)
    case text(String)
    case list([PredicateValue])
    /// Something with properties. A property whose name has dots is found by the chain of its parts, too.
    case object([String: PredicateValue])
    /// What there is not.
    case nothing

    package static func flag(_ isSet: Bool) -> PredicateValue { .number(isSet ? 1 : 0) }

    var elements: [PredicateValue] {
        switch self {
        case .list(let elements): elements
        case .nothing: []
        default: [self]
        }
    }

    /// How many there are in it, at least one.
    var size: Int {
        if case .list(let elements) = self { Swift.max(1, elements.count) } else { 1 }
    }

    /// What is there of the elements.
    var presentElements: [PredicateValue] { elements.filter { $0 != .nothing } }

    /// A property of a value, or of each element of a list, all in one list: an element that does not have it is there with nothing,
    /// so that what has to hold of all does not hold because of some.
    func member(_ name: String) -> PredicateValue {
        switch self {
        case .object(let properties):
            if let value = properties[name] { return value }
            let prefix = name + "."
            let parts = properties.filter { $0.key.hasPrefix(prefix) }.map {
                ($0.key.dropFirst(prefix.count), $0.value)
            }
            return parts.isEmpty
                ? .nothing : .object(Dictionary(uniqueKeysWithValues: parts.map { (String($0), $1) }))
        case .list(let elements):
            return .list(
                elements.flatMap { element in
                    if case .list(let values) = element.member(name) { return values }
                    return [element.member(name)]
                })
        case .number, .text, .nothing: return .nothing
        }
    }
}

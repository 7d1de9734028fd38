/// A value of the predicate language.
package enum PredicateValue: Sendable, Equatable {
    /// A number; Booleans are 1 and 0.
    case number(Double)
    case text(String)
    case list([PredicateValue])
    /// An object with properties. A property named `a.b` is also found as the property `b` of the property `a`.
    case object([String: PredicateValue])
    /// A missing value.
    case nothing

    package static func flag(_ isSet: Bool) -> PredicateValue { .number(isSet ? 1 : 0) }

    var elements: [PredicateValue] {
        switch self {
        case .list(let elements): elements
        case .nothing: []
        default: [self]
        }
    }

    /// The number of elements of a list, but at least 1; 1 for any other value.
    var size: Int {
        if case .list(let elements) = self { Swift.max(1, elements.count) } else { 1 }
    }

    /// The elements that are not missing.
    var presentElements: [PredicateValue] { elements.filter { $0 != .nothing } }

    /// Returns a property of a value, or the properties of a list's elements in one list. An element without the
    /// property contributes the value ``nothing``. Otherwise a condition on all elements could hold although an element
    /// lacks the property.
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

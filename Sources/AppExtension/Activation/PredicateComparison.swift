import Foundation
import ItemProvider

/// A comparison of two values.
struct PredicateComparison: Sendable, Equatable {
    enum Relation: String, Sendable {
        case equal = "=="
        case unequal = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case conforms = "UTI-CONFORMS-TO"
        case sameType = "UTI-EQUALS"
        case begins = "BEGINSWITH"
        case ends = "ENDSWITH"
        case contains = "CONTAINS"
        case like = "LIKE"
        case matches = "MATCHES"
        case between = "BETWEEN"
        case isIn = "IN"

        /// The relations by their alternative spellings.
        static let synonyms: [String: Relation] = [
            "=": .equal, "<>": .unequal, "=<": .lessOrEqual, "=>": .greaterOrEqual,
        ]

        /// Whether options that ignore case and accents may follow the operator.
        var takesOptions: Bool {
            switch self {
            case .begins, .ends, .contains, .like, .matches, .isIn, .equal, .unequal: true
            default: false
            }
        }
    }

    var relation: Relation
    var ignoresCase = false
    var ignoresAccents = false
    /// The pattern on the right-hand side of ``Relation/matches``; `nil` for other relations.
    var pattern: PredicatePattern?

    /// Returns the cost of the comparison, in units of ``PredicateEffort``.
    func cost(_ left: PredicateValue) -> Int {
        guard let pattern, case .text(let text) = left else { return 1 }
        return pattern.cost(of: text)
    }

    /// Whether the comparison holds. A missing value equals only a missing value, and values of different kinds are
    /// unequal.
    func holds(_ left: PredicateValue, _ right: PredicateValue) -> Bool {
        switch (relation, left, right) {
        case (.equal, _, _): isEqual(left, right)
        case (.unequal, _, _): !isEqual(left, right)
        case (.isIn, _, .list(let elements)): elements.contains { isEqual(left, $0) }
        case (.isIn, .text(let part), .text(let whole)): folded(whole).contains(folded(part))
        case (.contains, .list(let elements), _): elements.contains { isEqual($0, right) }
        case (.between, _, .list(let bounds)):
            bounds.count == 2 && PredicateComparison(relation: .greaterOrEqual).holds(left, bounds[0])
                && PredicateComparison(relation: .lessOrEqual).holds(left, bounds[1])
        case (.matches, .text(let text), _): pattern?.matches(text) ?? false
        case (_, .number(let left), .number(let right)): holds(left, right)
        case (_, .text(let left), .text(let right)): holds(left, right)
        default: false
        }
    }

    private func isEqual(_ left: PredicateValue, _ right: PredicateValue) -> Bool {
        switch (left, right) {
        case (.text(let left), .text(let right)): folded(left) == folded(right)
        default: left == right
        }
    }

    private func holds(_ left: Double, _ right: Double) -> Bool {
        switch relation {
        case .less: left < right
        case .lessOrEqual: left <= right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        default: false
        }
    }

    private func holds(_ left: String, _ right: String) -> Bool {
        switch relation {
        case .conforms: TypeIdentifier.conforms(left, to: right)
        case .sameType: TypeIdentifier.areEqual(left, right)
        case .begins: folded(left).hasPrefix(folded(right))
        case .ends: folded(left).hasSuffix(folded(right))
        case .contains: folded(left).contains(folded(right))
        case .like: Self.matches(Array(folded(left)), Array(folded(right)))
        case .less: left < right
        case .lessOrEqual: left <= right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        case .equal, .unequal, .isIn, .matches, .between: false
        }
    }

    private func folded(_ text: String) -> String {
        Self.folded(text, ignoresCase: ignoresCase, ignoresAccents: ignoresAccents)
    }

    static func folded(_ text: String, ignoresCase: Bool = false, ignoresAccents: Bool = false) -> String {
        var options: String.CompareOptions = []
        if ignoresCase { options.insert(.caseInsensitive) }
        if ignoresAccents { options.insert(.diacriticInsensitive) }
        return options.isEmpty ? text : text.folding(options: options, locale: nil)
    }

    /// Whether a text matches a pattern, in which `*` stands for any characters and `?` for one. The time is at most
    /// proportional to the product of the lengths of text and pattern.
    private static func matches(_ text: [Character], _ pattern: [Character]) -> Bool {
        var (place, step) = (0, 0)
        var star: (place: Int, step: Int)?
        while place < text.count {
            if step < pattern.count, pattern[step] == "*" {
                star = (place, step)
                step += 1
            } else if step < pattern.count, pattern[step] == "?" || pattern[step] == text[place] {
                place += 1
                step += 1
            } else if let last = star {
                // The star matches one more character.
                star = (last.place + 1, last.step)
                (place, step) = (last.place + 1, last.step + 1)
            } else {
                return false
            }
        }
        return pattern[step...].allSatisfy { $0 == "*" }
    }
}

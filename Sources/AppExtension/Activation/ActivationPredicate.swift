import Foundation

/// The predicate form of an activation rule.
///
///     predicate   = disjunct (("OR" | "||") disjunct)*
///     disjunct    = term (("AND" | "&&") term)*
///     term        = ("NOT" | "!") term | "(" predicate ")" | "TRUEPREDICATE" | "FALSEPREDICATE" | comparison
///     comparison  = ["ANY" | "SOME" | "ALL" | "NONE"] value operator value
///     operator    = "==" | "=" | "!=" | "<>" | "<" | "<=" | "=<" | ">" | ">=" | "=>" | "UTI-CONFORMS-TO" | "UTI-EQUALS"
///     value       = number | text | (subquery | name | variable | "(" value ")") ("." name | ".@count")*
///     subquery    = "SUBQUERY" "(" value "," variable "," predicate ")"
///
/// The only name is `extensionItems`, after a dot `attachments` and `registeredTypeIdentifiers`; a variable is that of a subquery
/// around it. Words of the language are read in either case. Foundation's own predicates are not there on Linux.
struct ActivationPredicate: Sendable, Equatable {
    private let root: PredicateNode

    /// Longer texts are refused.
    private static let longest = 1 << 16

    init(_ text: String) throws(ActivationRule.Fault) {
        guard text.utf8.count <= Self.longest else {
            throw ActivationRule.Fault("the predicate is longer than \(Self.longest) bytes")
        }
        var parser = PredicateParser(tokens: try PredicateToken.tokens(of: text))
        root = try parser.parse()
    }

    /// A predicate that would take too long holds for nothing.
    func evaluate(_ items: [ActivationRule.Item]) -> Bool {
        (try? root.evaluate(PredicateScope(items: items, effort: PredicateEffort()))) ?? false
    }
}

/// A predicate, as it was understood.
indirect enum PredicateNode: Sendable, Equatable {
    enum Quantifier: Sendable { case any, all, none }
    enum Comparison: Sendable { case equal, unequal, less, lessOrEqual, greater, greaterOrEqual, conforms, sameType }

    case constant(Bool)
    case not(PredicateNode)
    case and([PredicateNode])
    case or([PredicateNode])
    case compare(Quantifier?, PredicateExpression, Comparison, PredicateExpression)
}

/// What a predicate compares.
indirect enum PredicateExpression: Sendable, Equatable {
    case number(Double)
    case text(String)
    case variable(String)
    /// A name where no variable stands before it: only `extensionItems` means something.
    case name(String)
    case member(PredicateExpression, String)
    case count(PredicateExpression)
    case subquery(PredicateExpression, variable: String, PredicateNode)
}

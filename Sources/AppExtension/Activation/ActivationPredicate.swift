import Foundation

/// A rule of a property list that is written as a predicate.
///
///     predicate   = disjunct (("OR" | "||") disjunct)*
///     disjunct    = term (("AND" | "&&") term)*
///     term        = ("NOT" | "!") term | "(" predicate ")" | "TRUEPREDICATE" | "FALSEPREDICATE" | comparison
///     comparison  = ["ANY" | "SOME" | "ALL" | "NONE"] value operator value
///     operator    = "==" | "=" | "!=" | "<>" | "<" | "<=" | "=<" | ">" | ">=" | "=>" | "UTI-CONFORMS-TO" | "UTI-EQUALS"
///                 | ("BEGINSWITH" | "ENDSWITH" | "CONTAINS" | "LIKE" | "IN") ["[c]" | "[d]" | "[cd]"]
///     value       = number | text | "YES" | "NO" | "TRUE" | "FALSE" | "NIL" | "NULL" | list
///                 | (subquery | name | variable | "(" value ")") ("." (name | text) | ".@count")*
///     list        = "{" [value ("," value)*] "}"
///     subquery    = "SUBQUERY" "(" value "," variable "," predicate ")"
///
/// Which names there are, a ``PredicateVocabulary`` says; a variable is that of a subquery around it. Words of the language are
/// read in either case. Foundation's own predicates are not there on Linux.
package struct ActivationPredicate: Sendable, Equatable {
    private let root: PredicateNode

    /// Longer texts are refused.
    private static let longest = 1 << 16

    package init(_ text: String, _ vocabulary: PredicateVocabulary) throws(ActivationRule.Fault) {
        guard text.utf8.count <= Self.longest else {
            throw ActivationRule.Fault("the predicate is longer than \(Self.longest) bytes")
        }
        var parser = PredicateParser(tokens: try PredicateToken.tokens(of: text), vocabulary)
        root = try parser.parse()
    }

    /// Whether it holds. A predicate that would take too long holds for nothing.
    ///
    /// - Parameter values: what the names of the vocabulary stand for.
    package func holds(_ values: [String: PredicateValue]) -> Bool {
        (try? root.evaluate(PredicateScope(values: values, effort: PredicateEffort()))) ?? false
    }
}

/// A predicate, as it was understood.
indirect enum PredicateNode: Sendable, Equatable {
    enum Quantifier: Sendable { case any, all, none }

    case constant(Bool)
    case not(PredicateNode)
    case and([PredicateNode])
    case or([PredicateNode])
    case compare(Quantifier?, PredicateExpression, PredicateComparison, PredicateExpression)
}

/// What a predicate compares.
indirect enum PredicateExpression: Sendable, Equatable {
    case number(Double)
    case text(String)
    case null
    case list([PredicateExpression])
    case variable(String)
    /// A name where no variable stands before it.
    case name(String)
    case member(PredicateExpression, String)
    case count(PredicateExpression)
    case subquery(PredicateExpression, variable: String, PredicateNode)
}

import Foundation

/// A rule of a property list that is written as a predicate.
///
///     predicate   = disjunct (("OR" | "||") disjunct)*
///     disjunct    = term (("AND" | "&&") term)*
///     term        = ("NOT" | "!") term | "(" predicate ")" | "TRUEPREDICATE" | "FALSEPREDICATE" | comparison
///     comparison  = ["ANY" | "SOME" | "ALL" | "NONE"] value operator value
///     operator    = "==" | "=" | "!=" | "<>" | "<" | "<=" | "=<" | ">" | ">=" | "=>" | "UTI-CONFORMS-TO" | "UTI-EQUALS"
///                 | "BETWEEN" | ("BEGINSWITH" | "ENDSWITH" | "CONTAINS" | "LIKE" | "MATCHES" | "IN") ["[c]" | "[d]" | "[cd]"]
///     value       = ["-" | "~"]* part (arithmetic ["-" | "~"]* part)*
///     arithmetic  = "|" | "^" | "&" | "<<" | ">>" | "+" | "-" | "*" | "/" | "**"
///     part        = number | text | "YES" | "NO" | "TRUE" | "FALSE" | "NIL" | "NULL" | list
///                 | (subquery | name | variable | call | choice | cast | "(" value ")")
///                   ("." (name | text) | ".@count" | ".@" aggregate ("." name)+ | "[" (value | "FIRST" | "LAST" | "SIZE") "]")*
///     list        = "{" [value ("," value)*] "}"
///     call        = function "(" [value ("," value)*] ")"
///     choice      = "TERNARY" "(" predicate "," value "," value ")"
///     cast        = "CAST" "(" value "," text ")"
///     subquery    = "SUBQUERY" "(" value "," variable "," predicate ")"
///
/// An aggregate is `sum`, `avg`, `min` or `max`, and nothing follows the names after it; the functions are in ``PredicateFunction``,
/// the texts of a cast in ``PredicateCast``.
/// What `MATCHES` compares with is a text in quotes, see ``PredicatePattern``. Of the arithmetic, what stands further right in the
/// list above is done first. Which names there are, a ``PredicateVocabulary`` says; a variable is that of a subquery around it. Words of the language are
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
        let scope = PredicateScope(values: values, effort: PredicateEffort(), now: Date().timeIntervalSince1970)
        return (try? root.evaluate(scope)) ?? false
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
    case element(PredicateExpression, PredicateIndex)
    case prefixed(PredicatePrefix, PredicateExpression)
    /// Done from the left to the right.
    case operations(PredicateExpression, [PredicateStep])
    case call(PredicateFunction, [PredicateExpression])
    /// The first value where the condition holds, else the second.
    case choice(PredicateNode, PredicateExpression, PredicateExpression)
    case cast(PredicateExpression, PredicateCast)
}

/// Arithmetic with what is there already, and a value.
struct PredicateStep: Sendable, Equatable {
    let operation: PredicateOperation
    let value: PredicateExpression
}

/// What stands in square brackets after a list.
indirect enum PredicateIndex: Sendable, Equatable {
    case first
    case last
    /// How many there are.
    case size
    case number(PredicateExpression)
}

import Foundation

/// A rule of a property list in the form of a predicate.
///
///     predicate   = disjunct (("OR" | "||") disjunct)*
///     disjunct    = term (("AND" | "&&") term)*
///     term        = ("NOT" | "!") term | "(" predicate ")" | "TRUEPREDICATE" | "FALSEPREDICATE" | comparison
///     comparison  = ["ANY" | "SOME" | "ALL" | "NONE"] value operator value
///     operator    = "<" | "<=" | "=<" | ">" | ">=" | "=>" | "UTI-CONFORMS-TO" | "UTI-EQUALS" | "BETWEEN"
///                 | ("==" | "=" | "!=" | "<>" | "BEGINSWITH" | "ENDSWITH" | "CONTAINS" | "LIKE" | "MATCHES" | "IN")
///                   ["[c]" | "[d]" | "[cd]"]
///     value       = ["-" | "~"]* part (arithmetic ["-" | "~"]* part)*
///     arithmetic  = "|" | "^" | "&" | "<<" | ">>" | "+" | "-" | "*" | "/" | "**"
///     part        = number | text | "YES" | "NO" | "TRUE" | "FALSE" | "NIL" | "NULL" | list
///                 | (subquery | name | variable | call | choice | cast | "(" value ")") suffix*
///     suffix      = "." (name | text) | ".@count" | ".@" aggregate ("." name)+
///                 | "[" (value | "FIRST" | "LAST" | "SIZE") "]"
///     list        = "{" [value ("," value)*] "}"
///     call        = function "(" [value ("," value)*] ")"
///     choice      = "TERNARY" "(" predicate "," value "," value ")"
///     cast        = "CAST" "(" value "," text ")"
///     subquery    = "SUBQUERY" "(" value "," variable "," predicate ")"
///
/// An aggregate is `sum`, `avg`, `min` or `max`, and nothing follows the names after it. ``PredicateFunction`` lists
/// the functions, and ``PredicateCast`` lists the texts that a cast accepts. `MATCHES` takes a quoted pattern; see
/// ``PredicatePattern``. Arithmetic operators have the precedence of ``PredicateOperation/precedence``. A
/// ``PredicateVocabulary`` defines the names. A variable must be that of an enclosing subquery. Keywords are not
/// case-sensitive. This type is needed because Foundation on Linux cannot create predicates from text.
package struct ActivationPredicate: Sendable, Equatable {
    private let root: PredicateNode

    /// The maximum length of a predicate in bytes.
    private static let longest = 1 << 16

    package init(_ text: String, _ vocabulary: PredicateVocabulary) throws(ActivationRule.RuleError) {
        guard text.utf8.count <= Self.longest else {
            throw ActivationRule.RuleError("the predicate is longer than \(Self.longest) bytes")
        }
        var parser = PredicateParser(tokens: try PredicateToken.tokens(of: text), vocabulary)
        root = try parser.parse()
    }

    /// Whether the predicate holds. A predicate that exceeds the evaluation limit does not hold.
    ///
    /// - Parameter values: The values of the vocabulary's names.
    package func holds(_ values: [String: PredicateValue]) -> Bool {
        let scope = PredicateScope(values: values, effort: PredicateEffort(), now: Date().timeIntervalSince1970)
        return (try? root.evaluate(scope)) ?? false
    }
}

/// A value that is computed in the language of predicates, such as `sourceItem.filename`.
package struct PredicateFormula: Sendable, Equatable {
    private let root: PredicateExpression

    init(_ text: String, _ vocabulary: PredicateVocabulary) throws(ActivationRule.RuleError) {
        var parser = PredicateParser(tokens: try PredicateToken.tokens(of: text), vocabulary)
        root = try parser.parseValue()
    }

    /// Returns the value, or ``PredicateValue/nothing`` if the computation exceeds the evaluation limit.
    ///
    /// - Parameter values: The values of the vocabulary's names.
    func value(_ values: [String: PredicateValue]) -> PredicateValue {
        let scope = PredicateScope(values: values, effort: PredicateEffort(), now: Date().timeIntervalSince1970)
        return (try? root.value(scope)) ?? .nothing
    }
}

/// A parsed predicate.
indirect enum PredicateNode: Sendable, Equatable {
    enum Quantifier: Sendable { case any, all, none }

    case constant(Bool)
    case not(PredicateNode)
    case and([PredicateNode])
    case or([PredicateNode])
    case compare(Quantifier?, PredicateExpression, PredicateComparison, PredicateExpression)
}

/// A parsed value of a predicate.
indirect enum PredicateExpression: Sendable, Equatable {
    case number(Double)
    case text(String)
    case null
    case list([PredicateExpression])
    case variable(String)
    /// The first name of a key path, such as `fileproviderItems`. The caller of the evaluation passes its value.
    case name(String)
    case member(PredicateExpression, String)
    case count(PredicateExpression)
    case subquery(PredicateExpression, variable: String, PredicateNode)
    case element(PredicateExpression, PredicateIndex)
    case prefixed(PredicatePrefix, PredicateExpression)
    /// Operations that are evaluated from left to right.
    case operations(PredicateExpression, [PredicateStep])
    case call(PredicateFunction, [PredicateExpression])
    /// The first value if the condition holds, otherwise the second.
    case choice(PredicateNode, PredicateExpression, PredicateExpression)
    case cast(PredicateExpression, PredicateCast)
}

/// An arithmetic operation with its right operand. The left operand is the result of the preceding steps.
struct PredicateStep: Sendable, Equatable {
    let operation: PredicateOperation
    let value: PredicateExpression
}

/// An index in square brackets after a list.
indirect enum PredicateIndex: Sendable, Equatable {
    case first
    case last
    /// The number of elements.
    case size
    case number(PredicateExpression)
}

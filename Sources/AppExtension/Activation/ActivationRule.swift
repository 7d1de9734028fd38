import Foundation
import ItemProvider
import UniformTypeIdentifiers

/// A rule that decides whether to offer an extension for items. It examines only the registered types of the items'
/// attachments.
///
/// Source: `NSExtensionActivationRule` of an extension's property list, in both of its forms.
package struct ActivationRule: Sendable, Equatable {
    /// The reason why a rule is invalid, with the position of the error.
    package struct RuleError: Error, Equatable, Sendable, CustomStringConvertible {
        package let description: String

        init(_ description: String) { self.description = description }
    }

    /// The part of an item that a rule examines: the registered types of each attachment.
    package struct Item: Sendable {
        package let attachments: [[String]]

        package init(attachments: [[String]]) { self.attachments = attachments }
    }

    private enum Form: Sendable, Equatable {
        case always(Bool)
        case counts(ActivationCounts)
        case predicate(ActivationPredicate)
    }

    private let form: Form

    /// Creates a rule from its value in a property list: a Boolean, a dictionary or a predicate.
    package init(_ stored: Any) throws(RuleError) {
        switch stored {
        case let text as String: form = .predicate(try ActivationPredicate(text, .extensionItems))
        case let values as [String: Any]: form = .counts(try ActivationCounts(values))
        case let number as NSNumber: form = .always(number.boolValue)
        default: throw RuleError("it is neither a dictionary nor a predicate")
        }
    }

    /// Whether to offer the extension for these items.
    package func accepts(_ items: [Item]) -> Bool {
        switch form {
        case .always(let answer): answer
        case .counts(let counts): counts.accepts(items)
        case .predicate(let predicate): predicate.holds(["extensionItems": .list(items.map(\.value))])
        }
    }
}

extension ActivationRule.Item {
    /// The item as a predicate's value.
    fileprivate var value: PredicateValue {
        let attachments = attachments.map { types in
            PredicateValue.object(["registeredTypeIdentifiers": .list(types.map { .text($0) })])
        }
        return .object(["attachments": .list(attachments)])
    }
}

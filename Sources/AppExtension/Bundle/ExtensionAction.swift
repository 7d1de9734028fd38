import Foundation

/// A file provider's own action: a dictionary in `NSExtensionFileProviderActions`, in the property list of the
/// provider or of its user interface.
package struct ExtensionAction: Sendable, Equatable {
    /// The value of `NSExtensionFileProviderActionIdentifier`.
    package let identifier: String
    /// The value of `NSExtensionFileProviderActionName`, which is shown to the user.
    package let name: String
    /// A description of the text that the user must enter for the action (`PurveyActionInput`); `nil` if the action
    /// needs no text.
    package let input: String?
    /// The subjects of actions that the file browser shows in a separate list.
    package enum Topic: String, Sendable {
        /// The earlier versions of a file.
        case versions
    }
    /// The subject of the action (`PurveyActionTopic`); `nil` if the action has none of these subjects.
    package let topic: Topic?
    /// The value of `NSExtensionFileProviderActionActivationRule`.
    private let rule: ActivationPredicate

    /// Returns whether to offer the action for items.
    ///
    /// - Parameters:
    ///   - items: Objects with the properties of ``ProviderItemProperty``.
    ///   - domain: The provider's data about the domain.
    package func accepts(_ items: [PredicateValue], domain: PredicateValue = .nothing) -> Bool {
        rule.holds([ProviderItemProperty.items: .list(items), ProviderItemProperty.domainUserInfo: domain])
    }

    /// The key for the actions in `NSExtension`.
    static let listKey = "NSExtensionFileProviderActions"
    private static let prefix = "NSExtensionFileProviderAction"
    /// A key of Purvey: a description of the text that the user must enter, as a part of a sentence (`the user to share
    /// with`).
    private static let inputKey = "PurveyActionInput"
    /// A key of Purvey: the subject of the action.
    private static let topicKey = "PurveyActionTopic"
    /// The maximum number of actions. It is higher than any useful number.
    private static let most = 100

    /// Reads the actions of an extension. An invalid action is left out, and a sentence describes its fault. The other
    /// actions are used.
    ///
    /// - Parameter localized: Returns the localized text for a name, if the bundle has one.
    static func read(
        _ stored: Any?, localized: (String) -> String? = { _ in nil }
    ) -> (actions: [ExtensionAction], faults: [String]) {
        guard let stored else { return ([], []) }
        guard let list = stored as? [Any] else { return ([], ["\(listKey) is not an array"]) }
        var actions: [ExtensionAction] = []
        var faults: [String] = []
        if list.count > most { faults.append("\(listKey) has \(list.count) actions; the first \(most) are used") }
        for (index, element) in list.prefix(most).enumerated() {
            let identifier = (element as? [String: Any])?[prefix + "Identifier"] as? String
            do throws(ActivationRule.RuleError) {
                let action = try ExtensionAction(element, localized)
                guard !actions.contains(where: { $0.identifier == action.identifier }) else {
                    throw ActivationRule.RuleError("another one has the same identifier")
                }
                actions.append(action)
            } catch {
                let name = identifier.map { "\"\($0)\"" } ?? "number \(index + 1)"
                faults.append("the action \(name) is left out: \(error)")
            }
        }
        return (actions, faults)
    }

    private init(_ stored: Any, _ localized: (String) -> String?) throws(ActivationRule.RuleError) {
        guard let values = stored as? [String: Any] else { throw .init("it is not a dictionary") }
        func text(_ key: String) throws(ActivationRule.RuleError) -> String {
            guard let value = values[Self.prefix + key] else { throw .init("\(Self.prefix + key) is missing") }
            guard let text = value as? String, !text.isEmpty else {
                throw .init("\(Self.prefix + key) is not a string with characters in it")
            }
            return text
        }
        identifier = try text("Identifier")
        let name = try text("Name")
        self.name = localized(name) ?? name
        let question = values[Self.inputKey]
        guard question == nil || (question as? String)?.isEmpty == false else {
            throw .init("\(Self.inputKey) is not a string with characters in it")
        }
        input = (question as? String).map { localized($0) ?? $0 }
        topic = (values[Self.topicKey] as? String).flatMap { Topic(rawValue: $0) }
        guard topic != nil || values[Self.topicKey] == nil else {
            throw .init("\(Self.topicKey) is not \"\(Topic.versions.rawValue)\"")
        }
        let predicate = try text("ActivationRule")
        do throws(ActivationRule.RuleError) {
            rule = try ActivationPredicate(predicate, .fileProviderItems)
        } catch {
            throw .init("\(Self.prefix)ActivationRule: \(error)")
        }
    }
}

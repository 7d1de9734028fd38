import Foundation

/// An action of a file provider's own, as the property list of the provider or of its user interface has it:
/// a dictionary in `NSExtensionFileProviderActions`.
package struct ExtensionAction: Sendable, Equatable {
    /// `NSExtensionFileProviderActionIdentifier`.
    package let identifier: String
    /// `NSExtensionFileProviderActionName`: what people call it.
    package let name: String
    /// `NSExtensionFileProviderActionActivationRule`.
    private let rule: ActivationPredicate

    /// Whether it is to be offered for items.
    ///
    /// - Parameters:
    ///   - items: objects with the properties of ``ProviderItemProperty``.
    ///   - domain: what the provider says of the domain.
    package func accepts(_ items: [PredicateValue], domain: PredicateValue = .nothing) -> Bool {
        rule.holds([ProviderItemProperty.items: .list(items), ProviderItemProperty.domainUserInfo: domain])
    }

    /// In `NSExtension`: the actions.
    static let listKey = "NSExtensionFileProviderActions"
    private static let prefix = "NSExtensionFileProviderAction"
    /// More of them are left out: nobody could choose among them.
    private static let most = 100

    /// Reads the actions of an extension. One that makes no sense is left out, and the others are not: what is wrong with it is one
    /// sentence.
    ///
    /// - Parameter localized: the text that people read in the place of a name, where the bundle has one.
    static func read(
        _ stored: Any?, localized: (String) -> String? = { _ in nil }
    ) -> (actions: [ExtensionAction], faults: [String]) {
        guard let stored else { return ([], []) }
        guard let list = stored as? [Any] else { return ([], ["\(listKey) is not an array"]) }
        var actions: [ExtensionAction] = []
        var faults: [String] = []
        if list.count > most { faults.append("\(listKey) has \(list.count) actions; the first \(most) are taken") }
        for (index, element) in list.prefix(most).enumerated() {
            let identifier = (element as? [String: Any])?[prefix + "Identifier"] as? String
            do throws(ActivationRule.Fault) {
                let action = try ExtensionAction(element, localized)
                guard !actions.contains(where: { $0.identifier == action.identifier }) else {
                    throw ActivationRule.Fault("another one has the same identifier")
                }
                actions.append(action)
            } catch {
                let name = identifier.map { "\"\($0)\"" } ?? "number \(index + 1)"
                faults.append("the action \(name) is left out: \(error)")
            }
        }
        return (actions, faults)
    }

    private init(_ stored: Any, _ localized: (String) -> String?) throws(ActivationRule.Fault) {
        guard let values = stored as? [String: Any] else { throw .init("it is not a dictionary") }
        func text(_ key: String) throws(ActivationRule.Fault) -> String {
            guard let value = values[Self.prefix + key] else { throw .init("\(Self.prefix + key) is missing") }
            guard let text = value as? String, !text.isEmpty else {
                throw .init("\(Self.prefix + key) is not a string with characters in it")
            }
            return text
        }
        identifier = try text("Identifier")
        let name = try text("Name")
        self.name = localized(name) ?? name
        let predicate = try text("ActivationRule")
        do throws(ActivationRule.Fault) {
            rule = try ActivationPredicate(predicate, .fileProviderItems)
        } catch {
            throw .init("\(Self.prefix)ActivationRule: \(error)")
        }
    }
}

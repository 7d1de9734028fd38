import Foundation
import ItemValues

/// The declaration of an alert in a property list.
struct AlertDeclaration: Sendable, Equatable {
    private let title: InteractionText
    private let subtitle: InteractionText?
    private let continueLabel: InteractionText?
    private let cancelLabel: InteractionText?
    let canContinue: Bool
    private let isDestructive: Bool
    private let helpURL: String?
    let suppression: String?

    static let key = "Alert"
    /// The keys for the suppression identifier. Apple's header has the second spelling.
    private static let suppressionKeys = ["SuppressionIdentifier", "SupressionIdentifier"]
    /// The maximum length of a suppression identifier in bytes.
    private static let longestSuppression = 1024

    /// Returns the suppression identifier of an interaction; `nil` if the interaction declares none.
    static func suppression(in values: [String: Any]) throws(ActivationRule.RuleError) -> String? {
        for key in suppressionKeys {
            guard let value = values[key] else { continue }
            guard let text = value as? String, !text.isEmpty, text.utf8.count <= longestSuppression else {
                throw .init("\(key) is not a string of 1 to \(longestSuppression) bytes")
            }
            return text
        }
        return nil
    }

    /// Reads an alert.
    ///
    /// - Parameters:
    ///   - interaction: The dictionary that contains the alert. `RecoveryOptions` and `HelpURL` may be in this
    ///     dictionary or in the alert's own.
    ///   - suppression: The suppression identifier of the interaction.
    init(
        _ stored: Any, in interaction: [String: Any], _ suppression: String?, _ localized: (String) -> String?
    ) throws(ActivationRule.RuleError) {
        guard let values = stored as? [String: Any] else { throw .init("\(Self.key) is not a dictionary") }
        func text(_ key: String, of values: [String: Any]) throws(ActivationRule.RuleError) -> InteractionText? {
            guard let value = values[key] else { return nil }
            do throws(ActivationRule.RuleError) {
                return try InteractionText(value, localized)
            } catch {
                throw .init("\(key): \(error)")
            }
        }
        guard let title = try text("LocalizedTitle", of: values) else { throw .init("LocalizedTitle is missing") }
        self.title = title
        subtitle = try text("LocalizedSubTitle", of: values)
        let labels = values["LocalizedRecoveryOptions"] as? [String: Any] ?? [:]
        continueLabel = try text("Continue", of: labels)
        cancelLabel = try text("Cancel", of: labels)
        let options = values["RecoveryOptions"] ?? interaction["RecoveryOptions"] ?? [String: Any]()
        guard let options = options as? [String: Any] else { throw .init("RecoveryOptions is not a dictionary") }
        func flag(_ key: String, _ standard: Bool) throws(ActivationRule.RuleError) -> Bool {
            guard let value = options[key] else { return standard }
            guard let flag = value as? Bool else { throw .init("RecoveryOptions: \(key) is neither true nor false") }
            return flag
        }
        canContinue = try flag("Continue", true)
        isDestructive = try flag("Destructive", false)
        // A URL with another scheme could start a program that the user has not chosen.
        helpURL = ((values["HelpURL"] ?? interaction["HelpURL"]) as? String).flatMap { address in
            ["http", "https"].contains(URL(string: address)?.scheme?.lowercased()) ? address : nil
        }
        // The operation proceeds if its alert is suppressed. Therefore the user cannot suppress an alert that forbids
        // the operation.
        self.suppression = canContinue ? suppression : nil
    }

    /// Returns the alert for an operation, with values inserted into its texts.
    ///
    /// - Parameters:
    ///   - items: The items that the rule holds for.
    ///   - count: The number of items that the rule holds for. For items from outside the domain, `items` is empty, and
    ///     `count` is their number.
    func alert(for subject: InteractionSubject, _ items: [PredicateValue], count: Int) -> InteractionAlert {
        var values = subject.values(for: items.first ?? .nothing, count: count)
        func set(_ root: InteractionRoot, _ value: PredicateValue) { values[root.rawValue] = value }
        set(.matchingItemsCount, .number(Double(count)))
        if count > 1 { set(.matchingItemsCountMinusOne, .number(Double(count - 1))) }
        if count > 2 { set(.matchingItemsCountMinusTwo, .number(Double(count - 2))) }
        if let first = items.first { set(.firstMatchingItem, first) }
        if items.count > 1 { set(.secondMatchingItem, items[1]) }
        return InteractionAlert(
            title: title.text(values), subtitle: subtitle?.text(values) ?? "",
            continueLabel: continueLabel?.text(values), cancelLabel: cancelLabel?.text(values),
            canContinue: canContinue, isDestructive: isDestructive, helpURL: helpURL, suppression: suppression)
    }
}

import ItemValues

/// An interaction with the user that a file provider requires before an operation: a dictionary in
/// `NSFileProviderUserInteractions`.
///
/// Source: FileProvider, `NSFileProviderItem.h`, `userInfo`.
package struct UserInteraction: Sendable, Equatable {
    private let rule: ActivationPredicate
    private let content: Content

    private indirect enum Content: Sendable, Equatable {
        case alert(AlertDeclaration)
        /// Nested interactions, for the items that the rule holds for. The first one that has an alert for them is
        /// used.
        case interactions([UserInteraction])
    }

    /// The key for the interactions in `NSExtension`.
    static let listKey = "NSFileProviderUserInteractions"
    private static let ruleKey = "ActivationRule"
    private static let nestedKey = "SubInteractions"
    /// The maximum number of interactions, including nested ones.
    private static let most = 200
    /// The maximum depth of nested interactions.
    private static let deepest = 16

    /// Whether one of the interaction's alerts forbids the operation.
    package var mayForbid: Bool {
        switch content {
        case .alert(let alert): !alert.canContinue
        case .interactions(let nested): nested.contains(where: \.mayForbid)
        }
    }

    /// The suppression identifiers of the interaction's alerts.
    package var suppressions: [String] {
        switch content {
        case .alert(let alert): [alert.suppression].compactMap { $0 }
        case .interactions(let nested): nested.flatMap(\.suppressions)
        }
    }

    /// Returns the alert for an operation, or `nil` if the operation needs none.
    ///
    /// - Parameter interactions: A provider's interactions. The first one that has an alert for the operation is used.
    package static func alert(for subject: InteractionSubject, in interactions: [UserInteraction]) -> InteractionAlert?
    {
        guard subject.count > 0 else { return nil }
        return alert(for: subject, subject.items, count: subject.count, in: interactions)
    }

    private static func alert(
        for subject: InteractionSubject, _ items: [PredicateValue], count: Int, in interactions: [UserInteraction]
    ) -> InteractionAlert? {
        interactions.lazy.compactMap { $0.alert(for: subject, items, count: count) }.first
    }

    private func alert(
        for subject: InteractionSubject, _ items: [PredicateValue], count: Int
    ) -> InteractionAlert? {
        let matching: [PredicateValue]
        let matchingCount: Int
        if subject.operation.comesFromOutside {
            guard rule.holds(subject.values(for: .nothing, count: count)) else { return nil }
            (matching, matchingCount) = ([], count)
        } else {
            matching = items.filter { rule.holds(subject.values(for: $0, count: count)) }
            guard !matching.isEmpty else { return nil }
            matchingCount = matching.count
        }
        switch content {
        case .alert(let alert): return alert.alert(for: subject, matching, count: matchingCount)
        case .interactions(let nested):
            return Self.alert(for: subject, matching, count: matchingCount, in: nested)
        }
    }

    /// Reads the interactions of an extension. An invalid interaction is left out, and a sentence describes its fault.
    /// The other interactions are used.
    ///
    /// - Parameter localized: Returns the localized text for a key, if the bundle has one.
    static func read(
        _ stored: Any?, localized: (String) -> String? = { _ in nil }
    ) -> (interactions: [UserInteraction], faults: [String]) {
        guard let stored else { return ([], []) }
        guard let list = stored as? [Any] else { return ([], ["\(listKey) is not an array"]) }
        var interactions: [UserInteraction] = []
        var faults: [String] = []
        var left = most
        for (index, element) in list.enumerated() {
            do throws(ActivationRule.RuleError) {
                interactions.append(try UserInteraction(element, nil, depth: 1, &left, localized))
            } catch {
                faults.append("the interaction number \(index + 1) is left out: \(error)")
            }
        }
        return (interactions, faults)
    }

    private init(
        _ stored: Any, _ suppression: String?, depth: Int, _ left: inout Int, _ localized: (String) -> String?
    ) throws(ActivationRule.RuleError) {
        guard let values = stored as? [String: Any] else { throw .init("it is not a dictionary") }
        guard left > 0 else { throw .init("there are more than \(Self.most) interactions") }
        guard depth <= Self.deepest else { throw .init("\(Self.nestedKey) are nested more than \(Self.deepest) deep") }
        left -= 1
        guard let text = values[Self.ruleKey] as? String, !text.isEmpty else {
            throw .init("\(Self.ruleKey) is not a string with characters in it")
        }
        do throws(ActivationRule.RuleError) {
            rule = try ActivationPredicate(text, .userInteractions)
        } catch {
            throw .init("\(Self.ruleKey): \(error)")
        }
        let suppression = try AlertDeclaration.suppression(in: values) ?? suppression
        if let alert = values[AlertDeclaration.key] {
            content = .alert(try AlertDeclaration(alert, in: values, suppression, localized))
            return
        }
        guard let list = values[Self.nestedKey] as? [Any], !list.isEmpty else {
            throw .init("it has neither \(AlertDeclaration.key) nor \(Self.nestedKey)")
        }
        var nested: [UserInteraction] = []
        for element in list {
            nested.append(try UserInteraction(element, suppression, depth: depth + 1, &left, localized))
        }
        content = .interactions(nested)
    }
}

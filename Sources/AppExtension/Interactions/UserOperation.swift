/// An operation of the user on items of a file provider. The raw value is its name in the rules of
/// `NSFileProviderUserInteractions`.
package enum UserOperation: String, Sendable, CaseIterable {
    /// A move within the domain.
    case move = "Move"
    /// A move to a place outside the domain.
    case moveOut = "MoveOut"
    /// A move from a place outside the domain.
    case moveIn = "MoveIn"
    /// A copy within the domain.
    case copy = "Copy"
    /// A copy to a place outside the domain.
    case copyOut = "CopyOut"
    /// A copy from a place outside the domain.
    case copyIn = "CopyIn"
    case trash = "Trash"
    case create = "Create"
    case delete = "Delete"
    case rename = "Rename"

    /// Whether the items come from outside the domain, so that rules cannot examine them.
    var comesFromOutside: Bool { self == .moveIn || self == .copyIn }
}

/// The first names of key paths in the rules and texts of interactions, such as `sourceItem` in `sourceItem.filename`.
enum InteractionRoot: String, CaseIterable {
    case action, sourceItem, sourceItemsCount, destinationItem, domainUserInfo
    case matchingItemsCount, matchingItemsCountMinusOne, matchingItemsCountMinusTwo
    case firstMatchingItem, secondMatchingItem

    static let ofRules: [InteractionRoot] = [
        .action, .sourceItem, .sourceItemsCount, .destinationItem, .domainUserInfo,
    ]
    static let ofTexts: [InteractionRoot] = allCases
}

/// The values of an operation that the rules of interactions can examine.
package struct InteractionSubject: Sendable {
    package let operation: UserOperation
    /// The number of items. It is known also for items from outside the domain.
    let count: Int
    /// The items, as objects with the properties of ``ProviderItemProperty``; empty for items from outside the domain.
    let items: [PredicateValue]
    /// The directory that receives the items, or, for a renaming, an item with the new name. ``PredicateValue/nothing``
    /// for operations that have neither.
    let destination: PredicateValue
    /// The provider's data about the domain.
    let domain: PredicateValue

    /// Creates the subject of an operation on items of the domain.
    package init(
        _ operation: UserOperation, _ items: [PredicateValue], to destination: PredicateValue = .nothing,
        domain: PredicateValue = .nothing
    ) {
        (self.operation, self.items, self.destination, self.domain) = (operation, items, destination, domain)
        count = items.count
    }

    /// Creates the subject of an operation on items that come from outside the domain.
    package init(
        _ operation: UserOperation, count: Int, to destination: PredicateValue, domain: PredicateValue = .nothing
    ) {
        (self.operation, self.count, self.destination, self.domain) = (operation, count, destination, domain)
        items = []
    }

    /// Returns an item of which only the name is known.
    package static func item(named name: String) -> PredicateValue {
        .object([ProviderItemProperty.filename.rawValue: .text(name)])
    }

    /// Returns the value of each name with which a rule's key paths can begin (``InteractionRoot``).
    ///
    /// - Parameters:
    ///   - item: The item that the rule examines; ``PredicateValue/nothing`` for items from outside the domain.
    ///   - count: The number of items that the enclosing rule holds for.
    func values(for item: PredicateValue, count: Int) -> [String: PredicateValue] {
        [
            InteractionRoot.action.rawValue: .text(operation.rawValue), InteractionRoot.sourceItem.rawValue: item,
            InteractionRoot.sourceItemsCount.rawValue: .number(Double(count)),
            InteractionRoot.destinationItem.rawValue: destination, InteractionRoot.domainUserInfo.rawValue: domain,
        ]
    }
}

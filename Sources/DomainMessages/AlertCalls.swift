import Conduit
import ItemValues

/// A request for the alerts that providers want to show before an operation of the user, at most one for each domain.
/// The operation itself is another request, or a system call in a mount.
package struct FindAlertsCall: Call, SchemaMessage {
    package static var method: UInt64 { DomainMethod.findAlerts }

    package enum Operation: Int, Sendable, MessageValue {
        case trash = 0
        /// The deletion of items that are in the trash.
        case delete = 1
        case rename = 2
        case move = 3
        case copy = 4
        case create = 5
    }

    package let operation: Operation
    /// The items on which the operation is performed. An item that does not exist, or lies in no domain, has no alert.
    package let items: [ItemPlace]
    /// The items in the trash that the operation deletes.
    package let deletions: [EmptyTrashCall]
    /// The directory into which the items are moved or copied, or in which an item is created; `nil` for other
    /// operations.
    package let destination: ItemPlace?
    /// The name of the created item, or the new name of an existing one; `nil` if the operation sets no name.
    package let name: String?

    /// The maximum number of items in one request. No alerts are reported for further items.
    package static let mostItems = 10_000

    package init(
        _ operation: Operation, items: [ItemPlace] = [], deletions: [EmptyTrashCall] = [],
        destination: ItemPlace? = nil, name: String? = nil
    ) {
        self.operation = operation
        self.items = Array(items.prefix(Self.mostItems))
        self.deletions = Array(deletions.prefix(Self.mostItems - self.items.count))
        self.destination = destination
        self.name = name
    }

    package static let schema = Schema(
        { FindAlertsCall($0, items: $1, deletions: $2, destination: $3, name: $4) },
        Field(0, \FindAlertsCall.operation),
        Field(1, \.items), Field(2, \.deletions), Field(3, \.destination), Field(4, \.name)
    ).checked { call throws(MessageError) in
        let count = call.items.count + call.deletions.count
        guard count <= mostItems else { throw .invalid("alerts for \(count) items") }
    }

    package struct Reply: SchemaMessage {
        package let alerts: [AlertDescription]

        package init(alerts: [AlertDescription]) { self.alerts = alerts }

        package static let schema = Schema(Self.init, Field(0, \.alerts))
    }
}

/// An alert that a provider wants to show before an operation. ``SuppressAlertCall`` suppresses it.
package struct AlertDescription: SchemaMessage, Equatable {
    /// The name of the domain whose provider declares the alert.
    package let domain: String
    package let alert: InteractionAlert

    package init(domain: String, alert: InteractionAlert) {
        self.domain = domain
        self.alert = alert
    }

    package static let schema = Schema(
        {
            AlertDescription(
                domain: $0,
                alert: InteractionAlert(
                    title: $1, subtitle: $2, continueLabel: $3, cancelLabel: $4, canContinue: $5, isDestructive: $6,
                    helpURL: $7, suppression: $8))
        }, Field(0, \AlertDescription.domain), Field(1, \.alert.title), Field(2, \.alert.subtitle),
        Field(3, \.alert.continueLabel), Field(4, \.alert.cancelLabel), Field(5, \.alert.canContinue),
        Field(6, \.alert.isDestructive), Field(7, \.alert.helpURL), Field(8, \.alert.suppression))
}

/// A request for those alerts of a domain's provider that the user can suppress.
package struct ListAlertsCall: Call, SchemaMessage {
    package static var method: UInt64 { DomainMethod.listAlerts }
    /// The name of the domain.
    package let domain: String

    package init(domain: String) { self.domain = domain }

    package static let schema = Schema(Self.init, Field(0, \.domain))

    package struct Reply: SchemaMessage {
        package let alerts: [SuppressibleAlert]

        package init(alerts: [SuppressibleAlert]) { self.alerts = alerts }

        package static let schema = Schema(Self.init, Field(0, \.alerts))
    }
}

/// The alerts that have the same suppression identifier.
package struct SuppressibleAlert: SchemaMessage, Equatable {
    package let identifier: String
    package let isSuppressed: Bool

    package init(identifier: String, isSuppressed: Bool) {
        self.identifier = identifier
        self.isSuppressed = isSuppressed
    }

    package static let schema = Schema(Self.init, Field(0, \.identifier), Field(1, \.isSuppressed))
}

/// A request to suppress the alerts of a provider that have the given suppression identifier, or to show them again.
package struct SuppressAlertCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { DomainMethod.suppressAlert }
    /// The name of the domain.
    package let domain: String
    package let identifier: String
    package let isSuppressed: Bool

    package init(domain: String, identifier: String, isSuppressed: Bool) {
        self.domain = domain
        self.identifier = identifier
        self.isSuppressed = isSuppressed
    }

    package static let schema = Schema(
        Self.init, Field(0, \.domain), Field(1, \.identifier), Field(2, \.isSuppressed))
}

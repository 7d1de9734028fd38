import Conduit
import Foundation

/// The conditions that an item must meet to be found.
package struct SecretSearch: Sendable {
    /// Whether a search finds items that are synchronized between machines, other items, or both.
    package enum Synchronized: UInt8, Sendable, MessageValue {
        case no, yes, any
    }

    /// The class of the items; `nil` only in a search for a reference.
    package var itemClass: SecretClass?
    /// The attribute values that an item must have, except `isSynchronizable`: ``synchronized`` is the condition for
    /// it.
    package var attributes: SecretAttributes
    package var synchronized: Synchronized
    package var reference: UUID?
    /// The creation date that the item must have, in seconds since 1970; `nil` for any date. `modified` is the same for
    /// the date of the last change.
    package var created: Double?
    package var modified: Double?

    /// The maximum difference in seconds at which two dates count as equal. A date is rounded when it is converted to a
    /// `Date` and back, because a `Date` counts from 2001.
    private static let tolerance = 0.000_1

    package init(
        itemClass: SecretClass?, attributes: SecretAttributes = [:], synchronized: Synchronized = .no,
        reference: UUID? = nil, created: Double? = nil, modified: Double? = nil
    ) {
        self.itemClass = itemClass
        self.attributes = attributes
        self.synchronized = synchronized
        self.reference = reference
        self.created = created
        self.modified = modified
    }

    /// Whether the given item meets all conditions.
    package func matches(_ item: SecretItem) -> Bool {
        if let itemClass, item.itemClass != itemClass { return false }
        if let reference, item.reference != reference { return false }
        if let created, abs(item.created - created) > Self.tolerance { return false }
        if let modified, abs(item.modified - modified) > Self.tolerance { return false }
        if synchronized != .any {
            let isSynchronized = item.attributes[.isSynchronizable] == .flag(true)
            if isSynchronized != (synchronized == .yes) { return false }
        }
        return attributes.allSatisfy { $0.key.isSame($0.value, item.attributes[$0.key]) }
    }
}

extension SecretSearch: SchemaMessage {
    package static let schema = Schema(
        {
            SecretSearch(
                itemClass: $0, attributes: $1, synchronized: $2, reference: $3, created: $4, modified: $5)
        },
        Field(0, \SecretSearch.itemClass), Field(1, attributes: \.attributes), Field(2, \.synchronized),
        Field(3, \.reference), Field(4, \.created), Field(5, \.modified)
    ).checked { search throws(MessageError) in
        try search.attributes.check(for: search.itemClass)
        guard search.itemClass != nil || search.reference != nil else {
            throw .invalid("a search has a class or a reference")
        }
    }
}

import Conduit
import Foundation
import Secrets

/// The items of a store, in the order in which they were added. The functions implement the four calls on these items.
struct SecretTable {
    private(set) var items: [SecretItem] = []

    init(items: [SecretItem] = []) { self.items = items }

    /// The access groups of the caller, the limits, and the time at which a call is made.
    struct Context {
        let groups: AccessGroups
        let limits: SecretLimits
        /// The time of the call in seconds since 1970.
        let now: Double
    }

    // MARK: The calls

    mutating func add(_ request: AddSecretCall, _ context: Context) throws(SecretError) -> SecretItem {
        var attributes = request.attributes
        attributes[.group] = .text(try group(in: attributes, context))
        // The defaults that programs for Apple's platforms find in an item.
        if attributes[.accessibility] == nil { attributes[.accessibility] = .text("ak") }
        if attributes[.isSynchronizable] == nil { attributes[.isSynchronizable] = .flag(false) }
        let item = SecretItem(
            itemClass: request.itemClass, attributes: attributes, reference: UUID(), created: context.now,
            modified: context.now, value: request.value ?? SecretBytes(copying: .init(start: nil, count: 0)))
        try check(item, context.limits)
        if items.contains(where: { Self.haveSameKey($0, item) }) { throw .duplicate }
        items.append(item)
        try checkGroups([item.group], context.limits)
        return item.withoutValue
    }

    func find(_ request: FindSecretsCall, _ context: Context) throws(SecretError) -> [SecretItem] {
        let found = try indices(of: request.search, context).prefix(request.limit ?? .max)
        if found.isEmpty { throw .notFound }
        return found.map { request.wantsValues ? items[$0] : items[$0].withoutValue }
    }

    mutating func update(_ request: UpdateSecretsCall, _ context: Context) throws(SecretError) {
        if request.attributes.isEmpty, request.value == nil { throw .invalid }
        let found = try indices(of: request.search, context)
        if found.isEmpty { throw .notFound }
        if request.attributes[.group] != nil { _ = try group(in: request.attributes, context) }
        for index in found {
            var item = items[index]
            for (attribute, value) in request.attributes {
                guard attribute.belongs(to: item.itemClass) else { throw .invalid }
                item.attributes[attribute] = value
            }
            if let value = request.value { item.value = value }
            item.modified = context.now
            try check(item, context.limits)
            items[index] = item
        }
        for index in found {
            let isTaken = items.indices.contains { $0 != index && Self.haveSameKey(items[$0], items[index]) }
            if isTaken { throw .duplicate }
        }
        try checkGroups(Set(found.map { items[$0].group }), context.limits)
    }

    mutating func remove(_ request: RemoveSecretsCall, _ context: Context) throws(SecretError) {
        let found = Set(try indices(of: request.search, context))
        if found.isEmpty { throw .notFound }
        items = items.enumerated().filter { !found.contains($0.offset) }.map(\.element)
    }

    // MARK: Rules

    /// Returns the indices of those items in the caller's groups that meet the conditions of the search.
    private func indices(of search: SecretSearch, _ context: Context) throws(SecretError) -> [Int] {
        if context.groups.names.isEmpty { throw .groupRefused }
        return items.indices.filter { context.groups.names.contains(items[$0].group) && search.matches(items[$0]) }
    }

    /// Returns the group that a request names, or the caller's first group if it names none.
    private func group(in attributes: SecretAttributes, _ context: Context) throws(SecretError) -> String {
        guard let first = context.groups.names.first else { throw .groupRefused }
        guard case .text(let name) = attributes[.group] else { return first }
        guard context.groups.names.contains(name) else { throw .groupRefused }
        return name
    }

    private static func haveSameKey(_ one: SecretItem, _ other: SecretItem) -> Bool {
        one.itemClass == other.itemClass
            && SecretAttribute.primaryKey(of: one.itemClass).allSatisfy {
                $0.isSame(one.attributes[$0], other.attributes[$0])
            }
    }

    private func check(_ item: SecretItem, _ limits: SecretLimits) throws(SecretError) {
        guard item.value?.count ?? 0 <= limits.value, item.attributeBytes <= limits.attributes else { throw .tooLarge }
    }

    private func checkGroups(_ groups: Set<String>, _ limits: SecretLimits) throws(SecretError) {
        for group in groups {
            let members = items.filter { $0.group == group }
            guard members.count <= limits.itemsOfGroup,
                members.reduce(0, { $0 + $1.byteCount }) <= limits.bytesOfGroup
            else { throw .groupFull }
        }
        guard byteCount <= limits.bytes else { throw .groupFull }
    }

    /// An upper bound of the size, in bytes, of the encoded table.
    var byteCount: Int { 64 + items.reduce(0) { $0 + $1.byteCount } }
}

extension SecretTable: SchemaMessage {
    static let schema = Schema(
        Self.init, Field(0, \SecretTable.items, atMost: SecretLimits.items))
}

extension SecretItem {
    fileprivate var withoutValue: SecretItem {
        var item = self
        item.value = nil
        return item
    }
}

/// The limits of a store.
package struct SecretLimits: Sendable {
    /// The maximum size of one password in bytes.
    package var value = 256 << 10
    /// The maximum total size of the attributes of one item in bytes.
    package var attributes = 16 << 10
    /// The maximum number of items in one access group.
    package var itemsOfGroup = 1_000
    /// The maximum total size, in bytes, of the items in one access group. It is so small that the items of all groups
    /// of a caller fit into one message.
    package var bytesOfGroup = 1 << 20
    /// The maximum total size, in bytes, of all items of the store.
    package var bytes = 64 << 20

    package init() {}

    /// The maximum number of items in all groups together. If a file contains more items, it was not written by a
    /// store.
    static let items = 1 << 20
}

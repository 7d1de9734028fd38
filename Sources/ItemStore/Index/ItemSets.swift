import ItemValues

/// Sets of items that clients follow.
package struct ItemSets: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let materialized = ItemSets(.materialized)
    package static let pending = ItemSets(.pending)

    package init(_ set: ItemSet) { rawValue = 1 << set.rawValue }

    /// Creates the sets that an item belongs to, as clients see them. The root, and items that the provider does not
    /// know, belong to no set.
    init(of item: IndexedItem) {
        self = []
        guard item.number != .root, item.isKnownToProvider else { return }
        if item.isPart(of: .materialized) { insert(.materialized) }
        if item.isPart(of: .pending) { insert(.pending) }
    }
}

extension IndexedItem {
    package func isPart(of set: ItemSet) -> Bool {
        switch set {
        case .pending: return !changes.isEmpty
        case .materialized:
            guard isShown else { return false }
            switch item.kind {
            case .file: return hasAllBytes
            case .folder: return listing != .never
            case .symbolicLink: return true
            }
        }
    }
}

import ItemValues

extension Index {
    /// Enumerates all items in ascending order of their item numbers, including items that were removed locally.
    ///
    /// - Parameters:
    ///   - changedOnly: Whether to enumerate only items with local changes.
    ///   - number: The item number after which to begin; `nil` to begin with the first item.
    ///   - most: The number of items after which to stop.
    ///   - body: Called for each item; returns `false` to stop. It must not read the index.
    /// - Returns: The number of the last item passed to `body` if the enumeration was stopped; `nil` if no items are
    ///   left.
    package func items(
        changedOnly: Bool, after number: ItemNumber?, most: Int, _ body: (IndexedItem) -> Bool
    ) throws(IndexError) -> ItemNumber? {
        try read { queries throws(IndexError) in
            let statement = try queries.connection.statement(
                "SELECT number, parent, changes, data FROM items WHERE number > ?1"
                    + (changedOnly ? " AND changes <> 0" : "") + " ORDER BY number")
            defer { statement.reset() }
            statement.bind(1, number?.rawValue ?? 0)
            var count = 0
            while try statement.step() {
                let row = IndexQueries.Row(
                    number: ItemNumber(rawValue: statement.integer(0)),
                    parent: ItemNumber(rawValue: statement.integer(1)),
                    changes: LocalChanges(rawValue: UInt8(truncatingIfNeeded: statement.integer(2))),
                    bytes: statement.bytes(3))
                count += 1
                if try !body(row.item()) || count == most { return row.number }
            }
            return nil
        }
    }

    /// The number of items that are examined to find out whether the provider reports versions.
    private static let versionSample = 64

    /// Whether at least one of the items that were added last is a file that the provider reported without a version.
    package func lacksVersions() throws(IndexError) -> Bool {
        try read { queries throws(IndexError) in
            let statement = try queries.connection.statement("SELECT number FROM items ORDER BY number DESC LIMIT ?1")
            defer { statement.reset() }
            statement.bind(1, Int64(Self.versionSample))
            var numbers: [ItemNumber] = []
            while try statement.step() { numbers.append(ItemNumber(rawValue: statement.integer(0))) }
            for number in numbers {
                if let row = try queries.item(number), row.item.flags.contains(.lacksVersion) { return true }
            }
            return false
        }
    }
}

/// Zero or more of the item sets (``ItemSet``) of a domain, whose changes clients can follow.
package struct ItemSets: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let materialized = ItemSets(.materialized)
    package static let pending = ItemSets(.pending)

    package init(_ set: ItemSet) { rawValue = 1 << set.rawValue }

    /// Creates a value that contains the item sets to which the given item belongs. The root, and items that the
    /// provider does not know, belong to none.
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

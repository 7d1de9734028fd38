import ItemValues

/// Reads and changes the index within one write transaction (``Index/write(freesSpace:_:)``). Reads see the changes of
/// the same transaction.
package struct IndexWriter: ~Copyable {
    let state: WriterConnection

    init(_ state: WriterConnection) { self.state = state }

    // MARK: Looking

    /// Returns the item with the given number, even if it was removed locally; `nil` if there is none.
    package func item(_ number: ItemNumber) throws(IndexError) -> IndexedItem? { try state.queries.item(number) }

    /// Returns the item with the given identifier, even if it was removed locally; `nil` if there is none.
    package func item(identifier: String) throws(IndexError) -> IndexedItem? {
        guard let number = try state.queries.number(identifier: identifier) else { return nil }
        return try item(number)
    }

    /// Returns the visible item with the given name in the given directory; `nil` if there is none.
    package func item(named name: String, in parent: ItemNumber) throws(IndexError) -> IndexedItem? {
        try state.queries.item(named: name, in: parent)
    }

    /// Returns the items of the given directory in ascending order of their item numbers, including items that were
    /// removed locally.
    package func children(of parent: ItemNumber) throws(IndexError) -> [IndexedItem] {
        var items: [IndexedItem] = []
        try state.queries.children(of: parent) { row throws(IndexError) in
            items.append(try row.item())
            return true
        }
        return items
    }

    /// Returns a name that no visible item in the given directory has: the wanted name, made valid if necessary. If an
    /// item has that name, a number is added to the name.
    package func freeName(_ wanted: String, in parent: ItemNumber) throws(IndexError) -> String {
        try state.freeName(MountName.mended(wanted), in: parent) { _ in true }
    }

    /// Whether the directory `number` is the directory `folder` or lies in it, at any depth.
    package func isFolder(_ number: ItemNumber, within folder: ItemNumber) throws(IndexError) -> Bool {
        try state.isFolder(number, within: folder)
    }

    // MARK: Changing

    /// Changes one item. Does nothing if there is no item with the given number.
    ///
    /// If a sibling has the new name, a number is appended. A directory is not moved into itself. If another row has
    /// the new identifier, that row is merged into this item. This happens when the change feed reports a new item
    /// before the reply to its creation arrives.
    ///
    /// - Returns: The item as written; `nil` if it does not exist.
    @discardableResult
    package mutating func update(
        _ number: ItemNumber, _ change: (inout IndexedItem) throws(IndexError) -> Void
    ) throws(IndexError) -> IndexedItem? {
        guard let before = try item(number) else { return nil }
        var after = before
        try change(&after)
        after.number = number
        return try state.change(before, to: after)
    }

    /// Adds an item that was created locally.
    ///
    /// - Parameter keepsNumber: Whether the item keeps its item number, which is from ``Index/nextNumber()`` or from an
    ///   index that was lost. An existing item with this number is replaced.
    /// - Returns: The item's number. Its name may differ from the wanted one; see ``update(_:_:)``.
    @discardableResult
    package mutating func insert(_ item: IndexedItem, keepsNumber: Bool = false) throws(IndexError) -> ItemNumber {
        var item = item
        if !keepsNumber {
            item.number = state.takeNumber()
        } else if item.number == .root {
            return try update(.root) { $0 = item }?.number ?? .root
        } else {
            state.reserveNumber(item.number)
            if let other = try self.item(item.number) {
                return try state.change(other, to: item).number
            }
        }
        return try state.add(item).number
    }

    /// Deletes the row of the given item and of everything in it, even items with local changes.
    package mutating func delete(_ number: ItemNumber) throws(IndexError) {
        guard number != .root else { return }
        var removed = RemovedItems()
        try state.removeTree(number, evenIfChanged: true, &removed)
    }

    // MARK: Uses

    /// Records that the contents of the given file were used.
    ///
    /// - Parameter time: The time of the use. Only the order of these values matters, so any unit will do.
    package mutating func touch(_ number: ItemNumber, _ time: Double) throws(IndexError) {
        let statement = try state.connection.statement("UPDATE used SET time = ?2 WHERE number = ?1")
        statement.bind(1, number.rawValue)
        statement.bind(2, time)
        try statement.run()
    }

    /// Returns up to `limit` files with clean local contents that may be evicted, least recently used first.
    /// `localSize` is in bytes.
    package func leastRecentlyUsed(limit: Int) throws(IndexError) -> [(number: ItemNumber, localSize: Int64)] {
        let statement = try state.connection.statement("SELECT number, size FROM used ORDER BY time, number LIMIT ?1")
        statement.bind(1, Int64(limit))
        var files: [(number: ItemNumber, localSize: Int64)] = []
        while try statement.step() {
            files.append((ItemNumber(rawValue: statement.integer(0)), statement.integer(1)))
        }
        return files
    }

    // MARK: Anchors and settings

    package func anchor(of container: String) throws(IndexError) -> [UInt8]? {
        try value("SELECT anchor FROM anchors WHERE container = ?1", container)
    }

    package mutating func setAnchor(_ anchor: [UInt8]?, of container: String) throws(IndexError) {
        try set(
            anchor, container, "INSERT OR REPLACE INTO anchors VALUES (?1, ?2)",
            "DELETE FROM anchors WHERE container = ?1")
    }

    package func setting(_ key: String) throws(IndexError) -> [UInt8]? {
        try value("SELECT value FROM settings WHERE key = ?1", key)
    }

    /// Stores a setting; `nil` removes it.
    ///
    /// - Parameter key: The key of the setting. Keys with the prefix `index.` belong to the index itself.
    package mutating func setSetting(_ key: String, _ value: [UInt8]?) throws(IndexError) {
        try set(value, key, "INSERT OR REPLACE INTO settings VALUES (?1, ?2)", "DELETE FROM settings WHERE key = ?1")
    }

    private func value(_ sql: String, _ key: String) throws(IndexError) -> [UInt8]? {
        let statement = try state.connection.statement(sql)
        statement.bind(1, key)
        guard try statement.step() else { return nil }
        return [UInt8](statement.bytes(0))
    }

    private func set(
        _ value: [UInt8]?, _ key: String, _ put: String, _ remove: String
    ) throws(IndexError) {
        let statement = try state.connection.statement(value == nil ? remove : put)
        statement.bind(1, key)
        if let value { try statement.run(2, value) } else { try statement.run() }
    }

    // MARK: The root

    /// Adds the row of the root, if there is none.
    ///
    /// - Parameter now: The present date in seconds since 1970.
    mutating func makeRoot(at now: Double) throws(IndexError) {
        guard try item(.root) == nil else { return }
        var root = ProviderItem(
            identifier: ProviderItem.rootIdentifier, parent: ProviderItem.rootIdentifier, filename: "root",
            kind: .folder)
        root.created = now
        try state.insert(IndexedItem(number: .root, parent: .root, name: "root", item: root))
    }
}

extension IndexedItem {
    /// Creates a dataless item without local changes.
    package init(number: ItemNumber = ItemNumber(rawValue: 0), parent: ItemNumber, name: String, item: ProviderItem) {
        self.init(
            number: number, parent: parent, name: name, item: item, changes: [], content: .dataless, localSize: 0,
            localVersion: [], localModified: nil, mode: nil, listing: .never, isPinned: false)
    }
}

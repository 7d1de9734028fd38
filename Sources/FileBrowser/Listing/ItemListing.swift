import FileProvider

/// The items of a folder or a search in their order, which views show row by row.
///
/// The order is a list of positions in the array `items`, so that a new order moves no items.
@MainActor package final class ItemListing {
    /// A change of consecutive rows.
    package struct Change: Sendable, Equatable {
        package let position: Int
        package let removed: Int
        package let added: Int
    }

    private var items: [BrowserItem] = []
    private var sortKeys: [[UInt8]] = []
    /// The position in `items` of each row's item.
    private var rows: [Int32] = []
    /// Positions in `items` that are free.
    private var freeSlots: [Int32] = []
    /// The positions in `items`, by identity. The dictionary is built when an item is first looked up.
    private var slots: [BrowserItem.ID: Int32]?
    /// Positions in `items` of items that have no rows yet. They are collected so that a long listing is not merged
    /// again for every page.
    private var pending: [Int32] = []

    package private(set) var order: ItemOrder

    /// Called after rows have changed.
    package var whenChanged: (Change) -> Void = { _ in }
    /// Called with the rows whose items were replaced. The order of the rows has not changed.
    package var whenUpdated: ([Int]) -> Void = { _ in }

    package init(order: ItemOrder = ItemOrder()) { self.order = order }

    package var count: Int { rows.count }
    package subscript(row: Int) -> BrowserItem { items[Int(rows[row])] }
    /// All items in their order.
    package var all: [BrowserItem] { rows.map { items[Int($0)] } }

    /// Returns the row of an item, or `nil` if it has none.
    package func row(of id: BrowserItem.ID) -> Int? {
        guard let slot = slot(of: id) else { return nil }
        return rows.firstIndex(of: slot)
    }

    package func item(_ id: BrowserItem.ID) -> BrowserItem? { slot(of: id).map { items[Int($0)] } }

    // MARK: Filling

    /// Adds items, except those that were set while the listing was read. The rows of added items are created when the
    /// items without rows are at least half as many as the rows, or by ``flush()``.
    package func append(_ added: [BrowserItem]) {
        for item in added {
            // An item that was set since the listing was empty is newer. The dictionary of positions exists if any item
            // was set.
            if slots == nil || slot(of: item.id) == nil { pending.append(store(item)) }
        }
        if pending.count * 2 >= rows.count { flush() }
    }

    /// Creates the rows of all items that have none yet.
    package func flush() {
        guard !pending.isEmpty else { return }
        let sorted = pending.sorted { precedes($0, $1) }
        pending = []
        if rows.isEmpty {
            rows = sorted
            return whenChanged(Change(position: 0, removed: 0, added: rows.count))
        }
        if sorted.count <= Self.fewItems {
            for slot in sorted { insert(slot) }
            return
        }
        let old = rows
        rows = merged(old, sorted)
        whenChanged(Change(position: 0, removed: old.count, added: rows.count))
    }

    /// The maximum number of items that are inserted one by one, which preserves the scroll positions of views.
    private static let fewItems = 32

    private func merged(_ left: [Int32], _ right: [Int32]) -> [Int32] {
        var result: [Int32] = []
        result.reserveCapacity(left.count + right.count)
        var rest = right[...]
        for slot in left {
            while let first = rest.first, precedes(first, slot) { result.append(rest.removeFirst()) }
            result.append(slot)
        }
        return result + rest
    }

    private func store(_ item: BrowserItem) -> Int32 {
        let key = ItemOrder.sortKey(of: item.name)
        let slot: Int32
        if let free = freeSlots.popLast() {
            slot = free
            items[Int(slot)] = item
            sortKeys[Int(slot)] = key
        } else {
            slot = Int32(items.count)
            items.append(item)
            sortKeys.append(key)
        }
        slots?[item.id] = slot
        return slot
    }

    // MARK: Changing

    /// Removes all items.
    package func clear() {
        let count = rows.count
        removeAll()
        if count > 0 { whenChanged(Change(position: 0, removed: count, added: 0)) }
    }

    private func removeAll() {
        (items, sortKeys, rows, freeSlots, pending) = ([], [], [], [], [])
        slots = nil
    }

    /// Adds an item, or replaces the item that has the same identity.
    package func set(_ item: BrowserItem) {
        flush()
        guard let slot = slot(of: item.id) else {
            return insert(store(item))
        }
        guard items[Int(slot)] != item, let row = rows.firstIndex(of: slot) else { return }
        items[Int(slot)] = item
        let isInPlace =
            (row == 0 || !precedes(slot, rows[row - 1]))
            && (row == rows.count - 1 || !precedes(rows[row + 1], slot))
        if isInPlace { return whenUpdated([row]) }
        rows.remove(at: row)
        whenChanged(Change(position: row, removed: 1, added: 0))
        insert(slot)
    }

    /// Removes an item, if it is in the listing.
    package func remove(_ id: BrowserItem.ID) {
        flush()
        guard let slot = slot(of: id), let row = rows.firstIndex(of: slot) else { return }
        slots?[id] = nil
        freeSlots.append(slot)
        rows.remove(at: row)
        whenChanged(Change(position: row, removed: 1, added: 0))
    }

    /// Replaces all items of the listing by the given items, with as few changes as possible.
    package func replace(with new: [BrowserItem]) {
        flush()
        if rows.isEmpty {
            append(new)
            return flush()
        }
        let wanted = Set(new.map(\.id))
        let gone = all.map(\.id).filter { !wanted.contains($0) }
        if gone.count > Self.mostRemovals { return exchange(with: new) }
        for id in gone { remove(id) }
        for item in new {
            if slot(of: item.id) == nil { pending.append(store(item)) } else { setKnown(item) }
        }
        flush()
    }

    /// Replaces all items in one change of all rows. A view then uses the widgets of the former rows for the new ones.
    package func exchange(with new: [BrowserItem]) {
        let count = rows.count
        removeAll()
        for item in new { pending.append(store(item)) }
        rows = pending.sorted { precedes($0, $1) }
        pending = []
        if count > 0 || !rows.isEmpty { whenChanged(Change(position: 0, removed: count, added: rows.count)) }
    }

    /// The number of removed items above which it is faster to build the listing again.
    private static let mostRemovals = 1_000

    private func setKnown(_ item: BrowserItem) {
        guard let slot = slot(of: item.id), items[Int(slot)] != item else { return }
        // The pending items are set aside, because `set(_:)` would otherwise merge them into the rows.
        let waiting = pending
        pending = []
        set(item)
        pending = waiting
    }

    package func setOrder(_ order: ItemOrder) {
        guard order != self.order else { return }
        flush()
        self.order = order
        rows.sort { precedes($0, $1) }
        if !rows.isEmpty { whenChanged(Change(position: 0, removed: rows.count, added: rows.count)) }
    }

    // MARK: Order

    private func insert(_ slot: Int32) {
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            if precedes(rows[middle], slot) { low = middle + 1 } else { high = middle }
        }
        rows.insert(slot, at: low)
        whenChanged(Change(position: low, removed: 0, added: 1))
    }

    private func precedes(_ left: Int32, _ right: Int32) -> Bool {
        order.precedes(
            items[Int(left)], sortKeys[Int(left)], items[Int(right)], sortKeys[Int(right)])
    }

    private func slot(of id: BrowserItem.ID) -> Int32? {
        if let slots { return slots[id] }
        var built: [BrowserItem.ID: Int32] = [:]
        built.reserveCapacity(items.count)
        for slot in rows + pending { built[items[Int(slot)].id] = slot }
        slots = built
        return built[id]
    }
}

import ItemStore
import ItemValues
import LinuxSystem

/// Orders the requests that concern one place. If a provider's identifiers are paths, an item that moves to another
/// item's place also gets that item's identifier. Until the outcome of both moves is known, a request by this
/// identifier could concern either item.
extension IdentifierTracker {
    /// Returns another item that a running request is moving to the place that the item `row` has at the provider, or
    /// is creating in that place; `nil` if there is none.
    func taker(of row: IndexedItem) -> ItemNumber? {
        let place = SentLocation(row.item)
        return scheduler.table.running.first { other in
            other != row.number && (moves[other] == place || unanswered[place]?.contains(other) == true)
        }
    }

    /// Returns the reason why the engine must not yet send a request that puts the item `number` in `place`; `nil` if
    /// there is no obstacle. Called before the request is recorded as sent, and again directly before the request,
    /// because the directory's identifier may have changed meanwhile.
    func obstacle(
        for number: ItemNumber, to place: SentLocation, in folder: ItemNumber
    ) throws(IndexError) -> StepResult? {
        guard let parent = try index.item(folder), parent.item.identifier.hasSameBytes(as: place.parent) else {
            return .later(0)
        }
        if let moving = try folderBeingMoved(above: parent), moving != number { return .waits(for: moving) }
        guard let other = try itemLeaving(place, besides: number) else { return nil }
        // The other item's running step may find that the other item still waits for this one. Then there is no
        // obstacle. Therefore this item does not wait for the other one, but tries again later. Otherwise two items
        // whose steps always begin at the same time would wait for each other for ever.
        if scheduler.table.mayWait(other, for: number) { return .later(configuration.settlingTime) }
        scheduler.hurry(other)
        return .waits(for: other)
    }

    /// Returns another item that the provider was asked to move to `place`, if there has been no reply so far. The item
    /// that the provider has in this place may be the returned item under a new identifier.
    func mover(besides number: ItemNumber, to place: SentLocation) -> ItemNumber? {
        moves.first { $0.value == place && $0.key != number && !scheduler.waits($0.key, for: number) }?.key
    }

    /// Returns an item that waits for the item `number`, and whose move from `place` has no reply yet; `nil` if there
    /// is none.
    func waitingMover(from place: SentLocation, for number: ItemNumber) -> ItemNumber? {
        leaving.first { $0.value == place && moves[$0.key] != nil && scheduler.waits($0.key, for: number) }?.key
    }

    /// Returns an item that the provider may still have in `place`, although a local removal or move of the item is
    /// pending. An item whose removal or move has failed is not returned.
    private func itemLeaving(_ place: SentLocation, besides number: ItemNumber) throws(IndexError) -> ItemNumber? {
        for (other, left) in leaving where left == place && other != number && !scheduler.waits(other, for: number) {
            if let entry = try journal.entry(other), entry.failure == nil { return other }
        }
        // An item that is being sent may be about to move: a file whose upload is running, for instance.
        for other in scheduler.table.running where other != number && !scheduler.waits(other, for: number) {
            if let row = try index.itemEvenIfDeleted(other), row.isKnownToProvider, SentLocation(row.item) == place,
                let entry = try journal.entry(other), entry.failure == nil, entry.changes.contains(.place),
                !entry.changes.contains(.deleted)
            {
                return other
            }
        }
        return nil
    }

    /// Returns the directory that the provider is moving now: the given directory, or one above it; `nil` if there is
    /// none. The move may belong to another item's step, which gives the directory a temporary name.
    private func folderBeingMoved(above folder: IndexedItem) throws(IndexError) -> ItemNumber? {
        guard !moves.isEmpty else { return nil }
        var row: IndexedItem? = folder
        for _ in 0..<IndexedItem.mostAncestors {
            guard let current = row, current.number != .root else { return nil }
            if moves[current.number] != nil, scheduler.table.isBusy(current.number) { return current.number }
            row = try index.item(identifier: current.item.parent)
        }
        return nil
    }
}

extension JournalEntry {
    /// Whether the entry's identifier belongs to another item at the provider, so that the engine must not send the
    /// identifier.
    var hasLostIdentifier: Bool { lostIdentifier.map(identifier.hasSameBytes(as:)) ?? false }
}

extension SentLocation {
    /// Creates the place in which the provider has the given item.
    init(_ item: ProviderItem) { self.init(parent: item.parent, name: item.filename) }
}

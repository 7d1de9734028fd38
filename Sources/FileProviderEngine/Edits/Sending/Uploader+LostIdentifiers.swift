import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Identifiers that may belong to a new item by now. With identifiers that are paths, a new item gets the identifier of
/// an item that had its place before and that another client removed. If the reply to the creation is lost, only the
/// provider's item itself shows which of the two items has the identifier.
extension Uploader {
    /// Finds out whether the provider has a new item in place of a known item, before a change of the known item is
    /// sent. If so, the known item is gone, and is removed locally or becomes a new item.
    ///
    /// - Parameter current: The provider's item with the known item's identifier; `nil` to request it.
    /// - Returns: `nil` if the provider's item is the known one, or no new item was sent to its place.
    func settleLost(
        _ entry: JournalEntry, _ row: IndexedItem, _ current: ProviderItem?, _ engine: isolated any EngineEvents
    ) async throws -> StepResult? {
        let (number, identifier) = (row.number, row.item.identifier)
        let senders = try tracker.senders(to: SentLocation(row.item), besides: number)
        guard !senders.isEmpty else { return nil }
        if senders.contains(where: { scheduler.table.running.contains($0.number) }) {
            return .later(configuration.settlingTime)
        }
        var current = current
        if current == nil { current = try await item(identifier) }
        guard let found = current else { return nil }
        // Two directories cannot be distinguished by their contents.
        guard found.isOfAnotherKind(than: row.item) || found.kind != .folder, try !finder.isSame(found, as: row) else {
            return nil
        }
        for sender in senders where try await isSent(sender, found) {
            // During the request, a report may have resolved the places of both items, or this item may have been
            // removed.
            guard let now = try index.itemEvenIfDeleted(number), now.item.identifier.hasSameBytes(as: identifier),
                try tracker.senders(to: SentLocation(now.item), besides: number).contains(sender)
            else { return .later(0) }
            return try recreation.makeAgain(number, engine)
        }
        return nil
    }

    private nonisolated(nonsending) func item(_ identifier: String) async throws -> ProviderItem? {
        do {
            return try await asking { () async throws(ProviderError) in try await provider.item(identifier) }
        } catch let failure as ProviderError where failure.kind == .noSuchItem {
            return nil
        }
    }

    /// Returns the result that makes a new item wait for a known item, if the provider's item in the new item's place
    /// has the identifier of the known item. The known item is to be moved or removed, and its step finds out which of
    /// the two items the provider has.
    func formerHolder(of found: ProviderItem, besides number: ItemNumber) throws(IndexError) -> StepResult? {
        guard let known = try index.item(identifier: found.identifier), known.number != number,
            !scheduler.waits(known.number, for: number), let entry = try journal.entry(known.number),
            entry.failure == nil, !entry.changes.isDisjoint(with: [.place, .deleted])
        else { return nil }
        scheduler.hurry(known.number)
        return .waits(for: known.number)
    }
}

extension ProviderItem {
    /// Whether the provider has an item of another kind under the identifier of a known item. With identifiers that are
    /// paths, another client has removed the known item and put this one in its place.
    func isOfAnotherKind(than known: ProviderItem) -> Bool {
        kind != known.kind && identifier.hasSameBytes(as: known.identifier)
    }
}

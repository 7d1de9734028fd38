import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Handles identifiers that may now belong to a new item. If a provider's identifiers are paths, a new item gets the
/// identifier of the item that had its place before and that another client removed. If the reply to the creation is
/// lost, only the provider's item itself shows whether it is the old or the new one.
extension Uploader {
    /// Finds out whether the provider has a new item in place of the known item `row`. Called before a change of the
    /// known item is sent. If the provider has a new item, the known item is removed locally or becomes a new local
    /// item.
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

    /// Makes the item `number` wait for a known item that has the same identifier as the provider's item `found`.
    /// `found` is in the place to which the item `number` was sent. The known item is to be moved or removed, and its
    /// step finds out which of the two items the provider has.
    ///
    /// - Returns: `nil` if there is no such known item.
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
    /// Whether this item of the provider has the identifier of the given known item but another kind. Then another
    /// client has removed the known item and put this one in its place. Identifiers that are paths can be reused in
    /// this way.
    func isOfAnotherKind(than known: ProviderItem) -> Bool {
        kind != known.kind && identifier.hasSameBytes(as: known.identifier)
    }
}

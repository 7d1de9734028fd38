import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Handles new items that the provider may or may not have, because its reply has not come yet or was lost. If the
/// provider reports an item with the same name in the same directory, the reported item is most likely the new one. The
/// reported item is withheld from clients until this is certain.
extension IdentifierTracker {
    /// Records in the journal the place to which the given item is about to be sent. `nil` deletes the record.
    func noteSent(
        _ number: ItemNumber, _ place: SentLocation?, _ engine: isolated any EngineEvents
    ) throws {
        guard var entry = try journal.entry(number), entry.sent != place else { return }
        let before = entry.sent
        entry.sent = place
        try journal.put(entry)
        if let before { settle(before, of: number, engine) }
        if let place { unanswered[place, default: []].insert(number) }
    }

    /// Ends the uncertainty about an item that was sent to `place`, because the outcome is known or irrelevant.
    ///
    /// - Parameter identifier: The identifier that the provider gave the item; `nil` if the item was not created.
    func settle(
        _ place: SentLocation, of number: ItemNumber, as identifier: String? = nil,
        _ engine: isolated any EngineEvents
    ) {
        unanswered[place]?.remove(number)
        if unanswered[place]?.isEmpty == true { unanswered[place] = nil }
        if let identifier { withheld[ExactText(identifier)] = nil }
        guard unanswered[place] == nil, !moves.values.contains(place) else { return }
        let others = withheld.filter { $0.value.place == place }
        for identifier in others.keys { withheld[identifier] = nil }
        // The last report of these items was some time ago, so they are revalidated.
        engine.itemsMayBeShown(Set(others.keys))
    }

    /// Ends the uncertainty about a sent item that no longer exists locally.
    func forgetUnanswered(of number: ItemNumber, _ engine: isolated any EngineEvents) {
        for (place, sent) in unanswered where sent.contains(number) { settle(place, of: number, engine) }
    }

    /// Returns another new item that was sent to `place` and has no reply yet; `nil` if there is none. The item that
    /// the provider has in this place may be the returned item, even if the returned item was moved or removed locally
    /// since.
    func sender(besides number: ItemNumber, to place: SentLocation) throws(IndexError) -> ItemNumber? {
        for other in unanswered[place] ?? [] where other != number && !scheduler.waits(other, for: number) {
            if let entry = try journal.entry(other), entry.failure == nil { return other }
        }
        return nil
    }

    /// Returns the new items, other than `number`, that were sent to `place` and have no reply yet.
    func senders(to place: SentLocation, besides number: ItemNumber) throws(IndexError) -> [IndexedItem] {
        var senders: [IndexedItem] = []
        for other in unanswered[place] ?? [] where other != number {
            if let row = try index.itemEvenIfDeleted(other), !row.isKnownToProvider { senders.append(row) }
        }
        return senders
    }

    /// Whether the directory with the given identifier is withheld and items were reported inside it.
    func holdsItems(_ identifier: String) -> Bool { withheld[ExactText(identifier)]?.inside.isEmpty == false }

    /// Returns the reported items without those that are to be withheld from clients.
    func withoutUnanswered(_ items: [ProviderItem]) throws(ProviderError) -> [ProviderItem] {
        guard !unanswered.isEmpty || !moves.isEmpty else { return items }
        var shown: [ProviderItem] = []
        for item in items {
            if let known = try knownItem(insteadOf: item) {
                shown.append(known)
            } else if try !withhold(item) {
                shown.append(item)
            }
        }
        return shown
    }

    /// Returns the known item that has the identifier of the reported item, if the reported item may be another one: a
    /// new item that was sent to the same place. Otherwise returns `nil`. The known item's row in the index stays
    /// unchanged, because it is needed to distinguish the two items. The reported item is requested again when the
    /// outcome is known.
    private func knownItem(insteadOf item: ProviderItem) throws(ProviderError) -> ProviderItem? {
        let place = SentLocation(item)
        guard let senders = unanswered[place] else { return nil }
        let row = try onRecord { () throws(IndexError) in try index.item(identifier: item.identifier) }
        guard let row, !row.changes.isDisjoint(with: [.place, .deleted]), SentLocation(row.item) == place,
            !item.isSame(as: row.item), senders.contains(where: { $0 != row.number })
        else { return nil }
        withheld[ExactText(item.identifier)] = WithheldItem(place: place)
        return row.item
    }

    /// Withholds a reported item if it may be an item that was sent, or is inside such an item. Returns whether the
    /// item is withheld.
    private func withhold(_ item: ProviderItem) throws(ProviderError) -> Bool {
        let identifier = ExactText(item.identifier)
        let inside = withheld.removeValue(forKey: identifier)?.inside ?? []
        let known = try onRecord { () throws(IndexError) in try index.item(identifier: item.identifier) }
        guard known == nil else { return false }
        let place = SentLocation(parent: item.parent, name: item.filename)
        if unanswered[place] != nil || moves.values.contains(place) {
            // An item that was moved or removed locally gets its new identifier from this report.
            let left = try onRecord { () throws(IndexError) in try rowLeft(at: item) }
            if let left, left.item.kind == item.kind { return false }
            withheld[identifier] = WithheldItem(place: place, inside: inside)
            return true
        }
        // Items inside a withheld directory are withheld, too. The directory is enumerated once it is shown.
        let parent = ExactText(item.parent)
        for (folder, told) in withheld where folder == parent || told.inside.contains(parent) {
            withheld[folder]?.inside.insert(identifier)
            return true
        }
        return false
    }

    /// Removes the given items from the withheld items, because the provider has removed them.
    func forgetWithheld(_ identifiers: [String]) {
        guard !withheld.isEmpty else { return }
        for identifier in identifiers { withheld[ExactText(identifier)] = nil }
    }
}

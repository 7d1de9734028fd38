import FileProvider
import ItemStore
import ItemValues

/// New items that the provider may have or not: their reply has not come yet, or was lost. An item that the provider
/// reports under the same name and place is most likely the new item. It is withheld from clients until this is known.
extension DomainEngine {
    /// Journals the place that an item is about to be sent to; `nil` deletes the record.
    func noteSent(_ number: ItemNumber, _ place: SentLocation?) throws {
        guard var entry = try journal.entry(number), entry.sent != place else { return }
        let before = entry.sent
        entry.sent = place
        try journal.put(entry)
        if let before { settle(before, of: number) }
        if let place { edits.unanswered[place, default: []].insert(number) }
    }

    /// Ends the uncertainty about an item that was sent to a place: the outcome is known or irrelevant.
    ///
    /// - Parameter identifier: The identifier that the item got, if it was created.
    func settle(_ place: SentLocation, of number: ItemNumber, as identifier: String? = nil) {
        edits.unanswered[place]?.remove(number)
        if edits.unanswered[place]?.isEmpty == true { edits.unanswered[place] = nil }
        if let identifier { edits.withheld[identifier] = nil }
        guard edits.unanswered[place] == nil, !edits.moves.values.contains(place) else { return }
        let others = edits.withheld.filter { $0.value.place == place }
        for identifier in others.keys { edits.withheld[identifier] = nil }
        // Their last report was some time ago.
        requestRevalidation(Set(others.keys))
    }

    /// Ends the uncertainty about an item that no longer exists locally.
    func forgetUnanswered(of number: ItemNumber) {
        for (place, sent) in edits.unanswered where sent.contains(number) { settle(place, of: number) }
    }

    /// Returns another new item that was sent to a place and has no reply yet. The provider's item in that place may be
    /// this new item. The new item may have been moved or removed locally since.
    func sender(besides number: ItemNumber, to place: SentLocation) throws(IndexError) -> ItemNumber? {
        for other in edits.unanswered[place] ?? [] where other != number && !waits(other, for: number) {
            if let entry = try journal.entry(other), entry.failure == nil { return other }
        }
        return nil
    }

    /// Whether items were reported inside a directory that is withheld.
    func holdsItems(_ identifier: String) -> Bool { edits.withheld[identifier]?.inside.isEmpty == false }

    /// Returns items without those that are withheld.
    func withoutUnanswered(_ items: [ProviderItem]) throws(ProviderError) -> [ProviderItem] {
        guard !edits.unanswered.isEmpty || !edits.moves.isEmpty else { return items }
        var shown: [ProviderItem] = []
        for item in items where try !withhold(item) { shown.append(item) }
        return shown
    }

    /// Whether a reported item is withheld: it may be an item that was sent, or it is inside such an item.
    private func withhold(_ item: ProviderItem) throws(ProviderError) -> Bool {
        let identifier = item.identifier
        let inside = edits.withheld.removeValue(forKey: identifier)?.inside ?? []
        let known = try onRecord { () throws(IndexError) in try index.item(identifier: identifier) }
        guard known == nil else { return false }
        let place = SentLocation(parent: item.parent, name: item.filename)
        if edits.unanswered[place] != nil || edits.moves.values.contains(place) {
            // An item that was moved or removed locally gets its new identifier from this report.
            let left = try onRecord { () throws(IndexError) in try rowLeft(at: item) }
            if let left, left.item.kind == item.kind { return false }
            edits.withheld[identifier] = EditState.Withheld(place: place, inside: inside)
            return true
        }
        // The directory is enumerated once it is shown.
        for (folder, told) in edits.withheld where folder == item.parent || told.inside.contains(item.parent) {
            edits.withheld[folder]?.inside.insert(identifier)
            return true
        }
        return false
    }

    /// Drops withheld items that the provider has removed.
    func forgetWithheld(_ isMeant: (String) -> Bool) {
        guard !edits.withheld.isEmpty else { return }
        edits.withheld = edits.withheld.filter { !isMeant($0.key) }
    }
}

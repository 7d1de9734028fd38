import FileProvider

/// New items of which it is not known whether the provider has them: the answer has not come yet, or was lost. What the provider tells
/// of under the name that such a one was sent with is most likely that one, and is not shown as another item until that is known.
extension DomainEngine {
    /// Journals where an item is about to be sent; `nil` where nothing is left to be found there.
    func noteSent(_ number: ItemNumber, _ place: SentPlace?) throws {
        guard var entry = try journal.entry(number), entry.sent != place else { return }
        let before = entry.sent
        entry.sent = place
        try journal.put(entry)
        if let before { settle(before, of: number) }
        if let place { edits.unanswered[place, default: []].insert(number) }
    }

    /// It is known what became of an item that was sent to a place, or it does not matter any more.
    ///
    /// - Parameter identifier: of the item that it is, if it is one.
    func settle(_ place: SentPlace, of number: ItemNumber, as identifier: String? = nil) {
        edits.unanswered[place]?.remove(number)
        if edits.unanswered[place]?.isEmpty == true { edits.unanswered[place] = nil }
        if let identifier { edits.withheld[identifier] = nil }
        guard edits.unanswered[place] == nil, !edits.moves.values.contains(place) else { return }
        let others = edits.withheld.filter { $0.value.place == place }
        for identifier in others.keys { edits.withheld[identifier] = nil }
        // It was told of some time ago.
        askSoon(Set(others.keys))
    }

    /// An item is gone here, and with it what was known of where it was sent.
    func settleUnanswered(of number: ItemNumber) {
        for (place, sent) in edits.unanswered where sent.contains(number) { settle(place, of: number) }
    }

    /// Another new item that was sent to a place and of which no answer has come: what is there may be that one, which may have been
    /// moved or removed here since.
    func sender(besides number: ItemNumber, to place: SentPlace) throws(IndexFailure) -> ItemNumber? {
        for other in edits.unanswered[place] ?? [] where other != number && !waits(other, for: number) {
            if let entry = try journal.entry(other), entry.failure == nil { return other }
        }
        return nil
    }

    /// Whether something was told to be in a folder that is not shown yet.
    func holdsItems(_ identifier: String) -> Bool { edits.withheld[identifier]?.inside.isEmpty == false }

    /// The items that can be shown.
    func withoutUnanswered(_ items: [ProviderItem]) throws(ProviderFailure) -> [ProviderItem] {
        guard !edits.unanswered.isEmpty || !edits.moves.isEmpty else { return items }
        var shown: [ProviderItem] = []
        for item in items where try !withhold(item) { shown.append(item) }
        return shown
    }

    /// Keeps to itself what may be an item that was sent, and what is in that.
    private func withhold(_ item: ProviderItem) throws(ProviderFailure) -> Bool {
        let identifier = item.identifier
        let inside = edits.withheld.removeValue(forKey: identifier)?.inside ?? []
        let known = try onRecord { () throws(IndexFailure) in try index.item(identifier: identifier) }
        guard known == nil else { return false }
        let place = SentPlace(parent: item.parent, name: item.filename)
        if edits.unanswered[place] != nil || edits.moves.values.contains(place) {
            edits.withheld[identifier] = EditState.Withheld(place: place, inside: inside)
            return true
        }
        // The folder is listed once it is shown.
        for (folder, told) in edits.withheld where folder == item.parent || told.inside.contains(item.parent) {
            edits.withheld[folder]?.inside.insert(identifier)
            return true
        }
        return false
    }

    /// What the provider has removed is nothing to be shown later.
    func forgetWithheld(_ isMeant: (String) -> Bool) {
        guard !edits.withheld.isEmpty else { return }
        edits.withheld = edits.withheld.filter { !isMeant($0.key) }
    }
}

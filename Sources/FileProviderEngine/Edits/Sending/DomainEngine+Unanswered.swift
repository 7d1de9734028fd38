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
        if let before { settle(before) }
        if let place { edits.unanswered[place] = number }
    }

    /// It is known what became of what was sent to a place, or it does not matter any more.
    ///
    /// - Parameter identifier: of the item that it is, if it is one.
    func settle(_ place: SentPlace, as identifier: String? = nil) {
        edits.unanswered[place] = nil
        guard let told = edits.withheld.removeValue(forKey: place), told.item.identifier != identifier else { return }
        do throws(ProviderFailure) {
            try apply([told.item], listedIn: nil, answering: told.question)
        } catch {
            remember(error)
        }
    }

    /// An item is gone here, and with it what was known of where it was sent.
    func settleUnanswered(of number: ItemNumber) {
        for (place, sent) in edits.unanswered where sent == number { settle(place) }
    }

    /// Shows what the provider has where an item was sent that is not wanted here any more. What was told of that before a crash nobody
    /// tells again, so the provider is asked.
    func show(_ place: SentPlace, of number: ItemNumber) async throws {
        let question = answers.ask()
        let none = ProviderFailure(.filenameCollision, message: "")
        var found: ProviderItem?
        do {
            found = try await holder(of: place.name, in: place.parent, none)
        } catch let failure as ProviderFailure where failure.kind == .noSuchItem {
            // The folder is gone with it.
        }
        try noteSent(number, nil)
        if let found { try apply([found], listedIn: nil, answering: question) }
    }

    /// The items that can be shown. A folder can as soon as something in it is told of, which needs it.
    func withoutUnanswered(
        _ items: [ProviderItem], answering question: AnswerOrder.Question
    ) throws(ProviderFailure) -> [ProviderItem] {
        guard !edits.unanswered.isEmpty else { return items }
        var shown: [ProviderItem] = []
        for item in items {
            forgetWithheld { $0 == item.identifier }
            let place = SentPlace(parent: item.parent, name: item.filename)
            if edits.unanswered[place] != nil,
                try onRecord({ () throws(IndexFailure) in try index.item(identifier: item.identifier) }) == nil,
                item.kind != .folder || !items.contains(where: { $0.parent == item.identifier })
            {
                edits.withheld[place] = EditState.Withheld(item: item, question: question)
            } else {
                if let folder = takeWithheld(item.parent) { shown.append(folder) }
                shown.append(item)
            }
        }
        return shown
    }

    private func takeWithheld(_ identifier: String) -> ProviderItem? {
        guard let (place, told) = edits.withheld.first(where: { $0.value.item.identifier == identifier }) else {
            return nil
        }
        edits.withheld[place] = nil
        return told.item
    }

    /// What the provider has removed, or told of anew, is nothing to be shown later.
    func forgetWithheld(_ isMeant: (String) -> Bool) {
        guard !edits.withheld.isEmpty else { return }
        edits.withheld = edits.withheld.filter { !isMeant($0.value.item.identifier) }
    }
}

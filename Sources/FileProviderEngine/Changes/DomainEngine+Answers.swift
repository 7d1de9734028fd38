import FileProvider

/// Answers that come late: of what is older than what the provider said since, it is asked again.
extension DomainEngine {
    /// The items of an answer of which nothing newer is known. The provider is asked for the others.
    func newest(
        _ items: [ProviderItem], answering question: AnswerOrder.Question
    ) throws(ProviderFailure) -> [ProviderItem] {
        let items = try withoutNamesInBetween(items)
        let doubtful = answers.withNews(items.lazy.map(\.identifier), since: question)
        guard !doubtful.isEmpty else { return items }
        var isKnown: Set<String> = []
        for item in items where doubtful.contains(item.identifier) {
            // What is in the index already does no harm, whenever it was said.
            if let row = try? index.item(identifier: item.identifier), row.item == item,
                row.item.filename.hasSameBytes(as: item.filename)
            {
                isKnown.insert(item.identifier)
            }
        }
        try askAgain(doubtful.subtracting(isKnown))
        return items.filter { !doubtful.contains($0.identifier) || isKnown.contains($0.identifier) }
    }

    /// Those of the items that an answer says are gone of which nothing newer is known. The provider is asked for the others.
    func newest(
        gone: [String], answering question: AnswerOrder.Question
    ) throws(ProviderFailure) -> [String] {
        let doubtful = answers.withNews(gone, since: question)
        guard !doubtful.isEmpty else { return gone }
        // What nobody knows of anyway cannot be doubted.
        let known = try onRecord { () throws(IndexFailure) in
            var known: Set<String> = []
            for identifier in doubtful {
                var isKnown = try index.item(identifier: identifier) != nil
                if !isKnown { isKnown = try index.isTrashed(identifier) }
                if isKnown { known.insert(identifier) }
            }
            return known
        }
        try askAgain(known)
        return gone.filter { !doubtful.contains($0) }
    }

    /// The provider has confirmed what was done here to an item: answers to questions that were asked before do not know of it.
    ///
    /// - Parameters:
    ///   - told: what the index had of the item when the confirmation came; where that was told during the item's step and is
    ///     something else, which of the two is newer only the provider knows.
    ///   - answer: what the provider said to it; `nil` for a removal.
    func confirmed(_ number: ItemNumber, _ identifier: String, told: ProviderItem? = nil, _ answer: ProviderItem? = nil)
    {
        if let told, let answer, let question = edits.questions[number],
            answers.hasNews(of: identifier, since: question),
            told.contentVersion != answer.contentVersion || told.parent != answer.parent
                || !told.filename.hasSameBytes(as: answer.filename)
        {
            askSoon([identifier])
        }
        answers.note([identifier])
    }

    /// The provider does not know an item that is shown: it is asked whether that is so.
    func doubt(_ number: ItemNumber) {
        guard number != .root, let row = try? row(number), row.isKnownToProvider else { return }
        askSoon([row.item.identifier])
    }
}

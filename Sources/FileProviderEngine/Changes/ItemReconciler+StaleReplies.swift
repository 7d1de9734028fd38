import FileProvider

/// Stale replies: an item with a newer report than the reply is requested again.
extension ItemReconciler {
    /// Returns the items of a reply for which nothing newer is known. Revalidates the others.
    func newest(
        _ items: [ProviderItem], answering question: AnswerOrder.Question, _ engine: isolated any ReconcilerHost
    ) throws(ProviderFailure) -> [ProviderItem] {
        let items = try engine.withoutNamesInBetween(items)
        let doubtful = context.answers.withNews(items.lazy.map(\.identifier), since: question)
        guard !doubtful.isEmpty else { return items }
        var isKnown: Set<String> = []
        for item in items where doubtful.contains(item.identifier) {
            // An item that equals the index may be used, whenever it was reported.
            if let row = try? context.index.item(identifier: item.identifier), row.item == item,
                row.item.filename.hasSameBytes(as: item.filename)
            {
                isKnown.insert(item.identifier)
            }
        }
        try revalidation.schedule(doubtful.subtracting(isKnown), engine)
        return items.filter { !doubtful.contains($0.identifier) || isKnown.contains($0.identifier) }
    }

    /// Returns the items that a reply reports as removed and for which nothing newer is known. Revalidates the others.
    func newest(
        gone: [String], answering question: AnswerOrder.Question, _ engine: isolated any ReconcilerHost
    ) throws(ProviderFailure) -> [String] {
        let doubtful = context.answers.withNews(gone, since: question)
        guard !doubtful.isEmpty else { return gone }
        // Items that are not known need no revalidation.
        let known = try onRecord { () throws(IndexFailure) in
            var known: Set<String> = []
            for identifier in doubtful {
                var isKnown = try context.index.item(identifier: identifier) != nil
                if !isKnown { isKnown = try context.index.isTrashed(identifier) }
                if isKnown { known.insert(identifier) }
            }
            return known
        }
        try revalidation.schedule(known, engine)
        return gone.filter { !doubtful.contains($0) }
    }

    /// Records that the provider has confirmed a local change of an item, so that replies to earlier requests are
    /// stale.
    ///
    /// - Parameters:
    ///   - told: The item in the index when the confirmation came. If it was reported during the item's step and
    ///     differs, only the provider knows which of the two is newer.
    ///   - answer: The provider's reply; `nil` for a removal.
    ///   - question: The context of the item's step.
    func confirmed(
        _ identifier: String, told: ProviderItem?, _ answer: ProviderItem?, question: AnswerOrder.Question?,
        _ engine: isolated any ReconcilerHost
    ) {
        if let told, let answer, let question, context.answers.hasNews(of: identifier, since: question),
            told.contentVersion != answer.contentVersion || told.parent != answer.parent
                || !told.filename.hasSameBytes(as: answer.filename)
        {
            revalidation.scheduleInAnyCase([identifier], engine)
        }
        context.answers.note([identifier])
    }

    /// Revalidates a visible item that the provider does not know.
    func doubt(_ number: ItemNumber, _ engine: isolated any ReconcilerHost) {
        guard number != .root, let row = try? context.row(of: number), row.isKnownToProvider else { return }
        revalidation.scheduleInAnyCase([row.item.identifier], engine)
    }
}

import FileProvider

/// Answers that come late: of what is older than what the provider said since, it is asked again.
extension DomainEngine {
    /// The items of an answer of which nothing newer is known. The provider is asked for the others.
    func newest(_ items: [ProviderItem], answering question: AnswerOrder.Question) -> [ProviderItem] {
        let doubtful = answers.withNews(items.lazy.map(\.identifier), since: question)
        guard !doubtful.isEmpty else { return items }
        var isKnown: Set<String> = []
        for item in items where doubtful.contains(item.identifier) {
            // What is in the index already does no harm, whenever it was said.
            if let row = try? index.item(identifier: item.identifier), row.item == item {
                isKnown.insert(item.identifier)
            }
        }
        askAgain(doubtful.subtracting(isKnown))
        return items.filter { !doubtful.contains($0.identifier) || isKnown.contains($0.identifier) }
    }

    /// Those of the items that an answer says are gone of which nothing newer is known. The provider is asked for the others.
    func newest(gone: [String], answering question: AnswerOrder.Question) -> [String] {
        let doubtful = answers.withNews(gone, since: question)
        guard !doubtful.isEmpty else { return gone }
        askAgain(doubtful.filter { identifier in ((try? index.item(identifier: identifier)) ?? nil) != nil })
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
            askAgain([identifier])
        }
        answers.note([identifier])
    }

    /// The provider does not know an item that is shown: it is asked whether that is so.
    func doubt(_ number: ItemNumber) {
        guard number != .root, let row = try? row(number), row.isKnownToProvider else { return }
        askAgain([row.item.identifier])
    }

    /// Asks the provider what items are now, one after the other.
    func askAgain(_ identifiers: Set<String>) {
        guard !identifiers.isEmpty, !isClosed else { return }
        changes.doubtful.formUnion(identifiers)
        guard changes.doubtTask == nil else { return }
        changes.doubtTask = Task {
            let failure = await settleDoubts()
            changes.doubtTask = nil
            guard !changes.doubtful.isEmpty, !isClosed else { return }
            guard let failure else { return askAgain(changes.doubtful) }
            remember(failure)
            changes.waitingDoubts = clock.run(after: Self.pauseOfDoubts) { [weak self] in
                self?.perform { engine in engine.askAgain(engine.changes.doubtful) }
            }
        }
    }

    /// Seconds.
    private static let pauseOfDoubts = 30.0

    private func settleDoubts() async -> ProviderFailure? {
        while let identifier = changes.doubtful.first, !isClosed {
            let question = answers.ask()
            do throws(ProviderFailure) {
                let item = try await itemIfThere(identifier)
                guard !isClosed else { return nil }
                // What was said of it in the meantime may be newer again.
                if answers.hasNews(of: identifier, since: question) { continue }
                changes.doubtful.remove(identifier)
                if let item {
                    try apply(try await withAncestors([item]), listedIn: nil, answering: question)
                } else {
                    try takeOpenFilesAsEdited(in: [identifier])
                    let removed = try write { writer throws(IndexFailure) in
                        try writer.remove(identifiers: [identifier])
                    }
                    handle(removed)
                }
                answers.note([identifier])
            } catch {
                changes.doubtful.insert(identifier)
                return error
            }
        }
        return nil
    }
}

import FileProvider

/// What the provider says on its way into the index, and what follows from it.
extension DomainEngine {
    /// Writes to the index what the provider says of items, as far as nothing newer is known.
    @discardableResult
    func apply(
        _ items: [ProviderItem], listedIn folder: ItemNumber?, mark: Int64 = 0, answering question: AnswerOrder.Question
    ) throws(ProviderFailure) -> AppliedItems {
        let items = try withoutUnanswered(newest(items, answering: question))
        // Nearly always nothing is open for writing, and looking at each item costs.
        if openFiles.hasWritten {
            try takeOpenFilesAsEdited(in: Set(items.lazy.filter(\.isInTrash).map(\.identifier)))
        }
        let applied = try write { writer throws(IndexFailure) in
            try writer.apply(items, listedIn: folder, mark: mark)
        }
        handle(applied)
        return applied
    }

    /// Does what follows from items that are different.
    func handle(_ applied: AppliedItems) {
        for number in applied.outdated { dropOutdatedContents(number) }
        if !applied.conflicts.isEmpty { noteConflicts(applied.conflicts) }
        handle(applied.removed)
    }

    /// Does what follows from items that the provider does not have any more.
    func handle(_ removed: RemovedItems) {
        guard removed != RemovedItems() else { return }
        for number in removed.withContents { discardContents(number) }
        // Those that are open without contents have nothing to wait for.
        for number in removed.removed where contents.waiters[number] != nil || contents.fetches[number] != nil {
            makeReady(number)
            cancelFetch(number)
        }
        for number in removed.removed where contents.parts.files[number] != nil { failParts(number, .noSuchItem) }
        if !removed.kept.isEmpty { noteRemovedByProvider(removed.kept) }
    }

    /// Before items are removed: what programs have open for writing there counts as edited from now on, and so stays. What they
    /// are going to write would have no place otherwise.
    func takeOpenFilesAsEdited(in removed: Set<String>) throws(ProviderFailure) {
        guard !removed.isEmpty else { return }
        for number in openFiles.written {
            var place: ItemNumber? = number
            // A tree in the index has no cycles; its depth is bounded all the same.
            for _ in 0..<1000 {
                guard let folder = place, folder != .root, let row = try? row(folder) else { break }
                if removed.contains(row.item.identifier) {
                    try takeAsEdited(number)
                    break
                }
                place = row.parent
            }
        }
    }

    // MARK: Asking for more

    private static let depthLimit = 64
    /// Each costs a request: of more than these, a provider is taken at its first word.
    private static let askLimit = 64

    /// Items with those ancestors that nobody told of, before them; parents that the provider does not know either are left out.
    func withAncestors(_ items: [ProviderItem]) async throws(ProviderFailure) -> [ProviderItem] {
        var all = items
        var asked: Set<String> = [ProviderItem.trashIdentifier, ProviderItem.workingSetIdentifier]
        for _ in 0..<Self.depthLimit {
            let known = all
            let unknown = try onRecord { () throws(IndexFailure) in try index.unknownParents(of: known) }
                .filter { asked.insert($0).inserted }
            if unknown.isEmpty || asked.count > Self.askLimit { break }
            var found: [ProviderItem] = []
            for identifier in unknown {
                if let item = try await itemIfThere(identifier) { found.append(item) }
            }
            all = found + all
        }
        return all
    }

    /// What the provider says of an item now; `nil` where it does not know it, or cannot say.
    ///
    /// - Throws: only what makes it useless to ask for others.
    func itemIfThere(_ identifier: String) async throws(ProviderFailure) -> ProviderItem? {
        do throws(ProviderFailure) {
            let item = try await patiently { [provider] () async throws(ProviderFailure) in
                try await provider.item(identifier)
            }
            return item.identifier == identifier ? item : nil
        } catch {
            switch error.kind {
            case .noSuchItem, .unsupported, .badAnswer, .cannotSynchronize, .notPermitted: return nil
            default: throw error
            }
        }
    }

    /// Makes sense of a batch: what a folder says is deleted may have moved to another, and what is in both lists is either.
    func sortedOut(
        _ batch: ChangeBatch, in container: String
    ) async throws(ProviderFailure) -> (updated: [ProviderItem], deleted: [String]) {
        var updated = batch.updated
        var deleted: [String] = []
        let both = Set(updated.lazy.map(\.identifier)).intersection(batch.deleted)
        var asked = 0
        for identifier in batch.deleted where identifier != ProviderItem.rootIdentifier {
            var isDoubtful = both.contains(identifier)
            if !isDoubtful, container != ProviderItem.workingSetIdentifier {
                let row = try onRecord { () throws(IndexFailure) in try index.item(identifier: identifier) }
                guard let row else { continue }
                // It has left the folder, as another one told.
                guard row.item.parent == container else { continue }
                isDoubtful = true
            }
            if isDoubtful, asked < Self.askLimit {
                asked += 1
                let item = try await itemIfThere(identifier)
                updated.removeAll { $0.identifier == identifier }
                if let item {
                    updated.append(item)
                    continue
                }
            }
            deleted.append(identifier)
        }
        return (try await withAncestors(updated), deleted)
    }

    /// At the end of a listing: what was known in the folder and was not listed may have moved, or have been lost between two pages.
    /// The provider is asked for it before it goes.
    func settleUnlisted(in folder: ItemNumber, _ mark: Int64) async throws(ProviderFailure) {
        let question = answers.ask()
        let unlisted = try write { writer throws(IndexFailure) in
            try writer.unlisted(in: folder, before: mark, limit: Self.askLimit)
        }
        var found: [ProviderItem] = []
        var gone: Set<String> = []
        for row in unlisted {
            if let item = try await itemIfThere(row.item.identifier) {
                found.append(item)
            } else {
                gone.insert(row.item.identifier)
            }
        }
        guard !isClosed else { throw .closed }
        if !found.isEmpty { try apply(try await withAncestors(found), listedIn: nil, answering: question) }
        try takeOpenFilesAsEdited(in: gone)
    }
}

extension ProviderItem {
    var isInTrash: Bool { flags.contains(.trashed) || parent == Self.trashIdentifier }
}

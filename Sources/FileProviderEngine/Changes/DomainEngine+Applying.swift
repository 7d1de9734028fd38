import FileProvider

/// The application of the provider's reports to the index, and its consequences.
extension DomainEngine {
    /// Writes reported items to the index, unless something newer is known.
    @discardableResult
    func apply(
        _ items: [ProviderItem], listedIn folder: ItemNumber?, mark: Int64 = 0, answering question: AnswerOrder.Question
    ) throws(ProviderFailure) -> AppliedItems {
        let items = try withoutUnanswered(try newest(items, answering: question))
        // Usually no file is open for writing, and examining each item is costly.
        if openFiles.hasWritten {
            try takeOpenFilesAsEdited(in: Set(items.lazy.filter(\.isInTrash).map(\.identifier)))
        }
        let (applied, others) = try writeMakingRoom { writer throws(IndexFailure) in
            let others = try reidentify(items, &writer)
            return (try writer.apply(items, listedIn: folder, mark: mark), others)
        }
        follow(others)
        handle(applied)
        return applied
    }

    /// Handles the consequences of changed items.
    func handle(_ applied: AppliedItems) {
        for number in applied.outdated { dropOutdatedContents(number) }
        if !applied.conflicts.isEmpty { noteConflicts(applied.conflicts) }
        handle(applied.removed)
    }

    /// Handles the consequences of items that the provider no longer has.
    func handle(_ removed: RemovedItems) {
        guard removed != RemovedItems() else { return }
        for number in removed.withContents { discardContents(number) }
        // Handles that are open without contents have nothing to wait for.
        for number in removed.removed where contents.waiters[number] != nil || contents.fetches[number] != nil {
            makeReady(number)
            cancelFetch(number)
        }
        for number in removed.removed where contents.parts.files[number] != nil { failParts(number, .noSuchItem) }
        itemsWereRemoved(removed.removed)
        if !removed.kept.isEmpty { noteRemovedByProvider(removed.kept) }
        if !removed.stranded.isEmpty { askSoon(Set(removed.stranded)) }
    }

    /// Marks files that are open for writing inside items about to be removed as edited, so that they stay. Later
    /// writes would have no place otherwise.
    func takeOpenFilesAsEdited(in removed: Set<String>) throws(ProviderFailure) {
        guard !removed.isEmpty else { return }
        for number in openFiles.written {
            var place: ItemNumber? = number
            // The index has no cycles. The depth is bounded all the same.
            for _ in 0..<IndexedItem.mostAncestors {
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
    /// The maximum number of items that are revalidated at once, because each costs a request. The report about the
    /// others is believed.
    static let askLimit = 64
    /// The number of attempts to apply a report of items in a directory that the provider cannot describe.
    private static let mostUnsaid = 3

    /// Returns items preceded by their ancestors that are not known yet. Parents that the provider does not know
    /// either are left out.
    ///
    /// - Throws: The provider's failure to describe a parent. After several attempts the items are used without the
    ///   parent, which is requested again later, so that it does not hold up everything else.
    func withAncestors(_ items: [ProviderItem]) async throws(ProviderFailure) -> [ProviderItem] {
        var all = items
        var asked: Set<String> = [ProviderItem.trashIdentifier, ProviderItem.workingSetIdentifier]
        var missing: Set<String> = []
        for _ in 0..<Self.depthLimit {
            let known = all
            let unknown = try onRecord { () throws(IndexFailure) in try index.unknownParents(of: known) }
                .filter { asked.insert($0).inserted }
            if unknown.isEmpty || asked.count > Self.askLimit { break }
            var found: [ProviderItem] = []
            for identifier in unknown {
                if let item = try await parent(identifier) { found.append(item) } else { missing.insert(identifier) }
            }
            all = found + all
        }
        if !missing.isEmpty { try doubtStrays(among: all, missing) }
        return all
    }

    /// Revalidates known items that moved into a directory that does not exist.
    ///
    /// - Parameter missing: Directories that the provider does not know or does not describe.
    private func doubtStrays(among items: [ProviderItem], _ missing: Set<String>) throws(ProviderFailure) {
        var missing = missing
        var strays: Set<String> = []
        var count = 0
        repeat {
            count = missing.count
            for item in items where missing.contains(item.parent) {
                let row = try onRecord { () throws(IndexFailure) in try index.item(identifier: item.identifier) }
                guard let row else {
                    missing.insert(item.identifier)
                    continue
                }
                // Otherwise the item was revalidated when the move was first reported.
                if row.item.parent != item.parent { strays.insert(item.identifier) }
            }
        } while missing.count > count
        try askAgain(strays)
    }

    /// Returns the directory that a reported item is in; `nil` if the provider does not know or does not describe it.
    private func parent(_ identifier: String) async throws(ProviderFailure) -> ProviderItem? {
        do throws(ProviderFailure) {
            let item = try await resources.patiently { [provider] () async throws(ProviderFailure) in
                try await provider.item(identifier)
            }
            changes.unsaidParents[identifier] = nil
            return item.identifier == identifier ? item : nil
        } catch {
            switch error.kind {
            case .noSuchItem: return nil
            // All other requests would fail, too.
            case .notAuthenticated, .disabled, .cancelled, .noSpace: throw error
            case .unsupported, .badAnswer, .cannotSynchronize, .notPermitted: break
            default:
                let count = changes.unsaidParents[identifier, default: 0] + 1
                changes.unsaidParents[identifier] = count
                guard count >= Self.mostUnsaid else { throw error }
                changes.unsaidParents[identifier] = nil
            }
            try askAgain([identifier], hasFailed: true)
            return nil
        }
    }

    /// Resolves contradictions in a batch. An item that is deleted from a directory may have moved to another one. An
    /// item in both lists is revalidated.
    func sortedOut(
        _ batch: ChangeBatch, in container: String
    ) async throws(ProviderFailure) -> (updated: [ProviderItem], deleted: [String]) {
        let both = Set(batch.updated.lazy.map(\.identifier)).intersection(batch.deleted)
        var deleted: [String] = []
        var doubtful: [String] = []
        for identifier in batch.deleted where identifier != ProviderItem.rootIdentifier {
            if both.contains(identifier) {
                doubtful.append(identifier)
            } else if container == ProviderItem.workingSetIdentifier {
                deleted.append(identifier)
            } else {
                let row = try onRecord { () throws(IndexFailure) in try index.item(identifier: identifier) }
                // Otherwise the item has left this directory, as another feed reported.
                if row?.item.parent == container { doubtful.append(identifier) }
            }
        }
        guard !doubtful.isEmpty else { return (try await withAncestors(batch.updated), deleted) }
        let accounts = try await accounts(of: doubtful)
        try askAgain(accounts)
        deleted += doubtful.filter(accounts.gone.contains)
        let updated = batch.updated.filter { !both.contains($0.identifier) } + accounts.found
        return (try await withAncestors(updated), deleted)
    }

    /// Revalidates, at the end of a listing, the known items of the directory that were not listed. They may have
    /// moved, or have been lost between two pages. Items of uncertain status stay and are requested again later.
    func settleUnlisted(in folder: ItemNumber, _ mark: Int64) async throws(ProviderFailure) {
        let question = answers.ask()
        func unlisted(limit: Int) throws(ProviderFailure) -> [String] {
            try write { writer throws(IndexFailure) in
                try writer.unlisted(in: folder, before: mark, limit: limit).map(\.item.identifier)
            }
        }
        askSoon(
            try write { writer throws(IndexFailure) in
                try writer.waitingForParent(in: folder, before: mark, limit: Self.askLimit)
            })
        let some = try unlisted(limit: Self.askLimit + 1)
        guard !some.isEmpty else { return }
        var accounts = try await accounts(of: some)
        if !accounts.found.isEmpty {
            let found = try await withAncestors(accounts.found)
            guard !isClosed else { throw .closed }
            try apply(found, listedIn: nil, answering: question)
        }
        var gone = accounts.gone
        if accounts.isOpen {
            let others = gone.union(accounts.found.lazy.map(\.identifier))
            accounts.unasked = try write { writer throws(IndexFailure) in
                try writer.keepUnlisted(in: folder, before: mark, apartFrom: others)
            }.subtracting(accounts.unsaid)
            try askAgain(accounts)
        } else if openFiles.hasWritten, some.count > Self.askLimit {
            gone = Set(try unlisted(limit: .max))
        }
        try takeOpenFilesAsEdited(in: gone)
    }
}

extension ProviderItem {
    var isInTrash: Bool { flags.contains(.trashed) || parent == Self.trashIdentifier }

    func isAt(_ name: String, in folder: String) -> Bool { parent == folder && filename.hasSameBytes(as: name) }
}

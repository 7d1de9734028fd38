import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Applies the provider's reports to the index, and notifies the other components of the result. An item is revalidated
/// instead if a newer report about it has arrived, or if its status is uncertain.
///
/// It calls ``SignIn``, ``IdentifierTracker``, ``Evictor``, ``WrittenFiles`` and ``Reimports``, and sends events to
/// other components (``EngineEvents``). Used only on the engine's thread (see ``EngineContext``).
final class ItemReconciler {
    let context: EngineContext
    let revalidation: Revalidation
    let tracker: IdentifierTracker
    let evictor: Evictor
    private let writing: WrittenFiles
    let reimports: Reimports
    /// The number of failed requests for each parent directory of reported items, by the directory's identifier.
    private var undescribedParents: [ExactText: Int] = [:]

    init(
        _ context: EngineContext, _ signIn: SignIn, _ tracker: IdentifierTracker, _ evictor: Evictor,
        _ writing: WrittenFiles, _ reimports: Reimports
    ) {
        self.context = context
        revalidation = Revalidation(context, signIn, tracker)
        self.tracker = tracker
        self.evictor = evictor
        self.writing = writing
        self.reimports = reimports
    }

    // MARK: Application

    /// Writes the reported items to the index, except those for which a newer report has arrived.
    ///
    /// - Parameters:
    ///   - folder: The directory whose listing contained the items; `nil` if the items were reported otherwise.
    ///   - mark: The number of that listing.
    @discardableResult
    func apply(
        _ items: [ProviderItem], listedIn folder: ItemNumber? = nil, mark: Int64 = 0,
        answering request: ReplyOrdering.Request,
        _ engine: isolated any EngineEvents
    ) throws(ProviderError) -> AppliedItems {
        let items = try tracker.withoutUnanswered(try newest(items, answering: request, engine))
        // Usually no file is open for writing, and examining each item is costly.
        if context.resources.openFiles.hasWritten {
            try takeOpenFilesAsEdited(in: Set(texts: items.lazy.filter(\.isInTrash).map(\.identifier)), engine)
        }
        let (applied, others) = try evictor.writeMakingRoom(engine) { writer throws(IndexError) in
            let others = try context.reidentify(items, &writer)
            return (try writer.apply(items, listedIn: folder, mark: mark), others)
        }
        tracker.follow(others, engine)
        handle(applied, engine)
        return applied
    }

    /// Removes from the index the items that the provider no longer has.
    func remove(gone identifiers: Set<ExactText>, _ engine: isolated any EngineEvents) throws(ProviderError) {
        guard !identifiers.isEmpty else { return }
        try keepLocalItems(in: identifiers, engine)
        let removed = try context.write { writer throws(IndexError) in
            try writer.remove(identifiers: identifiers.sorted().map(\.string))
        }
        context.replies.noteReport(of: identifiers.strings)
        handle(removed, engine)
    }

    /// Notifies the other components of items that were written to the index.
    func handle(_ applied: AppliedItems, _ engine: isolated any EngineEvents) {
        engine.itemsWereApplied(applied)
        handle(applied.removed, engine)
    }

    /// Notifies the other components of items that the provider no longer has. If a removed directory had items that
    /// were moved out of it locally, revalidates these items.
    func handle(_ removed: RemovedItems, _ engine: isolated any EngineEvents) {
        guard removed != RemovedItems() else { return }
        engine.itemsWereRemoved(removed)
        if !removed.stranded.isEmpty { revalidation.scheduleInAnyCase(Set(texts: removed.stranded), engine) }
    }

    /// Marks as changed those local items that would otherwise be removed with the given items: files that are open for
    /// writing, and items that are being imported.
    ///
    /// - Parameters:
    ///   - removed: The identifiers of the items that are about to be removed.
    ///   - others: Items that the provider reports as existing. A removed item may be one of them, under another
    ///     identifier.
    func keepLocalItems(
        in removed: Set<ExactText>, besides others: [ProviderItem] = [], _ engine: isolated any EngineEvents
    ) throws(ProviderError) {
        try takeOpenFilesAsEdited(in: removed, engine)
        try engine.itemsWillBeRemoved(removed, besides: others)
    }

    /// Marks as edited those files that are open for writing and lie inside items about to be removed, so that these
    /// files stay. If such a file had no item, later writes to it would be lost.
    private func takeOpenFilesAsEdited(
        in removed: Set<ExactText>, _ engine: isolated any EngineEvents
    ) throws(ProviderError) {
        guard !removed.isEmpty else { return }
        for number in context.resources.openFiles.written {
            var place: ItemNumber? = number
            // The depth is bounded although the index should contain no cycles.
            for _ in 0..<IndexedItem.mostAncestors {
                guard let folder = place, folder != .root, let row = try? context.row(of: folder) else { break }
                if removed.contains(row.item.identifier) {
                    try writing.takeAsEdited(number, engine)
                    break
                }
                place = row.parent
            }
        }
    }

    // MARK: Unknown items

    /// Returns the item with the given identifier from the index. Requests the item from the provider if the index does
    /// not contain it.
    ///
    /// - Throws: ``ProviderError/Kind/noSuchItem`` if the item does not exist at the provider or was removed locally.
    func learn(
        of identifier: String, _ engine: isolated any EngineEvents
    ) async throws(ProviderError) -> IndexedItem {
        if let known = try known(identifier) { return known }
        let request = context.replies.beginRequest()
        let item = try await context.resources.patiently {
            [provider = context.provider] () async throws(ProviderError) in
            try await provider.item(identifier)
        }
        _ = try await applyNewest(item, answering: request, engine)
        guard let learned = try known(identifier) else { throw .noItem(identifier) }
        return learned
    }

    /// Returns the item with the given identifier from the index; `nil` if the index does not contain it.
    ///
    /// - Throws: ``ProviderError/Kind/noSuchItem`` if the item was removed locally.
    private func known(_ identifier: String) throws(ProviderError) -> IndexedItem? {
        let row = try onRecord { () throws(IndexError) in try context.index.item(identifier: identifier) }
        if let row, row.changes.contains(.deleted) { throw .noItem(identifier) }
        return row
    }

    private static let depthLimit = 64
    /// The number of failed requests for a parent directory, after which the items in it are applied without the
    /// directory.
    private static let mostAttempts = 3

    /// Returns the given items, preceded by those of their ancestors that the index does not contain. Omits ancestors
    /// that the provider does not know either.
    ///
    /// - Throws: The provider's failure to return a parent directory. After several failures, the items are returned
    ///   without that parent, so that it does not block all further reports. The parent is requested again later.
    func withAncestors(
        _ items: [ProviderItem], _ engine: isolated any EngineEvents
    ) async throws(ProviderError) -> [ProviderItem] {
        var all = items
        var asked = Set(texts: [ProviderItem.trashIdentifier, ProviderItem.workingSetIdentifier])
        var missing: Set<ExactText> = []
        for _ in 0..<Self.depthLimit {
            let known = all
            let unknown = try onRecord { () throws(IndexError) in try context.index.unknownParents(of: known) }
                .filter { asked.insert($0) }
            if unknown.isEmpty || asked.count > Revalidation.limit { break }
            var found: [ProviderItem] = []
            for identifier in unknown {
                if let item = try await parent(identifier, engine) {
                    found.append(item)
                } else {
                    missing.insert(identifier)
                }
            }
            all = found + all
        }
        if !missing.isEmpty { try revalidateStrays(among: all, missing, engine) }
        return all
    }

    /// Revalidates items in the index that were reported to have moved into a directory that does not exist.
    ///
    /// - Parameter missing: The identifiers of directories that the provider does not know, or could not return.
    private func revalidateStrays(
        among items: [ProviderItem], _ missing: Set<ExactText>, _ engine: isolated any EngineEvents
    ) throws(ProviderError) {
        var missing = missing
        var strays: Set<ExactText> = []
        var count = 0
        repeat {
            count = missing.count
            for item in items where missing.contains(item.parent) {
                let row = try onRecord { () throws(IndexError) in
                    try context.index.item(identifier: item.identifier)
                }
                guard let row else {
                    missing.insert(item.identifier)
                    continue
                }
                // If the parent is the same, the item was revalidated when the move was first reported.
                if !row.item.parent.hasSameBytes(as: item.parent) { strays.insert(item.identifier) }
            }
        } while missing.count > count
        try revalidation.schedule(strays, engine)
    }

    /// Requests the parent directory of a reported item. Returns `nil` if the provider does not know the directory, or
    /// could not return it.
    private func parent(
        _ identifier: String, _ engine: isolated any EngineEvents
    ) async throws(ProviderError) -> ProviderItem? {
        do throws(ProviderError) {
            let provider = context.provider
            let item = try await context.resources.patiently { () async throws(ProviderError) in
                try await provider.item(identifier)
            }
            undescribedParents[ExactText(identifier)] = nil
            return item.identifier.hasSameBytes(as: identifier) ? item : nil
        } catch {
            switch error.kind {
            case .noSuchItem: return nil
            // All other requests would fail, too.
            case .notAuthenticated, .disabled, .cancelled, .noSpace: throw error
            case .unsupported, .badAnswer, .cannotSynchronize, .notPermitted: break
            default:
                let count = undescribedParents[ExactText(identifier), default: 0] + 1
                undescribedParents[ExactText(identifier)] = count
                guard count >= Self.mostAttempts else { throw error }
                undescribedParents[ExactText(identifier)] = nil
            }
            try revalidation.schedule([ExactText(identifier)], hasFailed: true, engine)
            return nil
        }
    }
}

extension ProviderError {
    fileprivate static func noItem(_ identifier: String) -> ProviderError {
        ProviderError(.noSuchItem, message: "there is no item \(identifier)")
    }
}

extension ProviderItem {
    func isAt(_ name: String, in folder: String) -> Bool {
        parent.hasSameBytes(as: folder) && filename.hasSameBytes(as: name)
    }
}

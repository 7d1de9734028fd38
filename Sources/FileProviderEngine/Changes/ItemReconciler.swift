import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Applies the provider's reports to the index, and handles the consequences. An item is revalidated instead if
/// something newer is known about it, or if its status is uncertain.
///
/// It calls the sign-in, the tracker of identifiers, the components of contents and the imports, and sends events. Used
/// only on the engine's thread (see ``EngineContext``).
final class ItemReconciler {
    let context: EngineContext
    let revalidation: Revalidation
    let tracker: IdentifierTracker
    let evictor: Evictor
    private let writing: WrittenFiles
    let reimports: Reimports
    /// The number of failed requests for a directory in which an item was reported, by the identifier of the directory.
    private var undescribedParents: [String: Int] = [:]

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

    /// Writes reported items to the index, unless something newer is known.
    @discardableResult
    func apply(
        _ items: [ProviderItem], listedIn folder: ItemNumber? = nil, mark: Int64 = 0,
        answering request: ReplyOrdering.Request,
        _ engine: isolated any EngineEvents
    ) throws(ProviderError) -> AppliedItems {
        let items = try tracker.withoutUnanswered(try newest(items, answering: request, engine))
        // Usually no file is open for writing, and examining each item is costly.
        if context.resources.openFiles.hasWritten {
            try takeOpenFilesAsEdited(in: Set(items.lazy.filter(\.isInTrash).map(\.identifier)), engine)
        }
        let (applied, others) = try evictor.writeMakingRoom(engine) { writer throws(IndexError) in
            let others = try context.reidentify(items, &writer)
            return (try writer.apply(items, listedIn: folder, mark: mark), others)
        }
        tracker.follow(others, engine)
        handle(applied, engine)
        return applied
    }

    /// Removes items that the provider no longer has.
    func remove(gone identifiers: Set<String>, _ engine: isolated any EngineEvents) throws(ProviderError) {
        guard !identifiers.isEmpty else { return }
        try keepLocalItems(in: identifiers, engine)
        let removed = try context.write { writer throws(IndexError) in
            try writer.remove(identifiers: identifiers.sorted())
        }
        context.replies.noteReport(of: identifiers)
        handle(removed, engine)
    }

    /// Notifies the other components of items that were written to the index.
    func handle(_ applied: AppliedItems, _ engine: isolated any EngineEvents) {
        engine.itemsWereApplied(applied)
        handle(applied.removed, engine)
    }

    /// Notifies the other components of items that the provider no longer has. Revalidates items that were moved
    /// locally out of a removed directory.
    func handle(_ removed: RemovedItems, _ engine: isolated any EngineEvents) {
        guard removed != RemovedItems() else { return }
        engine.itemsWereRemoved(removed)
        if !removed.stranded.isEmpty { revalidation.scheduleInAnyCase(Set(removed.stranded), engine) }
    }

    /// Marks local items as changed that would otherwise be removed with the given items: files that are open for
    /// writing, and items that are being imported.
    ///
    /// - Parameter others: Reported items. A removed item may be one of them, under another identifier.
    func keepLocalItems(
        in removed: Set<String>, besides others: [ProviderItem] = [], _ engine: isolated any EngineEvents
    ) throws(ProviderError) {
        try takeOpenFilesAsEdited(in: removed, engine)
        try engine.itemsWillBeRemoved(removed, besides: others)
    }

    /// Marks files as edited that are open for writing and lie inside items about to be removed, so that they stay.
    /// Without an item, later writes to such a file would be lost.
    private func takeOpenFilesAsEdited(
        in removed: Set<String>, _ engine: isolated any EngineEvents
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

    /// Returns the item of an identifier from the index. Requests it from the provider if it is not known yet.
    ///
    /// - Throws: ``ProviderError/Kind/noSuchItem``, also for an item that was removed locally.
    func learn(
        of identifier: String, _ engine: isolated any EngineEvents
    ) async throws(ProviderError) -> IndexedItem {
        if let known = try known(identifier) { return known }
        let request = context.replies.beginRequest()
        let item = try await context.resources.patiently {
            [provider = context.provider] () async throws(ProviderError) in
            try await provider.item(identifier)
        }
        let all = try await withAncestors([item], engine)
        guard !context.isClosed else { throw .closed }
        _ = try apply(all, listedIn: nil, mark: 0, answering: request, engine)
        guard let learned = try known(identifier) else { throw .noItem(identifier) }
        return learned
    }

    /// Returns a known item; `nil` if it is not known yet.
    private func known(_ identifier: String) throws(ProviderError) -> IndexedItem? {
        let row = try onRecord { () throws(IndexError) in try context.index.item(identifier: identifier) }
        if let row, row.changes.contains(.deleted) { throw .noItem(identifier) }
        return row
    }

    private static let depthLimit = 64
    /// The number of failed requests for a parent directory after which reports of its items are applied without it.
    private static let mostAttempts = 3

    /// Returns items preceded by their ancestors that are not known yet. Parents that the provider does not know
    /// either are left out.
    ///
    /// - Throws: The provider's failure to return a parent. After several failures, the items are returned without that
    ///   parent, which is requested again later, so that it does not block all further reports.
    func withAncestors(
        _ items: [ProviderItem], _ engine: isolated any EngineEvents
    ) async throws(ProviderError) -> [ProviderItem] {
        var all = items
        var asked: Set<String> = [ProviderItem.trashIdentifier, ProviderItem.workingSetIdentifier]
        var missing: Set<String> = []
        for _ in 0..<Self.depthLimit {
            let known = all
            let unknown = try onRecord { () throws(IndexError) in try context.index.unknownParents(of: known) }
                .filter { asked.insert($0).inserted }
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

    /// Revalidates known items that moved into a directory that does not exist.
    ///
    /// - Parameter missing: Directories that the provider does not know or does not describe.
    private func revalidateStrays(
        among items: [ProviderItem], _ missing: Set<String>, _ engine: isolated any EngineEvents
    ) throws(ProviderError) {
        var missing = missing
        var strays: Set<String> = []
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
                if row.item.parent != item.parent { strays.insert(item.identifier) }
            }
        } while missing.count > count
        try revalidation.schedule(strays, engine)
    }

    /// Returns the directory that a reported item is in; `nil` if the provider does not know or does not describe it.
    private func parent(
        _ identifier: String, _ engine: isolated any EngineEvents
    ) async throws(ProviderError) -> ProviderItem? {
        do throws(ProviderError) {
            let provider = context.provider
            let item = try await context.resources.patiently { () async throws(ProviderError) in
                try await provider.item(identifier)
            }
            undescribedParents[identifier] = nil
            return item.identifier == identifier ? item : nil
        } catch {
            switch error.kind {
            case .noSuchItem: return nil
            // All other requests would fail, too.
            case .notAuthenticated, .disabled, .cancelled, .noSpace: throw error
            case .unsupported, .badAnswer, .cannotSynchronize, .notPermitted: break
            default:
                let count = undescribedParents[identifier, default: 0] + 1
                undescribedParents[identifier] = count
                guard count >= Self.mostAttempts else { throw error }
                undescribedParents[identifier] = nil
            }
            try revalidation.schedule([identifier], hasFailed: true, engine)
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
    func isAt(_ name: String, in folder: String) -> Bool { parent == folder && filename.hasSameBytes(as: name) }
}

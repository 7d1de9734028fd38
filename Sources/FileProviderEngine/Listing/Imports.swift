import FileProvider
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Imports local items after the provider has lost its records of them. Reports the end of each import to the provider,
/// including imports of directories of this machine (``DirectoryImport``). ``Reimports`` records the imports that have
/// not ended.
///
/// It calls ``Reimports``, ``ItemReconciler``, ``IdentifierTracker``, ``ItemRecreation``, ``EditRecorder``,
/// ``LocalEdits`` and ``EditProgress``. Used only on the engine's thread (see ``EngineContext``).
package final class Imports: EngineComponent {
    let context: EngineContext
    private let reimports: Reimports
    private let reconciler: ItemReconciler
    private let tracker: IdentifierTracker
    private let recreation: ItemRecreation
    private let recorder: EditRecorder
    private let localEdits: LocalEdits
    private let progress: EditProgress
    /// Whether another check of the imports is scheduled.
    private var hasTimer = false

    /// The delay in seconds between two checks of the imports.
    private static let pause = 1.0

    init(
        _ context: EngineContext, _ reimports: Reimports, _ reconciler: ItemReconciler, _ tracker: IdentifierTracker,
        _ recreation: ItemRecreation, _ recorder: EditRecorder, _ localEdits: LocalEdits, _ progress: EditProgress
    ) {
        self.context = context
        self.reimports = reimports
        self.reconciler = reconciler
        self.tracker = tracker
        self.recreation = recreation
        self.recorder = recorder
        self.localEdits = localEdits
        self.progress = progress
    }

    /// Continues the imports that the previous engine did not complete.
    func recover(_ engine: isolated any EngineEvents) throws {
        try reimports.recover()
        tracker.listReidentified(engine)
        checkForEnd(engine)
    }

    /// Begins to import an item and everything in it. Returns when the start of the import is recorded, so that the
    /// import continues after a crash.
    ///
    /// - Throws: A failure of kind ``ProviderError/Kind/noSuchItem`` if the item is not in the index.
    package func reimport(below identifier: String, _ engine: isolated any EngineEvents) throws(ProviderError) {
        guard !isClosed else { throw .closed }
        let (top, folders) = try onRecord { () throws(IndexError) -> (IndexedItem?, [ItemNumber]) in
            guard let top = try index.item(identifier: identifier), !top.changes.contains(.deleted) else {
                return (nil, [])
            }
            return (top, try reimports.listedFolders(in: top))
        }
        guard let top else { throw .noSuchItem }
        try reimports.begin(top.number, listing: folders)
        if top.number != .root { try reconciler.revalidation.schedule([ExactText(identifier)], engine) }
        tracker.listReidentified(engine)
        checkForEnd(engine)
    }

    /// Ends each import whose directories were all listed. Notifies the provider of the end after it has received the
    /// imported items.
    func checkForEnd(_ engine: isolated any EngineEvents) {
        guard reimports.isActive, !isClosed else { return }
        do throws(ProviderError) {
            let ended = try reimports.tops.subtracting(unfinishedImports())
            if !ended.isEmpty {
                reimports.beginReport(of: ended)
                Task { await self.reportEnd(of: ended, engine) }
            }
        } catch {
            context.recordBackgroundError(error)
        }
        guard reimports.isActive, !hasTimer else { return }
        // The imports are checked at intervals. No event reports the end of a revalidation, and there may be too many
        // listings to check at the end of each.
        hasTimer = true
        later(after: Self.pause) { engine in engine.imports.endPause(engine) }
    }

    func endPause(_ engine: isolated any EngineEvents) {
        hasTimer = false
        checkForEnd(engine)
    }

    /// Returns the top items of those imports that still have a directory to be listed, or whose top item is still to
    /// be revalidated.
    private func unfinishedImports() throws(ProviderError) -> Set<ItemNumber> {
        try onRecord { () throws(IndexError) in
            var unfinished: Set<ItemNumber> = []
            for folder in try index.reidentifiedFolders() {
                guard let row = try index.item(folder), row.isKnownToProvider else {
                    // The directory is created again at the provider, where it has no items that could be matched.
                    try context.index.write { writer throws(IndexError) in try writer.forgetReidentified(folder) }
                    continue
                }
                for top in reimports.tops where try context.isWithin(top, folder) { unfinished.insert(top) }
                if unfinished == reimports.tops { return unfinished }
            }
            let uncertain = Set(texts: try index.revalidations())
            for top in reimports.tops {
                if let row = try index.item(top), uncertain.contains(row.item.identifier) { unfinished.insert(top) }
            }
            return unfinished
        }
    }

    private func reportEnd(of tops: Set<ItemNumber>, _ engine: isolated any EngineEvents) async {
        // The wait throws if an edit is parked. The error is ignored, because a parked edit may wait for the user for a
        // long time.
        for top in tops { _ = try? await progress.waitForEdits(below: top) }
        guard !isClosed else { return }
        // The provider does not depend on this notice, so a provider that cannot be started is no failure.
        try? await provider.importDidFinish()
        // If the engine was closed, the end is reported again after the next start.
        guard !isClosed else { return }
        do throws(ProviderError) { try reimports.endReport(of: tops) } catch { context.recordBackgroundError(error) }
    }

    /// Turns those of the given items that are being imported into new items. Without this, they would be removed
    /// because the provider does not have them.
    ///
    /// - Parameters:
    ///   - identifiers: The identifiers of items that are about to be removed.
    ///   - others: Items that the provider reports as existing. An item to be removed may be one of them, under another
    ///     identifier.
    func keep(
        _ identifiers: Set<ExactText>, besides others: [ProviderItem], _ engine: isolated any EngineEvents
    ) throws(ProviderError) {
        guard reimports.isActive else { return }
        for identifier in identifiers.sorted().map(\.string) {
            let items = try onRecord { () throws(IndexError) -> [IndexedItem] in
                guard let row = try index.item(identifier: identifier),
                    // An item that is reported under the same name and parent is this item with its new identifier.
                    !others.contains(where: { $0.isAt(row.item.filename, in: row.item.parent) }),
                    try isBeingImported(row.number)
                else { return [] }
                return try reimports.items(in: row.number)
            }
            try makeAgain(items, engine)
        }
    }

    private func isBeingImported(_ number: ItemNumber) throws(IndexError) -> Bool {
        for top in reimports.tops where try context.isWithin(top, number) { return true }
        return false
    }

    /// Turns items into new items that are created at the provider, directories before the items in them. Files whose
    /// latest contents are not local are removed, because their contents are lost.
    private func makeAgain(_ items: [IndexedItem], _ engine: isolated any EngineEvents) throws(ProviderError) {
        var local: [ItemNumber] = []
        var lost: [String] = []
        for item in items {
            if item.item.kind != .file || item.content == .current, try mark(item, engine) {
                local.append(item.number)
            } else if item.changes.isEmpty {
                lost.append(item.item.identifier)
            }
        }
        for number in local { recreation.noteRemovedByProvider([number], engine) }
        guard !lost.isEmpty else { return }
        let removed = try write { writer throws(IndexError) in try writer.remove(identifiers: lost) }
        reconciler.handle(removed, engine)
    }

    /// Marks an item as changed, so that it stays when its removal at the provider is applied, and is created at the
    /// provider again.
    ///
    /// - Returns: `false` for a file whose local contents the provider has replaced.
    private func mark(
        _ row: IndexedItem, _ engine: isolated any EngineEvents
    ) throws(ProviderError) -> Bool {
        if row.item.kind == .file {
            try localEdits.sendContentsAgain(row.number, engine)
            guard try self.row(row.number).content == .edited else { return false }
        }
        do throws(EditError) {
            let row = try context.visible(row.number)
            var entry = try recorder.entry(of: row)
            entry.mayAlreadyExist = true
            if row.item.kind != .file { entry.changes.insert(.attributes) }
            let changed = entry
            try recorder.record([.put(changed)], engine) { writer throws(IndexError) in
                try writer.update(row.number) { $0.changes = changed.changes }
                // The directory is created again, so it has no items at the provider that could be matched.
                try writer.forgetReidentified(row.number)
            }
            return true
        } catch {
            throw ProviderError(error.errno)
        }
    }
}

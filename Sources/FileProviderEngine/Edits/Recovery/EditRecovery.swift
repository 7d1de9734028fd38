import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Recovers edits at start after a crash: makes the journal, the index and edited files agree again.
///
/// The journal is authoritative for the changes to send. The index is authoritative for an item's identifier, and so
/// for its place at the provider. The order of writes in ``EditRecorder/record(_:freesSpace:_:_:)`` and
/// ``JournalWriter/confirm(_:_:)`` guarantees this.
///
/// It calls the components of edits and of contents. Used only on the engine's thread (see ``EngineContext``).
final class EditRecovery: EngineComponent {
    let context: EngineContext
    let writer: JournalWriter
    let recorder: EditRecorder
    let scheduler: UploadScheduler
    let tracker: IdentifierTracker
    let recreation: ItemRecreation
    let cache: ContentCache
    let writing: WrittenFiles
    /// The items that are open for writing through handles which this engine takes over from the previous engine.
    let resumedWriters: Set<ItemNumber>

    init(
        _ context: EngineContext, _ writer: JournalWriter, _ recorder: EditRecorder, _ scheduler: UploadScheduler,
        _ tracker: IdentifierTracker, _ recreation: ItemRecreation, _ cache: ContentCache, _ writing: WrittenFiles,
        resuming writers: Set<ItemNumber>
    ) {
        self.context = context
        self.writer = writer
        self.recorder = recorder
        self.scheduler = scheduler
        self.tracker = tracker
        self.recreation = recreation
        self.cache = cache
        self.writing = writing
        resumedWriters = writers
    }

    /// Recovers edits after the index was opened and before the first request is sent to the provider.
    ///
    /// For most edits, the journal, the index and the file agree. Such an edit is only checked, so recovery is fast
    /// even with many edits.
    ///
    /// - Parameter entries: All entries of the journal.
    func recoverEdits(_ entries: [JournalEntry], _ engine: isolated any EngineEvents) throws {
        for folder in [folders.uploads, folders.edits] { TemporaryName.sweep(folder) }
        var entries = entries
        for entry in entries {
            // If the item `replaced` still has a journal entry, a crash prevented the replacement.
            guard let replaced = entry.replaced, try journal.entry(replaced) == nil else { continue }
            folders.passUploads(of: replaced, to: entry.number)
        }
        var differences = try differences(from: entries)
        if !differences.rows.isEmpty {
            try reconcileRowsWithoutEntries(differences.rows, engine)
            // The steps above may have removed or written any entry.
            entries = try journal.all()
            differences = try self.differences(from: entries)
        }
        EngineStep.recoveredRows.reach()
        let uncertain = entries.map(\.number).filter { !differences.settled.contains($0) }
        try restoreMissingRows(uncertain, engine)
        EngineStep.recoveredMissing.reach()
        try reconcileOpenFiles(uncertain)
        reconcileMarks(besides: uncertain)
        EngineStep.recoveredOpenFiles.reach()
        try reconcileIdentities(uncertain, engine)
        EngineStep.recoveredIdentities.reach()
        try imposeRemovals(uncertain, engine)
        EngineStep.recoveredRemovals.reach()
        try imposePlaces(uncertain)
        EngineStep.recoveredPlaces.reach()
        try imposeContents(uncertain)
        EngineStep.recoveredContents.reach()
        let recovered = try recoverFiles(differences.settled, engine)
        EngineStep.recoveredFiles.reach()
        let others = try recorder.entries(of: Array(Set(uncertain + recovered)))
        let all = entries.filter { differences.settled.contains($0.number) } + others
        for entry in all.sorted(by: { $0.number.rawValue < $1.number.rawValue }) {
            try tracker.restore(entry)
            if entry.isCancelled {
                scheduler.hold(entry.number)
            } else {
                scheduler.schedule(entry.number, after: configuration.settlingTime, engine)
            }
        }
        context.becomeReady()
        scheduler.startDueSteps(engine)
    }

    /// Restores the edited files that were set aside for a removal or replacement which a power failure undid. Deletes
    /// the other files that were set aside.
    func recoverRemovedEdits() throws {
        for number in try folders.numbersSetAside() {
            if try journal.entry(number)?.changes.contains(.contents) == true {
                try folders.takeBack(number)
            } else {
                try folders.removeSetAside(number)
            }
        }
    }

    /// Corrects rows of the index that have local changes but no journal entry. Either the call that made the change
    /// never returned, or a power failure removed the confirmation of the change from the index.
    private func reconcileRowsWithoutEntries(_ rows: [IndexedItem], _ engine: isolated any EngineEvents) throws {
        for row in rows {
            let size = EditRecorder.size(of: row.number, in: folders.edits)
            if !row.isKnownToProvider {
                let isWanted = row.item.kind == .folder ? try recorder.hasVisibleChildren(row.number) : (size ?? 0) > 0
                guard isWanted, !row.changes.contains(.deleted) else {
                    try writer.writeIndex { writer throws(IndexError) in try writer.delete(row.number) }
                    recorder.removeBytes(of: row.number, engine)
                    continue
                }
                try journal.put(try recorder.freshEntry(of: row))
                continue
            }
            // Edited files without a journal entry are examined last, by ``recoverFiles(_:_:)``.
            let isEdited = row.content == .edited && size == nil
            let said = try index.item(identifier: row.item.parent)?.number
            // A removed item may have been moved locally before its removal. Until the provider has confirmed the
            // removal, the item's row has the local place.
            let isMoved = !row.changes.isDisjoint(with: [.place, .deleted])
            if said == nil, row.changes.contains(.deleted) {
                try writer.writeIndex { writer throws(IndexError) in try writer.delete(row.number) }
                recorder.removeBytes(of: row.number, engine)
                continue
            }
            let parent = said ?? row.parent
            try writer.writeIndex { writer throws(IndexError) in
                try writer.update(row.number) { row in
                    row.changes = []
                    if isEdited { row.loseContents() }
                    if isMoved {
                        row.parent = parent
                        row.name = MountName.mended(row.item.filename)
                    }
                }
            }
        }
    }

    // MARK: Rows

    /// Restores the rows of edited items in an index that was rebuilt. The journal has all that is needed to continue
    /// the upload of these items.
    private func restoreMissingRows(_ numbers: [ItemNumber], _ engine: isolated any EngineEvents) throws {
        let entries = try recorder.entries(of: numbers)
        var missing: [ItemNumber: JournalEntry] = [:]
        for entry in entries where try index.itemEvenIfDeleted(entry.number) == nil {
            // If another edited item has the identifier, it had replaced this item, and a power failure undid the
            // replacement in the journal only.
            if let holder = try index.item(identifier: entry.identifier), try journal.entry(holder.number) != nil {
                try journal.remove(entry.number)
                folders.passUploads(of: entry.number, to: holder.number)
                recorder.removeBytes(of: entry.number, engine)
            } else {
                missing[entry.number] = entry
            }
        }
        for entry in entries { try restoreRow(entry, &missing, engine) }
    }

    private func restoreRow(
        _ entry: JournalEntry, _ missing: inout [ItemNumber: JournalEntry], _ engine: isolated any EngineEvents
    ) throws {
        guard missing.removeValue(forKey: entry.number) != nil else { return }
        // An item in a new directory is restored after that directory.
        if let above = missing[entry.parent] { try restoreRow(above, &missing, engine) }
        let parent = try restoredParent(of: entry, engine)
        // An item that was moved locally may still be in its former place at the provider.
        var item = ProviderItem(
            identifier: entry.identifier, parent: entry.place?.parent ?? parent.item.identifier,
            filename: entry.place?.name ?? entry.name, kind: entry.kind)
        item.contentVersion = entry.baseVersion
        item.linkTarget = entry.linkTarget
        let row = IndexedItem(
            number: entry.number, parent: parent.number, name: entry.name, item: item, changes: entry.changes,
            content: .dataless, localSize: 0, localVersion: entry.baseVersion, localModified: entry.modified,
            mode: entry.mode, listing: entry.changes.contains(.created) ? .complete : .never, isPinned: false)
        try writer.writeIndex { writer throws(IndexError) in try writer.insert(row, keepsNumber: true) }
    }

    private func restoredParent(of entry: JournalEntry, _ engine: isolated any EngineEvents) throws -> IndexedItem {
        if let row = try index.item(entry.parent), row.item.kind == .folder { return row }
        if let row = try index.item(identifier: entry.parentIdentifier), row.item.kind == .folder { return row }
        let isKnown = !entry.parentIdentifier.hasPrefix(IndexedItem.localPrefix) && !entry.parentIdentifier.isEmpty
        guard isKnown, try index.itemEvenIfDeleted(entry.parent) == nil, let root = try index.item(.root) else {
            guard let root = try index.item(.root) else { throw IndexError.corrupt("The index has no root.") }
            return root
        }
        // Only the identifier of this directory at the provider is known. Its name and place come with the first
        // report of it.
        let name = try recorder.freeName(in: .root) { "Folder \(entry.parent.rawValue)" + ($0 == 1 ? "" : " \($0)") }
        let item = ProviderItem(
            identifier: entry.parentIdentifier, parent: root.item.identifier, filename: name, kind: .folder)
        var row = root
        row.number = entry.parent
        row.parent = .root
        row.name = name
        row.item = item
        row.changes = []
        row.listing = .never
        let folder = row
        try writer.writeIndex { writer throws(IndexError) in try writer.insert(folder, keepsNumber: true) }
        askWhere(folder, engine)
        return folder
    }

    /// Requests a directory from the provider. The directory contains an edited item, and only its identifier is known.
    /// Retries with backoff.
    private func askWhere(_ folder: IndexedItem, _ engine: isolated any EngineEvents) {
        let identifier = folder.item.identifier
        Task {
            for attempt in 1... {
                do {
                    let item = try await asking { () async throws(ProviderError) in
                        try await provider.item(identifier)
                    }
                    try writer.writeIndex { writer throws(IndexError) in
                        try writer.apply([item])
                    }
                    return
                } catch let failure as ProviderError where failure.kind == .noSuchItem {
                    return recreation.noteRemovedByProvider([folder.number], engine)
                } catch is EngineClosedError {
                    return
                } catch {
                    await clock.wait(delay(afterAttempt: attempt))
                    if isClosed { return }
                }
            }
        }
    }
}

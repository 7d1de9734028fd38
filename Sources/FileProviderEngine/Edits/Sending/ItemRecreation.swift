import FileProvider
import ItemStore
import ItemValues
import LinuxSystem

/// Handles local items whose item at the provider was removed or replaced: the local items become new items, or are
/// removed.
///
/// It calls the journal writer, the recorder, the scheduler, the tracker of identifiers and the reconciler, and sends
/// an event. Used only on the engine's thread (see ``EngineContext``).
final class ItemRecreation: EngineComponent {
    let context: EngineContext
    let writer: JournalWriter
    let recorder: EditRecorder
    let scheduler: UploadScheduler
    let tracker: IdentifierTracker
    let reconciler: ItemReconciler

    init(
        _ context: EngineContext, _ writer: JournalWriter, _ recorder: EditRecorder, _ scheduler: UploadScheduler,
        _ tracker: IdentifierTracker, _ reconciler: ItemReconciler
    ) {
        self.context = context
        self.writer = writer
        self.recorder = recorder
        self.scheduler = scheduler
        self.tracker = tracker
        self.reconciler = reconciler
    }

    /// Handles an item that the provider removed while it was changed locally. A file with contents that exist only on
    /// this machine becomes a new local item, and so does a directory with visible items. Any other item is removed
    /// locally.
    func makeAgain(_ number: ItemNumber, _ engine: isolated any EngineEvents) throws -> StepResult {
        guard var row = try index.itemEvenIfDeleted(number) else { return .done }
        // A directory has no entry if only items in it were changed.
        var journalled = try journal.entry(number)
        var entry = try journalled ?? recorder.freshEntry(of: row)
        if entry.changes.contains(.deleted) {
            try finishRemoval(number, engine)
            return .done
        }
        if row.isKnownToProvider, !entry.mayAlreadyExist {
            // During an import, items that were only moved locally become new items, too, with everything in them.
            try engine.itemsWillBeRemoved([ExactText(row.item.identifier)], besides: [])
            guard let now = try index.itemEvenIfDeleted(number), now.isKnownToProvider else { return .done }
            row = now
            journalled = try journal.entry(number)
            entry = try journalled ?? recorder.freshEntry(of: row)
        }
        // If the provider has a file in place of a directory, the directory is created again for the changed items in
        // it.
        let lostItsItem = row.item.kind == .folder && journalled == nil
        guard row.isKnownToProvider || lostItsItem else { return .done }
        let isWanted =
            try entry.mayAlreadyExist
            || (row.item.kind == .folder ? recorder.hasVisibleChildren(number) : hasOwnContents(row, entry))
        guard isWanted else {
            // The item was moved locally and removed at the provider, and has no bytes that only this machine has.
            try drop(number, engine)
            return .done
        }
        let parent = try index.item(row.parent) == nil ? ItemNumber.root : row.parent
        var name = row.name
        if let other = try index.item(named: name, in: parent), other.number != number {
            name = try recorder.freeName(in: parent) { MountName.numbered(row.name, $0 + 1) }
        }
        try becomeNew(entry, row, in: parent, named: name, followedBy: [], engine)
        recorder.note(.madeAgain, of: number, name)
        return .done
    }

    /// Whether the given file has contents that exist only on this machine.
    func hasOwnContents(_ row: IndexedItem, _ entry: JournalEntry) -> Bool {
        row.content == .edited || entry.isOpen || isOpenForWriting(row.number)
    }

    /// Deletes the row, the journal entry and the local contents of an item that the provider no longer has.
    func drop(_ number: ItemNumber, _ engine: isolated any EngineEvents) throws {
        try writer.confirm([.remove(number)]) { writer throws(IndexError) in try writer.delete(number) }
        recorder.removeBytes(of: number, engine)
    }

    /// Turns the given item into a new local item with the same local contents.
    ///
    /// - Parameter items: Items of the provider, to be applied to the index in the same transaction.
    func becomeNew(
        _ entry: JournalEntry, _ row: IndexedItem, in parent: ItemNumber, named name: String,
        followedBy items: [ProviderItem], _ engine: isolated any EngineEvents
    ) throws {
        let number = entry.number
        var item = ProviderItem(
            identifier: recorder.newLocalIdentifier(),
            parent: try index.item(parent)?.item.identifier ?? row.item.parent,
            filename: name, kind: row.item.kind)
        item.linkTarget = row.item.linkTarget
        item.contentType = row.item.contentType
        item.fileSystemFlags = row.item.fileSystemFlags
        item.flags = []
        let newItem = item
        var entry = entry
        entry.identifier = item.identifier
        entry.parent = parent
        entry.parentIdentifier = item.parent
        entry.name = name
        entry.baseVersion = []
        entry.mayHaveMoved = false
        entry.movedTo = nil
        entry.changes = row.item.kind == .file ? [.created, .contents] : .created
        entry.failure = nil
        let changes = entry.changes
        scheduler.table.setAccepted(number, nil)
        // Write the index first, because the next start reads an item's identity from it.
        let applied = try writer.confirm([.put(entry)]) { writer throws(IndexError) in
            try writer.update(number) { row in
                row.item = newItem
                row.parent = parent
                row.name = name
                row.changes = changes
                row.localVersion = []
                if row.item.kind == .file { row.becomeEdited(size: row.localSize) }
                if row.item.kind == .folder { row.listing = .complete }
            }
            return try writer.apply(items)
        }
        tracker.forgetMove(of: number, engine)
        reconciler.handle(applied, engine)
    }

    /// Prepares the removal of a duplicate row. If the contents of the duplicate were edited, it becomes a conflicted
    /// copy instead.
    ///
    /// - Returns: A result that waits for the duplicate's running step, if there is one; otherwise `nil`.
    func free(_ double: ItemNumber, _ engine: isolated any EngineEvents) throws -> StepResult? {
        if scheduler.table.isBusy(double) { return .waits(for: double) }
        guard let entry = try journal.entry(double), let row = try index.item(double),
            entry.changes.contains(.contents) || isOpenForWriting(double)
        else { return nil }
        let now = clock.now
        let name = try recorder.freeName(in: row.parent) {
            ConflictName.conflictedCopy(of: row.name, at: now, number: $0)
        }
        try becomeNew(entry, row, in: row.parent, named: name, followedBy: [], engine)
        recorder.note(.conflict(copy: name), of: double, row.name)
        scheduler.schedule(double, engine)
        return nil
    }

    /// Removes the given item locally, because the provider has confirmed its removal.
    func finishRemoval(_ number: ItemNumber, _ engine: isolated any EngineEvents) throws {
        if let row = try index.itemEvenIfDeleted(number) {
            let identifier = row.item.identifier
            // If a report that arrived since the step began contains the item, another client may have restored the
            // item.
            if row.isKnownToProvider, let request = scheduler.table[number].step?.request,
                replies.isStale(for: identifier, since: request)
            {
                reconciler.revalidation.scheduleInAnyCase([ExactText(identifier)], engine)
            }
            reconciler.confirmed(
                identifier, told: nil, nil, request: scheduler.request(of: number), engine)
        }
        // Remove the bytes first. After a crash, bytes without a journal entry would be mistaken for a lost edit.
        recorder.removeBytes(of: number, engine)
        try writer.confirm([.remove(number)]) { writer throws(IndexError) in try writer.delete(number) }
        scheduler.forget(number, engine)
    }

    /// Deletes the local contents and the upload state of a duplicate row. The caller has removed the row.
    func forgetDouble(_ double: ItemNumber, _ engine: isolated any EngineEvents) {
        recorder.removeBytes(of: double, engine)
        scheduler.forget(double, engine)
    }

    /// Handles the provider's removal of items that were changed locally or contain changed items.
    ///
    /// - Parameter numbers: The removed items, parents before children.
    func noteRemovedByProvider(_ numbers: [ItemNumber], _ engine: isolated any EngineEvents) {
        for number in numbers {
            guard !scheduler.table.isBusy(number) else {
                // The running step detects the removal itself. The item is examined again afterwards.
                scheduler.table.wantAgain(number)
                continue
            }
            // If the index or journal cannot be written now, the removal is found again when the item is sent.
            _ = try? makeAgain(number, engine)
            scheduler.schedule(number, after: configuration.settlingTime, engine)
        }
    }
}

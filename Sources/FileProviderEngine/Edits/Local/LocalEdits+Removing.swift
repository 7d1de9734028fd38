import AppExtension
import ItemStore
import ItemValues
import LinuxSystem

/// Removes items locally.
extension LocalEdits {
    /// Removes the file or symbolic link with the given name. Processes that have the file open can still read it.
    ///
    /// - Returns: The removed item.
    @discardableResult
    package func remove(
        _ name: String, in parent: ItemNumber, _ engine: isolated any EngineEvents
    ) throws(EditError) -> IndexedItem {
        try checkOpen()
        let row = try child(name, of: parent)
        guard row.item.kind != .folder else { throw EditError(.isDirectory) }
        try remove(row, engine)
        return row
    }

    /// Removes the empty directory with the given name.
    ///
    /// - Returns: The removed directory.
    /// - Throws: `ENOTEMPTY` if the directory is not empty, or was not enumerated completely. In the second case, the
    ///   caller enumerates it and repeats the call; see ``EditError/unlistedFolder``.
    @discardableResult
    package func removeFolder(
        _ name: String, in parent: ItemNumber, _ engine: isolated any EngineEvents
    ) throws(EditError) -> IndexedItem {
        try checkOpen()
        let row = try child(name, of: parent)
        guard row.item.kind == .folder else { throw EditError(.notDirectory) }
        try checkEmpty(row)
        try remove(row, engine)
        return row
    }

    func child(_ name: String, of parent: ItemNumber) throws(EditError) -> IndexedItem {
        _ = try visibleFolder(parent)
        guard let row = try visible(named: name, in: parent) else { throw EditError(.noSuchFile) }
        return row
    }

    private func remove(_ row: IndexedItem, _ engine: isolated any EngineEvents) throws(EditError) {
        let removal = try removal(of: row)
        try recorder.settingAsideEdit(of: removal.lostEdit) { () throws(EditError) in
            try recorder.record([removal.journal], freesSpace: true, engine) { writer throws(IndexError) in
                try removal.apply(&writer)
                try recorder.dateFolders([row.parent], &writer)
            }
        }
        finish(removal, engine)
    }

    /// The changes that remove an item locally.
    struct Removal {
        let number: ItemNumber
        /// Whether the removal also deletes the item's row and its journal entry, because the provider never had the
        /// item.
        let isForgotten: Bool
        let hadEdits: Bool
        /// The changes that are still to be made at the provider.
        let changes: LocalChanges
        let journal: JournalChange

        /// The item, if its removal discards bytes that were written locally; otherwise `nil`.
        var lostEdit: ItemNumber? { hadEdits && !changes.contains(.contents) ? number : nil }

        func apply(_ writer: inout IndexWriter) throws(IndexError) {
            if isForgotten {
                try writer.delete(number)
            } else {
                try writer.update(number) { row in
                    row.changes = changes
                    if row.content == .edited { row.loseContents() }
                }
            }
        }
    }

    func removal(of row: IndexedItem) throws(EditError) -> Removal {
        guard row.allows(IndexedItem.Capability.deleting) else { throw EditError(.notPermitted) }
        try checkPermitted(.delete, row)
        let hadEdits = row.content == .edited
        var entry = try recorder.entry(of: row)
        // While the item is being created at the provider, the removal must wait for the reply, because the item then
        // has to be removed at the provider, too.
        if !row.isKnownToProvider, !scheduler.table.isBusy(row.number), entry.sent == nil {
            return Removal(
                number: row.number, isForgotten: true, hadEdits: hadEdits, changes: [], journal: .remove(row.number))
        }
        // Record the version that the provider had at the time of the removal, so that newer contents are not deleted
        // with the item. After a move without a reply, the entry already has the version from before the move.
        if !entry.changes.contains(.contents), !entry.mayHaveMoved { entry.baseVersion = row.item.contentVersion }
        // A removal is sent even if the upload was cancelled.
        if entry.isCancelled { entry.failure = nil }
        // Edited contents stay until the provider has removed the item, because the provider may refuse.
        entry.changes =
            row.isKnownToProvider ? entry.changes.intersection(.contents).union(.deleted) : [.created, .deleted]
        entry.isOpen = false
        return Removal(
            number: row.number, isForgotten: false, hadEdits: hadEdits, changes: entry.changes, journal: .put(entry))
    }

    /// Completes a removal after it was written to the journal and the index.
    func finish(_ removal: Removal, _ engine: isolated any EngineEvents) {
        scheduler.table.setAccepted(removal.number, nil)
        scheduler.table.forgetFailures(of: removal.number)
        uploads.update(removal.number) { $0.failure = nil }
        if removal.isForgotten {
            recorder.removeBytes(of: removal.number, engine)
            scheduler.forget(removal.number, engine)
        } else {
            metadata.noteRemoved([removal.number], engine)
            // Upload copies stay, so that a later step can recognize the contents at the provider.
            if removal.lostEdit != nil { cache.discardContents(removal.number, engine) }
            _ = removalWaits.awaitContents(beforeRemoving: removal.number, engine)
            scheduler.schedule(removal.number, after: configuration.settlingTime, engine)
        }
    }
}

import FileProvider
import ItemStore
import LinuxSystem

/// Notices to the uploader about changes of listings, items and contents. All of them arrive on the engine's thread.
extension DomainEngine {
    /// Records that the contents of a file that is open, or was just closed, changed. The edit is in the journal when
    /// this returns. May be called repeatedly for one file.
    ///
    /// - Parameters:
    ///   - size: In bytes.
    ///   - modified: In seconds since 1970.
    func noteEdited(_ number: ItemNumber, size: Int64, modified: Double) throws(Errno) {
        do throws(EditError) {
            // The edit of a file that was removed meanwhile is dropped.
            guard let row = try reading({ () throws(IndexError) in try index.item(number) }) else { return }
            var entry = try entry(of: row)
            // A file that is already marked as edited needs no second journal entry.
            let isKnown = entry.changes.contains(.contents)
            if !isKnown, !entry.changes.contains(.created) { entry.baseVersion = row.versionToEdit }
            entry.changes.insert(.contents)
            entry.modified = modified
            entry.isOpen = false
            let changes = entry.changes
            try record(isKnown ? [] : [.put(entry)]) { writer throws(IndexError) in
                try writer.update(number) { row in
                    row.changes = changes
                    row.becomeEdited(size: size)
                    row.localModified = modified
                }
            }
        } catch {
            throw error.errno
        }
        edits.table.noteEdited(number)
        schedule(number, after: Self.openFileInterval)
    }

    /// The delay in seconds after which an edit is sent although the file is still open.
    static let openFileInterval = 30.0

    /// Schedules the upload of a file that was open for writing and was closed. If ``noteEdited(_:size:modified:)`` is
    /// called, this function is called after it.
    func noteClosed(_ number: ItemNumber) { schedule(number, after: configuration.settlingTime) }

    /// Schedules the upload of files that were edited locally and have other contents at the provider.
    func noteConflicts(_ numbers: [ItemNumber]) {
        // Whether this is a conflict is decided when the file's turn comes: the provider may have reported the file's
        // own upload.
        for number in numbers { schedule(number, after: configuration.settlingTime) }
    }

    /// Handles the provider's removal of items that were changed locally or contain changed items. Parents are handled
    /// before children.
    func noteRemovedByProvider(_ numbers: [ItemNumber]) {
        for number in numbers {
            guard !edits.table.isBusy(number) else {
                // The running step learns of the removal, too.
                edits.table.wantAgain(number)
                continue
            }
            // If the index or journal cannot be written now, the removal is found again when the item is sent.
            _ = try? makeAgain(number)
            schedule(number, after: configuration.settlingTime)
        }
    }

    /// Schedules a check of the edits that await confirmation, because the provider signalled changes. Signals that
    /// arrive before the check are merged, because each may concern all of these edits.
    func noteSignalSoon() {
        guard !edits.isSignalled else { return }
        edits.isSignalled = true
        // Runs behind the signals that are already queued.
        perform { engine in
            engine.edits.isSignalled = false
            engine.edits.signals += 1
            for number in engine.edits.table.unconfirmed { engine.schedule(number) }
        }
    }

    /// The number of times that signals caused a check of unconfirmed edits: for tests.
    package var signalCount: Int { edits.signals }

    /// Ends the steps that are running, before the engine ends.
    func closeEdits() async {
        edits.wake?.waiting.cancel()
        edits.wake = nil
        let tasks = edits.table.running.compactMap { edits.table[$0].step?.task }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        // If the disk is still full, the owed journal entries are lost.
        try? journal.payChanges()
        // No client will close files that were removed while open. The next start would take their bytes for a lost
        // edit.
        let discarded = openFiles.withLock { $0.entries.filter(\.value.isDiscarded).keys }
        for number in discarded { try? folders.remove(number, in: folders.edits) }
    }
}

import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Files that are open for writing. With passthrough, the kernel writes to the local file past the engine. The engine
/// therefore detects writes by comparing the file's size and times.
extension ContentCache {
    /// Returns the file for writing, after moving it to `edits` and recording that in the journal. Returns `nil` if
    /// its bytes have to be fetched first.
    func fileForWriting(
        _ row: IndexedItem, truncating: Bool, _ engine: isolated any ContentCacheHost
    ) throws(ProviderError) -> FileDescriptor? {
        var opened = openFiles.entry(row.number)?.writing
        if opened == nil { opened = try beginWriting(row, creating: truncating, engine) }
        guard let file = opened else { return nil }
        guard truncating else { return file }
        // The truncated file differs from the provider's version from here on, even if nothing is written to it.
        try noteOpenForWriting(row, .none)
        EngineStep.emptyingJournalled.reach()
        try onDisk { () throws(Errno) in try file.truncate(to: 0) }
        EngineStep.emptied.reach()
        openFiles.update(row.number) { entry in
            entry.beforeWriting = nil
            entry.noted = nil
        }
        return file
    }

    /// Opens a file for its first write handle. Returns `nil` if its bytes have to be fetched first.
    ///
    /// - Parameter creating: whether an empty file is created if the contents are not local.
    private func beginWriting(
        _ row: IndexedItem, creating: Bool, _ engine: isolated any ContentCacheHost
    ) throws(ProviderError) -> FileDescriptor? {
        let number = row.number
        switch row.content {
        case .edited:
            guard let file = try onDisk({ () throws(Errno) in try openEdit(number) }) else {
                throw ProviderError(.cannotSynchronize, message: "The edited contents of “\(row.name)” are gone.")
            }
            let fingerprint = try onDisk { () throws(Errno) in FileFingerprint(try file.status()) }
            try share(number, file, fingerprint)
            return file
        // The local bytes are an unfinished change of another writer, which must not become the base of an edit.
        case .current where !creating && openFiles.entry(number)?.isUnfinished == true:
            throw .otherVersion
        case .current where row.localVersion == row.item.contentVersion || openFiles.entry(number)?.reading != nil:
            if let file = try moveAmongEdits(row) { return file }
            // The clean file was removed from the cache directory by another process.
            try forgetContents(number)
        case .current:
            try forgetContents(number)
        case .dataless, .partial: break
        }
        guard creating else { return nil }
        engine.contentsAreUnneeded(number)
        // The edit replaces the provider's current version.
        var row = row
        row.localVersion = row.item.contentVersion
        let version = row.localVersion
        try context.write { writer throws(IndexError) in
            try writer.update(number) { row in
                if row.content == .partial { row.becomeDataless() }
                row.localVersion = version
            }
        }
        try noteOpenForWriting(row, .none)
        let file = try onDisk { () throws(Errno) in
            try folders.edits.open(
                ContentFolders.name(number), [.readWrite, .create, .truncate, .noFollow], permissions: 0o600)
        }
        try share(number, file, nil)
        return file
    }

    private func openEdit(_ number: ItemNumber) throws(Errno) -> FileDescriptor? {
        try folders.open(number, in: folders.edits, .readWrite)
    }

    /// Moves clean contents to `edits`. Returns `nil` if the file does not exist.
    ///
    /// The file is moved before the journal records the opening. A crash in between leaves an unmodified file in
    /// `edits`, which recovery identifies by its date and size.
    private func moveAmongEdits(_ row: IndexedItem) throws(ProviderError) -> FileDescriptor? {
        let number = row.number
        do throws(Errno) {
            try folders.move(number, from: folders.clean, to: folders.edits)
        } catch .noSuchFile {
            return nil
        } catch {
            throw ProviderError(error)
        }
        EngineStep.openingMoved.reach()
        do throws(ProviderError) {
            let file = try onDisk { () throws(Errno) in try openEdit(number) }
            guard let file else { return nil }
            let fingerprint = try onDisk { () throws(Errno) in FileFingerprint(try file.status()) }
            try noteOpenForWriting(row, fingerprint)
            EngineStep.openingJournalled.reach()
            try share(number, file, fingerprint)
            return file
        } catch {
            try? folders.move(number, from: folders.edits, to: folders.clean)
            throw error
        }
    }

    /// Sets the one file that all handles of an item read and write.
    private func share(_ number: ItemNumber, _ file: FileDescriptor, _ fingerprint: FileFingerprint?)
        throws(ProviderError)
    {
        var reading = openFiles.entry(number)?.reading
        if reading == nil { reading = try onDisk { () throws(Errno) in try file.reopen(.readOnly) } }
        let shared = reading
        openFiles.update(number) { entry in
            entry.writing = file
            entry.reading = shared
            entry.beforeWriting = fingerprint
            entry.noted = nil
        }
    }

    /// Journals an edit if a file that is open for writing was written to since the last comparison.
    func compare(_ number: ItemNumber, _ engine: isolated any ContentCacheHost) throws(ProviderError) {
        guard let entry = openFiles.entry(number), let file = entry.writing, !entry.isDiscarded else { return }
        let status = try onDisk { () throws(Errno) in try file.status() }
        let fingerprint = FileFingerprint(status)
        guard fingerprint != entry.noted ?? entry.beforeWriting else { return }
        try onDisk { () throws(Errno) in
            try engine.noteEdited(number, size: fingerprint.size, modified: status.modifiedDate)
        }
        openFiles.update(number) { $0.noted = fingerprint }
    }

    /// Journals a file that is open for writing as edited, whether it was written to or not. If the item was removed
    /// at the provider, later writes would otherwise have no item to belong to.
    func takeAsEdited(_ number: ItemNumber, _ engine: isolated any ContentCacheHost) throws(ProviderError) {
        try compare(number, engine)
        guard let entry = openFiles.entry(number), let file = entry.writing, entry.noted == nil else { return }
        let status = try onDisk { () throws(Errno) in try file.status() }
        let fingerprint = FileFingerprint(status)
        // Nothing was written, so a modification date that was set locally still applies.
        let modified = (try? context.row(of: number))?.localModified ?? status.modifiedDate
        try onDisk { () throws(Errno) in try engine.noteEdited(number, size: fingerprint.size, modified: modified) }
        openFiles.update(number) { $0.noted = fingerprint }
    }

    /// Closes a write handle. After the last one, the file is either clean or journalled as edited.
    func closedWriting(_ number: ItemNumber, _ engine: isolated any ContentCacheHost) throws(ProviderError) {
        guard let entry = openFiles.entry(number) else { return }
        guard entry.writers == 1 else {
            openFiles.withLock { state in _ = state.close(number, isForWriting: true) }
            return try compare(number, engine)
        }
        do throws(ProviderError) {
            try compare(number, engine)
        } catch {
            // The handle stays counted, so that the file is not treated as clean, and the close is retried.
            context.clock.run(after: 5) { [weak engine] in
                engine?.perform { engine in try? engine.cache.closedWriting(number, engine) }
            }
            throw error
        }
        let now = openFiles.entry(number)
        openFiles.update(number) { entry in
            entry.writing = nil
            entry.beforeWriting = nil
            entry.noted = nil
        }
        let last = openFiles.withLock { $0.close(number, isForWriting: true) }
        if let now, now.writing != nil, now.noted == nil, !now.isDiscarded { moveBack(number, engine) }
        if let last {
            lastClosed(number, last, engine)
        } else if now?.isDiscarded == true {
            // Handles for reading may outlive this process.
            try? folders.moveAside(number)
        } else if now?.isOutdated == true {
            dropOutdatedContents(number, engine)
        }
        // After this engine has closed, the marks may belong to its successor.
        if !context.isClosed { writerMarks.unmark(number) }
        engine.noteClosed(number)
    }

    /// Returns an unmodified file to the clean contents after its last write handle is closed.
    func moveBack(_ number: ItemNumber, _ engine: isolated any ContentCacheHost) {
        guard let row = try? context.row(of: number), row.content == .current else { return }
        do {
            try folders.move(number, from: folders.edits, to: folders.clean)
            EngineStep.unchangedMoved.reach()
            try noteNotWritten(number, engine)
            EngineStep.unchangedJournalled.reach()
        } catch {
            // The file stays in `edits`, journalled as open for writing, and is examined at the next start.
            context.recordBackgroundError(error)
        }
    }

    // MARK: Journal

    /// Records in the journal that a file is open for writing.
    ///
    /// - Parameter fingerprint: the file's current fingerprint; `nil` if the file counts as modified already.
    private func noteOpenForWriting(_ row: IndexedItem, _ fingerprint: FileFingerprint?) throws(ProviderError) {
        // Edits of a removed file are discarded with it.
        guard !row.changes.contains(.deleted) else { return }
        try onRecord { () throws(IndexError) in
            var known = try context.journal.entry(row.number)
            if known == nil { known = JournalEntry(row, parentIdentifier: try context.identifier(of: row.parent)) }
            guard var entry = known else { return }
            // The contents are to be uploaded whether or not this handle writes.
            guard !entry.changes.contains(.contents) else { return }
            entry.isOpen = true
            entry.statusAtOpen = fingerprint
            entry.baseVersion = row.localVersion
            try context.journal.put(entry)
        }
    }

    /// Removes the record that a file is open for writing.
    private func noteNotWritten(_ number: ItemNumber, _ engine: isolated any ContentCacheHost) throws(IndexError) {
        guard var entry = try context.journal.entry(number) else { return }
        entry.isOpen = false
        try engine.writeInAnyCase([entry.changes.isEmpty ? .remove(number) : .put(entry)], freesSpace: true)
    }
}

import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Handles files that are open for writing. With passthrough, the kernel writes to the local file without a request to
/// the engine. The engine therefore detects writes by comparing the file's size and times.
///
/// It calls ``ContentCache``, ``Evictor`` and ``JournalWriter``, and sends events to other components
/// (``EngineEvents``). Used only on the engine's thread (see ``EngineContext``).
final class WrittenFiles: EngineComponent {
    let context: EngineContext
    let marks: WriterMarks
    private let cache: ContentCache
    private let evictor: Evictor
    private let writer: JournalWriter

    init(
        _ context: EngineContext, _ marks: WriterMarks, _ cache: ContentCache, _ evictor: Evictor,
        _ writer: JournalWriter
    ) {
        self.context = context
        self.marks = marks
        self.cache = cache
        self.evictor = evictor
        self.writer = writer
    }

    /// Returns the local file, open for writing. Before that, moves it to `edits` and records the opening in the
    /// journal. Returns `nil` if the file's bytes have to be fetched first.
    ///
    /// - Parameter truncating: Whether the file is truncated, so that nothing has to be fetched.
    func fileForWriting(
        _ row: IndexedItem, truncating: Bool, _ engine: isolated any EngineEvents
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
    /// - Parameter creating: Whether to create an empty file if the contents are not local.
    private func beginWriting(
        _ row: IndexedItem, creating: Bool, _ engine: isolated any EngineEvents
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
            try cache.forgetContents(number)
        case .current:
            try cache.forgetContents(number)
        case .dataless, .partial: break
        }
        guard creating else { return nil }
        engine.contentsAreUnneeded(number)
        // The edit is based on the provider's current version, whose contents it replaces as a whole.
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

    /// Moves an item's clean contents to `edits`, and opens them for writing. Returns `nil` if the clean file does not
    /// exist.
    ///
    /// The file is moved before the journal records the opening. A crash between these two steps leaves an unmodified
    /// file in `edits`, which recovery identifies by its date and size.
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

    /// Stores the descriptors that all handles of the given item read from and write to.
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

    /// Journals an edit of an open file if the file was written to since the last call.
    func compare(_ number: ItemNumber, _ engine: isolated any EngineEvents) throws(ProviderError) {
        guard let entry = openFiles.entry(number), let file = entry.writing, !entry.isDiscarded else { return }
        let status = try onDisk { () throws(Errno) in try file.status() }
        let fingerprint = FileFingerprint(status)
        guard fingerprint != entry.noted ?? entry.beforeWriting else { return }
        try onDisk { () throws(Errno) in
            try engine.noteEdited(number, size: fingerprint.size, modified: status.modifiedDate)
        }
        openFiles.update(number) { $0.noted = fingerprint }
    }

    /// Journals a file that is open for writing as edited, even if nothing was written to it. Called to upload
    /// unmodified contents again. Also called before the provider's removal of the item is applied, because writes
    /// after the removal would otherwise belong to no item.
    func takeAsEdited(_ number: ItemNumber, _ engine: isolated any EngineEvents) throws(ProviderError) {
        try compare(number, engine)
        guard let entry = openFiles.entry(number), let file = entry.writing, entry.noted == nil else { return }
        let status = try onDisk { () throws(Errno) in try file.status() }
        let fingerprint = FileFingerprint(status)
        // Nothing was written, so a modification date that was set locally still applies.
        let modified = (try? context.row(of: number))?.localModified ?? status.modifiedDate
        try onDisk { () throws(Errno) in try engine.noteEdited(number, size: fingerprint.size, modified: modified) }
        openFiles.update(number) { $0.noted = fingerprint }
    }

    /// Moves an unmodified file back to the clean contents after its last write handle is closed.
    func moveBack(_ number: ItemNumber) {
        guard let row = try? context.row(of: number), row.content == .current else { return }
        do {
            try folders.move(number, from: folders.edits, to: folders.clean)
            EngineStep.unchangedMoved.reach()
            try noteNotWritten(number)
            EngineStep.unchangedJournalled.reach()
        } catch {
            // The file stays in `edits`, journalled as open for writing, and is examined at the next start.
            context.recordBackgroundError(error)
        }
    }

    /// Moves an edited file to the clean contents, after the provider has confirmed the edit. Must not be called for a
    /// file that is open for writing.
    ///
    /// - Parameter write: A function that records the new state, given the size of the local contents in bytes; see
    ///   ``IndexedItem/settle(size:version:)``. If it throws, the file is moved back.
    func reconcileContents<Result>(
        _ number: ItemNumber, _ engine: isolated any EngineEvents, _ write: (_ size: Int64) throws -> Result
    ) throws -> Result {
        let size = try onDisk { () throws(Errno) -> Int64 in
            let status = try folders.edits.status(of: ContentFolders.name(number))
            try folders.move(number, from: folders.edits, to: folders.clean)
            return Int64(status.size)
        }
        EngineStep.settledMoved.reach()
        let result: Result
        do {
            result = try write(size)
        } catch {
            try? folders.move(number, from: folders.clean, to: folders.edits)
            throw error
        }
        cache.noteCleanBytes(size)
        cache.older.remove(number)
        if cache.isOverLimit { evictor.evictToLimit(engine) }
        return result
    }

    /// Returns the status of the given item's file in the `edits` directory, or `nil` if no such file exists.
    func statusOfEdit(_ number: ItemNumber) throws -> FileStatus? {
        try folders.open(number, in: folders.edits, .readOnly)?.status()
    }

    // MARK: Journal

    /// Records in the journal that a file is open for writing.
    ///
    /// - Parameter fingerprint: The file's current fingerprint; `nil` if the file counts as modified already.
    private func noteOpenForWriting(_ row: IndexedItem, _ fingerprint: FileFingerprint?) throws(ProviderError) {
        // Edits of a removed file are discarded with it.
        guard !row.changes.contains(.deleted) else { return }
        try onRecord { () throws(IndexError) in
            var known = try journal.entry(row.number)
            if known == nil { known = JournalEntry(row, parentIdentifier: try context.identifier(of: row.parent)) }
            guard var entry = known else { return }
            // The contents are to be uploaded whether or not this handle writes.
            guard !entry.changes.contains(.contents) else { return }
            entry.isOpen = true
            entry.statusAtOpen = fingerprint
            entry.baseVersion = row.localVersion
            try journal.put(entry)
        }
    }

    /// Removes the record in the journal that a file is open for writing.
    private func noteNotWritten(_ number: ItemNumber) throws(IndexError) {
        guard var entry = try journal.entry(number) else { return }
        entry.isOpen = false
        try writer.writeInAnyCase([entry.changes.isEmpty ? .remove(number) : .put(entry)], freesSpace: true)
    }
}

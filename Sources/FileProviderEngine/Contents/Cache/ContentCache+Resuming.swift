import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Files whose handles outlived the previous engine; see ``HandleResumption``.
extension ContentCache {
    /// Reopens the file of a handle that outlived the previous engine.
    func resume(_ opening: HandleToResume, _ engine: isolated any ContentCacheHost) throws -> OpenHandle {
        let number = opening.number
        guard let row = try context.index.item(number) else { return try resumeGone(opening, engine) }
        let purpose: OpenPurpose = opening.isForWriting ? .writing(truncating: false) : .reading
        guard openFiles.entry(number) == nil, let shared = try entryToResume(row) else {
            return try opened(number, for: purpose, engine)
        }
        openFiles.withLock { state in
            state.entries[number] = shared
            state.open(number, isForWriting: false, context.clock.now)
        }
        // The additional handle only keeps the entry alive while the file is opened, whether that succeeds or not.
        defer { openFiles.withLock { _ = $0.close(number, isForWriting: false) } }
        return try opened(number, for: purpose, engine)
    }

    /// Resumes a handle of a file that was removed or replaced while it was read, if its contents are complete.
    private func resumeGone(
        _ opening: HandleToResume, _ engine: isolated any ContentCacheHost
    ) throws -> OpenHandle {
        let number = opening.number
        guard !opening.isForWriting, let inode = opening.file else { throw ProviderError.noSuchItem }
        if openFiles.entry(number) == nil {
            guard let file = try openContents(of: number, inode) else { throw ProviderError.otherVersion }
            let isGone = try context.index.itemEvenIfDeleted(number) == nil
            // A rebuilt index may not know that the number was in use.
            if isGone { context.index.skipNumbers(through: number) }
            openFiles.withLock { $0.entries[number] = OpenFileTable.Entry(reading: file, isDiscarded: isGone) }
        }
        openFiles.withLock { $0.open(number, isForWriting: false, context.clock.now) }
        return engine.openItem(number, isForWriting: false, descriptor: openFiles.entry(number)?.reading)
    }

    private func openContents(of number: ItemNumber, _ inode: UInt64) throws(Errno) -> FileDescriptor? {
        for folder in [folders.removed, folders.clean, folders.edits] {
            if let file = try folders.open(number, in: folder, .readOnly), try file.status().identity.inode == inode {
                return file
            }
        }
        return nil
    }

    /// Returns the entry that the resumed handles of an item share, or `nil` if a new opening gets the same contents.
    private func entryToResume(_ row: IndexedItem) throws -> OpenFileTable.Entry? {
        guard row.content == .current else { return nil }
        // The provider had reported another version already. The outdated contents stay until the last handle is
        // closed.
        let isOutdated = row.localVersion != row.item.contentVersion
        if let entry = try context.journal.entry(row.number), entry.isOpen, let fingerprint = entry.statusAtOpen,
            let file = try folders.open(row.number, in: folders.edits, .readWrite)
        {
            return OpenFileTable.Entry(
                reading: try file.reopen(.readOnly), writing: file, beforeWriting: fingerprint, isOutdated: isOutdated)
        }
        guard isOutdated else { return nil }
        // The last engine may have ended while it replaced the file.
        for folder in [folders.clean, folders.removed] {
            if let file = try folders.open(row.number, in: folder, .readOnly) {
                return OpenFileTable.Entry(reading: file, isOutdated: true)
            }
        }
        return nil
    }

    /// Returns the status of an item's file in the `edits` directory, or `nil` if no such file exists.
    func statusOfEdit(_ number: ItemNumber) throws -> FileStatus? {
        try folders.open(number, in: folders.edits, .readOnly)?.status()
    }
}

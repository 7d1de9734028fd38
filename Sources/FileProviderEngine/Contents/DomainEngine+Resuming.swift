import FileProvider
import LinuxSystem

/// A handle that a program holds in a mount that outlived the previous engine.
package struct OpeningToResume: Sendable {
    /// The kernel's number of the handle.
    package let handle: UInt64
    package let number: ItemNumber
    package let isForWriting: Bool
    /// The inode of the local file that held the bytes; `nil` if the bytes were not local.
    package let file: UInt64?

    package init(handle: UInt64, number: ItemNumber, isForWriting: Bool, file: UInt64?) {
        self.handle = handle
        self.number = number
        self.isForWriting = isForWriting
        self.file = file
    }
}

/// Handles that outlive an engine.
extension DomainEngine {
    /// Returns the handles that could be resumed, by the kernel's numbers. A second call returns none. Handles that
    /// are missing have read bytes that are not local any more, or would write to items that do not exist. The caller
    /// closes them.
    package nonisolated func takeResumed() -> [UInt64: OpenItem] {
        resumed.withLock { resumed in
            defer { resumed = [:] }
            return resumed
        }
    }

    /// Reopens the files that programs have open. Called after the journal, the index and the files are consistent,
    /// and before anything is evicted.
    func resumeOpenings() {
        var opened: [UInt64: OpenItem] = [:]
        // The page cache is shared: a handle of the same file may have read bytes from it that another handle
        // requested.
        let files = Dictionary(
            openingsToResume.compactMap { opening in opening.file.map { (opening.number, $0) } }
        ) { first, _ in first }
        for opening in openingsToResume {
            guard let item = try? resume(opening) else { continue }
            // A handle that has read bytes of one version must not get bytes of another.
            let inode = (try? item.descriptor?.status())?.identity.inode ?? resumeParts(item)
            let isWhole = item.isComplete || item.isForWriting
            if let file = opening.file ?? (isWhole ? nil : files[opening.number]), inode != file {
                item.close()
            } else {
                opened[opening.handle] = item
            }
        }
        let all = opened
        resumed.withLock { $0 = all }
        for lost in openingsToResume
        where lost.isForWriting && opened[lost.handle] == nil && openFiles.entry(lost.number) == nil {
            partFromLostWriters(lost.number)
        }
    }

    /// Separates an edit from programs that still write to its file through handles that could not be resumed. The
    /// engine is not notified of those writes.
    private func partFromLostWriters(_ number: ItemNumber) {
        if (try? statusOfEdit(number)) != nil {
            let status = try? partedFromWriters(number)
            settleLost(number, status)
        } else if (try? row(number))?.content == .current {
            try? forgetContents(number)
        }
    }

    /// Returns an unmodified file to the clean contents, or journals the edit.
    ///
    /// - Parameter status: the file's status when it was separated from the programs that had it open.
    private func settleLost(_ number: ItemNumber, _ status: FileStatus?) {
        guard let status, let entry = try? journal.entry(number), entry.isOpen else { return }
        if ContentStamp(status) == entry.statusAtOpen {
            cache.moveBack(number, self)
        } else {
            try? noteEdited(number, size: Int64(status.size), modified: status.modifiedDate)
        }
    }

    /// Resumes a handle of a partially materialized file.
    ///
    /// - Returns: the inode of the file that has the parts.
    private func resumeParts(_ item: OpenItem) -> UInt64? {
        guard !item.isForWriting, let row = try? row(item.number), row.content == .partial,
            row.localVersion == row.item.contentVersion, let partial = try? downloader.partialFile(row, self),
            let inode = (try? partial.file.reading.status())?.identity.inode
        else { return nil }
        cache.partials.noteReading(item.number, by: item.resumeReading())
        return inode
    }

    private func resume(_ opening: OpeningToResume) throws -> OpenItem {
        let number = opening.number
        guard let row = try index.item(number) else { return try resumeGone(opening) }
        let purpose: OpenPurpose = opening.isForWriting ? .writing(truncating: false) : .reading
        guard openFiles.entry(number) == nil, let shared = try entryToResume(row) else {
            return try opened(number, for: purpose)
        }
        openFiles.withLock { state in
            state.entries[number] = shared
            state.open(number, isForWriting: false, clock.now)
        }
        // The additional handle only keeps the entry alive while the file is opened, whether that succeeds or not.
        defer { openFiles.withLock { _ = $0.close(number, isForWriting: false) } }
        return try opened(number, for: purpose)
    }

    /// Resumes a handle of a file that was removed or replaced while it was read, if its contents are complete.
    private func resumeGone(_ opening: OpeningToResume) throws -> OpenItem {
        let number = opening.number
        guard !opening.isForWriting, let inode = opening.file else { throw ProviderFailure.noSuchItem }
        if openFiles.entry(number) == nil {
            guard let file = try openContents(of: number, inode) else { throw ProviderFailure.otherVersion }
            let isGone = try index.itemEvenIfDeleted(number) == nil
            // A rebuilt index may not know that the number was in use.
            if isGone { index.skipNumbers(through: number) }
            openFiles.withLock { $0.entries[number] = OpenFiles.Entry(reading: file, isDiscarded: isGone) }
        }
        openFiles.withLock { $0.open(number, isForWriting: false, clock.now) }
        return OpenItem(self, number, isForWriting: false, descriptor: openFiles.entry(number)?.reading)
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
    private func entryToResume(_ row: IndexedItem) throws -> OpenFiles.Entry? {
        guard row.content == .current else { return nil }
        // The provider had reported another version already. The outdated contents stay until the last handle is
        // closed.
        let isOutdated = row.localVersion != row.item.contentVersion
        if let entry = try journal.entry(row.number), entry.isOpen, let stamp = entry.statusAtOpen,
            let file = try folders.open(row.number, in: folders.edits, .readWrite)
        {
            return OpenFiles.Entry(
                reading: try file.reopen(.readOnly), writing: file, beforeWriting: stamp, isOutdated: isOutdated)
        }
        guard isOutdated else { return nil }
        // The last engine may have ended while it replaced the file.
        for folder in [folders.clean, folders.removed] {
            if let file = try folders.open(row.number, in: folder, .readOnly) {
                return OpenFiles.Entry(reading: file, isOutdated: true)
            }
        }
        return nil
    }

    /// Whether a write handle of an item was handed to this engine by the previous one.
    func isResumed(_ number: ItemNumber) -> Bool { resumedWriters.contains(number) }

    /// Returns the status of an item's file in the `edits` directory, or `nil` if no such file exists.
    func statusOfEdit(_ number: ItemNumber) throws -> FileStatus? {
        try folders.open(number, in: folders.edits, .readOnly)?.status()
    }
}

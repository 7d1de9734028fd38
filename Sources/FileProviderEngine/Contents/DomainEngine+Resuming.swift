import FileProvider
import LinuxSystem

/// Something that a program has open since before this engine: the mount outlived the one before it.
package struct OpeningToResume: Sendable {
    /// What the kernel calls it.
    package let handle: UInt64
    package let number: ItemNumber
    package let isForWriting: Bool
    /// The inode of the file that had its bytes; `nil` where they were not here.
    package let file: UInt64?

    package init(handle: UInt64, number: ItemNumber, isForWriting: Bool, file: UInt64?) {
        self.handle = handle
        self.number = number
        self.isForWriting = isForWriting
        self.file = file
    }
}

/// Openings that outlive an engine.
extension DomainEngine {
    /// Returns the openings that could be resumed, by what the kernel calls them; once. The others have read bytes that are not here any
    /// more, or would write to items that are gone. The caller closes them.
    package nonisolated func takeResumed() -> [UInt64: OpenItem] {
        resumed.withLock { resumed in
            defer { resumed = [:] }
            return resumed
        }
    }

    /// Opens again what programs have open, when the journal, the index and the files agree and before anything is evicted.
    func resumeOpenings() {
        var opened: [UInt64: OpenItem] = [:]
        // The kernel's pages are shared: whoever has the same file open may have read from them.
        let files = Dictionary(
            openingsToResume.compactMap { opening in opening.file.map { (opening.number, $0) } }
        ) { first, _ in first }
        for opening in openingsToResume {
            guard let item = try? resume(opening) else { continue }
            // Nobody may be given the bytes of another version under an opening that has read some of this one.
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

    /// Programs that go on writing to a file of ours, of which nothing is told any more.
    private func partFromLostWriters(_ number: ItemNumber) {
        if (try? statusOfEdit(number)) != nil {
            let status = try? partedFromWriters(number)
            settleLost(number, status)
        } else if (try? row(number))?.content == .current {
            try? forgetContents(number)
        }
    }

    /// - Parameter status: what the file was when those who had it open were parted from it.
    private func settleLost(_ number: ItemNumber, _ status: FileStatus?) {
        guard let status, let entry = try? journal.entry(number), entry.isOpen else { return }
        if ContentStamp(status) == entry.statusAtOpen {
            moveBack(number)
        } else {
            try? noteEdited(number, size: Int64(status.size), modified: status.modifiedDate)
        }
    }

    /// Goes on with what is here of a file that was read in parts.
    ///
    /// - Returns: the inode of the file that has the parts.
    private func resumeParts(_ item: OpenItem) -> UInt64? {
        guard !item.isForWriting, let row = try? row(item.number), row.content == .partial,
            row.localVersion == row.item.contentVersion, let transfer = try? partFile(row),
            let inode = (try? transfer.file.reading.status())?.identity.inode
        else { return nil }
        contents.parts.files[item.number]?.begun.insert(item.resumeReading())
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
        // It has done its part when the others are open, and whether or not this one could be.
        defer { openFiles.withLock { _ = $0.close(number, isForWriting: false) } }
        return try opened(number, for: purpose)
    }

    /// Resumes an opening of a file that was removed or replaced while it was read, if its contents are complete.
    private func resumeGone(_ opening: OpeningToResume) throws -> OpenItem {
        let number = opening.number
        guard !opening.isForWriting, let inode = opening.file else { throw ProviderFailure.noSuchItem }
        if openFiles.entry(number) == nil {
            guard let file = try openContents(of: number, inode) else { throw ProviderFailure.otherVersion }
            let isGone = try index.itemEvenIfDeleted(number) == nil
            // In an index that was built anew it may not have been given.
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

    /// Removes the contents of removed and replaced files that no handle reads.
    func sweepRemoved() {
        do throws(Errno) {
            for number in try folders.numbers(in: folders.removed) where openFiles.entry(number) == nil {
                try folders.remove(number, in: folders.removed)
            }
        } catch {
            remember(error)
        }
    }

    /// What programs go on with that have an item open; `nil` where that is what anybody gets who opens it now.
    private func entryToResume(_ row: IndexedItem) throws -> OpenFiles.Entry? {
        guard row.content == .current else { return nil }
        // The provider had other contents already, which wait for the last closing.
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

    /// Whether programs that have an item open for writing go on with it.
    func isResumed(_ number: ItemNumber) -> Bool { resumedWriters.contains(number) }

    /// What an item's file among the edits is; `nil` where there is none.
    func statusOfEdit(_ number: ItemNumber) throws -> FileStatus? {
        try folders.open(number, in: folders.edits, .readOnly)?.status()
    }
}

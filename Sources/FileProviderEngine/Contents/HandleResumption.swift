import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// A handle that a program has open in a mount that outlived the previous engine.
package struct HandleToResume: Sendable {
    /// The kernel's identifier of the handle.
    package let handle: UInt64
    package let number: ItemNumber
    package let isForWriting: Bool
    /// The inode number of the local file from which the handle read; `nil` if the bytes were not local.
    package let file: UInt64?

    package init(handle: UInt64, number: ItemNumber, isForWriting: Bool, file: UInt64?) {
        self.handle = handle
        self.number = number
        self.isForWriting = isForWriting
        self.file = file
    }
}

/// The handles that the engine reopened for programs, stored until the mount retrieves them. Used on any thread.
final class ResumedHandles: Sendable {
    // Leaf lock.
    private let items = Lock<[UInt64: OpenHandle]>([:])

    func put(_ resumed: [UInt64: OpenHandle]) { items.withLock { $0 = resumed } }

    /// Returns the reopened handles, by the kernel's handle numbers. A second call returns none.
    func take() -> [UInt64: OpenHandle] {
        items.withLock { items in
            defer { items = [:] }
            return items
        }
    }
}

/// Reopens the handles that programs have open in a mount that outlived the previous engine.
///
/// It calls ``ContentCache``, ``FileOpener``, ``WrittenFiles``, ``PartDownloader``, ``LocalEdits`` and
/// ``EditRecovery``. Used only on the engine's thread (see ``EngineContext``).
final class HandleResumption: EngineComponent {
    let context: EngineContext
    private let cache: ContentCache
    private let partials: PartialFiles
    private let opener: FileOpener
    private let writing: WrittenFiles
    private let parts: PartDownloader
    private let edits: LocalEdits
    private let recovery: EditRecovery
    /// The handles that programs have open in the mount.
    private let openings: [HandleToResume]
    /// The handles that were reopened for these programs.
    var handles: ResumedHandles { context.resources.resumedHandles }

    init(
        _ context: EngineContext, _ cache: ContentCache, _ partials: PartialFiles, _ opener: FileOpener,
        _ writing: WrittenFiles, _ parts: PartDownloader, _ edits: LocalEdits, _ recovery: EditRecovery,
        _ openings: [HandleToResume]
    ) {
        self.context = context
        self.cache = cache
        self.partials = partials
        self.opener = opener
        self.writing = writing
        self.parts = parts
        self.edits = edits
        self.recovery = recovery
        self.openings = openings
    }

    /// Reopens the files that programs have open. Called after the journal, the index and the files are consistent,
    /// and before anything is evicted.
    func resume(_ engine: isolated any EngineEvents) {
        var opened: [UInt64: OpenHandle] = [:]
        // All handles of a file share the page cache, so a handle may have read bytes that another handle requested.
        let files = Dictionary(
            openings.compactMap { opening in opening.file.map { (opening.number, $0) } }
        ) { first, _ in first }
        for opening in openings {
            guard let item = try? resume(opening, engine) else { continue }
            // A handle that has read bytes of one version must not get bytes of another.
            let inode = (try? item.descriptor?.status())?.identity.inode ?? resumeParts(item, engine)
            let isWhole = item.isComplete || item.isForWriting
            if let file = opening.file ?? (isWhole ? nil : files[opening.number]), inode != file {
                item.close()
            } else {
                opened[opening.handle] = item
            }
        }
        handles.put(opened)
        for lost in openings
        where lost.isForWriting && opened[lost.handle] == nil && openFiles.entry(lost.number) == nil {
            partFromLostWriters(lost.number, engine)
        }
    }

    /// Separates an edited file from programs that still write to it through handles that could not be resumed. The
    /// engine is not notified of such writes. If the file is among the clean contents, makes it dataless instead.
    private func partFromLostWriters(_ number: ItemNumber, _ engine: isolated any EngineEvents) {
        if (try? writing.statusOfEdit(number)) != nil {
            let status = try? recovery.partedFromWriters(number)
            reconcileLost(number, status, engine)
        } else if (try? context.row(of: number))?.content == .current {
            try? cache.forgetContents(number)
        }
    }

    /// Moves the file that was separated from its writers back to the clean contents if it is unmodified. Otherwise
    /// journals the edit.
    ///
    /// - Parameter status: The file's status at the time of the separation.
    private func reconcileLost(
        _ number: ItemNumber, _ status: FileStatus?, _ engine: isolated any EngineEvents
    ) {
        guard let status, let entry = try? context.journal.entry(number), entry.isOpen else { return }
        if FileFingerprint(status) == entry.statusAtOpen {
            writing.moveBack(number)
        } else {
            try? edits.noteEdited(number, size: Int64(status.size), modified: status.modifiedDate, engine)
        }
    }

    /// Resumes a handle of a partially materialized file.
    ///
    /// - Returns: The inode number of the file that contains the parts; `nil` if no parts of the provider's version are
    ///   local.
    private func resumeParts(_ item: OpenHandle, _ engine: isolated any EngineEvents) -> UInt64? {
        guard !item.isForWriting, let row = try? context.row(of: item.number), row.content == .partial,
            row.localVersion == row.item.contentVersion, let partial = try? parts.partialFile(row, engine),
            let inode = (try? partial.file.reading.status())?.identity.inode
        else { return nil }
        partials.noteReading(item.number, by: item.resumeReading())
        return inode
    }

    // MARK: One handle

    /// Reopens the file of a handle that a program has open.
    private func resume(_ opening: HandleToResume, _ engine: isolated any EngineEvents) throws -> OpenHandle {
        let number = opening.number
        guard let row = try context.index.item(number) else { return try resumeGone(opening, engine) }
        let purpose: OpenPurpose = opening.isForWriting ? .writing(truncating: false) : .reading
        guard openFiles.entry(number) == nil, let shared = try entryToResume(row) else {
            return try opener.opened(number, for: purpose, engine)
        }
        openFiles.withLock { state in
            state.entries[number] = shared
            state.open(number, isForWriting: false, context.clock.now)
        }
        // The additional handle keeps the entry in the table until the opening below has succeeded or failed.
        defer { openFiles.withLock { _ = $0.close(number, isForWriting: false) } }
        return try opener.opened(number, for: purpose, engine)
    }

    /// Resumes a read handle of a file whose item was removed or replaced, if the file's contents are still local.
    private func resumeGone(
        _ opening: HandleToResume, _ engine: isolated any EngineEvents
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

    /// Returns the table entry that the resumed handles of an item share. Returns `nil` if a new opening provides the
    /// same contents.
    private func entryToResume(_ row: IndexedItem) throws -> OpenFileTable.Entry? {
        guard row.content == .current else { return nil }
        // If the provider had already reported another version, the outdated contents stay until the last handle is
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
}

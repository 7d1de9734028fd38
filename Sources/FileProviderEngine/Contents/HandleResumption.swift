import ItemStore
import ItemValues
import LinuxSystem

/// A handle that a program holds in a mount that outlived the previous engine.
package struct HandleToResume: Sendable {
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

/// The handles that were reopened for programs and wait for their mount. Any thread may take them.
final class ResumedHandles: Sendable {
    // Leaf lock.
    private let items = Lock<[UInt64: OpenHandle]>([:])

    func put(_ resumed: [UInt64: OpenHandle]) { items.withLock { $0 = resumed } }

    /// Returns the handles by the kernel's numbers. A second call returns none.
    func take() -> [UInt64: OpenHandle] {
        items.withLock { items in
            defer { items = [:] }
            return items
        }
    }
}

/// Handles that outlive an engine.
///
/// It calls the content cache, the downloader and the recovery of edits (``HandleResumptionHost``). See
/// ``EngineContext`` for the thread.
final class HandleResumption {
    private let context: EngineContext
    private let cache: ContentCache
    /// The files that processes have open in a mount that outlived the last engine.
    private let openings: [HandleToResume]
    /// The handles that were reopened for these processes.
    var handles: ResumedHandles { context.resources.resumedHandles }

    init(_ context: EngineContext, _ cache: ContentCache, _ openings: [HandleToResume]) {
        self.context = context
        self.cache = cache
        self.openings = openings
    }

    /// Reopens the files that programs have open. Called after the journal, the index and the files are consistent,
    /// and before anything is evicted.
    func resume(_ engine: isolated any HandleResumptionHost) {
        var opened: [UInt64: OpenHandle] = [:]
        // The page cache is shared: a handle of the same file may have read bytes from it that another handle
        // requested.
        let files = Dictionary(
            openings.compactMap { opening in opening.file.map { (opening.number, $0) } }
        ) { first, _ in first }
        for opening in openings {
            guard let item = try? engine.resumed(opening) else { continue }
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
        where lost.isForWriting && opened[lost.handle] == nil && cache.openFiles.entry(lost.number) == nil {
            partFromLostWriters(lost.number, engine)
        }
    }

    /// Separates an edit from programs that still write to its file through handles that could not be resumed. The
    /// engine is not notified of those writes.
    private func partFromLostWriters(_ number: ItemNumber, _ engine: isolated any HandleResumptionHost) {
        if (try? cache.statusOfEdit(number)) != nil {
            let status = try? engine.partedFromWriters(number)
            reconcileLost(number, status, engine)
        } else if (try? context.row(of: number))?.content == .current {
            try? cache.forgetContents(number)
        }
    }

    /// Returns an unmodified file to the clean contents, or journals the edit.
    ///
    /// - Parameter status: the file's status when it was separated from the programs that had it open.
    private func reconcileLost(
        _ number: ItemNumber, _ status: FileStatus?, _ engine: isolated any HandleResumptionHost
    ) {
        guard let status, let entry = try? context.journal.entry(number), entry.isOpen else { return }
        if FileFingerprint(status) == entry.statusAtOpen {
            engine.moveBack(number)
        } else {
            try? engine.noteEdited(number, size: Int64(status.size), modified: status.modifiedDate)
        }
    }

    /// Resumes a handle of a partially materialized file.
    ///
    /// - Returns: the inode of the file that has the parts.
    private func resumeParts(_ item: OpenHandle, _ engine: isolated any HandleResumptionHost) -> UInt64? {
        guard !item.isForWriting, let row = try? context.row(of: item.number), row.content == .partial,
            row.localVersion == row.item.contentVersion, let partial = try? engine.partialFile(row),
            let inode = (try? partial.file.reading.status())?.identity.inode
        else { return nil }
        cache.partials.noteReading(item.number, by: item.resumeReading())
        return inode
    }
}

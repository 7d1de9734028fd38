import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// The local contents of files: clean contents on disk, and the state of each file's contents in the index. See
/// ``ContentState`` for the states and their transitions.
///
/// State that other threads also use is in ``OpenFileTable`` and ``ContentFolders``. Used only on the engine's thread
/// (see ``EngineContext``).
final class ContentCache: EngineComponent {
    let context: EngineContext
    /// The table of partially materialized files.
    private let partials: PartialFiles
    /// The contents of versions that the provider has replaced.
    let older: OlderContents
    /// The maximum size of clean contents, in bytes. The initial value is ``DomainConfiguration/cacheLimit``.
    private(set) var cacheLimit: Int64
    /// The size of the clean contents, in bytes. The value is approximate: contents that another process has removed
    /// remain counted until the size is next computed from the index.
    private(set) var cleanBytes: Int64 = 0
    /// The files with a queued or running fetch. Their contents are not evicted.
    private var fetched: Set<ItemNumber> = []

    init(_ context: EngineContext, _ partials: PartialFiles) {
        self.context = context
        self.partials = partials
        cacheLimit = context.configuration.cacheLimit
        older = OlderContents(context.resources.folders)
    }

    // MARK: The size of clean contents

    /// Whether the clean contents and those of older versions together exceed the limit.
    var isOverLimit: Bool { cleanBytes + older.evictableBytes > cacheLimit }

    func setLimit(_ bytes: Int64) { cacheLimit = bytes }

    /// Adds the given number of bytes, which may be negative, to the recorded size of the clean contents.
    func noteCleanBytes(_ bytes: Int64) { cleanBytes = bytes < 0 ? max(0, cleanBytes + bytes) : cleanBytes + bytes }

    /// Replaces the recorded size of the clean contents with the size that was computed from the index.
    func correctCleanBytes(_ bytes: Int64) { cleanBytes = bytes }

    /// Records whether a fetch of the given file is queued or running. During that time, the file's contents are not
    /// evicted.
    func noteFetch(of number: ItemNumber, isUnderWay: Bool) {
        if isUnderWay { fetched.insert(number) } else { fetched.remove(number) }
    }

    /// Whether a fetch of the given file is queued or running.
    func isFetched(_ number: ItemNumber) -> Bool { fetched.contains(number) }

    /// Whether a whole-file fetch of the given file is queued or running, or the file is in the table of partial files.
    func isTransferred(_ number: ItemNumber) -> Bool { fetched.contains(number) || partials[number] != nil }

    // MARK: Contents of one file

    /// Returns the index row of an item whose bytes are to be read. For an item that was removed, returns the row only
    /// while a program has the file open.
    func openRow(_ number: ItemNumber) throws(ProviderError) -> IndexedItem {
        try context.row(of: number, evenIfDeleted: openFiles.entry(number) != nil)
    }

    /// Returns the file that all handles of the given item share, or `nil` if its bytes are not local.
    func fileForReading(_ row: IndexedItem) throws(ProviderError) -> FileDescriptor? {
        let number = row.number
        if let file = openFiles.entry(number)?.reading { return file }
        // A handle has read parts of an outdated version, so the handles must not read the local file of another
        // version.
        if partials.isStale(number) { return nil }
        let folder: FileDescriptor
        switch row.content {
        case .dataless, .partial: return nil
        case .current:
            // No handle uses this outdated version. It is moved to ``older`` if it may be useful there, and otherwise
            // removed.
            guard row.localVersion == row.item.contentVersion else {
                keepOlder(row)
                try forgetContents(number)
                return nil
            }
            folder = folders.clean
        case .edited: folder = folders.edits
        }
        if let file = try onDisk({ () throws(Errno) in try folders.open(number, in: folder, .readOnly) }) {
            openFiles.update(number) { $0.reading = file }
            return file
        }
        guard row.content == .current else {
            throw ProviderError(.cannotSynchronize, message: "The edited contents of “\(row.name)” are gone.")
        }
        // The clean file was removed from the cache directory by another process.
        try forgetContents(number)
        return nil
    }

    /// Whether the given file's bytes are not local. If the file is not open, tries to open its local file, because
    /// another process may have removed that file although the row says that it is local.
    func isMissing(_ row: IndexedItem) throws(ProviderError) -> Bool {
        if openFiles.entry(row.number) != nil { return row.content == .dataless || row.content == .partial }
        return try fileForReading(row) == nil
    }

    /// Moves the clean contents of an item to ``older``, because the provider has replaced their version. Called before
    /// ``forgetContents(_:)``, which would remove them.
    func keepOlder(_ row: IndexedItem) {
        older.keep(row, as: row.number, from: folders.clean, limit: cacheLimit)
    }

    /// Marks a file as dataless in the index, and removes its clean contents and its local parts from disk.
    func forgetContents(_ number: ItemNumber) throws(ProviderError) {
        try onDisk { () throws(Errno) in
            try folders.remove(number, in: folders.clean)
            try folders.remove(number, in: folders.parts)
        }
        try context.write(freesSpace: true) { writer throws(IndexError) in
            try writer.update(number) { $0.becomeDataless() }
        }
    }

    /// Moves completely fetched contents to the directory of clean contents, and records them in the index.
    ///
    /// - Parameters:
    ///   - asked: The item number under which the contents were fetched.
    ///   - number: The current item number.
    ///   - isUnfinished: Whether the contents belong to no version. Such contents are used only by the handles that are
    ///     open now, and by handles that are opened before the last of these is closed.
    /// - Returns: The size of the contents, in bytes.
    func keepIncoming(
        _ asked: ItemNumber, as number: ItemNumber, version: [UInt8], isUnfinished: Bool
    ) throws(ProviderError) -> Int64 {
        let size = try onDisk { () throws(Errno) -> Int64 in
            try folders.move(asked, from: folders.incoming, to: folders.clean, as: number)
            return Int64(try folders.clean.status(of: ContentFolders.name(number)).size)
        }
        EngineStep.fetchMoved.reach()
        try context.write { writer throws(IndexError) in
            try writer.update(number) { $0.settle(size: size, version: version) }
        }
        if isUnfinished {
            let file = try onDisk { () throws(Errno) in try folders.open(number, in: folders.clean, .readOnly) }
            openFiles.update(number) { entry in
                entry.reading = file
                entry.isOutdated = true
                entry.isUnfinished = true
            }
        }
        return size
    }

    /// Whether the given file is open, its bytes are not all local, and they can be fetched.
    func lacksContents(_ number: ItemNumber) -> Bool {
        // Handles that have read bytes of an earlier version get no further bytes of that version.
        guard let entry = openFiles.entry(number), entry.reading == nil, !partials.isStale(number),
            let row = try? openRow(number), row.item.kind == .file, row.isKnownToProvider
        else { return false }
        do throws(ProviderError) { return try fileForReading(row) == nil } catch { return false }
    }

    /// Stores the descriptor of a removed item's file in the file's table entry, for all its handles. Later reads
    /// cannot find the file through the index, because the item's row is deleted.
    func shareContents(_ number: ItemNumber) {
        guard let entry = openFiles.entry(number), entry.reading == nil || entry.writing == nil && entry.writers > 0,
            !partials.isStale(number)
        else { return }
        do throws(Errno) {
            for folder in [folders.edits, folders.clean] {
                guard let file = try folders.open(number, in: folder, entry.writers > 0 ? .readWrite : .readOnly)
                else { continue }
                var reading = entry.reading
                if reading == nil { reading = entry.writers > 0 ? try file.reopen(.readOnly) : file }
                let shared = reading
                openFiles.update(number) { entry in
                    entry.reading = shared
                    if entry.writers > 0 { entry.writing = file }
                }
                return
            }
        } catch {
            context.recordBackgroundError(error)
        }
    }

    /// Records that the user may have used a file. Called when a handle obtains the file's contents or writes new ones.
    /// An opening that provides no contents does not count, because the user has not seen them.
    func noteUse(of number: ItemNumber) {
        let now = context.clock.now
        openFiles.withLock { $0.personal.note(number, now) }
    }

    /// Removes the contents of a removed item from disk: at once if the file is closed, otherwise after its last handle
    /// is closed.
    func discardContents(_ number: ItemNumber, _ engine: isolated any EngineEvents) {
        shareContents(number)
        older.remove(number)
        let result = openFiles.whileClosed(number) {
            Result { () throws(Errno) in
                for folder in [folders.clean, folders.parts, folders.edits, folders.removed] {
                    try folders.remove(number, in: folder)
                }
            }
        }
        switch result {
        case nil:
            openFiles.update(number) { $0.isDiscarded = true }
            // Handles may outlive this process, and the next engine finds their contents in `removed`.
            if openFiles.entry(number)?.writers == 0 { try? folders.moveAside(number) }
        case .success: break
        case .failure(let error): context.recordBackgroundError(error)
        }
        engine.contentsAreUnneeded(number)
    }

    /// Drops the state of transfers, because the engine is closed.
    func close() {
        fetched = []
        partials.removeAll()
    }
}

import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Extends or replaces open files whose version is older than the provider's.
///
/// If the provider's new version of an open file does more than add bytes at the end, the item gets a new item number,
/// as if the new version had been renamed over the file. Later openings get the new version. Earlier handles continue
/// to read their version, under the earlier number, until the last of them is closed.
///
/// While one of the handles is for writing, or a local change of the item is not yet confirmed by the provider, the
/// item keeps its number and all its handles share one version.
///
/// It calls ``ContentCache``, ``Evictor`` and ``UploadScheduler``, and sends events to other components
/// (``EngineEvents``). Used only on the engine's thread (see ``EngineContext``).
final class OutdatedFiles: EngineComponent {
    let context: EngineContext
    let cache: ContentCache
    private let partials: PartialFiles
    private let evictor: Evictor
    private let scheduler: UploadScheduler
    /// The items with a running request for user metadata. They keep their item numbers while it runs.
    private var metadataRequests: Set<ItemNumber> = []

    init(
        _ context: EngineContext, _ cache: ContentCache, _ partials: PartialFiles, _ evictor: Evictor,
        _ scheduler: UploadScheduler
    ) {
        self.context = context
        self.cache = cache
        self.partials = partials
        self.evictor = evictor
        self.scheduler = scheduler
    }

    /// Removes the local contents of an item if their version differs from the provider's. If the file is open, tries
    /// to append the new version's end or to replace the file. If neither is possible, the contents are removed after
    /// the last handle is closed.
    func dropOutdatedContents(_ number: ItemNumber, _ engine: isolated any EngineEvents) {
        do throws(ProviderError) {
            let row = try cache.openRow(number)
            if let partial = partials[number], partial.file.version != row.item.contentVersion {
                engine.partialFileIsOutdated(number)
            }
            if row.localVersion == row.item.contentVersion, !partials.isStale(number) {
                openFiles.update(number) { $0.isOutdated = false }
            }
            // The file may have been replaced meanwhile.
            guard openFiles.entry(number)?.successor == nil, row.content == .current || row.content == .partial,
                row.localVersion != row.item.contentVersion,
                row.content == .current || partials[number] == nil
            else { return }
            if try evictor.drop(row, isOlder: true, engine) {
                context.resources.events.tell(.contentsReplaced(number))
            } else {
                markOutdated(number)
                if fetchGrowth(row, engine) == .impossible { try replace(number, engine) }
            }
        } catch {
            context.recordBackgroundError(error)
        }
    }

    /// Records that handles read a version of the given open file that differs from the provider's version.
    func markOutdated(_ number: ItemNumber) { openFiles.update(number) { $0.isOutdated = true } }

    // MARK: Replacement

    /// Replaces an open file whose version is older than the provider's: gives its item a new number.
    ///
    /// - Returns: The new number; `nil` if the item keeps its number.
    @discardableResult
    func replace(
        _ number: ItemNumber, _ engine: isolated any EngineEvents
    ) throws(ProviderError) -> ItemNumber? {
        guard !context.isClosed, let entry = openFiles.entry(number) else { return nil }
        let row = try onRecord { () throws(IndexError) in try context.index.item(number) }
        guard let row, try isReplaceable(row, entry, engine) else { return nil }
        // The provider's version may have been fetched as a whole while handles read parts of the earlier version.
        let hasNewContents = row.content == .current && row.localVersion == row.item.contentVersion
        // The contents are moved before the index is written, so that after a crash in between they are missing and are
        // fetched again.
        if !hasNewContents { try onDisk { () throws(Errno) in try folders.moveAside(number) } }
        let new: IndexedItem?
        do throws(ProviderError) {
            new = try evictor.makingRoom(engine) { () throws(ProviderError) in
                try context.write { writer throws(IndexError) in
                    try writer.renumber(number) { row in if !hasNewContents { row.becomeDataless() } }
                }
            }
        } catch {
            if !hasNewContents { try? folders.move(number, from: folders.removed, to: folders.clean) }
            throw error
        }
        guard let new else { return nil }
        if hasNewContents {
            // If the move fails, the contents are missing and fetched again.
            try? folders.move(number, from: folders.clean, to: folders.clean, as: new.number)
        } else {
            cache.noteCleanBytes(-row.localSize)
            if row.content == .current {
                cache.older.keep(row, as: new.number, from: folders.removed, isShared: true, limit: cache.cacheLimit)
            } else {
                cache.older.move(number, to: new.number)
            }
        }
        // The last handle may have been closed meanwhile.
        if !openFiles.replaced(number, by: new.number) { cache.discardContents(number, engine) }
        engine.fileWasReplaced(number, by: new.number)
        return new.number
    }

    /// Whether handles have read bytes of a version older than the provider's, and the file may be replaced.
    private func isReplaceable(
        _ row: IndexedItem, _ entry: OpenFileTable.Entry, _ engine: isolated any EngineEvents
    ) throws(ProviderError) -> Bool {
        let number = row.number
        let isRead: Bool
        if entry.reading == nil {
            isRead = partials[number].map { $0.isStale && !$0.begun.isEmpty } ?? false
        } else {
            isRead = row.content == .current && row.localVersion != row.item.contentVersion
        }
        // The local bytes are an unfinished state of the provider's current version, so the provider has no newer
        // version.
        let isUnfinished = entry.isUnfinished && row.localVersion == row.item.versionOfOlderContents
        guard isRead, !isUnfinished, entry.writers == 0, !entry.isDiscarded, row.changes.isEmpty,
            row.isKnownToProvider, !scheduler.table.isBusy(number), !metadataRequests.contains(number)
        else { return false }
        return try onRecord { () throws(IndexError) in try context.journal.entry(number) == nil }
    }

    /// Replaces an open file that is marked as outdated, or drops its contents, if that has become possible.
    func lookAtOutdated(_ number: ItemNumber, _ engine: isolated any EngineEvents) {
        guard !context.isClosed, openFiles.entry(number)?.isOutdated == true, (try? context.row(of: number)) != nil
        else { return }
        dropOutdatedContents(number, engine)
    }

    /// Records whether a request for the user metadata of an item is running.
    func noteMetadataRequest(of number: ItemNumber, isRunning: Bool) {
        if isRunning { metadataRequests.insert(number) } else { metadataRequests.remove(number) }
    }
}

import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Replacement of open files. If a new version of a file that programs read does not only add bytes at the end, the
/// item gets a new item number, as if the new version had been renamed over the file. Later openings get the new
/// version. Earlier handles keep the bytes of their version, under the earlier number, until the last one is closed.
///
/// The file keeps its number, and all its handles share one version, as long as one of the handles is for writing, or
/// a local change of the item is not yet confirmed by the provider.
extension ContentCache {
    /// Replaces an open file whose version is older than the provider's.
    ///
    /// - Returns: the new number; `nil` if the file keeps its number.
    @discardableResult
    func replace(
        _ number: ItemNumber, _ engine: isolated any ContentCacheHost
    ) throws(ProviderError) -> ItemNumber? {
        guard !context.isClosed, let entry = openFiles.entry(number) else { return nil }
        let row = try onRecord { () throws(IndexError) in try context.index.item(number) }
        guard let row, try isReplaceable(row, entry, engine) else { return nil }
        // The provider's version may have been fetched as a whole while handles read parts of the earlier version.
        let hasNewContents = row.content == .current && row.localVersion == row.item.contentVersion
        // The contents are moved before the index is written: after a crash in between, they are missing and fetched
        // again.
        if !hasNewContents { try onDisk { () throws(Errno) in try folders.moveAside(number) } }
        let new: IndexedItem?
        do throws(ProviderError) {
            new = try makingRoom(engine) { () throws(ProviderError) in
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
            noteCleanBytes(-row.localSize)
            if row.content == .current {
                older.keep(row, as: new.number, from: folders.removed, isShared: true, limit: cacheLimit)
            } else {
                older.move(number, to: new.number)
            }
        }
        // The last handle may have been closed meanwhile.
        if !openFiles.replaced(number, by: new.number) { discardContents(number, engine) }
        engine.fileWasReplaced(number, by: new.number)
        // These openings fail, and the kernel looks up the name again.
        endOpeningWaits(for: number, .success(()), engine)
        engine.contentsMayBeReady(number)
        return new.number
    }

    /// Whether handles have read bytes of a version that is not the provider's any more, and nothing prevents
    /// replacement.
    private func isReplaceable(
        _ row: IndexedItem, _ entry: OpenFileTable.Entry, _ engine: isolated any ContentCacheHost
    ) throws(ProviderError) -> Bool {
        let number = row.number
        let isRead: Bool
        if entry.reading == nil {
            isRead = partials[number].map { $0.isStale && !$0.begun.isEmpty } ?? false
        } else {
            isRead = row.content == .current && row.localVersion != row.item.contentVersion
        }
        // The local bytes are an unfinished state of the provider's current version, so the provider has no newer
        // one.
        let isUnfinished = entry.isUnfinished && row.localVersion == row.item.versionOfOlderContents
        guard isRead, !isUnfinished, entry.writers == 0, !entry.isDiscarded, row.changes.isEmpty,
            row.isKnownToProvider, !engine.isSending(number)
        else { return false }
        return try onRecord { () throws(IndexError) in try context.journal.entry(number) == nil }
    }

    /// Replaces or drops the outdated contents of an open file, if nothing prevents that any more.
    func lookAtOutdated(_ number: ItemNumber, _ engine: isolated any ContentCacheHost) {
        guard !context.isClosed, openFiles.entry(number)?.isOutdated == true, (try? context.row(of: number)) != nil
        else { return }
        dropOutdatedContents(number, engine)
    }
}

/// The decision whether an open file grows or is replaced. If a new version of a file that programs read only adds
/// bytes at the end, or has the same bytes, the added bytes are appended to the open file, as `tail -f` expects. Any
/// other version replaces the file; see ``ContentCache/replace(_:_:)``. Openings wait until it is known which case
/// applies. If the fetch fails, programs continue to share the local version.
extension ContentCache {
    /// The largest file that is fetched in order to append its end, and the most bytes that are appended at once.
    private static let largestFile: Int64 = 64 << 20
    private static let largestEnd: Int64 = 16 << 20
    /// The largest file that is fetched in order to compare a version of the same size.
    private static let largestSame: Int64 = 4 << 20
    /// The delay before a retry after a failed fetch, in seconds.
    private static let pauseOfGrowth = 30.0

    enum Growth {
        case impossible
        case underWay
        /// The last fetch failed less than ``pauseOfGrowth`` ago.
        case postponed
    }

    /// Fetches the provider's version of an open file, if the sizes permit that this version only adds bytes at the
    /// end.
    func fetchGrowth(_ row: IndexedItem, _ engine: isolated any ContentCacheHost) -> Growth {
        guard row.content == .current, let entry = openFiles.entry(row.number), entry.writers == 0,
            entry.reading != nil, !entry.isUnfinished, !entry.isDiscarded, let size = row.item.size,
            size >= row.localSize, size <= (size > row.localSize ? Self.largestFile : Self.largestSame),
            size - row.localSize <= Self.largestEnd, entry.otherVersion != row.item.contentVersion
        else { return .impossible }
        guard entry.nextGrowth <= context.clock.now else { return .postponed }
        openFiles.update(row.number) { $0.isGrowing = true }
        engine.contentsAreWanted(row.number)
        return .underWay
    }

    /// Schedules a retry of the fetch, unless the failure is permanent.
    func growthFailed(_ number: ItemNumber, _ failure: ProviderError, _ engine: isolated any ContentCacheHost) {
        openFiles.update(number) { $0.nextGrowth = context.clock.now + Self.pauseOfGrowth }
        guard failure.isWorthAnotherAttempt else { return }
        context.clock.run(after: Self.pauseOfGrowth) { [weak engine] in
            engine?.perform { $0.cache.lookAtOutdated(number, $0) }
        }
    }

    /// Appends the end of the incoming file of a new version to an open file.
    ///
    /// - Parameter row: The row of the item, whose clean file the incoming one begins with.
    func growOpenFile(_ row: IndexedItem, to item: ProviderItem) throws(ProviderError) {
        let number = row.number
        // The file has no version until all bytes are appended. If that fails, it is dropped when it is closed.
        try context.write { writer throws(IndexError) in try writer.update(number) { $0.localVersion = [] } }
        let size = try folders.addEndOfIncoming(to: number, modified: item.modified)
        try context.write { writer throws(IndexError) in
            try writer.update(number) { $0.settle(size: size, version: item.contentVersion) }
        }
        noteCleanBytes(size - row.localSize)
        openFiles.update(number) { entry in
            entry.isGrowing = false
            entry.isOutdated = false
        }
        context.resources.events.tell(.contentsReplaced(number))
    }

    /// Records that the provider's version of an open file is not fetched any more.
    ///
    /// - Parameter version: A version that is known not to begin with the local bytes; `nil` if no such version is
    ///   known.
    func endGrowth(_ number: ItemNumber, refusing version: [UInt8]? = nil) {
        openFiles.update(number) { entry in
            entry.isGrowing = false
            if let version { entry.otherVersion = version }
        }
    }

    /// Retries the growth or replacement of all open files of an older version than the provider's.
    func retryOutdated(_ engine: isolated any ContentCacheHost) {
        for number in openFiles.outdated {
            openFiles.update(number) { $0.nextGrowth = 0 }
            dropOutdatedContents(number, engine)
        }
    }

    /// Whether the provider's version of an open file is being fetched in order to append its end.
    func isGrowing(_ number: ItemNumber) -> Bool { openFiles.entry(number)?.isGrowing == true }
}

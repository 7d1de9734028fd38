import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// The decision whether an open file grows or is replaced. If the provider's new version only adds bytes at the end, or
/// has the same bytes, the added bytes are appended to the open file, as `tail -f` expects. Any other version replaces
/// the file; see ``replace(_:_:)``. Openings wait until it is known which case applies. If the fetch fails, programs
/// continue to share the local version.
extension OutdatedFiles {
    /// The size of the largest file that is fetched in order to append its end, and the maximum size of that end, in
    /// bytes.
    private static let largestFile: Int64 = 64 << 20
    private static let largestEnd: Int64 = 16 << 20
    /// The size in bytes of the largest file that is fetched in order to compare a version of the same size.
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
    func fetchGrowth(_ row: IndexedItem, _ engine: isolated any EngineEvents) -> Growth {
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
    func growthFailed(_ number: ItemNumber, _ failure: ProviderError, _ engine: isolated any EngineEvents) {
        openFiles.update(number) { $0.nextGrowth = context.clock.now + Self.pauseOfGrowth }
        guard failure.isWorthAnotherAttempt else { return }
        context.clock.run(after: Self.pauseOfGrowth) { [weak engine] in
            engine?.perform { $0.outdated.lookAtOutdated(number, $0) }
        }
    }

    /// Appends the end of the incoming file of a new version to an open file.
    ///
    /// - Parameter row: The row of the item. The caller has checked that the incoming file begins with the bytes of the
    ///   item's clean file.
    func growOpenFile(_ row: IndexedItem, to item: ProviderItem) throws(ProviderError) {
        let number = row.number
        // The file has no version until all bytes are appended. If this fails, the file is dropped when it is closed.
        try context.write { writer throws(IndexError) in try writer.update(number) { $0.localVersion = [] } }
        let size = try folders.addEndOfIncoming(to: number, modified: item.modified)
        try context.write { writer throws(IndexError) in
            try writer.update(number) { $0.settle(size: size, version: item.contentVersion) }
        }
        cache.noteCleanBytes(size - row.localSize)
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
    func retryOutdated(_ engine: isolated any EngineEvents) {
        for number in openFiles.outdated {
            openFiles.update(number) { $0.nextGrowth = 0 }
            dropOutdatedContents(number, engine)
        }
    }

    /// Whether the provider's version of an open file is being fetched in order to append its end.
    func isGrowing(_ number: ItemNumber) -> Bool { openFiles.entry(number)?.isGrowing == true }
}

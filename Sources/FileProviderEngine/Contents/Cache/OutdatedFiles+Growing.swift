import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Decides whether bytes are appended to an outdated open file, or the provider's new version replaces the file.
///
/// If the new version only adds bytes at the end, or has the same bytes, the added bytes are appended to the open file,
/// as `tail -f` expects ("growth"). Any other version replaces the file; see ``replace(_:_:)``. Openings wait until the
/// case is known. If the fetch of the new version fails, programs continue to share the local version.
extension OutdatedFiles {
    /// The maximum size in bytes of a new version that is fetched in order to append its end to the open file.
    /// ``largestEnd`` is the maximum size in bytes of that end.
    private static let largestFile: Int64 = 64 << 20
    private static let largestEnd: Int64 = 16 << 20
    /// The maximum size in bytes of a new version that is fetched in order to compare it with local bytes of the same
    /// size.
    private static let largestSame: Int64 = 4 << 20
    /// The delay in seconds before a failed fetch of the new version is repeated.
    private static let pauseOfGrowth = 30.0

    enum Growth {
        case impossible
        case underWay
        /// The last fetch failed less than ``pauseOfGrowth`` ago.
        case postponed
    }

    /// Fetches the provider's version of an open file if its size is that of the local version or somewhat larger. Such
    /// a version may be the local version with bytes appended.
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

    /// Schedules another fetch of the new version after a failed one, unless the failure is permanent.
    func growthFailed(_ number: ItemNumber, _ failure: ProviderError, _ engine: isolated any EngineEvents) {
        openFiles.update(number) { $0.nextGrowth = context.clock.now + Self.pauseOfGrowth }
        guard failure.isWorthAnotherAttempt else { return }
        context.clock.run(after: Self.pauseOfGrowth) { [weak engine] in
            engine?.perform { $0.outdated.lookAtOutdated(number, $0) }
        }
    }

    /// Appends the end of a new version, from its incoming file, to the open file.
    ///
    /// - Parameter row: The item's index row. The caller has checked that the incoming file begins with the bytes of
    ///   the item's clean file.
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

    /// Records that the fetch of the provider's version of an open file has ended.
    ///
    /// - Parameter version: A version that is known not to begin with the local bytes; `nil` if no such version is
    ///   known.
    func endGrowth(_ number: ItemNumber, refusing version: [UInt8]? = nil) {
        openFiles.update(number) { entry in
            entry.isGrowing = false
            if let version { entry.otherVersion = version }
        }
    }

    /// Retries the growth or replacement of each open file whose version is older than the provider's.
    func retryOutdated(_ engine: isolated any EngineEvents) {
        for number in openFiles.outdated {
            openFiles.update(number) { $0.nextGrowth = 0 }
            dropOutdatedContents(number, engine)
        }
    }

    /// Whether the provider's version of the given open file is being fetched in order to append its end.
    func isGrowing(_ number: ItemNumber) -> Bool { openFiles.entry(number)?.isGrowing == true }
}

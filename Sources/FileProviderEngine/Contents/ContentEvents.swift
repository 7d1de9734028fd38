import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

// The calls between the components that hold and transfer files' contents, as those of ComponentLinks.swift. The graph
// has no cycle:
//
//     ContentCache      calls the journal writer, and asks the scheduler of uploads and the user metadata whether an
//                       item is being sent
//     Downloader        calls the sign-in, the content cache, the reconciler, the change tracker and the finder of
//                       identifiers
//     RemovalWaits      calls the content cache, the downloader and the scheduler of uploads
//     HandleResumption  calls the content cache, the downloader, and the local edits and their recovery
//
// The content cache does not call the downloader, and neither calls the removals that wait for them. They send events,
// which the engine passes on at once: when the call returns, the event was handled. A component that another one holds
// is called directly where the call needs no other part of the engine, otherwise by the functions below.

/// The parts that ``ContentCache`` calls, and its events.
protocol ContentCacheHost: ComponentHost {
    nonisolated func openItem(_ number: ItemNumber, isForWriting: Bool, descriptor: FileDescriptor?) -> OpenHandle
    /// Whether a change or the user metadata of an item is being sent.
    func isSending(_ number: ItemNumber) -> Bool
    func writeInAnyCase(_ changes: [JournalChange], freesSpace: Bool) throws(IndexError)

    // Events.

    /// Passes on that the recorded uses of files are to be written.
    func writeUses(isEnd: Bool)
    /// Passes on that the contents of a file have changed. The edit is in the journal when this returns.
    func noteEdited(_ number: ItemNumber, size: Int64, modified: Double) throws(Errno)
    /// Passes on that a file that was open for writing was closed.
    func noteClosed(_ number: ItemNumber)
    /// Passes on that the provider's version of a file is to be fetched.
    func contentsAreWanted(_ number: ItemNumber)
    /// Passes on that no handle needs the contents of a file any more.
    func contentsAreUnneeded(_ number: ItemNumber)
    /// Passes on that the contents of a file that handles wait for may be local now.
    func contentsMayBeReady(_ number: ItemNumber)
    /// Passes on that the parts of a file were dropped.
    func partialFileEnded(_ number: ItemNumber)
    /// Passes on that the parts of a file are of another version than the provider's.
    func partialFileIsOutdated(_ number: ItemNumber)
    /// Passes on that an open file was replaced by the provider's version, which has a number of its own.
    func fileWasReplaced(_ number: ItemNumber, by successor: ItemNumber)
    /// Passes on that the last handle of a file was closed.
    func lastHandleWasClosed(_ number: ItemNumber)
}

extension DomainEngine: ContentCacheHost {
    nonisolated func openItem(_ number: ItemNumber, isForWriting: Bool, descriptor: FileDescriptor?) -> OpenHandle {
        OpenHandle(self, number, isForWriting: isForWriting, descriptor: descriptor)
    }

    func isSending(_ number: ItemNumber) -> Bool { scheduler.table.isBusy(number) || metadata.isSending(number) }

    func contentsAreWanted(_ number: ItemNumber) { downloader.startFetch(number, self) }

    func contentsAreUnneeded(_ number: ItemNumber) { downloader.cancelFetch(number, self) }

    func contentsMayBeReady(_ number: ItemNumber) { downloader.makeReady(number, self) }

    func partialFileEnded(_ number: ItemNumber) { downloader.partialFileEnded(number, self) }

    func partialFileIsOutdated(_ number: ItemNumber) { downloader.partsAreOutdated(number, self) }

    func fileWasReplaced(_ number: ItemNumber, by successor: ItemNumber) {
        metadata.move(number, to: successor)
        downloader.fileWasReplaced(number, by: successor, self)
    }

    func lastHandleWasClosed(_ number: ItemNumber) {
        downloader.lastHandleWasClosed(number, self)
        removalWaits.fetchEnded(number, nil, self)
    }
}

/// The parts that ``Downloader`` calls, and its event.
protocol DownloaderHost: ComponentHost {
    // The content cache, as far as it calls others in turn.
    func fileForWriting(_ row: IndexedItem) throws(ProviderError) -> FileDescriptor?
    func openPartial(_ row: IndexedItem, size: Int64) throws(ProviderError) -> PartialFiles.Entry?
    func notePartial(_ number: ItemNumber)
    func endPartial(_ number: ItemNumber)
    func putAwayPartial(_ number: ItemNumber)
    func evict(bytes: Int64) -> Int64
    func evictToLimit()
    func dropOutdatedContents(_ number: ItemNumber)
    func lookAtOutdated(_ number: ItemNumber)
    @discardableResult
    func replace(_ number: ItemNumber) throws(ProviderError) -> ItemNumber?
    func growthFailed(_ number: ItemNumber, _ failure: ProviderError)
    func endOpeningWaits(for number: ItemNumber, _ result: Result<Void, ProviderError>)

    // The reconciler, the change tracker and the finder of identifiers.
    func apply(_ items: [ProviderItem], answering request: ReplyOrdering.Request) throws(ProviderError)
    func scheduleRevalidation(_ identifiers: Set<String>) throws(ProviderError)
    func markUncertain(_ number: ItemNumber)
    func refreshParent(of number: ItemNumber)
    func awaitNewIdentifier(of number: ItemNumber, asked identifier: String) async -> Bool

    /// Passes on that a fetch has ended.
    ///
    /// - Parameter result: The result; `nil` if the fetch was cancelled before it began.
    func fetchEnded(_ number: ItemNumber, _ result: Result<Void, ProviderError>?)
}

extension DomainEngine: DownloaderHost {
    func fileForWriting(_ row: IndexedItem) throws(ProviderError) -> FileDescriptor? {
        try cache.fileForWriting(row, truncating: false, self)
    }

    func openPartial(_ row: IndexedItem, size: Int64) throws(ProviderError) -> PartialFiles.Entry? {
        try cache.openPartial(row, size: size, self)
    }

    func notePartial(_ number: ItemNumber) { cache.notePartial(number, self) }

    func endPartial(_ number: ItemNumber) { cache.endPartial(number, self) }

    func putAwayPartial(_ number: ItemNumber) { cache.putAwayPartial(number, self) }

    func growthFailed(_ number: ItemNumber, _ failure: ProviderError) { cache.growthFailed(number, failure, self) }

    func endOpeningWaits(for number: ItemNumber, _ result: Result<Void, ProviderError>) {
        cache.endOpeningWaits(for: number, result, self)
    }

    @discardableResult
    func replace(_ number: ItemNumber) throws(ProviderError) -> ItemNumber? { try cache.replace(number, self) }

    /// Refreshes the parent directory as if it was signalled, because the provider does not know an item that the
    /// directory shows.
    func refreshParent(of number: ItemNumber) {
        guard let row = try? row(number), let parent = try? self.row(row.parent) else { return }
        signalled(container: parent.item.identifier)
    }

    func fetchEnded(_ number: ItemNumber, _ result: Result<Void, ProviderError>?) {
        removalWaits.fetchEnded(number, result, self)
    }
}

/// The parts that ``HandleResumption`` calls.
protocol HandleResumptionHost: ComponentHost {
    // The content cache and the downloader, as far as they call others in turn.
    func resumed(_ opening: HandleToResume) throws -> OpenHandle
    func moveBack(_ number: ItemNumber)
    func partialFile(_ row: IndexedItem) throws(ProviderError) -> PartialFiles.Entry?

    // Local edits and their recovery.
    func partedFromWriters(_ number: ItemNumber) throws -> FileStatus?
    func noteEdited(_ number: ItemNumber, size: Int64, modified: Double) throws(Errno)
}

extension DomainEngine: HandleResumptionHost {
    func resumed(_ opening: HandleToResume) throws -> OpenHandle { try cache.resume(opening, self) }

    func moveBack(_ number: ItemNumber) { cache.moveBack(number, self) }

    func partialFile(_ row: IndexedItem) throws(ProviderError) -> PartialFiles.Entry? {
        try downloader.partialFile(row, self)
    }
}

/// The parts that ``RemovalWaits`` calls.
protocol RemovalWaitsHost: ComponentHost {
    func isWithin(_ top: ItemNumber, _ number: ItemNumber) throws(IndexError) -> Bool
    func contentsAreWanted(_ number: ItemNumber)
    func schedule(_ number: ItemNumber, after seconds: Double)
}

extension DomainEngine: RemovalWaitsHost {}

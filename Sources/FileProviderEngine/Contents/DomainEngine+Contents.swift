import DomainMessages
import FileProviderWire
import ItemStore
import LinuxSystem

/// The calls of clients that the content cache and the downloader serve.
extension DomainEngine {
    /// Materializes a file, and waits until it is complete. Cancelling the task ends the wait, and cancels the fetch
    /// if no other caller or handle needs it.
    package func download(_ number: ItemNumber) async throws(ProviderError) {
        let waiting = Lock<EngineCompletion<Void>?>(nil)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = EngineCompletion<Void> { continuation.resume(returning: $0) }
                waiting.withLock { $0 = answer }
                // Another job may have run on the engine's thread meanwhile.
                perform { $0.download(number, answer) }
                // The task may have been cancelled before there was a request to cancel.
                if Task.isCancelled { perform { $0.downloader.cancelDownload(of: number, answer, $0) } }
            }
        } onCancel: {
            guard let answer = waiting.withLock({ $0 }) else { return }
            perform { $0.downloader.cancelDownload(of: number, answer, $0) }
        }
        try result.get()
    }

    func download(_ number: ItemNumber, _ answer: EngineCompletion<Void>) {
        downloader.download(number, answer, self)
    }

    /// Evicts a file. A program that reads it later causes a new fetch. A transfer of the file is cancelled, unless a
    /// program has the file open and the transfer makes progress; see ``Downloader/endUnwantedTransfer(of:_:)``.
    ///
    /// - Throws: A failure of kind `notPermitted` if the file is dirty, open or pinned.
    package func evict(_ number: ItemNumber) throws(ProviderError) {
        let number = currentNumber(number)
        downloader.endUnwantedTransfer(of: number, self)
        try cache.evict(number, self)
    }

    /// Evicts a file as ``evict(_:)`` does, after waiting for its handles to be closed. A file may stay open briefly
    /// after its program closed it: the kernel sends FUSE_RELEASE asynchronously, and a forked process inherits the
    /// descriptor until it calls execve(2).
    ///
    /// - Parameter deadline: The time at which waiting ends, in seconds since 1970.
    package func evict(_ number: ItemNumber, waitingUntil deadline: Double) async throws(ProviderError) {
        downloader.endUnwantedTransfer(of: currentNumber(number), self)
        while clock.now < deadline, !Task.isCancelled {
            // The file may be replaced while this waits.
            let number = currentNumber(number)
            guard openFiles.entry(number) != nil else { break }
            let row = try row(number)
            // Such a file cannot be evicted even when it is closed.
            if row.content == .edited || row.staysLocal { break }
            await clock.wait(Self.closingPause)
        }
        try evict(number)
    }

    private static let closingPause = 0.02

    /// Changes the limit of the size of clean contents, in bytes, and evicts the excess at once.
    package func setCacheLimit(_ bytes: Int64) {
        cache.setLimit(bytes)
        cache.evictToLimit(self)
    }

    /// Evicts clean contents to make room for a write on a full disk. Nothing is evicted if that would not make enough
    /// room; see ``EvictionPolicy/room(for:evictable:)``.
    ///
    /// - Parameter completion: Receives whether anything was evicted. Called on the engine's thread; must not block.
    package nonisolated func makeRoom(for bytes: Int64, completion: @escaping @Sendable (Bool) -> Void) {
        perform { completion($0.cache.makeRoom(for: bytes, $0)) }
    }

    /// Returns the handles that could be resumed, by the kernel's numbers. A second call returns none. A handle that is
    /// missing from the result cannot be resumed: it has read bytes that are not local any more, or would write to an
    /// item that does not exist. The caller closes it.
    package nonisolated func takeResumed() -> [UInt64: OpenHandle] { resources.resumedHandles.take() }

    /// Declares that all handles of a file share the page cache from now on, as in a mount. A handle that has read
    /// bytes then keeps all handles on its version until the last one is closed.
    package func sharePages() { cache.partials.sharePages() }

    /// Cancels stalled transfers. Those that are still wanted are requested again.
    package func restartStalledTransfers() { downloader.restartStalledTransfers() }

    /// The files that are being fetched, and those with a queued fetch.
    package var filesBeingFetched: Set<ItemNumber> { downloader.filesBeingFetched }

    /// Returns the totals of running and queued downloads.
    package func downloadTotals() -> TransferTotals { downloader.totals() }
}

/// The calls of components that the content cache serves.
extension DomainEngine {
    func opened(_ number: ItemNumber, for purpose: OpenPurpose) throws(ProviderError) -> OpenHandle {
        try cache.opened(number, for: purpose, self)
    }

    func currentNumber(_ number: ItemNumber) -> ItemNumber { openFiles.currentNumber(number) }

    func compare(_ number: ItemNumber) throws(ProviderError) { try cache.compare(number, self) }

    func takeAsEdited(_ number: ItemNumber) throws(ProviderError) { try cache.takeAsEdited(number, self) }

    func dropOutdatedContents(_ number: ItemNumber) { cache.dropOutdatedContents(number, self) }

    func discardContents(_ number: ItemNumber) { cache.discardContents(number, self) }

    func lookAtOutdated(_ number: ItemNumber) { cache.lookAtOutdated(number, self) }

    func reconcileContents<Result>(_ number: ItemNumber, _ write: (_ size: Int64) throws -> Result) throws -> Result {
        try cache.reconcileContents(number, self, write)
    }

    func evictToLimit() { cache.evictToLimit(self) }

    func evict(bytes: Int64) -> Int64 { cache.evict(bytes: bytes, self) }

    /// Runs an operation that needs disk space. If the disk is full, evicts clean contents and retries once.
    func makingRoom<Result>(_ body: () throws(EditError) -> Result) throws(EditError) -> Result {
        try cache.makingRoom(self, body)
    }

    /// Writes to the index as ``write(freesSpace:_:)`` does, and evicts clean contents if the disk is full. Used for
    /// the provider's reports, which matter more than contents that can be fetched again.
    @discardableResult
    func writeMakingRoom<Result>(
        _ body: (inout IndexWriter) throws(IndexError) -> Result
    ) throws(ProviderError) -> Result {
        try cache.makingRoom(self) { () throws(ProviderError) in try context.write(body) }
    }

    func awaitContents(beforeRemoving number: ItemNumber) -> StepResult? {
        removalWaits.awaitContents(beforeRemoving: number, self)
    }
}

import DomainMessages
import FileProviderWire
import ItemStore
import LinuxSystem

/// The requests of clients to download and evict files, and to retrieve resumed handles.
extension DomainEngine {
    /// Materializes a file, and waits until all its bytes are local. Cancelling the task ends the wait. The fetch is
    /// then cancelled, too, unless another caller or a handle needs it.
    package func download(_ number: ItemNumber) async throws(ProviderError) {
        let waiting = Lock<EngineCompletion<Void>?>(nil)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = EngineCompletion<Void> { continuation.resume(returning: $0) }
                waiting.withLock { $0 = answer }
                // The request is a separate job, before which the engine may perform other jobs.
                perform { $0.downloader.download(number, answer, $0) }
                // The task may have been cancelled before the cancellation handler could find the request.
                if Task.isCancelled { perform { $0.downloader.cancelDownload(of: number, answer, $0) } }
            }
        } onCancel: {
            guard let answer = waiting.withLock({ $0 }) else { return }
            perform { $0.downloader.cancelDownload(of: number, answer, $0) }
        }
        try result.get()
    }

    /// Evicts the given file. When a program reads it later, its contents are fetched again. A transfer of the file is
    /// cancelled, unless a program has the file open and the transfer makes progress; see
    /// ``Downloader/endUnwantedTransfer(of:_:)``.
    ///
    /// - Throws: A failure of kind `notPermitted` if the file is dirty, open or pinned.
    package func evict(_ number: ItemNumber) throws(ProviderError) {
        let number = resources.openFiles.currentNumber(number)
        downloader.endUnwantedTransfer(of: number, self)
        try evictor.evict(number, self)
    }

    /// Waits until all handles of the given file are closed, or until the deadline, and then evicts it as ``evict(_:)``
    /// does. A file may stay open briefly after its program closed it: the kernel sends FUSE_RELEASE asynchronously,
    /// and a forked process inherits the descriptor until it calls execve(2).
    ///
    /// - Parameter deadline: The time at which waiting ends, in seconds since 1970.
    package func evict(_ number: ItemNumber, waitingUntil deadline: Double) async throws(ProviderError) {
        downloader.endUnwantedTransfer(of: resources.openFiles.currentNumber(number), self)
        while clock.now < deadline, !Task.isCancelled {
            // The file may be replaced while this function waits.
            let number = resources.openFiles.currentNumber(number)
            guard resources.openFiles.entry(number) != nil else { break }
            let row = try context.row(of: number)
            // A dirty or pinned file cannot be evicted even when it is closed.
            if row.content == .edited || row.staysLocal { break }
            await clock.wait(Self.closingPause)
        }
        try evict(number)
    }

    private static let closingPause = 0.02

    /// Evicts contents so that a write of the given number of bytes succeeds on a full disk. Evicts nothing if that
    /// would not free enough space; see ``EvictionPolicy/room(for:evictable:)``.
    ///
    /// - Parameter completion: Receives whether anything was evicted. Called on the engine's thread; must not block.
    package nonisolated func makeRoom(for bytes: Int64, completion: @escaping @Sendable (Bool) -> Void) {
        perform { completion($0.evictor.makeRoom(for: bytes, $0)) }
    }

    /// Returns the handles that were resumed after a restart of the engine, by the kernel's handle numbers. A second
    /// call returns none.
    ///
    /// A handle that is missing from the result cannot be resumed: it has read bytes that are not local any more, or
    /// would write to an item that does not exist. The caller closes such a handle.
    package nonisolated func takeResumed() -> [UInt64: OpenHandle] { resources.resumedHandles.take() }

    /// The files with a running or queued fetch.
    package var filesBeingFetched: Set<ItemNumber> { downloader.filesBeingFetched }
}

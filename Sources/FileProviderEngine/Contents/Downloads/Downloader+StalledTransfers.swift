import FileProviderWire
import ItemStore
import LinuxSystem

/// Transfers without progress. The timeout of ``ProviderProcessOptions`` ends them as well, but much later.
extension Downloader {
    /// Seconds without progress after which a transfer counts as stalled: `reported` if the provider reports progress,
    /// `unreported` if it does not.
    private static let stallTimes = (reported: 10.0, unreported: 30.0)

    /// Cancels the transfer of a file that is evicted, if it is stalled or no program has the file open. Readers and
    /// callers that wait for the contents get an error.
    func endUnwantedTransfer(of number: ItemNumber, _ engine: isolated any DownloaderHost) {
        let failure = ProviderError(.transient, message: "The file was evicted while it was downloaded.")
        let isOpen = openFiles.entry(number) != nil
        if cache.partials[number] != nil, !isOpen || (parts.files[number].map(isStalled) ?? false) {
            failReads(number, failure)
            parts.files[number]?.cancel()
        }
        guard let fetch = fetches.files[number], !isOpen || isStalled(fetch) else { return }
        // Requests that arrive before the task has ended start another fetch.
        let downloads = waiters.takeDownloads(of: number)
        failHandles(number, failure)
        cache.endGrowth(number)
        engine.endOpeningWaits(for: number, .failure(failure))
        cancelFetch(number, engine)
        for download in downloads { download.complete(.failure(failure)) }
    }

    private func isStalled(_ fetch: Fetch) -> Bool {
        let progress = fetch.progress.now
        let time = progress.total > 0 ? Self.stallTimes.reported : Self.stallTimes.unreported
        return progress.moved.map { context.clock.now - $0 >= time } ?? false
    }

    /// Whether no part has arrived for ``stallTimes``. A part reports no progress until it is complete.
    private func isStalled(_ transfer: PartTransfers.File) -> Bool {
        guard let begun = transfer.begun else { return false }
        return context.clock.now - max(begun, transfer.moved) >= Self.stallTimes.unreported
    }

    /// Cancels stalled transfers. Those that are still wanted are requested again.
    func restartStalledTransfers() {
        for fetch in fetches.files.values where isStalled(fetch) { fetch.task?.cancel() }
        for transfer in parts.files.values where isStalled(transfer) { transfer.cancel() }
    }

    /// The files that are being fetched, and those with a queued fetch.
    var filesBeingFetched: Set<ItemNumber> {
        Set(fetches.files.keys).union(parts.files.filter { !$0.value.requests.isEmpty }.keys)
    }
}

import FileProvider
import LinuxSystem

/// Transfers without progress. The timeout of ``ProviderProcessOptions`` ends them as well, but much later.
extension DomainEngine {
    /// Seconds without progress after which a transfer counts as stalled, if the provider reports progress, and if it
    /// does not.
    private static let stallTimes = (reported: 10.0, unreported: 30.0)

    /// Cancels the transfer of a file that is evicted, if it is stalled or no program has the file open. Readers and
    /// callers that wait for the contents get an error.
    func endUnwantedTransfer(of number: ItemNumber) {
        let failure = ProviderFailure(.transient, message: "The file was evicted while it was downloaded.")
        let isOpen = openFiles.entry(number) != nil
        if let transfer = contents.parts.files[number], !isOpen || isStalled(transfer) {
            failParts(number, failure)
            for ask in transfer.asks.values { ask.task.cancel() }
        }
        guard let fetch = contents.fetches[number], !isOpen || isStalled(fetch) else { return }
        // Requests that arrive before the task has ended start another fetch.
        contents.fetches[number]?.downloads = []
        failWaiters(number, failure)
        openFiles.update(number) { $0.isGrowing = false }
        endOpeningWaits(for: number, .failure(failure))
        cancelFetch(number)
        for download in fetch.downloads { download.complete(.failure(failure)) }
    }

    private func isStalled(_ fetch: ContentTransfers.Fetch) -> Bool {
        let progress = fetch.progress.now
        let time = progress.total > 0 ? Self.stallTimes.reported : Self.stallTimes.unreported
        return progress.moved.map { clock.now - $0 >= time } ?? false
    }

    /// Whether no part has arrived for ``stallTimes``. A part reports no progress until it is complete.
    private func isStalled(_ transfer: PartTransfers.File) -> Bool {
        guard let begun = transfer.asks.values.map(\.begun).min() else { return false }
        return clock.now - max(begun, transfer.moved) >= Self.stallTimes.unreported
    }

    /// Cancels stalled transfers. Those that are still wanted are requested again.
    package func restartStalledTransfers() {
        for fetch in contents.fetches.values where isStalled(fetch) { fetch.task?.cancel() }
        for transfer in contents.parts.files.values where isStalled(transfer) {
            for ask in transfer.asks.values { ask.task.cancel() }
        }
    }

    /// The files that are being fetched, and those with a queued fetch.
    package var filesBeingFetched: Set<ItemNumber> {
        Set(contents.fetches.keys).union(contents.parts.files.filter { !$0.value.asks.isEmpty }.keys)
    }
}

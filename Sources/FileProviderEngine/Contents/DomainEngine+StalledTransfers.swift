import FileProvider

/// Transfers that a provider does not go on with. A provider that hangs is ended after ``ProviderProcessOptions``' time limit; users
/// need not wait for that.
extension DomainEngine {
    /// Seconds without a byte after which a transfer counts as stalled.
    static let stallTime = 10.0

    /// Ends the transfer of contents that are not wanted here: if it is stalled, or no program has the file open. Its readers and the
    /// callers that wait for the download get an error.
    func endUnwantedTransfer(of number: ItemNumber) {
        let failure = ProviderFailure(.transient, message: "The file was evicted while it was downloaded.")
        let isOpen = openFiles.entry(number) != nil
        if let transfer = contents.parts.files[number], !isOpen || transfer.isStalled(since: stallLimit) {
            failParts(number, failure)
            for ask in transfer.asks.values { ask.task.cancel() }
        }
        guard let fetch = contents.fetches[number], !isOpen || fetch.isStalled(since: stallLimit) else { return }
        // Callers that come before the task has ended get another one.
        contents.fetches[number]?.downloads = []
        failWaiters(number, failure)
        cancelFetch(number)
        for download in fetch.downloads { download.give(.failure(failure)) }
    }

    /// The time before which a byte has to have come, for a transfer that is not stalled.
    private var stallLimit: Double { clock.now - Self.stallTime }

    /// Asks the provider anew for contents of which no byte came for ``stallTime``.
    package func restartStalledTransfers() {
        for fetch in contents.fetches.values where fetch.isStalled(since: stallLimit) { fetch.task?.cancel() }
        for transfer in contents.parts.files.values where transfer.isStalled(since: stallLimit) {
            for ask in transfer.asks.values { ask.task.cancel() }
        }
    }

    /// The files whose contents are on their way here, or wait for their turn.
    package var filesBeingFetched: Set<ItemNumber> {
        Set(contents.fetches.keys).union(contents.parts.files.filter { !$0.value.asks.isEmpty }.keys)
    }
}

extension ContentTransfers.Fetch {
    /// Whether it has begun, and has got nothing since a time.
    fileprivate func isStalled(since limit: Double) -> Bool { progress.now.moved.map { $0 <= limit } ?? false }
}

extension PartTransfers.File {
    /// Whether parts are asked for, and none has come since a time.
    fileprivate func isStalled(since limit: Double) -> Bool {
        asks.values.map(\.begun).min().map { max($0, moved) <= limit } ?? false
    }
}

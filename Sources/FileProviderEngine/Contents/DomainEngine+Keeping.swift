import FileProvider
import LinuxSystem

/// The state of materializing pinned items. The index records which items are pinned.
struct KeepingState {
    /// The pinned files that are being fetched and the pinned directories that are being listed.
    var running: Set<ItemNumber> = []
    /// Items that could not be materialized since the last backoff.
    var putOff: Set<ItemNumber> = []
    /// The number of consecutive backoffs.
    var pauses = 0
    /// The timer that ends the current backoff.
    var wake: Waiting?
    /// Whether no item is requested until the current backoff ends.
    var isHalted = false
    /// The last failure to materialize an item; `nil` if no item waits for a retry.
    var failure: ProviderFailure?

    /// The maximum number of concurrent requests. It is lower than the fetch limit, so that fetches for waiting
    /// programs proceed.
    static let width = 2
    /// The number of failed items after which all others wait for the backoff as well.
    static let mostPutOff = 256
}

/// Pinned items, and everything in pinned directories, also when added later. These items are materialized in the
/// background, also after a restart, and again when the provider has other contents.
extension DomainEngine {
    /// Pins or unpins an item. Pinning a directory pins everything in it.
    package func keep(_ number: ItemNumber, _ isKept: Bool) throws(ProviderFailure) {
        let number = currentNumber(number)
        _ = try row(number)
        try write(freesSpace: !isKept) { writer throws(IndexFailure) in
            try writer.update(number) { $0.isKept = isKept }
        }
        if !isKept { evictToLimit() }
    }

    /// Starts materializing pinned items that are not local yet, up to the concurrency limit.
    func bringWhatIsKept() {
        guard !isClosed, !keeping.isHalted, keeping.running.count < KeepingState.width else { return }
        do throws(ProviderFailure) {
            let passedOver = keeping.running.count + keeping.putOff.count
            let wanted = try onRecord { () throws(IndexFailure) in
                try index.wanted(limit: passedOver + KeepingState.width)
            }
            for number in wanted where !keeping.running.contains(number) && !keeping.putOff.contains(number) {
                guard keeping.running.count < KeepingState.width else { return }
                bring(number)
            }
        } catch {
            remember(error)
        }
    }

    private func bring(_ number: ItemNumber) {
        keeping.running.insert(number)
        // The completion runs as a separate job even if the reply is immediate, so that the loop that starts the
        // requests is not re-entered.
        let answer: @Sendable (Result<Void, ProviderFailure>) -> Void = { [weak self] result in
            self?.perform { $0.brought(number, result) }
        }
        if (try? row(number))?.item.kind == .folder {
            list(number, needs: .complete, completion: answer)
        } else {
            download(number, EngineCompletion(answer))
        }
    }

    private func brought(_ number: ItemNumber, _ result: Result<Void, ProviderFailure>) {
        keeping.running.remove(number)
        guard !isClosed else { return }
        switch result {
        case .success:
            if keeping.putOff.isEmpty { keeping.failure = nil }
            // The item may have changed again. It is retried after the others; otherwise it could be requested
            // forever.
            if (try? row(number))?.isWanted == true { keeping.putOff.insert(number) } else { keeping.pauses = 0 }
        case .failure(let failure):
            keeping.putOff.insert(number)
            if failure.kind != .cancelled, failure.kind != .noSuchItem {
                keeping.failure = failure
                configuration.states?.noteDomain()
            }
            if failure.concernsAll || keeping.putOff.count >= KeepingState.mostPutOff { keeping.isHalted = true }
        }
        bringWhatIsKept()
        if keeping.running.isEmpty, !keeping.putOff.isEmpty { pauseKeeping() }
    }

    private func pauseKeeping() {
        guard keeping.wake == nil else { return }
        keeping.pauses += 1
        let needsPerson = keeping.failure?.needsPerson == true || keeping.failure?.kind == .noSpace
        let pause = needsPerson ? context.backoff.longest : pause(after: keeping.pauses)
        keeping.wake = clock.run(after: pause) { [weak self] in self?.perform { $0.endPauseOfKeeping() } }
    }

    private func endPauseOfKeeping() {
        keeping.wake?.cancel()
        keeping.wake = nil
        keeping.putOff = []
        keeping.isHalted = false
        bringWhatIsKept()
    }

    /// Ends the backoff, and retries the items that could not be materialized.
    func retryKeeping() {
        keeping.pauses = 0
        keeping.failure = nil
        endPauseOfKeeping()
    }
}

extension ProviderFailure {
    /// Whether the failure affects other items, too.
    fileprivate var concernsAll: Bool {
        switch kind {
        case .notAuthenticated, .serverUnreachable, .processEnded, .disabled, .noSpace, .insufficientQuota: true
        default: false
        }
    }
}

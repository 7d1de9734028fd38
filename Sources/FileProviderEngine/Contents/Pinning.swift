import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Materializes pinned items in the background, also after a restart, and again when the provider has other contents.
/// All items in a pinned directory count as pinned, including those that are added later. The index records which items
/// are pinned.
///
/// It calls ``Downloader``, ``Enumerator`` and ``Evictor``. Used only on the engine's thread (see ``EngineContext``).
package final class Pinning {
    private let context: EngineContext
    private let downloader: Downloader
    private let enumerator: Enumerator
    private let evictor: Evictor
    /// The pinned files that are being fetched and the pinned directories that are being listed.
    private var running: Set<ItemNumber> = []
    /// The items that could not be materialized since the end of the last backoff, or that changed while they were
    /// materialized. They are requested again after the next backoff.
    private var postponed: Set<ItemNumber> = []
    /// The number of consecutive backoffs without success.
    private var failedRounds = 0
    /// The timer that ends the current backoff.
    private var wake: Cancellable?
    /// Whether no item is requested until the current backoff ends.
    private var isBackingOff = false
    /// The last failure to materialize an item; `nil` if no failed item waits for a retry.
    private(set) var failure: ProviderError?

    /// The maximum number of concurrent requests. It is lower than the limit of concurrent fetches, so that fetches for
    /// waiting programs can start.
    private static let width = 2
    /// The number of failed items after which no other item is requested until the end of the backoff.
    private static let mostPostponed = 256

    init(_ context: EngineContext, _ downloader: Downloader, _ enumerator: Enumerator, _ evictor: Evictor) {
        self.context = context
        self.downloader = downloader
        self.enumerator = enumerator
        self.evictor = evictor
    }

    /// Pins or unpins an item. Pinning a directory pins everything in it.
    package func pin(
        _ number: ItemNumber, _ isPinned: Bool, _ engine: isolated any EngineEvents
    ) throws(ProviderError) {
        let number = context.resources.openFiles.currentNumber(number)
        _ = try context.row(of: number)
        try context.write(freesSpace: !isPinned) { writer throws(IndexError) in
            try writer.update(number) { $0.isPinned = isPinned }
        }
        if !isPinned { evictor.evictToLimit(engine) }
    }

    /// Starts to materialize pinned items that are not local yet, up to the maximum number of concurrent requests.
    func materializeMissing(_ engine: isolated any EngineEvents) {
        guard !context.isClosed, context.resources.gate.isOpen, !isBackingOff, running.count < Self.width else {
            return
        }
        do throws(ProviderError) {
            let passedOver = running.count + postponed.count
            let wanted = try onRecord { () throws(IndexError) in
                try context.index.wanted(limit: passedOver + Self.width)
            }
            for number in wanted where !running.contains(number) && !postponed.contains(number) {
                guard running.count < Self.width else { return }
                materialize(number, engine)
            }
        } catch {
            context.recordBackgroundError(error)
        }
    }

    private func materialize(_ number: ItemNumber, _ engine: isolated any EngineEvents) {
        running.insert(number)
        // The completion runs as a separate job even if the reply is immediate, so that it does not re-enter the loop
        // that starts the requests.
        let answer = EngineCompletion<Void> { [weak engine] result in
            engine?.perform { $0.pinning.didMaterialize(number, result, $0) }
        }
        if (try? context.row(of: number))?.item.kind == .folder {
            enumerator.wait(for: number, .complete, answer, engine)
        } else {
            downloader.download(number, answer, engine)
        }
    }

    func didMaterialize(
        _ number: ItemNumber, _ result: Result<Void, ProviderError>, _ engine: isolated any EngineEvents
    ) {
        running.remove(number)
        guard !context.isClosed else { return }
        switch result {
        case .success:
            if postponed.isEmpty { failure = nil }
            // An item that is still wanted has changed meanwhile. It is retried after the others, because otherwise an
            // item that changes continuously would be requested forever.
            if (try? context.row(of: number))?.isWanted == true { postponed.insert(number) } else { failedRounds = 0 }
        case .failure(let failure):
            postponed.insert(number)
            if failure.kind != .cancelled, failure.kind != .noSuchItem {
                self.failure = failure
                context.configuration.states?.noteDomain()
            }
            if failure.concernsAll || postponed.count >= Self.mostPostponed { isBackingOff = true }
        }
        materializeMissing(engine)
        if running.isEmpty, !postponed.isEmpty { backOff(engine) }
    }

    private func backOff(_ engine: isolated any EngineEvents) {
        guard wake == nil else { return }
        failedRounds += 1
        let needsUser = failure?.needsUser == true || failure?.kind == .noSpace
        let pause = needsUser ? context.backoff.longest : context.delay(afterAttempt: failedRounds)
        wake = context.clock.run(after: pause) { [weak engine] in engine?.perform { $0.pinning.endBackoff($0) } }
    }

    func endBackoff(_ engine: isolated any EngineEvents) {
        wake?.cancel()
        wake = nil
        postponed = []
        isBackingOff = false
        materializeMissing(engine)
    }

    /// Ends the backoff, and retries the items that could not be materialized.
    func retry(_ engine: isolated any EngineEvents) {
        failedRounds = 0
        failure = nil
        endBackoff(engine)
    }

    /// Cancels the timer, because the engine is closed.
    func cancel() { wake?.cancel() }
}

extension ProviderError {
    /// Whether the failure would affect requests for other items, too.
    fileprivate var concernsAll: Bool {
        switch kind {
        case .notAuthenticated, .serverUnreachable, .processEnded, .disabled, .noSpace, .insufficientQuota: true
        default: false
        }
    }
}

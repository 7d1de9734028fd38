import FileProvider

/// What the engine knows of items that are to stay here, and of their way here. Which they are is in the index.
struct KeepingState {
    /// Files that are fetched and folders that are listed for it.
    var running: Set<ItemNumber> = []
    /// What could not be had since the last pause.
    var putOff: Set<ItemNumber> = []
    /// Pauses in a row.
    var pauses = 0
    /// Ends the pause.
    var wake: Waiting?
    /// Whether nothing at all is asked for meanwhile.
    var isHalted = false
    /// Why something could not be had, the last time; `nil` where nothing is put off.
    var failure: ProviderFailure?

    /// Fewer than may be fetched at the same time: programs that wait for files go on meanwhile.
    static let width = 2
    /// When so much could not be had, the rest has to wait too.
    static let mostPutOff = 256
}

/// What stays here: items of which a person said so, and what is and comes into such folders. It is brought here behind everybody's
/// back, after a restart too, and again when the provider has other contents.
extension DomainEngine {
    /// Keeps an item on this machine, a folder with all that is and comes into it, or does so no more.
    package func keep(_ number: ItemNumber, _ isKept: Bool) throws(ProviderFailure) {
        _ = try row(number)
        try write(freesSpace: !isKept) { writer throws(IndexFailure) in
            try writer.update(number) { $0.isKept = isKept }
        }
        if !isKept { evictToLimit() }
    }

    /// Begins to bring here what is to be here and is not, as much of it as may be under way.
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
        // In its turn, also where the answer is there at once: whoever begins several is not interrupted.
        let answer: @Sendable (Result<Void, ProviderFailure>) -> Void = { [weak self] result in
            self?.perform { $0.brought(number, result) }
        }
        if (try? row(number))?.item.kind == .folder {
            list(number, needs: .complete, completion: answer)
        } else {
            download(number, Answer(answer))
        }
    }

    private func brought(_ number: ItemNumber, _ result: Result<Void, ProviderFailure>) {
        keeping.running.remove(number)
        guard !isClosed else { return }
        switch result {
        case .success:
            if keeping.putOff.isEmpty { keeping.failure = nil }
            // It may have changed already: that comes after the others, or it would be asked for for ever.
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
        let pause = needsPerson ? edits.pauses.longest : pause(after: keeping.pauses)
        keeping.wake = clock.run(after: pause) { [weak self] in self?.perform { $0.endPauseOfKeeping() } }
    }

    private func endPauseOfKeeping() {
        keeping.wake?.cancel()
        keeping.wake = nil
        keeping.putOff = []
        keeping.isHalted = false
        bringWhatIsKept()
    }

    /// Brings at once what was put off.
    func retryKeeping() {
        keeping.pauses = 0
        keeping.failure = nil
        endPauseOfKeeping()
    }
}

extension ProviderFailure {
    /// Whether other items cannot be had either.
    fileprivate var concernsAll: Bool {
        switch kind {
        case .notAuthenticated, .serverUnreachable, .processEnded, .disabled, .noSpace, .insufficientQuota: true
        default: false
        }
    }
}

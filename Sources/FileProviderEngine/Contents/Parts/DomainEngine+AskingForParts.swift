import FileProvider
import LinuxSystem

/// Requests for parts of files.
extension DomainEngine {
    /// The outcome of a request for a part.
    private enum PartOutcome: Sendable {
        /// The bytes of this range were written to the local file.
        case here(Range<Int64>)
        /// The provider returned bytes of another version.
        case other(ProviderItem, AnswerOrder.Question)
        /// The provider does not have the requested version any more.
        case gone
        /// The provider returned unusable bytes, or does not serve parts of this file.
        case refused(ProviderFailure)
        /// The request was cancelled.
        case stopped
        case failed(ProviderFailure)
    }

    /// Requests missing parts that readers wait for, up to the limits of concurrent requests.
    func askForParts(_ number: ItemNumber) {
        while !isClosed, contents.parts.running < PartTransfers.limit, let transfer = contents.parts.files[number],
            transfer.asks.count < PartTransfers.fileLimit, let range = transfer.nextAsk()
        {
            let file = transfer.file
            let key = contents.parts.nextNumber()
            contents.parts.running += 1
            let era = signIn.epoch
            let task = Task {
                let outcome = await fetched(range, of: file, key)
                endedPart(key, range, of: file, outcome, askedIn: era)
            }
            contents.parts.files[number]?.asks[key] = PartTransfers.Ask(range: range, task: task, begun: clock.now)
        }
    }

    private func endedPart(
        _ key: Int, _ range: Range<Int64>, of file: PartFile, _ outcome: PartOutcome, askedIn era: Int
    ) {
        contents.parts.running -= 1
        let number = file.number
        // The transfer may be that of another version by now.
        if contents.parts.files[number]?.file === file,
            contents.parts.files[number]?.asks.removeValue(forKey: key) != nil
        {
            take(outcome, of: file, range, askedIn: era)
        }
        // The release of the parts waits for their last request, which may be this one.
        if contents.parts.files[number]?.file === file, contents.parts.files[number]?.asks.isEmpty == true {
            putAwayParts(number)
        }
        // Other files may have waited for this request's slot.
        for other in contents.parts.files.keys { askForParts(other) }
        if contents.cleanBytes > cacheLimit { evictToLimit() }
    }

    private func take(_ outcome: PartOutcome, of file: PartFile, _ range: Range<Int64>, askedIn era: Int) {
        let number = file.number
        switch outcome {
        case .here(let range):
            let count = file.insert(range)
            contents.parts.files[number]?.moved = clock.now
            contents.parts.files[number]?.unwritten += count
            if file.isComplete { return completeParts(number) }
            noteParts(number)
            serveParts(number)
        case .other(let item, let question): replaceVersion(of: file, by: item, question)
        case .gone: askForVersion(of: file)
        case .refused(let failure):
            if failure.kind == .badAnswer { remember(failure) }
            refuseParts(of: file)
        // A reader may want the part again.
        case .stopped: serveParts(number)
        // The request was sent before the user signed in.
        case .failed(let failure) where signIn.isOutdated(failure, askedIn: era): serveParts(number)
        case .failed(let failure):
            if failure.kind == .notAuthenticated { signIn.noteNeeded(failure, askedIn: era) }
            let waiters = contents.parts.files[number]?.waiters ?? []
            func isConcerned(_ waiter: PartTransfers.Waiter) -> Bool {
                waiter.answer == nil || PartBlocks.around(waiter.range, size: file.size).overlaps(range)
            }
            contents.parts.files[number]?.waiters.removeAll(where: isConcerned)
            for waiter in waiters where isConcerned(waiter) { waiter.answer?.complete(.failure(failure)) }
            serveParts(number)
        }
    }

    /// Returns the range of an offered part to write, and reserves it. The range may exceed the requested one, but
    /// does not overlap the ranges of other requests. If two requests wrote the same bytes, the end of the first
    /// would mark them as local while the second still writes.
    private func claimed(
        _ offered: Range<Int64>, for key: Int, asking range: Range<Int64>, of file: PartFile
    ) throws(ProviderFailure) -> Range<Int64> {
        guard let transfer = contents.parts.files[file.number], transfer.file === file, transfer.asks[key] != nil else {
            throw ProviderFailure(.cancelled, message: "The part is not wanted any more.")
        }
        var (start, end) = (offered.lowerBound, offered.upperBound)
        for (other, ask) in transfer.asks where other != key {
            if ask.range.upperBound <= range.lowerBound { start = max(start, ask.range.upperBound) }
            if ask.range.lowerBound >= range.upperBound { end = min(end, ask.range.lowerBound) }
        }
        contents.parts.files[file.number]?.asks[key]?.range = start..<end
        return start..<end
    }

    private func refuseParts(of file: PartFile) {
        contents.parts.refused[file.number] = file.version
        guard let transfer = contents.parts.files[file.number] else { return }
        // No handle has read a part and none is local, so the whole file may be of any version.
        if transfer.begun.isEmpty, transfer.file.ranges.isEmpty { return endParts(file.number) }
        contents.parts.files[file.number]?.isRefused = true
        for ask in transfer.asks.values { ask.task.cancel() }
        serveParts(file.number)
    }

    // MARK: Versions

    /// Fetches the item's current version after the provider refused the one that was requested.
    private func askForVersion(of file: PartFile) {
        // Several requests may fail for this reason. One lookup is enough for all.
        guard contents.parts.files[file.number]?.isVersionAsked == false else { return }
        guard let identifier = (try? openRow(file.number))?.item.identifier else {
            return partsAreOutdated(file.number)
        }
        contents.parts.files[file.number]?.isVersionAsked = true
        let question = answers.ask()
        Task {
            let item = try? await provider.item(identifier)
            guard contents.parts.files[file.number]?.file === file, !isClosed else { return }
            contents.parts.files[file.number]?.isVersionAsked = false
            guard let item else {
                return failParts(file.number, .otherVersion)
            }
            replaceVersion(of: file, by: item, question)
        }
    }

    private func replaceVersion(of file: PartFile, by item: ProviderItem, _ question: AnswerOrder.Question) {
        // The provider has the version but does not serve its parts.
        if item.contentVersion == file.version { return refuseParts(of: file) }
        do throws(ProviderFailure) {
            let row = try openRow(file.number)
            // A newer report takes precedence, and moves come from the change feed.
            if !answers.hasNews(of: row.item.identifier, since: question), item.identifier == row.item.identifier {
                var now = item
                now.parent = row.item.parent
                now.filename = row.item.filename
                try apply([now], listedIn: nil, answering: question)
            }
        } catch {
            return failParts(file.number, error)
        }
        guard contents.parts.files[file.number]?.file === file else { return }
        partsAreOutdated(file.number)
    }

    // MARK: One part

    /// The number of attempts, and the delay before the second one in seconds, as for a whole file.
    private static let attempts = 4
    private static let firstPause = 0.5

    private func fetched(_ range: Range<Int64>, of file: PartFile, _ key: Int) async -> PartOutcome {
        var attempt = 1
        var identifier = ""
        while true {
            let failure: ProviderFailure
            do throws(ProviderFailure) {
                guard !isClosed else { throw .closed }
                identifier = try openRow(file.number).item.identifier
                return try await fetchedOnce(range, of: file, key)
            } catch {
                failure = error
            }
            if Task.isCancelled { return .stopped }
            guard attempt < Self.attempts, !isClosed else { return .failed(failure) }
            switch failure.kind {
            case .expired: return .gone
            case .unsupported, .badAnswer: return .refused(failure)
            case .noSpace:
                guard evict(bytes: max(range.length, Self.leastRoom)) > 0 else { return .failed(failure) }
            case .noSuchItem:
                if await awaitNewIdentifier(of: file.number, asked: identifier) { break }
                doubt(file.number)
                return .failed(failure)
            default:
                guard failure.isWorthAnotherAttempt else { return .failed(failure) }
                await clock.wait(Self.firstPause * Double(1 << (attempt - 1)))
            }
            attempt += 1
        }
    }

    private func fetchedOnce(
        _ range: Range<Int64>, of file: PartFile, _ key: Int
    ) async throws(ProviderFailure) -> PartOutcome {
        let row = try openRow(file.number)
        let question = answers.ask()
        let answer = try await provider.part(
            PartRequest(
                identifier: row.item.identifier, version: file.version, metadataVersion: row.item.metadataVersion,
                range: range, alignment: PartTransfers.alignment))
        guard answer.item.identifier == row.item.identifier else {
            throw ProviderFailure(.badAnswer, message: "The provider gave bytes of another item.")
        }
        guard answer.item.contentVersion == file.version else { return .other(answer.item, question) }
        let offered = file.clipped(answer.range)
        let size = try onDisk { () throws(Errno) in Int64(try answer.descriptor.status().size) }
        guard offered.lowerBound <= range.lowerBound, offered.upperBound >= range.upperBound,
            size >= offered.upperBound,
            answer.item.size.map({ $0 <= 0 || $0 == file.size }) ?? true
        else {
            throw ProviderFailure(
                .badAnswer, message: "The provider gave other bytes than those that it was asked for.")
        }
        let given = try claimed(file.clipped(answer.range), for: key, asking: range, of: file)
        let isCancelled = Lock(false)
        try await withTaskCancellationHandler {
            await HandlerThreads.shared.value { () -> Result<Void, ProviderFailure> in
                Result { () throws(ProviderFailure) in
                    try file.take(given, from: answer.descriptor) { isCancelled.withLock { $0 } }
                }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }.get()
        EngineStep.partFetched.reach()
        return .here(given)
    }

    // MARK: In the index

    /// Records the local ranges in the index: the first part at once, later ones in batches.
    private func noteParts(_ number: ItemNumber) {
        guard let transfer = contents.parts.files[number] else { return }
        let isFirst = transfer.file.ranges.count == transfer.unwritten
        if isFirst || transfer.unwritten >= PartTransfers.writtenBytes { return writeParts(number) }
        guard !transfer.isWritingDue else { return }
        contents.parts.files[number]?.isWritingDue = true
        clock.run(after: PartTransfers.writingPause) { [weak self] in self?.perform { $0.writeParts(number) } }
    }

    func writeParts(_ number: ItemNumber) {
        guard let transfer = contents.parts.files[number] else { return }
        contents.parts.files[number]?.isWritingDue = false
        guard transfer.unwritten > 0, !transfer.isStale, !isClosed, let row = try? openRow(number),
            row.content == .dataless || row.content == .partial
        else { return }
        let ranges = transfer.file.ranges
        do throws(ProviderFailure) {
            try write(freesSpace: true) { writer throws(IndexFailure) in
                try writer.update(number) { row in
                    row.content = .partial
                    row.localSize = ranges.count
                    row.localVersion = transfer.file.version
                    row.parts = ranges.largest(PartTransfers.writtenRanges)
                }
            }
        } catch {
            // Parts that the index does not have are fetched again after a restart.
            return remember(error)
        }
        contents.parts.files[number]?.unwritten = 0
        contents.cleanBytes += transfer.unwritten
    }
}

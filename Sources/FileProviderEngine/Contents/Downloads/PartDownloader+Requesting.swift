import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Requests parts of files from the provider.
extension PartDownloader {
    /// The outcome of a request for a part.
    private enum PartOutcome: Sendable {
        /// The bytes of this range, which may differ from the requested range, were written to the local file.
        case here(Range<Int64>)
        /// The provider returned bytes of another version, with this item.
        case other(ProviderItem, ReplyOrdering.Request)
        /// The provider no longer has the requested version.
        case gone
        /// The provider returned unusable bytes, or does not serve parts of this file.
        case refused(ProviderError)
        /// The request was cancelled.
        case stopped
        case failed(ProviderError)
    }

    /// Requests the missing parts that readers wait for, up to the maximum numbers of concurrent requests.
    func askForParts(_ number: ItemNumber, _ engine: isolated any EngineEvents) {
        while !context.isClosed, transfers.running < PartTransfers.limit, let file = partials[number]?.file,
            (transfers.files[number]?.requests.count ?? 0) < PartTransfers.fileLimit,
            let range = nextRequest(of: number)
        {
            let key = transfers.nextNumber()
            transfers.running += 1
            let epoch = signIn.epoch
            let task = Task {
                let outcome = await fetched(range, of: file, key, engine)
                partDidEnd(key, range, of: file, outcome, sentIn: epoch, engine)
            }
            transfers.files[number]?.requests[key] = PartTransfers.Ask(
                range: range, task: task, begun: context.clock.now)
        }
    }

    /// Returns the next range to request; `nil` if all bytes that readers wait for are local or being requested.
    private func nextRequest(of number: ItemNumber) -> Range<Int64>? {
        guard let partial = partials[number], !partial.isStale, let transfer = transfers.files[number],
            !transfer.isRefused, !transfer.isVersionAsked
        else { return nil }
        let file = partial.file
        let asked = ByteRanges(transfer.requests.values.lazy.map(\.range))
        for read in waiters.reads(of: number) {
            for gap in file.gaps(in: PartBlocks.around(read.range, size: file.size)) {
                guard let first = asked.gaps(in: gap).first else { continue }
                let limit = read.answer == nil ? transfer.aheadSize : PartTransfers.largestPart
                return first.length <= limit ? first : first.lowerBound..<first.lowerBound + limit
            }
        }
        return nil
    }

    private func partDidEnd(
        _ key: Int, _ range: Range<Int64>, of file: PartialFile, _ outcome: PartOutcome, sentIn epoch: Int,
        _ engine: isolated any EngineEvents
    ) {
        transfers.running -= 1
        let number = file.number
        // Meanwhile, a transfer of another version may have replaced this one.
        if partials.isInUse(file), let ask = transfers.files[number]?.requests.removeValue(forKey: key) {
            if case .here(let range) = outcome {
                transfers.files[number]?.noteArrival(of: range, begun: ask.begun, at: context.clock.now)
            }
            take(outcome, of: file, range, sentIn: epoch, engine)
        }
        // The release of the parts waits for their last request, which may be this one.
        if partials.isInUse(file), transfers.files[number]?.requests.isEmpty == true { putAway(number, engine) }
        // Other files may have waited for this request's slot.
        for other in transfers.files.keys { askForParts(other, engine) }
        if cache.isOverLimit { evictor.evictToLimit(engine) }
    }

    private func take(
        _ outcome: PartOutcome, of file: PartialFile, _ range: Range<Int64>, sentIn epoch: Int,
        _ engine: isolated any EngineEvents
    ) {
        let number = file.number
        switch outcome {
        case .here(let range):
            partials.noteLocal(number, bytes: file.insert(range))
            if file.isComplete { return complete(number, engine) }
            partialContents.noteGrown(number, engine)
            serveParts(number, engine)
        case .other(let item, let request): replaceVersion(of: file, by: item, request, engine)
        case .gone: askForVersion(of: file, engine)
        case .refused(let failure):
            if failure.kind == .badAnswer { context.recordBackgroundError(failure) }
            refuseParts(of: file, engine)
        // A reader may want the part again.
        case .stopped: serveParts(number, engine)
        // The request was sent before the user signed in.
        case .failed(let failure) where signIn.isOutdated(failure, sentIn: epoch): serveParts(number, engine)
        case .failed(let failure):
            if failure.kind == .notAuthenticated { signIn.noteNeeded(failure, sentIn: epoch) }
            let concerned = waiters.takeReads(of: number) { read in
                read.answer == nil || PartBlocks.around(read.range, size: file.size).overlaps(range)
            }
            for read in concerned { read.answer?.complete(.failure(failure)) }
            serveParts(number, engine)
        }
    }

    /// Returns the portion of a returned part that is to be written, and reserves it for this request. The portion may
    /// exceed the requested range, but does not overlap the ranges of other requests. If two requests wrote the same
    /// bytes, the first to end would mark them as local while the second still writes them.
    ///
    /// - Parameters:
    ///   - offered: The range of bytes that the provider returned.
    ///   - key: The key of the request in ``PartTransfers/File/requests``.
    ///   - range: The requested range.
    private func claimed(
        _ offered: Range<Int64>, for key: Int, asking range: Range<Int64>, of file: PartialFile
    ) throws(ProviderError) -> Range<Int64> {
        guard partials.isInUse(file), let transfer = transfers.files[file.number], transfer.requests[key] != nil
        else {
            throw ProviderError(.cancelled, message: "The part is not needed any more.")
        }
        var (start, end) = (offered.lowerBound, offered.upperBound)
        for (other, ask) in transfer.requests where other != key {
            if ask.range.upperBound <= range.lowerBound { start = max(start, ask.range.upperBound) }
            if ask.range.lowerBound >= range.upperBound { end = min(end, ask.range.lowerBound) }
        }
        transfers.files[file.number]?.requests[key]?.range = start..<end
        return start..<end
    }

    private func refuseParts(of file: PartialFile, _ engine: isolated any EngineEvents) {
        transfers.refused[file.number] = file.version
        guard let partial = partials[file.number] else { return }
        // No part is local and no handle has read one, so the whole file may be of any version.
        if partial.begun.isEmpty, partial.file.ranges.isEmpty { return partialContents.end(file.number, engine) }
        transfers.files[file.number]?.isRefused = true
        transfers.files[file.number]?.cancel()
        serveParts(file.number, engine)
    }

    // MARK: Versions

    /// Requests the item's current version, after the provider reported that it no longer has the version of the local
    /// parts.
    private func askForVersion(of file: PartialFile, _ engine: isolated any EngineEvents) {
        // Several requests may fail for this reason. One request for the item is enough for all.
        guard transfers.files[file.number]?.isVersionAsked == false else { return }
        guard let identifier = (try? cache.openRow(file.number))?.item.identifier else {
            return areOutdated(file.number, engine)
        }
        transfers.files[file.number]?.isVersionAsked = true
        let request = context.replies.beginRequest()
        Task {
            await askForVersion(of: file, identifier, request, engine)
        }
    }

    private func askForVersion(
        of file: PartialFile, _ identifier: String, _ request: ReplyOrdering.Request,
        _ engine: isolated any EngineEvents
    ) async {
        let item = try? await context.provider.item(identifier)
        guard partials.isInUse(file), !context.isClosed else { return }
        transfers.files[file.number]?.isVersionAsked = false
        guard let item else { return failReads(file.number, .otherVersion) }
        replaceVersion(of: file, by: item, request, engine)
    }

    private func replaceVersion(
        of file: PartialFile, by item: ProviderItem, _ request: ReplyOrdering.Request,
        _ engine: isolated any EngineEvents
    ) {
        // The provider has the version but does not serve its parts.
        if item.contentVersion == file.version { return refuseParts(of: file, engine) }
        do throws(ProviderError) {
            let row = try cache.openRow(file.number)
            // A newer report takes precedence. The name and the parent stay, because the change feed reports moves.
            if !context.replies.isStale(for: row.item.identifier, since: request),
                item.identifier.hasSameBytes(as: row.item.identifier)
            {
                var now = item
                now.parent = row.item.parent
                now.filename = row.item.filename
                try reconciler.apply([now], answering: request, engine)
            }
        } catch {
            return failReads(file.number, error)
        }
        guard partials.isInUse(file) else { return }
        areOutdated(file.number, engine)
    }

    // MARK: One part

    /// The number of attempts to fetch a part, as for a whole file. ``firstPause`` is the delay in seconds before the
    /// second attempt.
    private static let attempts = 4
    private static let firstPause = 0.5

    private func fetched(
        _ range: Range<Int64>, of file: PartialFile, _ key: Int, _ engine: isolated any EngineEvents
    ) async -> PartOutcome {
        var attempt = 1
        var identifier = ""
        while true {
            let failure: ProviderError
            do throws(ProviderError) {
                guard !context.isClosed else { throw .closed }
                try await finder.awaitCertainIdentifier(of: file.number, engine)
                identifier = try cache.openRow(file.number).item.identifier
                return try await fetchedOnce(range, of: file, key, engine)
            } catch {
                failure = error
            }
            if Task.isCancelled { return .stopped }
            guard attempt < Self.attempts, !context.isClosed else { return .failed(failure) }
            switch failure.kind {
            case .expired: return .gone
            case .unsupported, .badAnswer: return .refused(failure)
            case .noSpace:
                guard evictor.evict(bytes: max(range.length, Evictor.leastRoom), engine) > 0 else {
                    return .failed(failure)
                }
            case .noSuchItem:
                if await finder.awaitNewIdentifier(of: file.number, asked: identifier, engine) { break }
                reconciler.markUncertain(file.number, engine)
                return .failed(failure)
            default:
                guard failure.isWorthAnotherAttempt else { return .failed(failure) }
                await context.clock.wait(Self.firstPause * Double(1 << (attempt - 1)))
            }
            attempt += 1
        }
    }

    private func fetchedOnce(
        _ range: Range<Int64>, of file: PartialFile, _ key: Int, _ engine: isolated any EngineEvents
    ) async throws(ProviderError) -> PartOutcome {
        let row = try cache.openRow(file.number)
        let request = context.replies.beginRequest()
        let answer = try await context.provider.part(
            PartRequest(
                identifier: row.item.identifier, version: file.version, metadataVersion: row.item.metadataVersion,
                range: range, alignment: PartTransfers.alignment))
        guard answer.item.identifier.hasSameBytes(as: row.item.identifier) else {
            throw ProviderError(.badAnswer, message: "The provider gave bytes of another item.")
        }
        guard answer.item.contentVersion == file.version else { return .other(answer.item, request) }
        let offered = file.clipped(answer.range)
        let size = try onDisk { () throws(Errno) in Int64(try answer.descriptor.status().size) }
        guard offered.lowerBound <= range.lowerBound, offered.upperBound >= range.upperBound,
            size >= offered.upperBound,
            answer.item.size.map({ $0 <= 0 || $0 == file.size }) ?? true
        else {
            throw ProviderError(
                .badAnswer, message: "The provider returned other bytes than those that were requested.")
        }
        let given = try claimed(file.clipped(answer.range), for: key, asking: range, of: file)
        let isCancelled = Lock(false)
        try await withTaskCancellationHandler {
            await HandlerThreads.shared.value { () -> Result<Void, ProviderError> in
                Result { () throws(ProviderError) in
                    try file.take(given, from: answer.descriptor) { isCancelled.withLock { $0 } }
                }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }.get()
        EngineStep.partFetched.reach()
        return .here(given)
    }
}

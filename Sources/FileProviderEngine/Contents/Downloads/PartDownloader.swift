import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Serves reads of dataless and partially materialized files. Each read waits for its own bytes only.
///
/// It calls ``SignIn``, ``ContentCache``, ``PartialContents``, ``Evictor``, ``OutdatedFiles``, ``ItemReconciler`` and
/// ``IdentifierFinder``, and sends events (``EngineEvents``) when a file is to be fetched whole or may be complete.
/// Used only on the engine's thread (see ``EngineContext``).
final class PartDownloader: EngineComponent {
    let context: EngineContext
    let waiters: ContentWaiters
    let cache: ContentCache
    let partials: PartialFiles
    let partialContents: PartialContents
    let evictor: Evictor
    let outdated: OutdatedFiles
    let signIn: SignIn
    let reconciler: ItemReconciler
    let finder: IdentifierFinder
    // The state, which only this type and its extensions in other files use.
    var transfers = PartTransfers()

    init(
        _ context: EngineContext, _ waiters: ContentWaiters, _ cache: ContentCache, _ partials: PartialFiles,
        _ partialContents: PartialContents, _ evictor: Evictor, _ outdated: OutdatedFiles, _ signIn: SignIn,
        _ reconciler: ItemReconciler, _ finder: IdentifierFinder
    ) {
        self.context = context
        self.waiters = waiters
        self.cache = cache
        self.partials = partials
        self.partialContents = partialContents
        self.evictor = evictor
        self.outdated = outdated
        self.signIn = signIn
        self.reconciler = reconciler
        self.finder = finder
    }

    /// The range of bytes, or the length of the file, that a reader waits for.
    private enum Need: Sendable {
        /// A range of bytes, for the handle with the number `reader`.
        case range(Range<Int64>, reader: Int)
        /// The file's length.
        case extent

        var reader: Int? { if case .range(_, let reader) = self { reader } else { nil } }
    }

    /// Calls the completion handler when a range of a file is local. If the file is not served in parts, waits for the
    /// whole file.
    ///
    /// - Parameter reader: The number of the reading handle.
    func waitForPart(
        _ number: ItemNumber, _ range: Range<Int64>, reader: Int, _ answer: EngineCompletion<PartSource>,
        _ engine: isolated any EngineEvents
    ) {
        wait(for: .range(range, reader: reader), of: number, answer, engine)
    }

    /// Calls the completion handler when the length of a file is known. If the file is served in parts, its length is
    /// the size that the provider reports.
    func waitForExtent(
        _ number: ItemNumber, _ answer: EngineCompletion<PartSource>, _ engine: isolated any EngineEvents
    ) {
        wait(for: .extent, of: number, answer, engine)
    }

    private func wait(
        for need: Need, of number: ItemNumber, _ answer: EngineCompletion<PartSource>,
        _ engine: isolated any EngineEvents
    ) {
        guard !context.isClosed, let entry = openFiles.entry(number) else { return answer.complete(.failure(.closed)) }
        if let reading = entry.reading { return answer.complete(.success(.whole(reading))) }
        decide(need, of: number, answer, engine)
    }

    /// Requests a range that a sequential reader is expected to read next.
    func prefetchPart(
        _ number: ItemNumber, _ range: Range<Int64>, reader: Int, _ engine: isolated any EngineEvents
    ) {
        guard !context.isClosed, context.resources.gate.isOpen, openFiles.entry(number)?.reading == nil,
            let file = partials[number]?.file
        else { return }
        addRead(ContentWaiters.Read(range: file.clipped(range), reader: reader, answer: nil), of: number)
        serveParts(number, engine)
    }

    /// Fetches the ranges of a partially materialized file that are not local.
    ///
    /// - Returns: Whether all bytes of the file are local.
    func fill(
        _ row: IndexedItem, _ progress: FetchProgress, _ engine: isolated any EngineEvents
    ) async throws(ProviderError) -> Bool {
        let number = row.number
        guard row.content == .partial, let file = try partialFile(row, engine)?.file else { return false }
        while let partial = partials[number], partial.file === file, transfers.files[number]?.isRefused != true {
            // The new version is fetched whole. Handles that have begun to read do not see it.
            guard !partial.isStale else { return false }
            let ranges = file.ranges
            progress.set(ranges.count, file.size)
            guard let gap = ranges.gaps(in: 0..<file.size).first else { break }
            let end =
                gap.length <= PartTransfers.largestPart ? gap.upperBound : gap.lowerBound + PartTransfers.largestPart
            try await part(number, gap.lowerBound..<end, engine)
        }
        return try cache.openRow(number).content == .current
    }

    private func part(
        _ number: ItemNumber, _ range: Range<Int64>, _ engine: isolated any EngineEvents
    ) async throws(ProviderError) {
        let (results, continuation) = AsyncStream<Result<PartSource, ProviderError>>.makeStream()
        let answer = EngineCompletion<PartSource> {
            continuation.yield($0)
            continuation.finish()
        }
        addRead(ContentWaiters.Read(range: range, reader: nil, answer: answer), of: number)
        serveParts(number, engine)
        let result = await withTaskCancellationHandler { @Sendable () -> Result<PartSource, ProviderError> in
            for await result in results { return result }
            return .failure(.closed)
        } onCancel: {
            answer.cancel()
        }
        _ = try result.get()
    }

    // MARK: Whether a file is served in parts

    /// Serves a reader once it is known whether its file is served in parts.
    private func decide(
        _ need: Need, of number: ItemNumber, _ answer: EngineCompletion<PartSource>,
        _ engine: isolated any EngineEvents
    ) {
        if let partial = partials[number] { return serve(need, of: number, from: partial, answer, engine) }
        do throws(ProviderError) {
            let row = try cache.openRow(number)
            guard supportsPartialFetch(row) else { return serve(need, of: number, from: nil, answer, engine) }
            // A partially materialized file is known to be served in parts. Its local parts are read without a
            // request.
            if transfers.areServed != nil || row.content == .partial {
                return serve(need, of: number, from: try partialFile(row, engine), answer, engine)
            }
        } catch {
            return answer.complete(.failure(error))
        }
        let key = waiters.addUndecided(answer, reader: need.reader, of: number)
        Task {
            // If the provider cannot be reached, the fetch of the whole file handles the failure.
            let areServed = try? await context.provider.servesParts()
            decided(areServed, need, of: number, key, answer, engine)
        }
    }

    private func decided(
        _ areServed: Bool?, _ need: Need, of number: ItemNumber, _ key: Int, _ answer: EngineCompletion<PartSource>,
        _ engine: isolated any EngineEvents
    ) {
        if let areServed { transfers.areServed = areServed }
        // A reader that was cancelled must not count as one that has read parts.
        guard !waiters.takeUndecided(of: number, where: { $0.key == key }).isEmpty else { return }
        guard !context.isClosed, openFiles.entry(number) != nil else { return answer.complete(.failure(.closed)) }
        if areServed == nil {
            serve(need, of: number, from: nil, answer, engine)
        } else {
            decide(need, of: number, answer, engine)
        }
    }

    /// Serves a reader from the parts of its file, or from the whole file if it has no usable parts.
    private func serve(
        _ need: Need, of number: ItemNumber, from partial: PartialFiles.Entry?, _ answer: EngineCompletion<PartSource>,
        _ engine: isolated any EngineEvents
    ) {
        let isRefused = transfers.files[number]?.isRefused == true
        switch need {
        case .range(let range, let reader):
            guard let file = partial?.file, !isRefused || file.contains(range) else {
                return waitForWhole(number, answer, engine)
            }
            addRead(ContentWaiters.Read(range: file.clipped(range), reader: reader, answer: answer), of: number)
            serveParts(number, engine)
        case .extent:
            guard let file = partial?.file, !isRefused else { return waitForWhole(number, answer, engine) }
            answer.complete(.success(.part(file)))
        }
    }

    private func supportsPartialFetch(_ row: IndexedItem) -> Bool {
        guard row.content == .dataless || row.content == .partial, transfers.areServed != false,
            let size = row.item.size, size >= PartTransfers.leastSize
        else { return false }
        return row.isKnownToProvider && !row.item.contentVersion.isEmpty
            && transfers.refused[row.number] != row.item.contentVersion
            && openFiles.entry(row.number)?.writing == nil
    }

    /// Returns the partial file of an item, and opens or creates it if needed. Returns `nil` if the file cannot be
    /// served in parts.
    func partialFile(
        _ row: IndexedItem, _ engine: isolated any EngineEvents
    ) throws(ProviderError) -> PartialFiles.Entry? {
        let number = row.number
        if let partial = partials[number] { return partial }
        guard supportsPartialFetch(row), let size = row.item.size else { return nil }
        let opened = try evictor.makingRoom(engine) { () throws(ProviderError) in
            try partialContents.open(row, size: size)
        }
        guard let partial = opened else {
            transfers.refused[number] = row.item.contentVersion
            return nil
        }
        transfers.files[number] = PartTransfers.File()
        return partial
    }

    // MARK: Readers

    private func waitForWhole(
        _ number: ItemNumber, _ answer: EngineCompletion<PartSource>, _ engine: isolated any EngineEvents
    ) {
        let whole = EngineCompletion<FileDescriptor> { answer.complete($0.map(PartSource.whole)) }
        engine.wholeFileIsWanted(number, whole)
    }

    private func addRead(_ read: ContentWaiters.Read, of number: ItemNumber) {
        if partials[number] != nil { waiters.add(read, of: number) }
    }

    /// Removes a cancelled read, and cancels requests for parts that no other read needs.
    func partWaiterLeft(_ number: ItemNumber, _ answer: EngineCompletion<PartSource>) {
        _ = waiters.takeUndecided(of: number) { $0.answer === answer }
        _ = waiters.takeReads(of: number) { $0.answer === answer }
        cancelUnwantedParts(number)
    }

    /// Removes the reads of a closed handle, and cancels requests for parts that no other read needs.
    func partReaderLeft(_ number: ItemNumber, _ reader: Int, _ engine: isolated any EngineEvents) {
        for waiting in waiters.takeUndecided(of: number, where: { $0.reader == reader }) { waiting.answer.cancel() }
        guard let before = partials[number] else { return }
        let left = waiters.takeReads(of: number) { $0.reader == reader }
        partials.noteClosed(number, reader)
        for read in left { read.answer?.cancel() }
        cancelUnwantedParts(number)
        // Handles that have not read any bytes can get the new contents now.
        if before.isStale, partials[number]?.begun.isEmpty == true { beginAnew(number, engine) }
    }

    private func cancelUnwantedParts(_ number: ItemNumber) {
        guard let file = partials[number]?.file, let transfer = transfers.files[number] else { return }
        let reads = waiters.reads(of: number)
        for ask in transfer.requests.values {
            let isWanted = reads.contains { PartBlocks.around($0.range, size: file.size).overlaps(ask.range) }
            if !isWanted { ask.task.cancel() }
        }
    }

    /// Completes the reads whose bytes are local, and requests missing parts for the others.
    func serveParts(_ number: ItemNumber, _ engine: isolated any EngineEvents) {
        guard let partial = partials[number] else { return }
        let served = waiters.takeReads(of: number) { partial.file.contains($0.range) }.filter { $0.answer != nil }
        for read in served {
            if let reader = read.reader { partials.noteReading(number, by: reader) }
        }
        let isRefused = transfers.files[number]?.isRefused == true
        let failed = partial.isStale || isRefused ? waiters.takeReads(of: number) : []
        if !served.isEmpty { cache.noteUse(of: number) }
        for read in served { read.answer?.complete(.success(.part(partial.file))) }
        for read in failed {
            guard let answer = read.answer else { continue }
            if partial.isStale {
                answer.complete(.failure(.otherVersion))
            } else {
                waitForWholeOrFail(number, read, answer, engine)
            }
        }
        askForParts(number, engine)
    }

    /// Handles a read that parts cannot serve. A reader waits for the whole file instead. A request by ``fill(_:_:_:)``
    /// fails, and the downloader then tries again.
    func waitForWholeOrFail(
        _ number: ItemNumber, _ read: ContentWaiters.Read, _ answer: EngineCompletion<PartSource>,
        _ engine: isolated any EngineEvents
    ) {
        if read.reader == nil {
            answer.complete(.failure(.otherVersion))
        } else {
            waitForWhole(number, answer, engine)
        }
    }

    /// Fails all reads of parts of a file. The local parts stay.
    func failReads(_ number: ItemNumber, _ failure: ProviderError) {
        for read in waiters.takeReads(of: number) { read.answer?.complete(.failure(failure)) }
    }
}

import FileProvider
import LinuxSystem

/// Reads of dataless and partially materialized files. Each read waits for its own bytes only.
extension DomainEngine {
    /// Waits for a range of a file. If the file is not served in parts, waits for the whole file.
    ///
    /// - Parameter reader: the number of the reading handle.
    func waitForPart(_ number: ItemNumber, _ range: Range<Int64>, reader: Int, _ answer: EngineCompletion<PartSource>) {
        guard !isClosed, let entry = openFiles.entry(number) else { return answer.complete(.failure(.closed)) }
        if let reading = entry.reading { return answer.complete(.success(.whole(reading))) }
        whenPartsAreKnown(number, reader: reader, answer) { (engine, file) in
            guard let file, !file.isRefused || file.file.contains(range) else {
                return engine.waitForWhole(number, answer)
            }
            engine.addPartWaiter(number, file.file.clipped(range), reader: reader, answer)
            engine.serveParts(number)
        }
    }

    /// Waits until the length of a file is known. If the file is served in parts, this is the size that the provider
    /// reports.
    func waitForExtent(_ number: ItemNumber, _ answer: EngineCompletion<PartSource>) {
        guard !isClosed, let entry = openFiles.entry(number) else { return answer.complete(.failure(.closed)) }
        if let reading = entry.reading { return answer.complete(.success(.whole(reading))) }
        whenPartsAreKnown(number, reader: nil, answer) { (engine, file) in
            guard let file, !file.isRefused else { return engine.waitForWhole(number, answer) }
            answer.complete(.success(.part(file.file)))
        }
    }

    /// Requests a range ahead of a sequential reader.
    func prefetchPart(_ number: ItemNumber, _ range: Range<Int64>, reader: Int) {
        guard !isClosed, openFiles.entry(number)?.reading == nil, let file = contents.parts.files[number]?.file else {
            return
        }
        addPartWaiter(number, file.clipped(range), reader: reader, nil)
        serveParts(number)
    }

    /// Fetches the missing ranges of a partially materialized file.
    ///
    /// - Returns: whether the file is complete.
    func fillParts(_ row: IndexedItem, _ progress: FetchProgress) async throws(ProviderFailure) -> Bool {
        let number = row.number
        guard row.content == .partial, let file = try partFile(row)?.file else { return false }
        while let transfer = contents.parts.files[number], transfer.file === file, !transfer.isRefused {
            // The new version is fetched whole. Handles that have begun to read do not see it.
            guard !transfer.isStale else { return false }
            let ranges = file.ranges
            progress.set(ranges.count, file.size)
            guard let gap = ranges.gaps(in: 0..<file.size).first else { break }
            let end =
                gap.length <= PartTransfers.largestPart ? gap.upperBound : gap.lowerBound + PartTransfers.largestPart
            try await part(number, gap.lowerBound..<end)
        }
        return try openRow(number).content == .current
    }

    private func part(_ number: ItemNumber, _ range: Range<Int64>) async throws(ProviderFailure) {
        let gaveUp = Lock<(@Sendable () -> Void)?>(nil)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = EngineCompletion<PartSource> { continuation.resume(returning: $0) }
                gaveUp.withLock { $0 = { answer.cancel() } }
                if Task.isCancelled { answer.cancel() }
                addPartWaiter(number, range, reader: nil, answer)
                serveParts(number)
            }
        } onCancel: {
            gaveUp.withLock { $0 }?()
        }
        _ = try result.get()
    }

    // MARK: Who waits

    /// Calls a function when it is known whether a file is served in parts: with its parts, or with `nil` if it is
    /// not.
    private func whenPartsAreKnown(
        _ number: ItemNumber, reader: Int?, _ answer: EngineCompletion<PartSource>,
        _ body: @escaping @Sendable (isolated DomainEngine, PartTransfers.File?) -> Void
    ) {
        if let file = contents.parts.files[number] { return body(self, file) }
        do throws(ProviderFailure) {
            let row = try openRow(number)
            guard mayBeServedInParts(row) else { return body(self, nil) }
            // A partially materialized file is known to be served in parts. Its local parts are read without a
            // request.
            if contents.parts.areServed != nil || row.content == .partial { return body(self, try partFile(row)) }
        } catch {
            return answer.complete(.failure(error))
        }
        let key = contents.parts.nextNumber()
        contents.parts.undecided[key] = PartTransfers.Undecided(number: number, reader: reader, answer: answer)
        Task {
            // If the provider cannot be reached, the fetch of the whole file handles the failure.
            let areServed = try? await provider.servesParts()
            if let areServed { contents.parts.areServed = areServed }
            // A reader that has given up must not count as one that has read parts.
            guard contents.parts.undecided.removeValue(forKey: key) != nil else { return }
            guard !isClosed, openFiles.entry(number) != nil else { return answer.complete(.failure(.closed)) }
            if areServed == nil { body(self, nil) } else { whenPartsAreKnown(number, reader: reader, answer, body) }
        }
    }

    private func mayBeServedInParts(_ row: IndexedItem) -> Bool {
        guard row.content == .dataless || row.content == .partial, contents.parts.areServed != false,
            let size = row.item.size, size >= PartTransfers.leastSize
        else { return false }
        return row.isKnownToProvider && !row.item.contentVersion.isEmpty
            && contents.parts.refused[row.number] != row.item.contentVersion
            && openFiles.entry(row.number)?.writing == nil
    }

    private func waitForWhole(_ number: ItemNumber, _ answer: EngineCompletion<PartSource>) {
        waitForContents(number, isForWriting: false, EngineCompletion { answer.complete($0.map(PartSource.whole)) })
    }

    private func addPartWaiter(
        _ number: ItemNumber, _ range: Range<Int64>, reader: Int?, _ answer: EngineCompletion<PartSource>?
    ) {
        let waiter = PartTransfers.Waiter(
            number: contents.parts.nextNumber(), range: range, reader: reader, answer: answer)
        contents.parts.files[number]?.waiters.append(waiter)
    }

    /// Removes a cancelled waiter, and cancels requests that no other waiter needs.
    func partWaiterLeft(_ number: ItemNumber, _ answer: EngineCompletion<PartSource>) {
        contents.parts.undecided = contents.parts.undecided.filter { $0.value.answer !== answer }
        contents.parts.files[number]?.waiters.removeAll { $0.answer === answer }
        cancelUnwantedParts(number)
    }

    /// Removes a closed handle, and cancels requests that no other handle needs.
    func partReaderLeft(_ number: ItemNumber, _ reader: Int) {
        for (key, waiting) in contents.parts.undecided where waiting.number == number && waiting.reader == reader {
            contents.parts.undecided[key] = nil
            waiting.answer.cancel()
        }
        guard var transfer = contents.parts.files[number] else { return }
        let left = transfer.waiters.filter { $0.reader == reader }
        transfer.waiters.removeAll { $0.reader == reader }
        // With a shared page cache, other handles may have read this handle's bytes.
        if !contents.parts.pagesAreShared { transfer.begun.remove(reader) }
        contents.parts.files[number] = transfer
        for waiter in left { waiter.answer?.cancel() }
        cancelUnwantedParts(number)
        // Handles that have not read any bytes can get the new contents now.
        if transfer.isStale, transfer.begun.isEmpty { beginPartsAnew(number) }
    }

    /// Declares that all handles of a file share the page cache from now on, as in a mount. A handle that has read
    /// bytes then keeps all handles on its version until the last one is closed.
    package func sharePages() { contents.parts.pagesAreShared = true }

    private func cancelUnwantedParts(_ number: ItemNumber) {
        guard let transfer = contents.parts.files[number] else { return }
        for ask in transfer.asks.values {
            let isWanted = transfer.waiters.contains {
                PartBlocks.around($0.range, size: transfer.file.size).overlaps(ask.range)
            }
            if !isWanted { ask.task.cancel() }
        }
    }

    // MARK: Local parts

    /// Returns the parts of a file, which are opened or created if needed. Returns `nil` if the file cannot be served
    /// in parts.
    func partFile(_ row: IndexedItem) throws(ProviderFailure) -> PartTransfers.File? {
        let number = row.number
        if let transfer = contents.parts.files[number] { return transfer }
        guard mayBeServedInParts(row), let size = row.item.size else { return nil }
        var found: PartFile?
        if row.content == .partial {
            if row.localVersion == row.item.contentVersion { found = try openParts(row, size: size) }
            if found == nil { try forgetContents(number) }
        }
        if found == nil { found = try makeParts(row, size: size) }
        guard let file = found else {
            contents.parts.refused[number] = row.item.contentVersion
            return nil
        }
        let transfer = PartTransfers.File(file: file)
        contents.parts.files[number] = transfer
        return transfer
    }

    private func openParts(_ row: IndexedItem, size: Int64) throws(ProviderFailure) -> PartFile? {
        try onDisk { () throws(Errno) in
            guard let file = try folders.open(row.number, in: folders.parts, .readWrite),
                try file.status().size == Int(size), !row.parts.contains(0..<size),
                row.parts.ranges.last.map({ $0.upperBound <= size }) ?? true
            else { return nil }
            return try PartFile(row.number, version: row.localVersion, size: size, file, row.parts)
        }
    }

    /// Creates an empty file of the full size for a file's parts.
    ///
    /// - Returns: `nil` if the file system does not support files of the size that the provider reports.
    private func makeParts(_ row: IndexedItem, size: Int64) throws(ProviderFailure) -> PartFile? {
        let folders = folders
        return try makingRoom { () throws(ProviderFailure) in
            do throws(Errno) {
                try folders.remove(row.number, in: folders.parts)
                let file = try folders.parts.open(
                    ContentFolders.name(row.number), [.readWrite, .create, .exclusive, .noFollow], permissions: 0o600)
                do throws(Errno) {
                    try file.truncate(to: Int(size))
                } catch {
                    try? folders.remove(row.number, in: folders.parts)
                    if error == .noSpace || error == .quotaExceeded { throw error }
                    return nil
                }
                return try PartFile(
                    row.number, version: row.item.contentVersion, size: size, file, ByteRanges())
            } catch {
                throw ProviderFailure(error)
            }
        }
    }

    /// Completes the waiters that local parts can serve, and requests the parts that are missing.
    func serveParts(_ number: ItemNumber) {
        guard var transfer = contents.parts.files[number] else { return }
        var served: [EngineCompletion<PartSource>] = []
        var failed: [PartTransfers.Waiter] = []
        var waiting: [PartTransfers.Waiter] = []
        for waiter in transfer.waiters {
            if transfer.file.contains(waiter.range) {
                if let answer = waiter.answer {
                    served.append(answer)
                    if let reader = waiter.reader { transfer.begun.insert(reader) }
                }
            } else if transfer.isStale || transfer.isRefused {
                failed.append(waiter)
            } else {
                waiting.append(waiter)
            }
        }
        transfer.waiters = waiting
        contents.parts.files[number] = transfer
        if !served.isEmpty { noteUse(of: number) }
        for answer in served { answer.complete(.success(.part(transfer.file))) }
        for waiter in failed {
            guard let answer = waiter.answer else { continue }
            if transfer.isStale {
                answer.complete(.failure(.otherVersion))
            } else {
                waitForWholeOrFail(number, waiter, answer)
            }
        }
        askForParts(number)
    }

    /// Handles a waiter that parts cannot serve. A reader waits for the whole file instead; a fetch fails and is
    /// retried in another way.
    private func waitForWholeOrFail(
        _ number: ItemNumber, _ waiter: PartTransfers.Waiter, _ answer: EngineCompletion<PartSource>
    ) {
        if waiter.reader == nil { answer.complete(.failure(.otherVersion)) } else { waitForWhole(number, answer) }
    }

    // MARK: The end of parts

    /// Moves a complete file to the clean contents.
    func completeParts(_ number: ItemNumber) {
        guard let transfer = contents.parts.files[number], transfer.file.isComplete else { return }
        let file = transfer.file
        do throws(ProviderFailure) {
            let row = try openRow(number)
            // The whole file was fetched in another version. Handles that have begun to read keep the local parts.
            guard row.content == .dataless || row.content == .partial else { return partsAreOutdated(number) }
            try onDisk { () throws(Errno) in
                try ContentStamp.date(file.writing, row.item.modified)
                try folders.move(number, from: folders.parts, to: folders.clean)
            }
            EngineStep.partsMoved.reach()
            try write { writer throws(IndexFailure) in
                try writer.update(number) { row in
                    row.settle(size: file.size, version: file.version)
                    row.parts = ByteRanges()
                }
            }
        } catch {
            remember(error)
            return failParts(number, error)
        }
        contents.cleanBytes += transfer.unwritten
        contents.parts.files[number] = nil
        contents.parts.restarts[number] = nil
        openFiles.update(number) { entry in
            if entry.reading == nil { entry.reading = file.reading }
        }
        for waiter in transfer.waiters { waiter.answer?.complete(.success(.whole(file.reading))) }
        makeReady(number)
    }

    /// Fails all waiters for parts of a file. The local parts stay.
    func failParts(_ number: ItemNumber, _ failure: ProviderFailure) {
        let waiters = contents.parts.files[number]?.waiters ?? []
        contents.parts.files[number]?.waiters = []
        for waiter in waiters { waiter.answer?.complete(.failure(failure)) }
    }

    /// Drops the parts of a file whose contents were replaced or removed. Waiters continue with the whole file.
    func endParts(_ number: ItemNumber) {
        guard let transfer = contents.parts.files.removeValue(forKey: number) else { return }
        transfer.file.end()
        for ask in transfer.asks.values { ask.task.cancel() }
        try? folders.remove(number, in: folders.parts)
        for waiter in transfer.waiters {
            if let answer = waiter.answer { waitForWholeOrFail(number, waiter, answer) }
        }
    }

    /// Records and releases the parts of a file after its last handle was closed, unless the file is being fetched.
    func putAwayParts(_ number: ItemNumber) {
        guard openFiles.entry(number) == nil else { return }
        guard contents.fetches[number] == nil else {
            // The handles that had begun to read are closed.
            contents.parts.files[number]?.begun = []
            if contents.parts.files[number]?.isStale == true { beginPartsAnew(number) }
            return
        }
        contents.parts.refused[number] = nil
        contents.parts.restarts[number] = nil
        guard let transfer = contents.parts.files[number] else { return }
        writeParts(number)
        for ask in transfer.asks.values { ask.task.cancel() }
        for waiter in transfer.waiters { waiter.answer?.cancel() }
        contents.parts.files[number]?.waiters = []
        contents.parts.files[number]?.begun = []
        // The last request calls this function again when it ends. Until then it may still write to the file.
        guard transfer.asks.isEmpty || transfer.isStale else { return }
        contents.parts.files[number] = nil
        // The item may have been removed.
        let row = try? row(number)
        if row != nil { dropOutdatedContents(number) }
        if row?.content != .partial { try? folders.remove(number, in: folders.parts) }
    }

    /// Drops the parts after the whole file was fetched at once, or keeps them for handles that have read another
    /// version.
    ///
    /// - Parameter version: the version of the fetched contents.
    func partsWereReplaced(_ number: ItemNumber, by version: [UInt8]) {
        guard let transfer = contents.parts.files[number] else {
            try? folders.remove(number, in: folders.parts)
            return
        }
        if transfer.file.version == version || transfer.begun.isEmpty {
            endParts(number)
        } else {
            partsAreOutdated(number)
        }
    }
}

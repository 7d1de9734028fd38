import FileProvider
import LinuxSystem

/// Reads of files that are not here, each of which waits for its own bytes only.
extension DomainEngine {
    /// Somebody who has a file open waits for some of its bytes. Where the file is not served in parts, they wait for the whole.
    ///
    /// - Parameter reader: the opening.
    func waitForPart(_ number: ItemNumber, _ range: Range<Int64>, reader: Int, _ answer: Answer<PartSource>) {
        guard !isClosed, let entry = openFiles.entry(number) else { return answer.give(.failure(.closed)) }
        if let reading = entry.reading { return answer.give(.success(.whole(reading))) }
        whenPartsAreKnown(number, reader: reader, answer) { (engine, file) in
            guard let file, !file.isRefused || file.file.contains(range) else {
                return engine.waitForWhole(number, answer)
            }
            engine.addPartWaiter(number, file.file.clipped(range), reader: reader, answer)
            engine.serveParts(number)
        }
    }

    /// Whoever has a file open wants to know how long it is: of one that is served in parts, the provider's word counts.
    func waitForExtent(_ number: ItemNumber, _ answer: Answer<PartSource>) {
        guard !isClosed, let entry = openFiles.entry(number) else { return answer.give(.failure(.closed)) }
        if let reading = entry.reading { return answer.give(.success(.whole(reading))) }
        whenPartsAreKnown(number, reader: nil, answer) { (engine, file) in
            guard let file, !file.isRefused else { return engine.waitForWhole(number, answer) }
            answer.give(.success(.part(file.file)))
        }
    }

    /// Somebody reads on, and will soon want these bytes.
    func prefetchPart(_ number: ItemNumber, _ range: Range<Int64>, reader: Int) {
        guard !isClosed, openFiles.entry(number)?.reading == nil, let file = contents.parts.files[number]?.file else {
            return
        }
        addPartWaiter(number, file.clipped(range), reader: reader, nil)
        serveParts(number)
    }

    /// Fetches what is missing of a file of which parts are here.
    ///
    /// - Returns: whether all of it is here.
    func fillParts(_ row: IndexedItem, _ progress: FetchProgress) async throws(ProviderFailure) -> Bool {
        let number = row.number
        guard row.content == .partial, let file = try partFile(row)?.file else { return false }
        while let transfer = contents.parts.files[number], transfer.file === file, !transfer.isRefused {
            // The new contents come whole; whoever has begun does not see them.
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
                let answer = Answer<PartSource> { continuation.resume(returning: $0) }
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

    /// Calls a function when it is known whether a file is served in parts: with its parts, or `nil` where it is not.
    private func whenPartsAreKnown(
        _ number: ItemNumber, reader: Int?, _ answer: Answer<PartSource>,
        _ body: @escaping @Sendable (isolated DomainEngine, PartTransfers.File?) -> Void
    ) {
        if let file = contents.parts.files[number] { return body(self, file) }
        do throws(ProviderFailure) {
            let row = try openRow(number)
            guard mayBeServedInParts(row) else { return body(self, nil) }
            // Of what is here in parts it was known: that is read without asking anybody.
            if contents.parts.areServed != nil || row.content == .partial { return body(self, try partFile(row)) }
        } catch {
            return answer.give(.failure(error))
        }
        let key = contents.parts.nextNumber()
        contents.parts.undecided[key] = PartTransfers.Undecided(number: number, reader: reader, answer: answer)
        Task {
            // Who fetches the whole knows what to do about it where it cannot be asked.
            let areServed = try? await provider.servesParts()
            if let areServed { contents.parts.areServed = areServed }
            // Whoever gave up meanwhile is none of those who have begun to read.
            guard contents.parts.undecided.removeValue(forKey: key) != nil else { return }
            guard !isClosed, openFiles.entry(number) != nil else { return answer.give(.failure(.closed)) }
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

    private func waitForWhole(_ number: ItemNumber, _ answer: Answer<PartSource>) {
        waitForContents(number, isForWriting: false, Answer { answer.give($0.map(PartSource.whole)) })
    }

    private func addPartWaiter(
        _ number: ItemNumber, _ range: Range<Int64>, reader: Int?, _ answer: Answer<PartSource>?
    ) {
        let waiter = PartTransfers.Waiter(
            number: contents.parts.nextNumber(), range: range, reader: reader, answer: answer)
        contents.parts.files[number]?.waiters.append(waiter)
    }

    /// Somebody does not wait any more.
    func partWaiterLeft(_ number: ItemNumber, _ answer: Answer<PartSource>) {
        contents.parts.undecided = contents.parts.undecided.filter { $0.value.answer !== answer }
        contents.parts.files[number]?.waiters.removeAll { $0.answer === answer }
        cancelUnwantedParts(number)
    }

    /// An opening has ended: whatever was to come for it is of no use.
    func partReaderLeft(_ number: ItemNumber, _ reader: Int) {
        for (key, waiting) in contents.parts.undecided where waiting.number == number && waiting.reader == reader {
            contents.parts.undecided[key] = nil
            waiting.answer.cancel()
        }
        guard var transfer = contents.parts.files[number] else { return }
        let left = transfer.waiters.filter { $0.reader == reader }
        transfer.waiters.removeAll { $0.reader == reader }
        // Others may have its bytes from the kernel's pages.
        if !contents.parts.pagesAreShared { transfer.begun.remove(reader) }
        contents.parts.files[number] = transfer
        for waiter in left { waiter.answer?.cancel() }
        cancelUnwantedParts(number)
        // Whoever has not begun can have the new contents now.
        if transfer.isStale, transfer.begun.isEmpty { beginPartsAnew(number) }
    }

    /// All openings of a file read the same pages from now on, as in a mount: whoever has it open counts as having begun until the last
    /// one closes it.
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

    // MARK: What is here

    /// What is here of a file, which is begun where nothing is; `nil` where it cannot be served in parts.
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

    /// - Returns: `nil` where no file can be as long as the provider says.
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

    /// Gives those who wait for parts what is here, and asks for what is not.
    func serveParts(_ number: ItemNumber) {
        guard var transfer = contents.parts.files[number] else { return }
        var served: [Answer<PartSource>] = []
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
        for answer in served { answer.give(.success(.part(transfer.file))) }
        for waiter in failed {
            guard let answer = waiter.answer else { continue }
            if transfer.isStale {
                answer.give(.failure(.otherVersion))
            } else {
                waitForWholeOrFail(number, waiter, answer)
            }
        }
        askForParts(number)
    }

    /// The parts of a file are of no use: who reads it waits for the whole, and who fetches it does so in another way.
    private func waitForWholeOrFail(
        _ number: ItemNumber, _ waiter: PartTransfers.Waiter, _ answer: Answer<PartSource>
    ) {
        if waiter.reader == nil { answer.give(.failure(.otherVersion)) } else { waitForWhole(number, answer) }
    }

    // MARK: The end of parts

    /// All parts are here: they are the file.
    func completeParts(_ number: ItemNumber) {
        guard let transfer = contents.parts.files[number], transfer.file.isComplete else { return }
        let file = transfer.file
        do throws(ProviderFailure) {
            let row = try openRow(number)
            // Whoever has begun goes on with what is here, where the whole is of another version.
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
        for waiter in transfer.waiters { waiter.answer?.give(.success(.whole(file.reading))) }
        makeReady(number)
    }

    /// Whoever waits for parts of a file is told why there are none. What is here stays.
    func failParts(_ number: ItemNumber, _ failure: ProviderFailure) {
        let waiters = contents.parts.files[number]?.waiters ?? []
        contents.parts.files[number]?.waiters = []
        for waiter in waiters { waiter.answer?.give(.failure(failure)) }
    }

    /// There is another file in the place of the parts, or none: nobody reads from them any more.
    func endParts(_ number: ItemNumber) {
        guard let transfer = contents.parts.files.removeValue(forKey: number) else { return }
        transfer.file.end()
        for ask in transfer.asks.values { ask.task.cancel() }
        try? folders.remove(number, in: folders.parts)
        for waiter in transfer.waiters {
            if let answer = waiter.answer { waitForWholeOrFail(number, waiter, answer) }
        }
    }

    /// Nobody has the file open any more: what is here of it is written down.
    func putAwayParts(_ number: ItemNumber) {
        guard openFiles.entry(number) == nil else { return }
        guard contents.fetches[number] == nil else {
            // Whoever had begun has gone.
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
        // The last one's end comes back here: until then it may still be writing.
        guard transfer.asks.isEmpty || transfer.isStale else { return }
        contents.parts.files[number] = nil
        // It may be removed by now.
        let row = try? row(number)
        if row != nil { dropOutdatedContents(number) }
        if row?.content != .partial { try? folders.remove(number, in: folders.parts) }
    }

    /// The whole of a file has come at once.
    ///
    /// - Parameter version: the contents'.
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

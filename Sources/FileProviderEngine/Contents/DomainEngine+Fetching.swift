import FileProvider
import Glibc
import LinuxSystem

/// Fetches of files' contents.
extension DomainEngine {
    /// Materializes a file, and waits until it is complete. Cancelling the task ends the wait, and cancels the fetch
    /// if no other caller or handle needs it.
    package func download(_ number: ItemNumber) async throws(ProviderFailure) {
        let waiting = Lock<EngineCompletion<Void>?>(nil)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = EngineCompletion<Void> { continuation.resume(returning: $0) }
                waiting.withLock { $0 = answer }
                // Another job may have run on the engine's thread meanwhile.
                perform { $0.download(number, answer) }
                // The task may have been cancelled before there was a request to cancel.
                if Task.isCancelled { perform { $0.giveUpDownload(of: number, answer) } }
            }
        } onCancel: {
            guard let answer = waiting.withLock({ $0 }) else { return }
            perform { $0.giveUpDownload(of: number, answer) }
        }
        try result.get()
    }

    private func giveUpDownload(of number: ItemNumber, _ answer: EngineCompletion<Void>) {
        answer.cancel()
        // The file may have got another number meanwhile.
        let number = contents.fetches.first { $0.value.downloads.contains { $0 === answer } }?.key ?? number
        contents.fetches[number]?.downloads.removeAll { $0 === answer }
        // An open handle may still need the contents.
        if openFiles.entry(number) == nil {
            cancelFetch(number)
            putAwayParts(number)
        }
    }

    func download(_ number: ItemNumber, _ answer: EngineCompletion<Void>) {
        do throws(ProviderFailure) {
            guard !isClosed else { throw .closed }
            lookAtOutdated(number)
            let number = currentNumber(number)
            let row = try row(number)
            guard row.item.kind == .file else {
                throw ProviderFailure(.unsupported, message: "“\(row.name)” is not a file.")
            }
            let isWanted = isGrowing(number) ? true : try isMissing(row)
            guard isWanted else { return answer.complete(.success(())) }
            startFetch(number)
            contents.fetches[number]?.downloads.append(answer)
        } catch {
            answer.complete(.failure(error))
        }
    }

    /// Whether a file's bytes are not local. The file is looked up, because it may be missing even if the row says
    /// otherwise.
    private func isMissing(_ row: IndexedItem) throws(ProviderFailure) -> Bool {
        if openFiles.entry(row.number) != nil { return row.content == .dataless || row.content == .partial }
        defer {
            // An entry without handles is removed, which closes the descriptor.
            openFiles.withLock { state in
                if state.entries[row.number]?.openings == 0 { state.entries[row.number] = nil }
            }
        }
        return try fileForReading(row) == nil
    }

    /// Waits for the contents of an open file.
    func waitForContents(_ number: ItemNumber, isForWriting: Bool, _ answer: EngineCompletion<FileDescriptor>) {
        guard !isClosed, openFiles.entry(number) != nil else { return answer.complete(.failure(.closed)) }
        contents.waiters[number, default: []].append(.init(isForWriting: isForWriting, answer: answer))
        makeReady(number)
    }

    /// Completes the waiters for a file if its bytes are local; otherwise starts a fetch.
    func makeReady(_ number: ItemNumber) {
        guard let waiters = contents.waiters[number] else { return }
        // The local contents are of another version than the one that a handle has started to read.
        if contents.parts.files[number]?.isStale == true { return failWaiters(number, .otherVersion) }
        do throws(ProviderFailure) {
            let isForWriting = waiters.contains { $0.isForWriting }
            var writing = openFiles.entry(number)?.writing
            var reading = openFiles.entry(number)?.reading
            if reading == nil || isForWriting && writing == nil {
                let row = try openRow(number)
                if isForWriting {
                    writing = try fileForWriting(row, truncating: false)
                    reading = openFiles.entry(number)?.reading
                } else {
                    reading = try fileForReading(row)
                }
            }
            guard let reading else { return startFetch(number) }
            contents.waiters[number] = nil
            noteUse(of: number)
            for waiter in waiters {
                waiter.answer.complete(.success(waiter.isForWriting ? writing ?? reading : reading))
            }
        } catch {
            failWaiters(number, error)
        }
    }

    func failWaiters(_ number: ItemNumber, _ failure: ProviderFailure) {
        for waiter in contents.waiters.removeValue(forKey: number) ?? [] { waiter.answer.complete(.failure(failure)) }
    }

    // MARK: One fetch for each file

    func startFetch(_ number: ItemNumber) {
        guard !isClosed, contents.fetches[number] == nil else { return }
        contents.fetches[number] = ContentTransfers.Fetch(progress: FetchProgress(clock))
        contents.queue.append(number)
        configuration.states?.noteDomain()
        startNextFetches()
    }

    private func startNextFetches() {
        while contents.running < configuration.fetchLimit, !contents.queue.isEmpty, !isClosed {
            let number = contents.queue.removeFirst()
            guard let fetch = contents.fetches[number] else { continue }
            contents.running += 1
            contents.fetches[number]?.era = signIn.epoch
            fetch.progress.begin()
            contents.fetches[number]?.task = Task {
                let result = await fetched(number, fetch.progress)
                ended(number, result)
            }
        }
    }

    /// Cancels the fetch of a file, unless a download waits for it. Called when no handle needs the contents any
    /// more.
    func cancelFetch(_ number: ItemNumber) {
        guard let fetch = contents.fetches[number], fetch.downloads.isEmpty else { return }
        guard let task = fetch.task else {
            contents.fetches[number] = nil
            contents.queue.removeAll { $0 == number }
            endRemovalWaits(for: number, nil)
            openFiles.update(number) { $0.isGrowing = false }
            return endOpeningWaits(for: number, .success(()))
        }
        task.cancel()
    }

    private func ended(_ original: ItemNumber, _ result: Result<Void, ProviderFailure>) {
        let number = fetchedNumber(original)
        forgetSuccessors(to: number)
        let wasGrowing = isGrowing(number)
        openFiles.update(number) { $0.isGrowing = false }
        contents.running -= 1
        configuration.states?.noteDomain()
        let fetch = contents.fetches.removeValue(forKey: number)
        let isWanted = contents.waiters[number] != nil || fetch?.downloads.isEmpty == false
        let era = fetch?.era ?? signIn.epoch
        // The fetch was cancelled, or refused before the user signed in.
        var isStaleReply = false
        if case .failure(let failure) = result, failure.kind == .cancelled || signIn.isOutdated(failure, askedIn: era) {
            isStaleReply = true
        }
        if isStaleReply, isWanted, !isClosed {
            startFetch(number)
            contents.fetches[number]?.downloads = fetch?.downloads ?? []
            if wasGrowing { lookAtOutdated(number) }
        } else {
            switch result {
            case .success: makeReady(number)
            case .failure(let failure):
                if wasGrowing { growthFailed(number, failure) }
                if failure.kind == .notAuthenticated { signIn.noteNeeded(failure, askedIn: era) }
                failWaiters(number, failure)
            }
            for download in fetch?.downloads ?? [] { download.complete(result) }
            endRemovalWaits(for: number, result)
        }
        endOpeningWaits(for: number, isStaleReply ? .success(()) : result)
        putAwayParts(number)
        startNextFetches()
        if contents.cleanBytes > cacheLimit { evictToLimit() }
    }

    /// The number of attempts before a reader gets the failure, and the delay before the second one in seconds.
    private static let attempts = 4
    private static let firstPause = 0.5

    private func fetched(_ original: ItemNumber, _ progress: FetchProgress) async -> Result<Void, ProviderFailure> {
        var number = original
        var attempt = 1
        var doubtedSize: Int64?
        var identifier = ""
        while true {
            do throws(ProviderFailure) {
                guard !isClosed else { throw .closed }
                number = fetchedNumber(original)
                let row = try openRow(number)
                // The file may have been truncated or fetched in another way meanwhile.
                let isWanted = row.content == .dataless || row.content == .partial || isGrowing(number)
                guard isWanted, openFiles.entry(number)?.writing == nil else { return .success(()) }
                guard row.isKnownToProvider else { throw .noSuchItem }
                identifier = row.item.identifier
                if try await fillParts(row, progress) { return .success(()) }
                let takesOld = attempt == Self.attempts
                if try await fetchOnce(row, progress, takesOld: takesOld, &doubtedSize) { return .success(()) }
                attempt += 1
            } catch {
                if Task.isCancelled {
                    return .failure(ProviderFailure(.cancelled, message: "The transfer was given up."))
                }
                guard attempt < Self.attempts, !isClosed else { return .failure(error) }
                switch error.kind {
                case .noSpace:
                    // If nothing more can be evicted, the caller gets the failure.
                    guard evict(bytes: max(sizeWanted(number), 1 << 20)) > 0 else { return .failure(error) }
                case .noSuchItem:
                    // The item has a new identifier, by which it is requested at once.
                    if await awaitNewIdentifier(of: number, asked: identifier) { break }
                    signalParent(of: number)
                    doubt(number)
                    return .failure(error)
                // The local parts are of another version than the provider's.
                case .expired: break
                default:
                    guard error.isWorthAnotherAttempt else { return .failure(error) }
                    await clock.wait(Self.firstPause * Double(1 << (attempt - 1)))
                }
                attempt += 1
            }
        }
    }

    private func sizeWanted(_ number: ItemNumber) -> Int64 { (try? openRow(number))?.item.size ?? 0 }

    /// Refreshes the parent directory as if it was signalled, because the provider does not know an item that the
    /// directory shows.
    private func signalParent(of number: ItemNumber) {
        guard let row = try? row(number), let parent = try? self.row(row.parent) else { return }
        signalled(container: parent.item.identifier)
    }

    /// Requests a file's contents once, and stores the reply.
    ///
    /// - Parameters:
    ///   - takesOld: whether contents are accepted that are older than a report that arrived meanwhile, or that a
    ///     program has not finished writing.
    ///   - doubtedSize: the size of contents that were rejected because the provider reports another size. Contents
    ///     of this size are accepted the next time, because then the reported size is wrong.
    /// - Returns: whether the contents are local.
    private func fetchOnce(
        _ row: IndexedItem, _ progress: FetchProgress, takesOld: Bool, _ doubtedSize: inout Int64?
    ) async throws(ProviderFailure) -> Bool {
        let (number, identifier) = (row.number, row.item.identifier)
        let question = answers.ask()
        // For a reader, an unfinished change is better than an error. Without a reader, it is not worth storing.
        let takesUsed = takesOld && contents.waiters[number] != nil
        let answer = try await provider.contents(of: identifier, takesUsed: takesUsed) { done, total in
            progress.set(done, total)
        }
        guard answer.item.identifier == identifier else {
            throw ProviderFailure(.badAnswer, message: "The provider gave the contents of another item.")
        }
        let size = try onDisk { () throws(Errno) in Int64(try answer.descriptor.status().size) }
        // Many providers report 0 if they do not know the size.
        if let said = answer.item.size, said > 0, said != size, size != doubtedSize, !takesOld {
            doubtedSize = size
            // The provider must drop its copy, or it would return the same contents again.
            await provider.stopProviding(identifier)
            return false
        }
        try await take(answer.descriptor, number, modified: answer.item.modified)
        // In the last attempt, a file that is written to continuously is accepted as it is.
        if !takesOld || isGrowing(number) { try answer.checkUnchanged() }
        EngineStep.fetched.reach()
        let provider = provider
        Task.detached { await provider.stopProviding(identifier) }
        if isGrowing(number), try await addGrowth(to: number, answer.item, answering: question) { return true }
        return try keepFetched(number, answer.item, answering: question, takesOld: takesOld)
    }

    /// Copies contents that the provider handed over, on a thread other than the engine's.
    private func take(
        _ source: FileDescriptor, _ number: ItemNumber, modified: Double?
    ) async throws(ProviderFailure) {
        let folders = folders
        let isCancelled = Lock(false)
        let result = await withTaskCancellationHandler {
            await HandlerThreads.shared.value { () -> Result<Void, ProviderFailure> in
                Result { () throws(ProviderFailure) in
                    try folders.take(source, as: number, modified: modified) { isCancelled.withLock { $0 } }
                }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
        try result.get()
    }

    /// Moves fetched contents to the clean contents, if they are still wanted.
    ///
    /// - Parameter asked: the number under which the contents were fetched; the item may have another number now.
    /// - Returns: whether the fetch is done, because the contents are local or not needed any more.
    private func keepFetched(
        _ asked: ItemNumber, _ answer: ProviderItem, answering question: AnswerOrder.Question, takesOld: Bool
    ) throws(ProviderFailure) -> Bool {
        guard !isClosed else { throw .closed }
        var item = answer
        item.flags.subtract(.ofAnswers)
        // Contents that belong to no version are for the current handles and those that join them. After the last
        // close they are dropped, and fetched again.
        let isOfNoVersion = answer.flags.contains(.hasOtherContents)
        let version = isOfNoVersion ? item.versionOfOlderContents : item.contentVersion
        let row = try openRow(fetchedNumber(asked))
        let isWanted = row.content == .dataless || row.content == .partial
        guard isWanted, openFiles.entry(row.number)?.writing == nil else {
            try onDisk { () throws(Errno) in try folders.remove(asked, in: folders.incoming) }
            return true
        }
        let isOld =
            row.item.contentVersion != item.contentVersion && answers.hasNews(of: item.identifier, since: question)
        if isOld, !takesOld { return false }
        try applyFetched(item, to: row, answering: isOld ? answers.ask() : question)
        // If programs had read another version, the file was replaced and has a new number.
        let number = fetchedNumber(row.number)
        let size = try onDisk { () throws(Errno) -> Int64 in
            try folders.move(asked, from: folders.incoming, to: folders.clean, as: number)
            return Int64(try folders.clean.status(of: ContentFolders.name(number)).size)
        }
        EngineStep.fetchMoved.reach()
        try write { writer throws(IndexFailure) in
            try writer.update(number) { row in
                row.settle(size: size, version: version)
                row.parts = ByteRanges()
            }
        }
        if isOfNoVersion {
            let file = try onDisk { () throws(Errno) in try folders.open(number, in: folders.clean, .readOnly) }
            openFiles.update(number) { entry in
                entry.reading = file
                entry.isOutdated = true
                entry.isUnfinished = true
            }
        }
        partsWereReplaced(number, by: version)
        contents.cleanBytes += size
        // No handle waits any more.
        if isOfNoVersion, openFiles.entry(number) == nil { dropOutdatedContents(number) }
        // A file that changes faster than it can be fetched is read in its older version. The next opening gets the
        // newer contents.
        if isOld { try askAgain([item.identifier]) }
        return true
    }

    /// Applies the item that came with contents, except for its parent and name: the item may have been moved since
    /// the request.
    func applyFetched(
        _ item: ProviderItem, to row: IndexedItem, answering question: AnswerOrder.Question
    ) throws(ProviderFailure) {
        var now = item
        now.flags.subtract(.ofAnswers)
        now.identifier = row.item.identifier
        now.parent = row.item.parent
        now.filename = row.item.filename
        if now != row.item { try apply([now], listedIn: nil, answering: question) }
    }
}

extension ContentFolders {
    /// Copies an open file's bytes to ``incoming``.
    func take(
        _ source: FileDescriptor, as number: ItemNumber, modified: Double?, isCancelled: () -> Bool
    ) throws(ProviderFailure) {
        do {
            try remove(number, in: incoming)
            try FileCopier.copy(
                source, into: incoming, named: Self.name(number), origin: .peer, isCancelled: isCancelled)
            guard let copy = try open(number, in: incoming, .readOnly) else { throw Errno.noSuchFile }
            // The provider's file may have any mode. The copy must be writable, and is identified by its date.
            try retrying { fchmod(copy.rawValue, 0o600) }
            try ContentStamp.date(copy, modified)
        } catch let error as CopyError {
            try? remove(number, in: incoming)
            throw ProviderFailure(error)
        } catch let error as Errno {
            throw ProviderFailure(error)
        } catch {
            throw ProviderFailure(.transient, message: "\(error)")
        }
    }
}

extension ProviderFailure {
    /// Creates the failure that a failed copy causes for the caller.
    init(_ error: CopyError) {
        switch error {
        case .cancelled: self.init(.cancelled, message: error.description)
        case .noSpace: self.init(.noSpace, message: error.description)
        case .wrongKind: self.init(.badAnswer, message: error.description)
        default: self.init(.transient, message: error.description)
        }
    }
}

import FileProviderWire
import Glibc
import ItemStore
import ItemValues
import LinuxSystem

/// Fetches whole files, with at most one fetch at a time for each file.
extension Downloader {
    func startFetch(_ number: ItemNumber, _ engine: isolated any EngineEvents) {
        guard !context.isClosed, fetches.files[number] == nil else { return }
        fetches.files[number] = Fetch(progress: FetchProgress(context.clock))
        cache.noteFetch(of: number, isUnderWay: true)
        fetches.queue.append(number)
        context.configuration.states?.noteDomain()
        startNextFetches(engine)
    }

    private func startNextFetches(_ engine: isolated any EngineEvents) {
        while fetches.running < context.configuration.fetchLimit, !fetches.queue.isEmpty, !context.isClosed {
            let number = fetches.queue.removeFirst()
            guard let fetch = fetches.files[number] else { continue }
            fetches.running += 1
            fetches.files[number]?.epoch = signIn.epoch
            fetch.progress.begin()
            fetches.files[number]?.task = Task {
                let result = await fetched(number, fetch.progress, engine)
                ended(number, result, engine)
            }
        }
    }

    /// Cancels the fetch of a file, unless a download waits for the file. Called when no handle needs the contents any
    /// more.
    func cancelFetch(_ number: ItemNumber, _ engine: isolated any EngineEvents) {
        guard let fetch = fetches.files[number], !waiters.hasDownloads(of: number) else { return }
        guard let task = fetch.task else {
            fetches.files[number] = nil
            cache.noteFetch(of: number, isUnderWay: false)
            fetches.queue.removeAll { $0 == number }
            engine.fetchEnded(number, nil)
            outdated.endGrowth(number)
            return opener.endWaits(for: number, .success(()), engine)
        }
        task.cancel()
    }

    private func ended(
        _ original: ItemNumber, _ result: Result<Void, ProviderError>, _ engine: isolated any EngineEvents
    ) {
        let number = fetchedNumber(original)
        forgetSuccessors(to: number)
        let wasGrowing = outdated.isGrowing(number)
        outdated.endGrowth(number)
        fetches.running -= 1
        context.configuration.states?.noteDomain()
        let fetch = fetches.files.removeValue(forKey: number)
        cache.noteFetch(of: number, isUnderWay: false)
        let isWanted = !waiters.handles(of: number).isEmpty || waiters.hasDownloads(of: number)
        let epoch = fetch?.epoch ?? signIn.epoch
        // Whether the fetch was cancelled, or was refused because it began before the user signed in.
        var isStaleReply = false
        if case .failure(let failure) = result, failure.kind == .cancelled || signIn.isOutdated(failure, sentIn: epoch)
        {
            isStaleReply = true
        }
        if isStaleReply, isWanted, !context.isClosed {
            startFetch(number, engine)
            if wasGrowing { outdated.lookAtOutdated(number, engine) }
        } else {
            let downloads = waiters.takeDownloads(of: number)
            switch result {
            case .success: makeReady(number, engine)
            case .failure(let failure):
                if wasGrowing { outdated.growthFailed(number, failure, engine) }
                if failure.kind == .notAuthenticated { signIn.noteNeeded(failure, sentIn: epoch) }
                failHandles(number, failure)
            }
            for download in downloads { download.complete(result) }
            engine.fetchEnded(number, result)
        }
        opener.endWaits(for: number, isStaleReply ? .success(()) : result, engine)
        parts.putAway(number, engine)
        startNextFetches(engine)
        if cache.isOverLimit { evictor.evictToLimit(engine) }
    }

    /// Returns the current number of a file whose fetch began under the given number.
    func fetchedNumber(_ number: ItemNumber) -> ItemNumber {
        var number = number
        while let next = fetches.successors[number] { number = next }
        return number
    }

    /// Drops the earlier numbers of a file whose fetch has ended.
    private func forgetSuccessors(to number: ItemNumber) {
        for (earlier, later) in fetches.successors where later == number {
            fetches.successors[earlier] = nil
            forgetSuccessors(to: earlier)
        }
    }

    /// The number of attempts before a fetch fails. ``firstPause`` is the delay in seconds before the second attempt.
    private static let attempts = 4
    private static let firstPause = 0.5

    private func fetched(
        _ original: ItemNumber, _ progress: FetchProgress, _ engine: isolated any EngineEvents
    ) async -> Result<Void, ProviderError> {
        var number = original
        var attempt = 1
        var rejectedSize: Int64?
        var identifier = ""
        while true {
            do throws(ProviderError) {
                guard !context.isClosed else { throw .closed }
                number = fetchedNumber(original)
                try await finder.awaitCertainIdentifier(of: number, engine)
                let row = try cache.openRow(number)
                // The file may have been truncated or fetched in another way meanwhile.
                let isWanted = row.content == .dataless || row.content == .partial || outdated.isGrowing(number)
                guard isWanted, openFiles.entry(number)?.writing == nil else { return .success(()) }
                guard row.isKnownToProvider else { throw .noSuchItem }
                identifier = row.item.identifier
                if try await parts.fill(row, progress, engine) { return .success(()) }
                let takesOld = attempt == Self.attempts
                if try await fetchOnce(row, progress, takesOld: takesOld, &rejectedSize, engine) { return .success(()) }
                attempt += 1
            } catch {
                if Task.isCancelled {
                    return .failure(ProviderError(.cancelled, message: "The transfer was given up."))
                }
                guard attempt < Self.attempts, !context.isClosed else { return .failure(error) }
                switch error.kind {
                case .noSpace:
                    // If nothing more can be evicted, the caller gets the failure.
                    guard evictor.evict(bytes: max(sizeWanted(number), 1 << 20), engine) > 0 else {
                        return .failure(error)
                    }
                case .noSuchItem:
                    // If the item has got a new identifier, it is requested again at once under that identifier.
                    if await finder.awaitNewIdentifier(of: number, asked: identifier, engine) { break }
                    refreshParent(of: number, engine)
                    reconciler.markUncertain(number, engine)
                    return .failure(error)
                // The local parts are of another version than the provider's.
                case .expired: break
                default:
                    guard error.isWorthAnotherAttempt else { return .failure(error) }
                    await context.clock.wait(Self.firstPause * Double(1 << (attempt - 1)))
                }
                attempt += 1
            }
        }
    }

    /// Requests the changes of the given item's parent directory, because the provider does not know the item.
    private func refreshParent(of number: ItemNumber, _ engine: isolated any EngineEvents) {
        guard let row = try? row(number), let parent = try? self.row(row.parent) else { return }
        changes.signalled(container: parent.item.identifier, engine)
    }

    private func sizeWanted(_ number: ItemNumber) -> Int64 { (try? cache.openRow(number))?.item.size ?? 0 }

    /// Requests a file's contents once, and stores the contents of the reply.
    ///
    /// - Parameters:
    ///   - takesOld: Whether to accept contents that are older than a report that arrived during the fetch, and
    ///     contents of a file that changed while the provider's copy was read.
    ///   - rejectedSize: The size of contents that were rejected because the provider reports another size. Contents of
    ///     the same size are accepted the next time, because the reported size is then known to be wrong.
    /// - Returns: Whether the contents are local.
    private func fetchOnce(
        _ row: IndexedItem, _ progress: FetchProgress, takesOld: Bool, _ rejectedSize: inout Int64?,
        _ engine: isolated any EngineEvents
    ) async throws(ProviderError) -> Bool {
        let (number, identifier) = (row.number, row.item.identifier)
        let request = context.replies.beginRequest()
        // If another process is still changing the provider's file, a reader gets the unfinished contents instead of an
        // error. Without a reader, they are not worth storing.
        let takesUsed = takesOld && !waiters.handles(of: number).isEmpty
        let provider = context.provider
        let answer: ProviderContents
        // If contents of a wrong size were rejected, the earlier version may be the cause, so the whole file is
        // requested.
        if rejectedSize == nil, !takesOld, let different = try await contentsByDifference(row, progress) {
            answer = different
        } else {
            answer = try await provider.contents(of: identifier, takesUsed: takesUsed) { done, total in
                progress.set(done, total)
            }
        }
        guard answer.item.identifier.hasSameBytes(as: identifier) else {
            throw ProviderError(.badAnswer, message: "The provider gave the contents of another item.")
        }
        let size = try onDisk { () throws(Errno) in Int64(try answer.descriptor.status().size) }
        // Many providers report 0 if they do not know the size.
        if let said = answer.item.size, said > 0, said != size, size != rejectedSize, !takesOld {
            rejectedSize = size
            // The provider must drop its copy, or it would return the same contents again.
            await provider.stopProviding(identifier)
            return false
        }
        try await take(answer.descriptor, number, modified: answer.item.modified, engine)
        var item = answer.item
        do throws(ProviderError) {
            try answer.checkUnchanged()
        } catch {
            // In the last attempt, handles get even the contents of a file that is written to continuously. These bytes
            // belong to no version, as they may be a mixture of several.
            guard takesOld, !outdated.isGrowing(number), openFiles.entry(number) != nil else { throw error }
            item.flags.insert(.hasOtherContents)
        }
        EngineStep.fetched.reach()
        Task.detached { await provider.stopProviding(identifier) }
        if outdated.isGrowing(number), try await addGrowth(to: number, item, answering: request, engine) {
            return true
        }
        return try keepFetched(number, item, answering: request, takesOld: takesOld, engine)
    }

    /// Copies contents that the provider returned to the directory of incoming contents, on a thread other than the
    /// engine's.
    private func take(
        _ source: FileDescriptor, _ number: ItemNumber, modified: Double?, _ engine: isolated any EngineEvents
    ) async throws(ProviderError) {
        let folders = folders
        let isCancelled = Lock(false)
        let result = await withTaskCancellationHandler {
            await HandlerThreads.shared.value { () -> Result<Void, ProviderError> in
                Result { () throws(ProviderError) in
                    try folders.take(source, as: number, modified: modified) { isCancelled.withLock { $0 } }
                }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
        try result.get()
    }

    /// Moves fetched contents to the clean contents, if they are still needed.
    ///
    /// - Parameter asked: The item number under which the contents were fetched. The item may have another number now.
    /// - Returns: Whether the fetch is complete, because the contents are local or not needed any more. `false` if they
    ///   are outdated.
    private func keepFetched(
        _ asked: ItemNumber, _ answer: ProviderItem, answering request: ReplyOrdering.Request, takesOld: Bool,
        _ engine: isolated any EngineEvents
    ) throws(ProviderError) -> Bool {
        guard !context.isClosed else { throw .closed }
        var item = answer
        item.flags.subtract(.ofAnswers)
        // Contents that belong to no version are used only while the file stays open. After its last handle is closed,
        // the contents are dropped, and fetched again.
        let isOfNoVersion = answer.flags.contains(.hasOtherContents)
        let version = isOfNoVersion ? item.versionOfOlderContents : item.contentVersion
        let row = try cache.openRow(fetchedNumber(asked))
        let isWanted = row.content == .dataless || row.content == .partial
        guard isWanted, openFiles.entry(row.number)?.writing == nil else {
            try onDisk { () throws(Errno) in try folders.remove(asked, in: folders.incoming) }
            return true
        }
        let isOld =
            row.item.contentVersion != item.contentVersion
            && context.replies.isStale(for: item.identifier, since: request)
        if isOld, !takesOld { return false }
        try applyFetched(item, to: row, answering: isOld ? context.replies.beginRequest() : request, engine)
        // If programs had read an earlier version, the file was replaced and has a new number.
        let number = fetchedNumber(row.number)
        let size = try cache.keepIncoming(asked, as: number, version: version, isUnfinished: isOfNoVersion)
        parts.wereReplaced(number, by: version, engine)
        cache.noteCleanBytes(size)
        cache.older.remove(number)
        // Without a handle, contents of no version are not needed any more.
        if isOfNoVersion, openFiles.entry(number) == nil { outdated.dropOutdatedContents(number, engine) }
        // A file that changes faster than it can be fetched is read in its older version. The next opening gets the
        // newer contents.
        if isOld { try reconciler.revalidation.schedule([ExactText(item.identifier)], engine) }
        return true
    }

    /// Applies the item that the provider returned with contents, except for its parent and name, because the item may
    /// have been moved since the request.
    func applyFetched(
        _ item: ProviderItem, to row: IndexedItem, answering request: ReplyOrdering.Request,
        _ engine: isolated any EngineEvents
    ) throws(ProviderError) {
        var now = item
        now.flags.subtract(.ofAnswers)
        now.identifier = row.item.identifier
        now.parent = row.item.parent
        now.filename = row.item.filename
        if now != row.item { try reconciler.apply([now], answering: request, engine) }
    }
}

import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Handles partially materialized files that are complete, of an earlier version than the provider's, or not open any
/// more.
extension PartDownloader {
    /// Moves a partial file to the clean contents, if all its bytes are local.
    func complete(_ number: ItemNumber, _ engine: isolated any EngineEvents) {
        guard let partial = partials[number], partial.file.isComplete else { return }
        do throws(ProviderError) {
            // If the whole file was fetched in another version meanwhile, handles that have begun to read can read only
            // the local parts.
            guard try partialContents.complete(partial) else { return areOutdated(number, engine) }
        } catch {
            context.recordBackgroundError(error)
            return failReads(number, error)
        }
        transfers.files[number] = nil
        transfers.restarts[number] = nil
        let reading = partial.file.reading
        for read in waiters.takeReads(of: number) { read.answer?.complete(.success(.whole(reading))) }
        engine.contentsMayBeReady(number)
    }

    /// Ends the requests for the parts of a file, because its parts were dropped. Readers that wait for parts then wait
    /// for the whole file.
    func partialFileEnded(_ number: ItemNumber, _ engine: isolated any EngineEvents) {
        transfers.files.removeValue(forKey: number)?.cancel()
        for read in waiters.takeReads(of: number) {
            if let answer = read.answer { waitForWholeOrFail(number, read, answer, engine) }
        }
    }

    /// Records the local parts of a file in the index, and ends the requests for its parts, after its last handle was
    /// closed. Does neither while the whole file is being fetched.
    func putAway(_ number: ItemNumber, _ engine: isolated any EngineEvents) {
        guard openFiles.entry(number) == nil else { return }
        guard !cache.isFetched(number) else {
            // The handles that had begun to read are closed.
            partials.noteAllClosed(number)
            if partials.isStale(number) { beginAnew(number, engine) }
            return
        }
        transfers.refused[number] = nil
        transfers.restarts[number] = nil
        guard let partial = partials[number] else { return }
        partialContents.write(number)
        transfers.files[number]?.cancel()
        for read in waiters.takeReads(of: number) { read.answer?.cancel() }
        partials.noteAllClosed(number)
        // The last request calls this function again when it ends. Until then it may still write to the file.
        guard transfers.files[number]?.requests.isEmpty ?? true || partial.isStale else { return }
        transfers.files[number] = nil
        partialContents.release(number)
        // The item may have been removed.
        let row = try? context.row(of: number)
        if row != nil { outdated.dropOutdatedContents(number, engine) }
        // The parts stay on disk if they are of the provider's version.
        if row?.content != .partial { partialContents.removeParts(number) }
    }

    /// Drops the local parts after the whole file was fetched, unless handles have read parts of another version than
    /// the fetched one.
    ///
    /// - Parameter version: The version of the fetched contents.
    func wereReplaced(_ number: ItemNumber, by version: [UInt8], _ engine: isolated any EngineEvents) {
        guard let partial = partials[number] else {
            partialContents.removeParts(number)
            return
        }
        if partial.file.version == version || partial.begun.isEmpty {
            partialContents.end(number, engine)
        } else {
            areOutdated(number, engine)
        }
    }

    // MARK: Parts of an earlier version

    /// Marks the local parts as stale, because the provider has another version. Handles that have read from the parts
    /// get no further bytes, and later openings get the new version. If no handle has read any part, all handles get
    /// the new version.
    func areOutdated(_ number: ItemNumber, _ engine: isolated any EngineEvents) {
        guard let partial = partials[number] else { return }
        partials.markStale(number)
        transfers.files[number]?.cancel()
        guard !partial.begun.isEmpty else { return beginAnew(number, engine) }
        // The file is marked as outdated before readers fail, because a program may open it again at once.
        outdated.markOutdated(number)
        do throws(ProviderError) { try outdated.replace(number, engine) } catch { context.recordBackgroundError(error) }
        serveParts(number, engine)
    }

    func beginAnew(_ number: ItemNumber, _ engine: isolated any EngineEvents) {
        guard partials[number] != nil else { return }
        transfers.files.removeValue(forKey: number)?.cancel()
        let reads = waiters.takeReads(of: number)
        do throws(ProviderError) {
            let row = try partialContents.dropStale(number)
            transfers.restarts[number, default: 0] += 1
            if transfers.restarts[number, default: 0] > PartTransfers.mostRestarts {
                transfers.refused[number] = row.item.contentVersion
            }
        } catch {
            for read in reads { read.answer?.complete(.failure(error)) }
            return
        }
        context.resources.events.tell(.contentsReplaced(number))
        for read in reads {
            guard let answer = read.answer else { continue }
            if let reader = read.reader {
                waitForPart(number, read.range, reader: reader, answer, engine)
            } else {
                answer.complete(.failure(.otherVersion))
            }
        }
        // Readers that wait for the whole file had to wait until the stale parts were dropped.
        engine.contentsMayBeReady(number)
    }

    // MARK: All transfers

    /// Cancels the transfer of a file. Its readers get an error.
    ///
    /// - Parameter isInUse: Whether a program uses the file. If so, the transfer is cancelled only if it is stalled.
    func endTransfer(of number: ItemNumber, isInUse: Bool, _ failure: ProviderError) {
        guard partials[number] != nil, !isInUse || (transfers.files[number].map(isStalled) ?? false) else { return }
        failReads(number, failure)
        transfers.files[number]?.cancel()
    }

    /// Whether no part has arrived for longer than the `unreported` duration in ``Downloader/stallTimes``. The provider
    /// reports no progress of a part before its end.
    private func isStalled(_ transfer: PartTransfers.File) -> Bool {
        guard let begun = transfer.begun else { return false }
        return context.clock.now - max(begun, transfer.moved) >= Downloader.stallTimes.unreported
    }

    /// Cancels stalled transfers. Parts for which a reader waits are requested again.
    func restartStalledTransfers() {
        for transfer in transfers.files.values where isStalled(transfer) { transfer.cancel() }
    }

    /// The files with a running request for a part.
    var filesBeingFetched: Set<ItemNumber> { Set(transfers.files.filter { !$0.value.requests.isEmpty }.keys) }

    /// Returns the status of each transfer of parts, except those of files that are being fetched whole.
    func status() -> [DomainStatus.Transfer] {
        transfers.files.compactMap { number, transfer in
            guard !cache.isFetched(number), let begun = transfer.begun, let file = partials[number]?.file
            else { return nil }
            let row = try? cache.openRow(number)
            return DomainStatus.Transfer(
                number: number, name: row?.name ?? "", isPinned: row?.staysLocal ?? false, done: file.ranges.count,
                total: file.size, isWaiting: false, begun: begun, moved: max(begun, transfer.moved))
        }
    }

    /// Cancels all transfers, because the engine is closed.
    func close() {
        for file in transfers.files.values { file.cancel() }
        transfers.files = [:]
    }
}

extension ProviderError {
    /// The error for a program that has begun to read a version which is not available any more.
    static var otherVersion: ProviderError {
        ProviderError(.expired, message: "The file was changed at the service while it was read.")
    }
}

import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// The end of partially materialized files. It comes when a file is complete, of an earlier version than the
/// provider's, or not open any more.
extension Downloader {
    /// Moves a complete file to the clean contents.
    func completeParts(_ number: ItemNumber, _ engine: isolated any DownloaderHost) {
        guard let partial = cache.partials[number], partial.file.isComplete else { return }
        do throws(ProviderError) {
            // The whole file was fetched in another version. Handles that have begun to read keep the local parts.
            guard try cache.completePartial(partial) else { return partsAreOutdated(number, engine) }
        } catch {
            context.recordBackgroundError(error)
            return failReads(number, error)
        }
        parts.files[number] = nil
        parts.restarts[number] = nil
        let reading = partial.file.reading
        for read in waiters.takeReads(of: number) { read.answer?.complete(.success(.whole(reading))) }
        makeReady(number, engine)
    }

    /// Ends the requests for the parts of a file that were dropped. Waiters continue with the whole file.
    func partialFileEnded(_ number: ItemNumber, _ engine: isolated any DownloaderHost) {
        parts.files.removeValue(forKey: number)?.cancel()
        for read in waiters.takeReads(of: number) {
            if let answer = read.answer { waitForWholeOrFail(number, read, answer, engine) }
        }
    }

    /// Records and releases the parts of a file after its last handle was closed, unless the file is being fetched.
    func putAwayParts(_ number: ItemNumber, _ engine: isolated any DownloaderHost) {
        guard openFiles.entry(number) == nil else { return }
        guard fetches.files[number] == nil else {
            // The handles that had begun to read are closed.
            cache.partials.noteAllClosed(number)
            if cache.partials.isStale(number) { beginPartsAnew(number, engine) }
            return
        }
        parts.refused[number] = nil
        parts.restarts[number] = nil
        guard let partial = cache.partials[number] else { return }
        cache.writePartial(number)
        parts.files[number]?.cancel()
        for read in waiters.takeReads(of: number) { read.answer?.cancel() }
        cache.partials.noteAllClosed(number)
        // The last request calls this function again when it ends. Until then it may still write to the file.
        guard parts.files[number]?.requests.isEmpty ?? true || partial.isStale else { return }
        parts.files[number] = nil
        engine.putAwayPartial(number)
    }

    /// Drops the parts after the whole file was fetched. Keeps them if handles have read parts of a version other than
    /// the fetched one.
    ///
    /// - Parameter version: The version of the fetched contents.
    func partsWereReplaced(_ number: ItemNumber, by version: [UInt8], _ engine: isolated any DownloaderHost) {
        guard let partial = cache.partials[number] else {
            cache.removeParts(number)
            return
        }
        if partial.file.version == version || partial.begun.isEmpty {
            engine.endPartial(number)
        } else {
            partsAreOutdated(number, engine)
        }
    }

    // MARK: Parts of an earlier version

    /// Marks the local parts as stale, because the provider has another version. Handles that have read from them get
    /// no further bytes, and the file is replaced for later openings. If no handle has read any part, all handles get
    /// the new contents.
    func partsAreOutdated(_ number: ItemNumber, _ engine: isolated any DownloaderHost) {
        guard let partial = cache.partials[number] else { return }
        cache.partials.markStale(number)
        parts.files[number]?.cancel()
        guard !partial.begun.isEmpty else { return beginPartsAnew(number, engine) }
        // Marked before readers fail, because a program may open the file again at once.
        cache.markOutdated(number)
        do throws(ProviderError) { try engine.replace(number) } catch { context.recordBackgroundError(error) }
        serveParts(number, engine)
    }

    func beginPartsAnew(_ number: ItemNumber, _ engine: isolated any DownloaderHost) {
        guard cache.partials[number] != nil else { return }
        parts.files.removeValue(forKey: number)?.cancel()
        let reads = waiters.takeReads(of: number)
        do throws(ProviderError) {
            let row = try cache.dropStalePartial(number)
            parts.restarts[number, default: 0] += 1
            if parts.restarts[number, default: 0] > PartTransfers.mostRestarts {
                parts.refused[number] = row.item.contentVersion
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
        // Readers that wait for the whole file have waited for this.
        makeReady(number, engine)
    }
}

extension ProviderError {
    /// The error for contents that a program has begun to read and that are not available any more.
    static var otherVersion: ProviderError {
        ProviderError(.expired, message: "The file was changed at the service while it was read.")
    }
}

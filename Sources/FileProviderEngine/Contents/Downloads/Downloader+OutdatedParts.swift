import FileProvider
import LinuxSystem

/// Partially materialized files of an earlier version than the provider's.
extension Downloader {
    /// Marks the local parts as stale, because the provider has another version. Handles that have read from them get
    /// no further bytes, and the file is replaced for later openings. If no handle has read any part, all handles get
    /// the new contents.
    func partsAreOutdated(_ number: ItemNumber, _ engine: isolated any DownloaderHost) {
        guard let partial = cache.partials[number] else { return }
        cache.partials.markStale(number)
        parts.files[number]?.cancel()
        guard !partial.begun.isEmpty else { return beginPartsAnew(number, engine) }
        // Marked before readers fail, because a program may open the file again at once.
        openFiles.update(number) { $0.isOutdated = true }
        do throws(ProviderFailure) { try engine.replace(number) } catch { context.recordBackgroundError(error) }
        serveParts(number, engine)
    }

    func beginPartsAnew(_ number: ItemNumber, _ engine: isolated any DownloaderHost) {
        guard cache.partials[number] != nil else { return }
        parts.files.removeValue(forKey: number)?.cancel()
        let reads = waiters.takeReads(of: number)
        do throws(ProviderFailure) {
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

extension ProviderFailure {
    /// The error for contents that a program has begun to read and that are not available any more.
    static var otherVersion: ProviderFailure {
        ProviderFailure(.expired, message: "The file was changed at the service while it was read.")
    }
}

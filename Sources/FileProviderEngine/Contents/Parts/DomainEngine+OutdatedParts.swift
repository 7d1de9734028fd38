import FileProvider
import LinuxSystem

/// Partially materialized files of an earlier version than the provider's.
extension DomainEngine {
    /// Marks the local parts as stale, because the provider has another version. Handles that have read from them get
    /// no further bytes, and the file is replaced for later openings. If no handle has read any part, all handles get
    /// the new contents.
    func partsAreOutdated(_ number: ItemNumber) {
        guard let transfer = contents.parts.files[number] else { return }
        contents.parts.files[number]?.isStale = true
        for ask in transfer.asks.values { ask.task.cancel() }
        guard !transfer.begun.isEmpty else { return beginPartsAnew(number) }
        // Marked before readers fail, because a program may open the file again at once.
        openFiles.update(number) { $0.isOutdated = true }
        do throws(ProviderFailure) { try replace(number) } catch { remember(error) }
        serveParts(number)
    }

    func beginPartsAnew(_ number: ItemNumber) {
        guard let transfer = contents.parts.files.removeValue(forKey: number) else { return }
        transfer.file.end()
        for ask in transfer.asks.values { ask.task.cancel() }
        do throws(ProviderFailure) {
            let row = try openRow(number)
            // The new version may have been fetched as a whole already.
            if row.content == .partial { try forgetContents(number) }
            try onDisk { () throws(Errno) in try folders.remove(number, in: folders.parts) }
            contents.parts.restarts[number, default: 0] += 1
            if contents.parts.restarts[number, default: 0] > PartTransfers.mostRestarts {
                contents.parts.refused[number] = row.item.contentVersion
            }
        } catch {
            for waiter in transfer.waiters { waiter.answer?.complete(.failure(error)) }
            return
        }
        events.tell(.contentsReplaced(number))
        for waiter in transfer.waiters {
            guard let answer = waiter.answer else { continue }
            if let reader = waiter.reader {
                waitForPart(number, waiter.range, reader: reader, answer)
            } else {
                answer.complete(.failure(.otherVersion))
            }
        }
        // Readers that wait for the whole file have waited for this.
        makeReady(number)
    }
}

extension ProviderFailure {
    /// The error for contents that a program has begun to read and that are not available any more.
    static var otherVersion: ProviderFailure {
        ProviderFailure(.expired, message: "The file was changed at the service while it was read.")
    }
}

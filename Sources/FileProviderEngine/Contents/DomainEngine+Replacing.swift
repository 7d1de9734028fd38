import FileProvider
import LinuxSystem

/// Replacement of open files. If a new version of a file that programs read does not only add bytes at the end, the
/// item gets a new item number, as if the new version had been renamed over the file. Later openings get the new
/// version. Earlier handles keep the bytes of their version, under the earlier number, until the last one is closed.
///
/// The file keeps its number, and all its handles share one version, as long as one of the handles is for writing, or
/// a local change of the item is not yet confirmed by the provider.
extension DomainEngine {
    /// Replaces an open file whose version is older than the provider's.
    ///
    /// - Returns: the new number; `nil` if the file keeps its number.
    @discardableResult
    func replace(_ number: ItemNumber) throws(ProviderFailure) -> ItemNumber? {
        guard !isClosed, let entry = openFiles.entry(number) else { return nil }
        let row = try onRecord { () throws(IndexFailure) in try index.item(number) }
        guard let row, try isReplaceable(row, entry) else { return nil }
        // The provider's version may have been fetched as a whole while handles read parts of the earlier version.
        let hasNewContents = row.content == .current && row.localVersion == row.item.contentVersion
        // The contents are moved before the index is written: after a crash in between, they are missing and fetched
        // again.
        if !hasNewContents { try onDisk { () throws(Errno) in try folders.moveAside(number) } }
        let new: IndexedItem?
        do throws(ProviderFailure) {
            new = try writeMakingRoom { writer throws(IndexFailure) in
                try writer.renumber(number) { row in
                    guard !hasNewContents else { return }
                    row.content = .dataless
                    row.localSize = 0
                    row.localVersion = []
                    row.parts = ByteRanges()
                }
            }
        } catch {
            if !hasNewContents { try? folders.move(number, from: folders.removed, to: folders.clean) }
            throw error
        }
        guard let new else { return nil }
        if hasNewContents {
            // If the move fails, the contents are missing and fetched again.
            try? folders.move(number, from: folders.clean, to: folders.clean, as: new.number)
        } else {
            contents.cleanBytes = max(0, contents.cleanBytes - row.localSize)
        }
        // The last handle may have been closed meanwhile.
        if !openFiles.replaced(number, by: new.number) { discardContents(number) }
        passOn(number, to: new.number)
        makeReady(number)
        return new.number
    }

    /// Whether handles have read bytes of a version that is not the provider's any more, and nothing prevents
    /// replacement.
    private func isReplaceable(_ row: IndexedItem, _ entry: OpenFiles.Entry) throws(ProviderFailure) -> Bool {
        let number = row.number
        let isRead: Bool
        if entry.reading == nil {
            isRead = contents.parts.files[number].map { $0.isStale && !$0.begun.isEmpty } ?? false
        } else {
            isRead = row.content == .current && row.localVersion != row.item.contentVersion
        }
        // The local bytes are an unfinished state of the provider's current version, so the provider has no newer
        // one.
        let isUnfinished = entry.isUnfinished && row.localVersion == row.item.versionOfOlderContents
        guard isRead, !isUnfinished, entry.writers == 0, !entry.isDiscarded, row.changes.isEmpty,
            row.isKnownToProvider, !edits.isBusy(number), !metadata.isSending(number)
        else { return false }
        return try onRecord { () throws(IndexFailure) in try journal.entry(number) == nil }
    }

    /// Moves the fetch, the waiting openings and the unsent user metadata of a file to its new number.
    private func passOn(_ number: ItemNumber, to successor: ItemNumber) {
        metadata.move(number, to: successor)
        if let fetch = contents.fetches.removeValue(forKey: number) {
            contents.fetches[successor] = fetch
            if let place = contents.queue.firstIndex(of: number) { contents.queue[place] = successor }
            contents.successors[number] = successor
            // The fetch continues if a download waits for it.
            cancelFetch(successor)
        }
        // These openings fail, and the kernel looks up the name again.
        endOpeningWaits(for: number, .success(()))
    }

    /// Returns the number that a file has now, if it was replaced and handles of the earlier version are still open.
    /// Otherwise returns the given number.
    func currentNumber(_ number: ItemNumber) -> ItemNumber {
        var number = number
        while let successor = openFiles.entry(number)?.successor { number = successor }
        return number
    }

    /// Returns the current number of a file whose fetch began under an earlier number.
    func fetchedNumber(_ number: ItemNumber) -> ItemNumber {
        var number = number
        while let next = contents.successors[number] { number = next }
        return number
    }

    /// Drops the earlier numbers of a file that is not being fetched any more.
    func forgetSuccessors(to number: ItemNumber) {
        for (earlier, later) in contents.successors where later == number {
            contents.successors[earlier] = nil
            forgetSuccessors(to: earlier)
        }
    }

    /// Replaces or drops the outdated contents of an open file, if nothing prevents that any more.
    func lookAtOutdated(_ number: ItemNumber) {
        guard !isClosed, openFiles.entry(number)?.isOutdated == true, (try? row(number)) != nil else { return }
        dropOutdatedContents(number)
    }
}

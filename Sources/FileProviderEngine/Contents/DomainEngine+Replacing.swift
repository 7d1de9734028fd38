import FileProvider
import LinuxSystem

/// A new version of a file that programs have open for reading, and which does not only add bytes at the end. The file gets another number,
/// as if the new version had been renamed over it: later openings get the new version, and the earlier ones keep the bytes that they have
/// begun with, under the earlier number, until the last one closes.
///
/// Programs that have a file open share one version, and the file keeps its number, as long as one of them may write to it, or something
/// that was done to it here is on its way to the provider.
extension DomainEngine {
    /// Replaces an open file of an earlier version than the provider's.
    ///
    /// - Returns: the new number; `nil` where the file keeps its number.
    @discardableResult
    func replace(_ number: ItemNumber) throws(ProviderFailure) -> ItemNumber? {
        guard !isClosed, let entry = openFiles.entry(number) else { return nil }
        let row = try onRecord { () throws(IndexFailure) in try index.item(number) }
        guard let row, try isReplaceable(row, entry) else { return nil }
        // First: a crash in between leaves contents that are not found, and are fetched again.
        try onDisk { () throws(Errno) in try folders.moveAside(number) }
        let new: IndexedItem?
        do throws(ProviderFailure) {
            new = try writeMakingRoom { writer throws(IndexFailure) in
                try writer.renumber(number) { row in
                    row.content = .dataless
                    row.localSize = 0
                    row.localVersion = []
                    row.parts = ByteRanges()
                }
            }
        } catch {
            try? folders.move(number, from: folders.removed, to: folders.clean)
            throw error
        }
        guard let new else { return nil }
        openFiles.replaced(number, by: new.number)
        contents.cleanBytes = max(0, contents.cleanBytes - row.localSize)
        passOn(number, to: new.number)
        makeReady(number)
        return new.number
    }

    /// Whether programs have read bytes of a file that are not the provider's any more, and nothing keeps it from being replaced.
    private func isReplaceable(_ row: IndexedItem, _ entry: OpenFiles.Entry) throws(ProviderFailure) -> Bool {
        let number = row.number
        let isRead: Bool
        if entry.reading == nil {
            isRead = contents.parts.files[number].map { $0.isStale && !$0.begun.isEmpty } ?? false
        } else {
            isRead = row.content == .current && row.localVersion != row.item.contentVersion
        }
        // The provider has no other version than the one that was not finished when it came.
        let isUnfinished = entry.isUnfinished && row.localVersion == row.item.versionOfOlderContents
        guard isRead, !isUnfinished, entry.writers == 0, !entry.isDiscarded, row.changes.isEmpty,
            row.isKnownToProvider, !edits.isBusy(number), facts.running[number] == nil
        else { return false }
        return try onRecord { () throws(IndexFailure) in try journal.entry(number) == nil }
    }

    /// Has what is under way or waits for a file go on under its new number.
    private func passOn(_ number: ItemNumber, to successor: ItemNumber) {
        // An entry that stays under the earlier number is found by its identifier.
        if let time = facts.queue.time(of: number), (try? journal.moveFacts(number, to: successor)) != nil {
            facts.queue.remove(number)
            facts.queue.put(successor, at: time)
            facts.attempts[successor] = facts.attempts.removeValue(forKey: number)
            if facts.uncertain.remove(number) != nil { facts.uncertain.insert(successor) }
        }
        for (other, fetch) in contents.fetches where other == number || fetch.successor == number {
            contents.fetches[other]?.successor = successor
        }
        // Unless a download waits for it.
        cancelFetch(number)
    }

    /// Returns the number that a file has now.
    func current(_ number: ItemNumber) -> ItemNumber {
        var number = number
        while let next = openFiles.entry(number)?.successor ?? contents.fetches[number]?.successor { number = next }
        return number
    }

    /// Has an outdated file replaced if what has kept it from that is over.
    func lookAtOutdated(_ number: ItemNumber) {
        guard !isClosed, openFiles.entry(number)?.isOutdated == true, (try? row(number)) != nil else { return }
        dropOutdatedContents(number)
    }
}

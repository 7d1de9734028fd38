import FileProviderWire
import ItemStore

/// Cancels uploads and resumes them. A cancelled upload is parked, so that no step of it starts.
extension UploadScheduler {
    /// Whether the user has cancelled the upload of an item.
    func isCancelled(_ number: ItemNumber) -> Bool { uploads[number]?.failure == .uploadCancelled }

    /// Cancels the upload of the given file, unless it has begun.
    func cancel(_ number: ItemNumber) throws(IndexError) -> DomainEngine.Cancellation {
        guard var entry = try journal.entry(number), entry.sendsContents, !entry.isCancelled else { return .isOver }
        guard !table.isBusy(number), table[number].accepted == nil else { return .hasBegun }
        entry.failure = .uploadCancelled
        try journal.put(entry)
        large.withdraw(number)
        hold(number)
        return .cancelled
    }

    /// Parks the given item, because its upload is cancelled.
    func hold(_ number: ItemNumber) {
        table.park(number)
        uploads.update(number) { $0.failure = .uploadCancelled }
        configuration.states?.noteDomain()
    }

    /// Removes the cancellation of an upload from the edit's journal entry. The caller schedules the upload.
    func takeBackCancellation(of entry: JournalEntry) throws(IndexError) {
        var entry = entry
        entry.failure = nil
        try journal.put(entry)
        noteSentAgain(entry.number)
    }

    /// Clears the displayed failure of the given item, if that failure is a cancelled upload.
    func noteSentAgain(_ number: ItemNumber) {
        guard isCancelled(number) else { return }
        uploads.update(number) { $0.failure = nil }
        configuration.states?.noteDomain()
    }
}

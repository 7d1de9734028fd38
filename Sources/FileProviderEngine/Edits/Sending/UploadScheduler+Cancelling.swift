import FileProviderWire
import ItemStore

/// Uploads that the user has cancelled. They are parked, so that no step of them starts.
extension UploadScheduler {
    /// Whether the user has cancelled the upload of an item.
    func isCancelled(_ number: ItemNumber) -> Bool { uploads[number]?.failure == .uploadCancelled }

    /// Cancels the upload of a file, if the upload has not begun.
    func cancel(_ number: ItemNumber) throws(IndexError) -> DomainEngine.Cancellation {
        guard var entry = try journal.entry(number), entry.sendsContents, !entry.isCancelled else { return .isOver }
        guard !table.isBusy(number), table[number].accepted == nil else { return .hasBegun }
        entry.failure = .uploadCancelled
        try journal.put(entry)
        large.withdraw(number)
        hold(number)
        return .cancelled
    }

    /// Parks an item whose upload is cancelled.
    func hold(_ number: ItemNumber) {
        table.park(number)
        uploads.update(number) { $0.failure = .uploadCancelled }
        configuration.states?.noteDomain()
    }

    /// Ends the cancellation of an edit's upload in the journal. The caller schedules the upload.
    func takeBackCancellation(of entry: JournalEntry) throws(IndexError) {
        var entry = entry
        entry.failure = nil
        try journal.put(entry)
        noteSentAgain(entry.number)
    }

    /// Clears the displayed failure of an item whose upload is no longer cancelled.
    func noteSentAgain(_ number: ItemNumber) {
        guard isCancelled(number) else { return }
        uploads.update(number) { $0.failure = nil }
        configuration.states?.noteDomain()
    }
}

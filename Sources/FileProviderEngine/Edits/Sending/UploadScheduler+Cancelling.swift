import FileProviderWire
import ItemStore

/// Uploads that the user has cancelled. They are parked, and no step of them starts.
extension UploadScheduler {
    /// Whether the user has cancelled the upload of an item.
    func isCancelled(_ number: ItemNumber) -> Bool { uploads[number]?.failure == .uploadCancelled }

    /// Cancels the upload of a file that waits.
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

    /// Makes an edit one that is sent again. The caller schedules it.
    func takeBackCancellation(of entry: JournalEntry) throws(IndexError) {
        var entry = entry
        entry.failure = nil
        try journal.put(entry)
        noteSentAgain(entry.number)
    }

    /// Forgets that an upload was cancelled.
    func noteSentAgain(_ number: ItemNumber) {
        guard isCancelled(number) else { return }
        uploads.update(number) { $0.failure = nil }
        configuration.states?.noteDomain()
    }
}

import DomainMessages
import FileProvider
import FileProviderWire
import ItemStore
import ItemValues

/// The progress of edits, for clients.
extension DomainEngine {
    package func editStatus() throws(IndexError) -> EditStatus { try progress.editStatus() }

    /// Returns the progress of some items' edits, as ``EditProgress/editStatus(of:)-7p1yq`` does.
    package func editStatus(of numbers: [ItemNumber]) throws(IndexError) -> [ItemNumber: EditStatus.Item] {
        try progress.editStatus(of: numbers)
    }

    /// Returns the totals of files whose local contents the provider does not have, including parked ones.
    package func uploadTotals() throws(IndexError) -> TransferTotals { try progress.uploadTotals() }

    /// The number of times that signals caused a check of unconfirmed edits: for tests.
    package var signalCount: Int { scheduler.signals }

    /// Records the progress of an upload as the provider reports it.
    package func noteUpload(of identifier: String, sent: Int64, total: Int64) {
        guard sent >= 0, total >= sent, let row = try? index.item(identifier: identifier), !row.changes.isEmpty else {
            return
        }
        uploads.update(row.number) { ($0.sent, $0.total) = (sent, total) }
        configuration.states?.note(row.number)
    }

    // MARK: Waits

    /// Waits until the provider has all present local changes of an item and of everything in it, as
    /// ``EditProgress/waitForEdits(below:inside:)`` does.
    package func waitForEdits(
        below top: ItemNumber = .root, inside change: String? = nil
    ) async throws(ProviderError) {
        try await progress.waitForEdits(below: top, inside: change)
    }

    /// Waits as ``waitForEdits(below:inside:)`` does for all items, and until the provider's present changes are known
    /// locally.
    package func waitForBothSides(inside change: String? = nil) async throws(ProviderError) {
        try await waitForEdits(inside: change)
        guard !isClosed else { throw .closed }
        changes.signalled(container: ProviderItem.workingSetIdentifier, self)
        try await progress.look { () throws(ProviderError) in
            guard changes.running.isEmpty, enumerator.count == 0 else { return false }
            if let failure = context.requestFailure { throw failure }
            return true
        }
    }

    /// Waits for the provider's reply to the removal or trashing of an item, as
    /// ``EditProgress/waitForRemoval(of:upTo:)`` does.
    package func waitForRemoval(of number: ItemNumber, upTo seconds: Double) async throws(ProviderError) {
        try await progress.waitForRemoval(of: number, upTo: seconds)
    }

    // MARK: Repetition

    /// Uploads a file's contents as if they had been changed locally, as ``LocalEdits/sendContentsAgain(_:_:)`` does.
    package func sendContentsAgain(_ number: ItemNumber) throws(ProviderError) {
        try localEdits.sendContentsAgain(number, self)
    }

    /// Sends an item's user metadata again, as if the user had just set it.
    package func sendMetadataAgain(_ kinds: MetadataKinds, of number: ItemNumber) throws(EditError) {
        guard !kinds.isEmpty else { return }
        let known = try reading { () throws(IndexError) in try index.metadata(of: number) }
        try metadata.set(kinds, [number: known], self)
    }

    /// Retries at once all edits that back off or are parked, such as after the user signed in or freed space.
    package func retry() {
        signIn.forgetFailedAttempts()
        resolved()
    }

    /// Retries as ``retry()`` does, after the provider reported that an error is resolved. Keeps the count of failed
    /// sign-in attempts: the provider does not know about them.
    package func resolved() {
        signIn.resolve()
        changes.retry(self)
        reconciler.revalidation.retry(self)
        trash.enumeration.retry(self)
        metadata.retry(self)
        pinning.retry(self)
        outdated.retryOutdated(self)
        guard let entries = try? journal.all() else { return }
        for entry in entries {
            scheduler.table.forgetFailures(of: entry.number)
            uploads.update(entry.number) { $0.failure = nil }
            if entry.failure != nil {
                scheduler.allowMakingAgain(entry)
                var entry = entry
                entry.failure = nil
                try? journal.put(entry)
            }
            scheduler.schedule(entry.number, self)
        }
    }
}

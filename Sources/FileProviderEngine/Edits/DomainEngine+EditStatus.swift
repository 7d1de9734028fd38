import FileProvider
import ItemStore

/// The progress of a domain's edits towards the provider.
package struct EditStatus: Sendable, Equatable {
    /// An item with edits that the provider has not confirmed.
    package struct Item: Sendable, Equatable {
        package var number: ItemNumber
        package var name: String
        package var changes: LocalChanges
        /// Whether a request is running at the provider, or the provider has accepted the edit and its service does not
        /// have it yet.
        package var isUnderWay: Bool
        /// The number of bytes that the service has, and the total number, as the provider reports them; 0 if the
        /// provider reports nothing.
        package var sent: Int64
        package var total: Int64
        /// The failure of the last attempt to send the edit.
        package var failure: ProviderError?
        /// Whether the edit is parked: the engine does not retry it before ``DomainEngine/retry()``.
        package var isHeld: Bool
    }

    package var items: [Item] = []
    package var events: [EditEvent] = []
}

extension DomainEngine {
    package func editStatus() throws(IndexError) -> EditStatus {
        var status = EditStatus(events: edits.events)
        for entry in try journal.all() where !entry.changes.isEmpty { status.items.append(editStatus(of: entry)) }
        return status
    }

    /// Returns the progress of some items' edits. Items without edits are left out. The cost does not depend on the
    /// number of other edits.
    package func editStatus(
        of numbers: [ItemNumber]
    ) throws(IndexError) -> [ItemNumber: EditStatus.Item] {
        var items: [ItemNumber: EditStatus.Item] = [:]
        for number in numbers {
            guard let entry = try journal.entry(number), !entry.changes.isEmpty else { continue }
            items[number] = editStatus(of: entry)
        }
        return items
    }

    private func editStatus(of entry: JournalEntry) -> EditStatus.Item {
        let upload = uploads[entry.number]
        let failure = upload?.failure ?? entry.failure
        return EditStatus.Item(
            number: entry.number, name: entry.name, changes: entry.changes, isUnderWay: upload?.isUnderWay ?? false,
            sent: upload?.sent ?? 0, total: upload?.total ?? 0, failure: failure,
            isHeld: signIn.isNeeded || failure.map(\.needsUser) ?? false)
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
        cache.retryOutdated(self)
        guard let entries = try? journal.all() else { return }
        for entry in entries {
            edits.table.forgetFailures(of: entry.number)
            uploads.update(entry.number) { $0.failure = nil }
            if entry.failure != nil {
                allowMakingAgain(entry)
                var entry = entry
                entry.failure = nil
                try? journal.put(entry)
            }
            schedule(entry.number)
        }
    }

    func note(_ kind: EditEvent.Kind, of number: ItemNumber, _ name: String) {
        edits.events.append(EditEvent(number: number, name: name, kind: kind, time: clock.now))
        if edits.events.count > 100 { edits.events.removeFirst() }
    }
}

extension ProviderError {
    /// Whether a retry is useless before the user has acted.
    package var needsUser: Bool {
        switch kind {
        case .notAuthenticated, .insufficientQuota, .cannotSynchronize, .disabled, .unsupported, .notPermitted,
            .deletionRejected:
            true
        case .transient, .serverUnreachable, .noSuchItem, .expired, .filenameCollision, .directoryNotEmpty, .cancelled,
            .processEnded, .badAnswer, .noSpace:
            false
        }
    }
}

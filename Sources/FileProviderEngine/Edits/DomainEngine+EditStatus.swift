import FileProvider

/// How far the edits of a domain are on their way.
package struct EditStatus: Sendable, Equatable {
    /// One item that the provider has not confirmed.
    package struct Item: Sendable, Equatable {
        package var number: ItemNumber
        package var name: String
        package var changes: LocalChanges
        /// On its way at this moment: the provider is asked, or has it and the service does not yet.
        package var isUnderWay: Bool
        /// Bytes that the service has, and in all, as far as the provider says; 0 where it does not.
        package var sent: Int64
        package var total: Int64
        /// Why it was not taken, the last time.
        package var failure: ProviderFailure?
        /// Nothing is tried again before ``DomainEngine/retry()``.
        package var isHeld: Bool
    }

    package var items: [Item] = []
    package var events: [EditEvent] = []
}

extension DomainEngine {
    package func editStatus() throws(IndexFailure) -> EditStatus {
        var status = EditStatus(events: edits.events)
        for entry in try journal.all() where !entry.changes.isEmpty { status.items.append(editStatus(of: entry)) }
        return status
    }

    /// How far the edits of some items are; those that have none are not among them. However many others wait, it takes as long.
    package func editStatus(
        of numbers: [ItemNumber]
    ) throws(IndexFailure) -> [ItemNumber: EditStatus.Item] {
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
            isHeld: signIn.failure != nil || failure.map(\.needsPerson) ?? false)
    }

    /// Tries at once what was put off or held, as after a person signed in or made room.
    package func retry() {
        signIn.failedAttempts = 0
        resolved()
    }

    /// As ``retry()``, because the provider says that what was in the way is not any more: how often a person has tried to sign in,
    /// it does not know.
    package func resolved() {
        signIn.failure = nil
        configuration.states?.noteDomain()
        signInEra += 1
        retryChanges()
        retryDoubts()
        retryTrashListing()
        retryFacts()
        retryKeeping()
        for number in openFiles.outdated {
            openFiles.update(number) { $0.nextGrowth = 0 }
            dropOutdatedContents(number)
        }
        guard let entries = try? journal.all() else { return }
        for entry in entries {
            edits.attempts[entry.number] = nil
            uploads.update(entry.number) { $0.failure = nil }
            if entry.failure != nil {
                allowMakingAgain(entry)
                var entry = entry
                entry.failure = nil
                try? journal.put(entry)
            }
            look(at: entry.number)
        }
    }

    func note(_ kind: EditEvent.Kind, of number: ItemNumber, _ name: String) {
        edits.events.append(EditEvent(number: number, name: name, kind: kind, time: clock.now))
        if edits.events.count > 100 { edits.events.removeFirst() }
    }
}

extension ProviderFailure {
    /// Whether trying again is of no use before somebody did something about it.
    package var needsPerson: Bool {
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

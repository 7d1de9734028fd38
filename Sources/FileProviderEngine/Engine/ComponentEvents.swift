import ItemStore
import LinuxSystem

// The events of the components. A component sends an event to the engine, which passes it on to the parts that depend
// on that component. ComponentLinks.swift has the calls in the other direction.

/// The events of the reconciler.
extension DomainEngine {
    func itemsWereApplied(_ applied: AppliedItems) {
        for number in applied.outdated { dropOutdatedContents(number) }
        if !applied.conflicts.isEmpty { localEdits.noteConflicts(applied.conflicts, self) }
    }

    func itemsWereRemoved(_ removed: RemovedItems) {
        for number in removed.withContents { discardContents(number) }
        for number in removed.removed { cache.older.remove(number) }
        downloader.itemsWereRemoved(removed.removed, self)
        metadata.noteRemoved(removed.removed, self)
        if !removed.kept.isEmpty { components.recreation.noteRemovedByProvider(removed.kept, self) }
    }
}

/// The events of the enumerator.
extension DomainEngine {
    func directoryWasListed() { changes.workingSet.begin(self) }

    func listingEnded(_ end: ListingEnd) { changes.refreshes.listingEnded(end, self) }
}

/// The events of the change tracker.
extension DomainEngine {
    func changesWereReceived() {
        // Requests of waiting edits may still be refused.
        if scheduler.table.running.isEmpty, scheduler.table.nextTime() == nil { signIn.noteSignedIn() }
    }

    func changesAreFollowed() { trash.enumeration.beginIfRequested(self) }

    func trashMayHaveChanged() { trash.enumeration.request(self) }
}

/// The events of user metadata.
extension DomainEngine {
    func metadataWasSent(of number: ItemNumber, awaitedBy removals: Set<ItemNumber>) {
        lookAtOutdated(number)
        for removal in removals { schedule(removal) }
    }
}

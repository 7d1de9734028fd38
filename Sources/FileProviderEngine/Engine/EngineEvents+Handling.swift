import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// The handling of events: each goes to the components that depend on its sender.
extension DomainEngine: EngineEvents {
    nonisolated func openItem(_ number: ItemNumber, isForWriting: Bool, descriptor: FileDescriptor?) -> OpenHandle {
        OpenHandle(self, number, isForWriting: isForWriting, descriptor: descriptor)
    }

    // MARK: Contents

    func noteEdited(_ number: ItemNumber, size: Int64, modified: Double) throws(Errno) {
        try localEdits.noteEdited(number, size: size, modified: modified, self)
    }

    func noteClosed(_ number: ItemNumber) { localEdits.noteClosed(number, self) }

    func contentsAreWanted(_ number: ItemNumber) { downloader.startFetch(number, self) }

    func wholeFileIsWanted(_ number: ItemNumber, _ answer: EngineCompletion<FileDescriptor>) {
        downloader.waitForContents(number, isForWriting: false, answer, self)
    }

    func contentsAreUnneeded(_ number: ItemNumber) { downloader.cancelFetch(number, self) }

    func contentsMayBeReady(_ number: ItemNumber) { downloader.makeReady(number, self) }

    func partialFileEnded(_ number: ItemNumber) { partDownloader.partialFileEnded(number, self) }

    func partialFileIsOutdated(_ number: ItemNumber) { partDownloader.areOutdated(number, self) }

    func fileWasReplaced(_ number: ItemNumber, by successor: ItemNumber) {
        metadata.move(number, to: successor)
        downloader.fileWasReplaced(number, by: successor, self)
        // These openings fail, and the kernel looks up the name again.
        opener.endWaits(for: number, .success(()), self)
        downloader.makeReady(number, self)
    }

    func lastHandleWasClosed(_ number: ItemNumber) {
        downloader.lastHandleWasClosed(number, self)
        removalWaits.fetchEnded(number, nil, self)
    }

    func fetchEnded(_ number: ItemNumber, _ result: Result<Void, ProviderError>?) {
        removalWaits.fetchEnded(number, result, self)
    }

    // MARK: Reports of the provider

    func itemsWereApplied(_ applied: AppliedItems) {
        for number in applied.outdated { outdated.dropOutdatedContents(number, self) }
        if !applied.conflicts.isEmpty { localEdits.noteConflicts(applied.conflicts, self) }
    }

    func itemsWereRemoved(_ removed: RemovedItems) {
        for number in removed.withContents { cache.discardContents(number, self) }
        for number in removed.removed { cache.older.remove(number) }
        downloader.itemsWereRemoved(removed.removed, self)
        metadata.noteRemoved(removed.removed, self)
        if !removed.kept.isEmpty { components.recreation.noteRemovedByProvider(removed.kept, self) }
    }

    func itemsWillBeRemoved(_ identifiers: Set<String>, besides others: [ProviderItem]) throws(ProviderError) {
        try keepForImport(identifiers, besides: others)
    }

    func itemWasRevalidated(
        _ item: ProviderItem, answering request: ReplyOrdering.Request
    ) async throws(ProviderError) {
        let items = try await reconciler.withAncestors([item], self)
        try reconciler.apply(items, answering: request, self)
    }

    func itemsAreGone(_ identifiers: Set<String>) throws(ProviderError) {
        try reconciler.remove(gone: identifiers, self)
    }

    func directoryWasListed() { changes.workingSet.begin(self) }

    func listingEnded(_ end: ListingEnd) { changes.refreshes.listingEnded(end, self) }

    func changesAreWanted(in container: String, isRefresh folder: ItemNumber?) {
        changes.signalled(container: container, isRefresh: folder, self)
    }

    func changesWereReceived() {
        // Requests of waiting edits may still be refused.
        if scheduler.table.running.isEmpty, scheduler.table.nextTime() == nil { signIn.noteSignedIn() }
    }

    func changesAreFollowed() { trash.enumeration.beginIfRequested(self) }

    func trashMayHaveChanged() { trash.enumeration.request(self) }

    // MARK: Local changes

    func metadataIsBeingSent(of number: ItemNumber) { outdated.noteMetadataRequest(of: number, isRunning: true) }

    func metadataWasSent(of number: ItemNumber, awaitedBy removals: Set<ItemNumber>) {
        outdated.noteMetadataRequest(of: number, isRunning: false)
        outdated.lookAtOutdated(number, self)
        for removal in removals { scheduler.schedule(removal, self) }
    }

    func bytesWereRemoved(_ number: ItemNumber) {
        cache.discardContents(number, self)
        metadata.noteRemoved([number], self)
    }

    func sendChanges(of number: ItemNumber) async throws -> StepResult {
        try await components.uploader.send(number, self)
    }

    func itemWillMove(_ number: ItemNumber) throws(IndexError) { try tracker.noteLeaves(number) }

    // The move was refused: an item that is reported at the new place is another one.
    func changeWasRefused(_ number: ItemNumber) { tracker.forgetMove(of: number, self) }

    func uploadWasForgotten(_ number: ItemNumber) {
        removalWaits.forget(number)
        tracker.forgetMove(of: number, self)
        tracker.forgetUnanswered(of: number, self)
    }

    func uploadIsOver(_ number: ItemNumber) { outdated.lookAtOutdated(number, self) }

    func signInSucceeded() { retry() }

    func movesAreSettled() {
        changes.refreshes.refreshOutdated(self)
        reconciler.revalidation.retry(self)
    }

    func itemsMayBeShown(_ identifiers: Set<String>) {
        reconciler.revalidation.scheduleInAnyCase(identifiers, self)
    }

    func itemsAreUncertain(_ identifiers: Set<String>) throws(ProviderError) {
        try reconciler.revalidation.schedule(identifiers, self)
    }

    func directoryIsOutdated(_ folder: ItemNumber) { changes.refreshes.refreshAnew(folder, self) }
}

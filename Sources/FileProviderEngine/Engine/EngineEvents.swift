import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// The functions of the engine that its components may call. Most of them send events.
///
/// A component calls only the components with which it was created. ``EngineComponents`` creates these first, so the
/// graph of calls has no cycle. To notify the components that depend on it, a component sends an event. The functions
/// below deliver an event at once: when the call returns, the event was handled.
///
/// Components get the engine as an `isolated` parameter of this type. Therefore their code stays on the engine's thread
/// and can only send events. `Scripts/check-sources` checks the type of this parameter, and that the graph has no
/// cycle.
package protocol EngineEvents: Actor {
    var targets: EventTargets { get }

    /// Enqueues a job on the engine's thread, such as the work of a timer that has expired.
    nonisolated func perform(_ job: @escaping @Sendable (isolated DomainEngine) -> Void)

    /// Returns a new handle of an open file.
    nonisolated func openItem(_ number: ItemNumber, isForWriting: Bool, descriptor: FileDescriptor?) -> OpenHandle

    /// Retries at once all edits and requests that wait because of a failure, including parked edits, for example after
    /// the user signed in or freed space.
    func retry()
}

/// The components that receive events. Only the functions of ``EngineEvents`` call them.
package final class EventTargets {
    fileprivate let components: EngineComponents

    init(_ components: EngineComponents) { self.components = components }
}

extension EngineEvents {
    private var components: EngineComponents { targets.components }

    // MARK: Contents

    /// Requests that last-used dates that are only in memory are written to the index.
    func usesMustBeWritten() { components.metadata.writeUses(isEnd: false, self) }

    /// Reports that the contents of the given file have changed. The edit is in the journal when this returns.
    func noteEdited(_ number: ItemNumber, size: Int64, modified: Double) throws(Errno) {
        try components.localEdits.noteEdited(number, size: size, modified: modified, self)
    }

    /// Reports that the given file was open for writing and is now closed.
    func noteClosed(_ number: ItemNumber) { components.localEdits.noteClosed(number, self) }

    /// Requests that the provider's version of the given file is fetched.
    func contentsAreWanted(_ number: ItemNumber) { components.downloader.startFetch(number, self) }

    /// Requests the whole contents of the given file, because a caller that read byte ranges now needs all of them.
    func wholeFileIsWanted(_ number: ItemNumber, _ answer: EngineCompletion<FileDescriptor>) {
        components.downloader.waitForContents(number, isForWriting: false, answer, self)
    }

    /// Reports that no handle needs the contents of the given file any more.
    func contentsAreUnneeded(_ number: ItemNumber) { components.downloader.cancelFetch(number, self) }

    /// Reports that the contents of the given file may now be local, so that waiting handles can be completed.
    func contentsMayBeReady(_ number: ItemNumber) { components.downloader.makeReady(number, self) }

    /// Reports that the partial contents of the given file were dropped.
    func partialFileEnded(_ number: ItemNumber) { components.partDownloader.partialFileEnded(number, self) }

    /// Reports that the partial contents of the given file belong to a version that is no longer the provider's.
    func partialFileIsOutdated(_ number: ItemNumber) { components.partDownloader.areOutdated(number, self) }

    /// Reports that an open file was replaced by the provider's version. The replacement has another item number.
    func fileWasReplaced(_ number: ItemNumber, by successor: ItemNumber) {
        components.metadata.move(number, to: successor)
        components.downloader.fileWasReplaced(number, by: successor, self)
        // Opens that waited for the old file are tried again. They now fail, and the kernel looks up the name again.
        components.opener.endWaits(for: number, .success(()), self)
        components.downloader.makeReady(number, self)
    }

    /// Reports that the last handle of the given file was closed.
    func lastHandleWasClosed(_ number: ItemNumber) {
        components.downloader.lastHandleWasClosed(number, self)
        components.removalWaits.fetchEnded(number, nil, self)
    }

    /// Reports that the fetch of the given file has ended.
    ///
    /// - Parameter result: The result; `nil` if the fetch was cancelled before it began.
    func fetchEnded(_ number: ItemNumber, _ result: Result<Void, ProviderError>?) {
        components.removalWaits.fetchEnded(number, result, self)
    }

    // MARK: Reports of the provider

    /// Reports that items in the index have changed, because the provider reported them. For items that were removed,
    /// ``itemsWereRemoved(_:)`` follows.
    func itemsWereApplied(_ applied: AppliedItems) {
        for number in applied.outdated { components.outdated.dropOutdatedContents(number, self) }
        if !applied.conflicts.isEmpty { components.localEdits.noteConflicts(applied.conflicts, self) }
    }

    /// Reports that the given items were removed locally, because the provider no longer has them.
    func itemsWereRemoved(_ removed: RemovedItems) {
        for number in removed.withContents { components.cache.discardContents(number, self) }
        for number in removed.removed { components.cache.older.remove(number) }
        components.downloader.itemsWereRemoved(removed.removed, self)
        components.metadata.noteRemoved(removed.removed, self)
        if !removed.kept.isEmpty { components.recreation.noteRemovedByProvider(removed.kept, self) }
    }

    /// Reports that the given items, with everything in them, are about to be removed locally. Items that are being
    /// imported become new items instead.
    ///
    /// - Parameter others: Items that the provider reports as existing. An item to be removed may be one of them, under
    ///   another identifier.
    func itemsWillBeRemoved(_ identifiers: Set<ExactText>, besides others: [ProviderItem]) throws(ProviderError) {
        try components.imports.keep(identifiers, besides: others, self)
    }

    /// Reports that the provider has the given item, whose status was uncertain.
    func itemWasRevalidated(
        _ item: ProviderItem, answering request: ReplyOrdering.Request
    ) async throws(ProviderError) {
        let items = try await components.reconciler.withAncestors([item], self)
        try components.reconciler.apply(items, answering: request, self)
    }

    /// Reports that the provider does not have the given items, whose status was uncertain.
    func itemsAreGone(_ identifiers: Set<ExactText>) throws(ProviderError) {
        try components.reconciler.remove(gone: identifiers, self)
    }

    /// Reports that a directory was listed completely. Called while its listing still counts as running.
    func directoryWasListed() { components.changes.workingSet.begin(self) }

    /// Reports that a listing of a directory has ended.
    func listingEnded(_ end: ListingEnd) { components.changes.refreshes.listingEnded(end, self) }

    /// Requests the changes of the given container from the provider.
    ///
    /// - Parameter folder: The directory whose refresh causes the request; `nil` if the request has another cause.
    func changesAreWanted(in container: String, isRefresh folder: ItemNumber?) {
        components.changes.signalled(container: container, isRefresh: folder, self)
    }

    /// Reports that the provider has replied to a request for changes.
    func changesWereReceived() {
        // While edits wait to be sent, it is not certain that the user is signed in: the service may refuse edits
        // although it reports changes.
        if components.scheduler.table.running.isEmpty, components.scheduler.table.nextTime() == nil {
            components.signIn.noteSignedIn()
        }
    }

    /// Reports that the engine has begun to follow the change feed, or has read it to its end.
    func changesAreFollowed() { components.trash.enumeration.beginIfRequested(self) }

    /// Reports that the trash may have changed, although the change feed has reported no change of it.
    func trashMayHaveChanged() { components.trash.enumeration.request(self) }

    /// Reports that the provider has moved the given item to its trash. Called before the index is updated.
    func itemWasTrashed(_ number: ItemNumber, as item: ProviderItem) {
        components.trash.support.set(.supported)
        components.localTrash.itemWasTrashed(number, as: item)
    }

    /// Reports that the provider refused to move an item to its trash, because it has none.
    func trashingWasRefused() { components.trash.support.set(.refused) }

    // MARK: Local changes

    /// Reports that a request that sends the given item's user metadata begins.
    func metadataIsBeingSent(of number: ItemNumber) {
        components.outdated.noteMetadataRequest(of: number, isRunning: true)
    }

    /// Reports that no request that sends the given item's user metadata is running any more.
    ///
    /// - Parameter removals: The items whose removal waited for this request.
    func metadataWasSent(of number: ItemNumber, awaitedBy removals: Set<ItemNumber>) {
        components.outdated.noteMetadataRequest(of: number, isRunning: false)
        components.outdated.lookAtOutdated(number, self)
        for removal in removals { components.scheduler.schedule(removal, self) }
    }

    /// Reports that no edit needs the local contents of the given item any more. Open handles can still read them.
    func bytesWereRemoved(_ number: ItemNumber) {
        components.cache.discardContents(number, self)
        components.metadata.noteRemoved([number], self)
    }

    /// Performs one upload step of the given item. The step has ended when this returns.
    func sendChanges(of number: ItemNumber) async throws -> StepResult {
        try await components.uploader.send(number, self)
    }

    /// Reports that a local move of the given item is still to be sent to the provider.
    func itemWillMove(_ number: ItemNumber) throws(IndexError) { try components.tracker.noteLeaves(number) }

    /// Reports that the provider refused a change of the given item permanently.
    func changeWasRefused(_ number: ItemNumber) {
        // The move was refused, so an item that the provider reports at the new place is a different item.
        components.tracker.forgetMove(of: number, self)
    }

    /// Reports that the given item has nothing left to send. Called before the items that wait for it are scheduled.
    func uploadWasForgotten(_ number: ItemNumber) {
        components.removalWaits.forget(number)
        components.tracker.forgetMove(of: number, self)
        components.tracker.forgetUnanswered(of: number, self)
    }

    /// Reports that the given item has nothing left to send. Called after the items that wait for it were scheduled.
    func uploadIsOver(_ number: ItemNumber) { components.outdated.lookAtOutdated(number, self) }

    /// Reports that the outcome of every move is known.
    func movesAreSettled() {
        components.changes.refreshes.refreshOutdated(self)
        components.reconciler.revalidation.retry(self)
    }

    /// Requests the given items again. They were withheld from clients, or the provider reported them under an outdated
    /// name.
    func itemsMayBeShown(_ identifiers: Set<ExactText>) {
        components.reconciler.revalidation.scheduleInAnyCase(identifiers, self)
    }

    /// Reports that the given items may only have moved, although the provider reported them as removed.
    func itemsAreUncertain(_ identifiers: Set<ExactText>) throws(ProviderError) {
        try components.reconciler.revalidation.schedule(identifiers, self)
    }

    /// Reports that items in the given directory may have new identifiers.
    func directoryIsOutdated(_ folder: ItemNumber) { components.changes.refreshes.refreshAnew(folder, self) }
}

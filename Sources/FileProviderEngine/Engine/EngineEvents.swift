import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// An engine as its components see it: the events that they send to it.
///
/// A component calls the components that it holds. ``EngineComponents`` creates each one with those below it, so the
/// graph of these calls has no cycle. A component never calls one above it. Instead it sends an event, which goes at
/// once to the components that depend on its sender. When the call returns, the event was handled.
///
/// Components get the engine as an `isolated` parameter of this type, so that their code stays on the engine's thread
/// and can send events only. `Scripts/check-sources` checks both.
package protocol EngineEvents: Actor {
    var targets: EventTargets { get }

    /// Enqueues a job on the engine's thread, such as the end of a component's timer.
    nonisolated func perform(_ job: @escaping @Sendable (isolated DomainEngine) -> Void)

    /// Returns a handle of an open file.
    nonisolated func openItem(_ number: ItemNumber, isForWriting: Bool, descriptor: FileDescriptor?) -> OpenHandle

    /// Retries at once all edits that back off or are parked, for example after the user signed in or freed space.
    func retry()
}

/// The components that get events. Only the events below can reach them.
package final class EventTargets {
    fileprivate let components: EngineComponents

    init(_ components: EngineComponents) { self.components = components }
}

extension EngineEvents {
    private var components: EngineComponents { targets.components }

    // MARK: Contents

    /// Passes on that the recorded uses of files are to be written.
    func usesMustBeWritten() { components.metadata.writeUses(isEnd: false, self) }

    /// Passes on that the contents of a file have changed. The edit is in the journal when this returns.
    func noteEdited(_ number: ItemNumber, size: Int64, modified: Double) throws(Errno) {
        try components.localEdits.noteEdited(number, size: size, modified: modified, self)
    }

    /// Passes on that a file that was open for writing was closed.
    func noteClosed(_ number: ItemNumber) { components.localEdits.noteClosed(number, self) }

    /// Passes on that the provider's version of a file is to be fetched.
    func contentsAreWanted(_ number: ItemNumber) { components.downloader.startFetch(number, self) }

    /// Passes on that a reader of parts needs the whole file.
    func wholeFileIsWanted(_ number: ItemNumber, _ answer: EngineCompletion<FileDescriptor>) {
        components.downloader.waitForContents(number, isForWriting: false, answer, self)
    }

    /// Passes on that no handle needs the contents of a file any more.
    func contentsAreUnneeded(_ number: ItemNumber) { components.downloader.cancelFetch(number, self) }

    /// Passes on that the contents of a file that handles wait for may be local now.
    func contentsMayBeReady(_ number: ItemNumber) { components.downloader.makeReady(number, self) }

    /// Passes on that the parts of a file were dropped.
    func partialFileEnded(_ number: ItemNumber) { components.partDownloader.partialFileEnded(number, self) }

    /// Passes on that the parts of a file are of another version than the provider's.
    func partialFileIsOutdated(_ number: ItemNumber) { components.partDownloader.areOutdated(number, self) }

    /// Passes on that an open file was replaced by the provider's version, which has a number of its own.
    func fileWasReplaced(_ number: ItemNumber, by successor: ItemNumber) {
        components.metadata.move(number, to: successor)
        components.downloader.fileWasReplaced(number, by: successor, self)
        // The openings that waited fail, and the kernel looks up the name again.
        components.opener.endWaits(for: number, .success(()), self)
        components.downloader.makeReady(number, self)
    }

    /// Passes on that the last handle of a file was closed.
    func lastHandleWasClosed(_ number: ItemNumber) {
        components.downloader.lastHandleWasClosed(number, self)
        components.removalWaits.fetchEnded(number, nil, self)
    }

    /// Passes on that a fetch has ended.
    ///
    /// - Parameter result: The result; `nil` if the fetch was cancelled before it began.
    func fetchEnded(_ number: ItemNumber, _ result: Result<Void, ProviderError>?) {
        components.removalWaits.fetchEnded(number, result, self)
    }

    // MARK: Reports of the provider

    /// Passes on that items have changed, before ``itemsWereRemoved(_:)`` for those that were removed.
    func itemsWereApplied(_ applied: AppliedItems) {
        for number in applied.outdated { components.outdated.dropOutdatedContents(number, self) }
        if !applied.conflicts.isEmpty { components.localEdits.noteConflicts(applied.conflicts, self) }
    }

    /// Passes on that the provider no longer has some items.
    func itemsWereRemoved(_ removed: RemovedItems) {
        for number in removed.withContents { components.cache.discardContents(number, self) }
        for number in removed.removed { components.cache.older.remove(number) }
        components.downloader.itemsWereRemoved(removed.removed, self)
        components.metadata.noteRemoved(removed.removed, self)
        if !removed.kept.isEmpty { components.recreation.noteRemovedByProvider(removed.kept, self) }
    }

    /// Passes on that local items are about to be removed, with everything in them. Those that are being imported are
    /// marked as new.
    ///
    /// - Parameter others: Reported items, which may be the removed ones under another identifier.
    func itemsWillBeRemoved(_ identifiers: Set<String>, besides others: [ProviderItem]) throws(ProviderError) {
        try components.imports.keep(identifiers, besides: others, self)
    }

    /// Passes on that the provider has an item whose status was uncertain.
    func itemWasRevalidated(
        _ item: ProviderItem, answering request: ReplyOrdering.Request
    ) async throws(ProviderError) {
        let items = try await components.reconciler.withAncestors([item], self)
        try components.reconciler.apply(items, answering: request, self)
    }

    /// Passes on that the provider does not have items whose status was uncertain.
    func itemsAreGone(_ identifiers: Set<String>) throws(ProviderError) {
        try components.reconciler.remove(gone: identifiers, self)
    }

    /// Passes on that a directory was listed completely, while its listing still counts as running.
    func directoryWasListed() { components.changes.workingSet.begin(self) }

    /// Passes on that the listing of a directory has ended.
    func listingEnded(_ end: ListingEnd) { components.changes.refreshes.listingEnded(end, self) }

    /// Passes on that the changes of a container are to be requested.
    ///
    /// - Parameter folder: The directory to refresh, if the refresh causes the request.
    func changesAreWanted(in container: String, isRefresh folder: ItemNumber?) {
        components.changes.signalled(container: container, isRefresh: folder, self)
    }

    /// Passes on that the provider has answered a request for changes.
    func changesWereReceived() {
        // While edits wait to be sent, it is not certain that the user is signed in, because their requests may be
        // refused.
        if components.scheduler.table.running.isEmpty, components.scheduler.table.nextTime() == nil {
            components.signIn.noteSignedIn()
        }
    }

    /// Passes on that the change feed has begun, or was read to its end.
    func changesAreFollowed() { components.trash.enumeration.beginIfRequested(self) }

    /// Passes on that the trash may have changed without a report of the change feed.
    func trashMayHaveChanged() { components.trash.enumeration.request(self) }

    /// Passes on that the provider has moved an item to its trash. The index does not have that yet.
    func itemWasTrashed(_ number: ItemNumber, as item: ProviderItem) {
        components.trash.support.set(.supported)
        components.localTrash.itemWasTrashed(number, as: item)
    }

    /// Passes on that the provider has no trash to move an item to.
    func trashingWasRefused() { components.trash.support.set(.refused) }

    // MARK: Local changes

    /// Passes on that a request for an item's user metadata begins.
    func metadataIsBeingSent(of number: ItemNumber) {
        components.outdated.noteMetadataRequest(of: number, isRunning: true)
    }

    /// Passes on that no request for an item's user metadata is running any more.
    ///
    /// - Parameter removals: The removals that wait for user metadata.
    func metadataWasSent(of number: ItemNumber, awaitedBy removals: Set<ItemNumber>) {
        components.outdated.noteMetadataRequest(of: number, isRunning: false)
        components.outdated.lookAtOutdated(number, self)
        for removal in removals { components.scheduler.schedule(removal, self) }
    }

    /// Passes on that the bytes of an item are not needed by edits any more. Open handles keep them.
    func bytesWereRemoved(_ number: ItemNumber) {
        components.cache.discardContents(number, self)
        components.metadata.noteRemoved([number], self)
    }

    /// Passes on that a step of an item is to be performed. The step ends when this returns.
    func sendChanges(of number: ItemNumber) async throws -> StepResult {
        try await components.uploader.send(number, self)
    }

    /// Passes on that an item waits to be moved at the provider.
    func itemWillMove(_ number: ItemNumber) throws(IndexError) { try components.tracker.noteLeaves(number) }

    /// Passes on that the provider refused a change permanently.
    func changeWasRefused(_ number: ItemNumber) {
        // The move was refused, so an item that is reported at the new place is another one.
        components.tracker.forgetMove(of: number, self)
    }

    /// Passes on that an item has nothing left to send, before the items that wait for it are scheduled.
    func uploadWasForgotten(_ number: ItemNumber) {
        components.removalWaits.forget(number)
        components.tracker.forgetMove(of: number, self)
        components.tracker.forgetUnanswered(of: number, self)
    }

    /// Passes on that an item has nothing left to send, after the items that wait for it were scheduled.
    func uploadIsOver(_ number: ItemNumber) { components.outdated.lookAtOutdated(number, self) }

    /// Passes on that the outcome of all moves is known.
    func movesAreSettled() {
        components.changes.refreshes.refreshOutdated(self)
        components.reconciler.revalidation.retry(self)
    }

    /// Passes on that items were withheld, or reported with an outdated name, and are to be requested again.
    func itemsMayBeShown(_ identifiers: Set<String>) {
        components.reconciler.revalidation.scheduleInAnyCase(identifiers, self)
    }

    /// Passes on that items were reported as removed while they may only have moved.
    func itemsAreUncertain(_ identifiers: Set<String>) throws(ProviderError) {
        try components.reconciler.revalidation.schedule(identifiers, self)
    }

    /// Passes on that items in a directory may have got new identifiers.
    func directoryIsOutdated(_ folder: ItemNumber) { components.changes.refreshes.refreshAnew(folder, self) }
}

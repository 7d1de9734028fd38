import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// The events of an engine's components.
///
/// A component calls the components that it holds. ``EngineComponents`` creates each one with those below it, so the
/// graph of these calls has no cycle. A component never calls one above it: it sends an event to the engine, which
/// passes it on at once (``DomainEngine`` in EngineEvents+Handling.swift). When the call returns, the event was
/// handled.
///
/// Components get the engine as an `isolated` parameter of this type, so that their code stays on the engine's thread
/// and can send events only. `Scripts/check-sources` checks both.
protocol EngineEvents: Actor {
    /// Enqueues a job on the engine's thread, such as the end of a component's timer.
    nonisolated func perform(_ job: @escaping @Sendable (isolated DomainEngine) -> Void)

    /// Returns a handle of an open file.
    nonisolated func openItem(_ number: ItemNumber, isForWriting: Bool, descriptor: FileDescriptor?) -> OpenHandle

    // MARK: Contents

    /// Passes on that the recorded uses of files are to be written.
    func writeUses(isEnd: Bool)
    /// Passes on that the contents of a file have changed. The edit is in the journal when this returns.
    func noteEdited(_ number: ItemNumber, size: Int64, modified: Double) throws(Errno)
    /// Passes on that a file that was open for writing was closed.
    func noteClosed(_ number: ItemNumber)
    /// Passes on that the provider's version of a file is to be fetched.
    func contentsAreWanted(_ number: ItemNumber)
    /// Passes on that a reader of parts needs the whole file.
    func wholeFileIsWanted(_ number: ItemNumber, _ answer: EngineCompletion<FileDescriptor>)
    /// Passes on that no handle needs the contents of a file any more.
    func contentsAreUnneeded(_ number: ItemNumber)
    /// Passes on that the contents of a file that handles wait for may be local now.
    func contentsMayBeReady(_ number: ItemNumber)
    /// Passes on that the parts of a file were dropped.
    func partialFileEnded(_ number: ItemNumber)
    /// Passes on that the parts of a file are of another version than the provider's.
    func partialFileIsOutdated(_ number: ItemNumber)
    /// Passes on that an open file was replaced by the provider's version, which has a number of its own.
    func fileWasReplaced(_ number: ItemNumber, by successor: ItemNumber)
    /// Passes on that the last handle of a file was closed.
    func lastHandleWasClosed(_ number: ItemNumber)
    /// Passes on that a fetch has ended.
    ///
    /// - Parameter result: The result; `nil` if the fetch was cancelled before it began.
    func fetchEnded(_ number: ItemNumber, _ result: Result<Void, ProviderError>?)

    // MARK: Reports of the provider

    /// Passes on that items have changed, before ``itemsWereRemoved(_:)`` for those that were removed.
    func itemsWereApplied(_ applied: AppliedItems)
    /// Passes on that the provider no longer has some items.
    func itemsWereRemoved(_ removed: RemovedItems)
    /// Passes on that local items are about to be removed, with everything in them. Those that are being imported are
    /// marked as new.
    ///
    /// - Parameter others: Reported items, which may be the removed ones under another identifier.
    func itemsWillBeRemoved(_ identifiers: Set<String>, besides others: [ProviderItem]) throws(ProviderError)
    /// Passes on that the provider has an item whose status was uncertain.
    func itemWasRevalidated(
        _ item: ProviderItem, answering request: ReplyOrdering.Request
    ) async throws(ProviderError)
    /// Passes on that the provider does not have items whose status was uncertain.
    func itemsAreGone(_ identifiers: Set<String>) throws(ProviderError)
    /// Passes on that a directory was listed completely, while its listing still counts as running.
    func directoryWasListed()
    func listingEnded(_ end: ListingEnd)
    /// Passes on that the changes of a container are to be requested.
    ///
    /// - Parameter folder: The directory to refresh, if the refresh causes the request.
    func changesAreWanted(in container: String, isRefresh folder: ItemNumber?)
    /// Passes on that the provider has answered a request for changes.
    func changesWereReceived()
    /// Passes on that the change feed has begun, or was read to its end.
    func changesAreFollowed()
    /// Passes on that the trash may have changed without a report of the change feed.
    func trashMayHaveChanged()

    // MARK: Local changes

    /// Passes on that a request for an item's user metadata begins.
    func metadataIsBeingSent(of number: ItemNumber)
    /// Passes on that no request for an item's user metadata is running any more.
    ///
    /// - Parameter removals: The removals that wait for user metadata.
    func metadataWasSent(of number: ItemNumber, awaitedBy removals: Set<ItemNumber>)
    /// Passes on that the bytes of an item are not needed by edits any more. Open handles keep them.
    func bytesWereRemoved(_ number: ItemNumber)
    /// Passes on that a step of an item has begun. The step ends when this returns.
    func sendChanges(of number: ItemNumber) async throws -> StepResult
    /// Passes on that an item waits to be moved at the provider.
    func itemWillMove(_ number: ItemNumber) throws(IndexError)
    /// Passes on that the provider refused a change for good.
    func changeWasRefused(_ number: ItemNumber)
    /// Passes on that an item has nothing left to send, before the items that wait for it are scheduled.
    func uploadWasForgotten(_ number: ItemNumber)
    /// Passes on that an item has nothing left to send, after the items that wait for it were scheduled.
    func uploadIsOver(_ number: ItemNumber)
    /// Passes on that a request was successful although a sign-in seemed necessary.
    func signInSucceeded()
    /// Passes on that the outcome of all moves is known.
    func movesAreSettled()
    /// Passes on that items were withheld, or reported with an outdated name, and are to be requested again.
    func itemsMayBeShown(_ identifiers: Set<String>)
    /// Passes on that items were reported as removed while they may only have moved.
    func itemsAreUncertain(_ identifiers: Set<String>) throws(ProviderError)
    /// Passes on that items in a directory have other identifiers.
    func directoryIsOutdated(_ folder: ItemNumber)
}

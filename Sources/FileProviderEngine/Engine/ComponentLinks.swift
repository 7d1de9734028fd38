import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

// The calls between the components of an engine. A component names the parts that it calls by a protocol of this file
// and gets the engine as an `isolated` parameter, so that its code stays on the engine's thread. The graph has no
// cycle:
//
//     SignIn          calls no other part
//     ItemReconciler  calls the sign-in, the tracker of identifiers and the content cache
//     Enumerator      calls the sign-in, the reconciler, the finder of identifiers and the content cache
//     ChangeTracker   calls the sign-in, the reconciler, the enumerator and the content cache
//     Trash           calls the reconciler and the change tracker
//     Pinning         calls the downloader, the enumerator and the content cache
//     UserMetadata    calls the sign-in, the reconciler, and the tracker and the finder of identifiers
//
// A component does not call those that depend on it. It sends events, which the engine passes on
// (ComponentEvents.swift). The calls and events of the components that hold and transfer contents are in
// Contents/ContentEvents.swift, those of edits in EditLinks.swift.

/// An engine, from the point of view of its components.
protocol ComponentHost: Actor {
    /// Enqueues a job on the engine's thread, such as the end of a component's timer.
    nonisolated func perform(_ job: @escaping @Sendable (isolated DomainEngine) -> Void)
}

// MARK: The reconciler

/// The reconciler: applies the provider's reports, and revalidates items whose status is uncertain.
protocol ItemReconciling: ComponentHost {
    func apply(_ items: [ProviderItem], answering request: ReplyOrdering.Request) throws(ProviderError)
    func apply(
        _ items: [ProviderItem], listedIn folder: ItemNumber?, mark: Int64, answering request: ReplyOrdering.Request
    ) throws(ProviderError) -> AppliedItems
    func resolved(
        _ batch: ChangeBatch, in container: String
    ) async throws(ProviderError) -> ReportedChanges
    func apply(
        _ changes: ReportedChanges, of container: String, isLast: Bool, answering request: ReplyOrdering.Request
    ) throws(ProviderError) -> Bool
    func withAncestors(_ items: [ProviderItem]) async throws(ProviderError) -> [ProviderItem]
    func handle(_ applied: AppliedItems)
    func handle(_ removed: RemovedItems)
    func remove(gone identifiers: Set<String>) throws(ProviderError)
    func newest(
        _ items: [ProviderItem], answering request: ReplyOrdering.Request
    ) throws(ProviderError) -> [ProviderItem]
    func newest(gone: [String], answering request: ReplyOrdering.Request) throws(ProviderError) -> [String]
    func reconcileUnlisted(in folder: ItemNumber, _ mark: Int64) async throws(ProviderError)
    func statuses(of identifiers: [String]) async throws(ProviderError) -> ItemStatuses
    func scheduleRevalidation(_ statuses: ItemStatuses) throws(ProviderError)
    func scheduleRevalidation(_ identifiers: Set<String>) throws(ProviderError)
    func confirmed(_ number: ItemNumber, _ identifier: String, told: ProviderItem?, _ answer: ProviderItem?)
    func requestRevalidation(_ identifiers: Set<String>)
    func markUncertain(_ number: ItemNumber)
}

extension DomainEngine: ItemReconciling {
    func apply(_ items: [ProviderItem], answering request: ReplyOrdering.Request) throws(ProviderError) {
        try apply(items, listedIn: nil, answering: request)
    }

    @discardableResult
    func apply(
        _ items: [ProviderItem], listedIn folder: ItemNumber?, mark: Int64 = 0, answering request: ReplyOrdering.Request
    ) throws(ProviderError) -> AppliedItems {
        try reconciler.apply(items, listedIn: folder, mark: mark, answering: request, self)
    }

    func resolved(
        _ batch: ChangeBatch, in container: String
    ) async throws(ProviderError) -> ReportedChanges {
        try await reconciler.resolved(batch, in: container, self)
    }

    func apply(
        _ changes: ReportedChanges, of container: String, isLast: Bool, answering request: ReplyOrdering.Request
    ) throws(ProviderError) -> Bool {
        try reconciler.apply(changes, of: container, isLast: isLast, answering: request, self)
    }

    func withAncestors(_ items: [ProviderItem]) async throws(ProviderError) -> [ProviderItem] {
        try await reconciler.withAncestors(items, self)
    }

    func handle(_ applied: AppliedItems) { reconciler.handle(applied, self) }

    func handle(_ removed: RemovedItems) { reconciler.handle(removed, self) }

    func remove(gone identifiers: Set<String>) throws(ProviderError) {
        try reconciler.remove(gone: identifiers, self)
    }

    func newest(
        _ items: [ProviderItem], answering request: ReplyOrdering.Request
    ) throws(ProviderError) -> [ProviderItem] {
        try reconciler.newest(items, answering: request, self)
    }

    func newest(gone: [String], answering request: ReplyOrdering.Request) throws(ProviderError) -> [String] {
        try reconciler.newest(gone: gone, answering: request, self)
    }

    func reconcileUnlisted(in folder: ItemNumber, _ mark: Int64) async throws(ProviderError) {
        try await reconciler.reconcileUnlisted(in: folder, mark, self)
    }

    func statuses(of identifiers: [String]) async throws(ProviderError) -> ItemStatuses {
        try await reconciler.revalidation.statuses(of: identifiers, self)
    }

    func scheduleRevalidation(_ statuses: ItemStatuses) throws(ProviderError) {
        try reconciler.revalidation.schedule(statuses, self)
    }

    /// Schedules the revalidation of items. The index has recorded it when this returns.
    func scheduleRevalidation(_ identifiers: Set<String>) throws(ProviderError) {
        try reconciler.revalidation.schedule(identifiers, self)
    }

    /// Schedules the revalidation of items. If the index cannot record the revalidation now, it does not survive a
    /// restart.
    func requestRevalidation(_ identifiers: Set<String>) {
        reconciler.revalidation.scheduleInAnyCase(identifiers, self)
    }

    /// Records that the provider has confirmed a local change of an item, as
    /// ``ItemReconciler/confirmed(_:told:_:request:_:)`` does.
    func confirmed(_ number: ItemNumber, _ identifier: String, told: ProviderItem?, _ answer: ProviderItem?) {
        reconciler.confirmed(identifier, told: told, answer, request: scheduler.table[number].step?.request, self)
    }

    /// Revalidates a visible item that the provider does not know.
    func markUncertain(_ number: ItemNumber) { reconciler.markUncertain(number, self) }
}

/// The imports; see ``Reimports``.
protocol ItemImporting: ComponentHost {
    /// Whether any items are being imported.
    var isImporting: Bool { get }
    /// Marks the local items as new that are about to be removed although they are being imported, with everything in
    /// them.
    ///
    /// - Parameter others: Reported items, which may be the removed ones under another identifier.
    func keepForImport(_ identifiers: Set<String>, besides others: [ProviderItem]) throws(ProviderError)
}

extension DomainEngine: ItemImporting {}

/// The parts that ``ItemReconciler`` calls, and its events.
protocol ReconcilerHost: ItemReconciling, IdentifierTracking, ContentKeeping, ItemImporting {
    /// Passes on that items have changed, before ``itemsWereRemoved(_:)`` for those that were removed.
    func itemsWereApplied(_ applied: AppliedItems)
    /// Passes on that the provider no longer has some items.
    func itemsWereRemoved(_ removed: RemovedItems)
}

/// The content cache, from the point of view of reports.
protocol ContentKeeping: ComponentHost {
    /// Marks a file that is open for writing as edited.
    func takeAsEdited(_ number: ItemNumber) throws(ProviderError)
    /// Writes to the index, and evicts clean contents if the disk is full.
    func writeMakingRoom<Result>(
        _ body: (inout IndexWriter) throws(IndexError) -> Result
    ) throws(ProviderError) -> Result
}

extension DomainEngine: ReconcilerHost {}

// MARK: The enumerator

/// The enumerator: lists directories.
protocol Enumerating: ComponentHost {
    func isListing(_ folder: ItemNumber) -> Bool
    func noteChange(in folder: ItemNumber) -> Bool
    func startListing(_ folder: ItemNumber, isRefresh: Bool)
}

extension DomainEngine: Enumerating {
    func isListing(_ folder: ItemNumber) -> Bool { enumerator.isListing(folder) }

    func noteChange(in folder: ItemNumber) -> Bool { enumerator.noteChange(in: folder) }

    /// Begins to list a directory, unless a listing is in progress.
    func startListing(_ folder: ItemNumber, isRefresh: Bool) {
        enumerator.start(folder, isRefresh: isRefresh, self)
    }
}

/// The parts that ``Enumerator`` calls, and its events.
protocol EnumeratorHost: ItemReconciling, IdentifierFinding, ContentKeeping {
    /// Passes on that a directory was listed completely, while its listing still counts as running.
    func directoryWasListed()
    func listingEnded(_ end: ListingEnd)
}

extension DomainEngine: EnumeratorHost {}

// MARK: The change tracker

/// The change tracker: requests the changes that the provider reports, and refreshes directories.
protocol ChangeTracking: ComponentHost {
    var isChangeFeedBegun: Bool { get }
    var isChangeFeedMissing: Bool { get }

    func signalled(container: String, isRefresh folder: ItemNumber?)
    func isWantedAgain(_ container: String) -> Bool
}

extension DomainEngine: ChangeTracking {
    var isChangeFeedBegun: Bool { changes.workingSet.isBegun }
    var isChangeFeedMissing: Bool { changes.workingSet.isMissing }

    /// Requests the changes of a container, as ``ChangeTracker/signalled(container:isRefresh:_:)`` does.
    func signalled(container: String, isRefresh folder: ItemNumber? = nil) {
        changes.signalled(container: container, isRefresh: folder, self)
    }

    func isWantedAgain(_ container: String) -> Bool { changes.isWantedAgain(container) }

    /// Refreshes a directory that may have changed, even if a refresh is in progress.
    func refreshAnew(_ folder: ItemNumber) { changes.refreshes.refreshAnew(folder, self) }

    /// Refreshes the outdated directories, unless this is in progress already.
    func askForOutdated() { changes.refreshes.refreshOutdated(self) }
}

/// The parts that ``ChangeTracker`` calls, and its events.
protocol ChangeTrackerHost: ChangeTracking, ItemReconciling, Enumerating, ContentKeeping {
    /// Passes on that the provider has answered a request for changes.
    func changesWereReceived()
    /// Passes on that the change feed has begun, or was read to its end.
    func changesAreFollowed()
    /// Passes on that the trash may have changed without a report of the change feed.
    func trashMayHaveChanged()
}

extension DomainEngine: ChangeTrackerHost {}

// MARK: The trash

/// The parts that ``Trash`` calls.
protocol TrashHost: ItemReconciling, ChangeTracking {}

extension DomainEngine: TrashHost {}

// MARK: Pinning

/// The parts that make contents local and evict them: the downloader, the enumerator and the content cache.
protocol Materializing: ComponentHost {
    /// Fetches a file or lists a directory.
    ///
    /// - Parameter completion: Called on any thread; must not block.
    func materialize(
        _ number: ItemNumber, isDirectory: Bool,
        completion: @escaping @Sendable (Result<Void, ProviderError>) -> Void)
    func evictToLimit()
}

extension DomainEngine: Materializing {
    func materialize(
        _ number: ItemNumber, isDirectory: Bool,
        completion: @escaping @Sendable (Result<Void, ProviderError>) -> Void
    ) {
        if isDirectory {
            list(number, needs: .complete, completion: completion)
        } else {
            download(number, EngineCompletion(completion))
        }
    }
}

// MARK: User metadata

/// The parts that ``UserMetadata`` calls, and its event.
protocol UserMetadataHost: ItemReconciling, IdentifierTracking, IdentifierFinding {
    func isWithin(_ top: ItemNumber, _ number: ItemNumber) throws(IndexError) -> Bool

    /// Passes on that no request for an item's user metadata is running any more.
    ///
    /// - Parameter removals: The removals that wait for user metadata.
    func metadataWasSent(of number: ItemNumber, awaitedBy removals: Set<ItemNumber>)
}

extension DomainEngine: UserMetadataHost {
    func isWithin(_ top: ItemNumber, _ number: ItemNumber) throws(IndexError) -> Bool {
        try context.isWithin(top, number)
    }
}

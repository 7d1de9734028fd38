import FileProvider
import LinuxSystem

// The calls between the components of an engine. A component names the parts that it calls by a protocol of this file
// and gets the engine as an `isolated` parameter, so that its code stays on the engine's thread. The graph has no
// cycle:
//
//     SignIn   calls no other part
//     Trash    calls the change tracker
//     Pinning  calls the downloader, the enumerator and the content cache
//     UserMetadata
//              calls the sign-in, the change tracker and the tracker of identifiers
//
// The change tracker does not call the components that depend on it. It sends events, which the engine passes on.
// The parts of the engine that are not components yet call any component.

/// An engine, from the point of view of its components.
protocol ComponentHost: Actor {
    /// Enqueues a job on the engine's thread, such as the end of a component's timer.
    nonisolated func perform(_ job: @escaping @Sendable (isolated DomainEngine) -> Void)
}

/// The change tracker: applies the provider's reports, and revalidates items whose state is uncertain.
protocol ItemReconciling: ComponentHost {
    var isChangeFeedBegun: Bool { get }
    var isChangeFeedMissing: Bool { get }

    func apply(_ items: [ProviderItem], answering question: AnswerOrder.Question) throws(ProviderFailure)
    func withAncestors(_ items: [ProviderItem]) async throws(ProviderFailure) -> [ProviderItem]
    func handle(_ applied: AppliedItems)
    func handle(_ removed: RemovedItems)
    func remove(gone identifiers: Set<String>) throws(ProviderFailure)
    func newest(
        _ items: [ProviderItem], answering question: AnswerOrder.Question
    ) throws(ProviderFailure) -> [ProviderItem]
    func newest(gone: [String], answering question: AnswerOrder.Question) throws(ProviderFailure) -> [String]
    func accounts(of identifiers: [String]) async throws(ProviderFailure) -> DomainEngine.Accounts
    func askAgain(_ accounts: DomainEngine.Accounts) throws(ProviderFailure)
    func askSoon(_ identifiers: Set<String>)
}

extension DomainEngine: ItemReconciling {
    /// Writes reported items to the index, as ``apply(_:listedIn:mark:answering:)`` does.
    func apply(_ items: [ProviderItem], answering question: AnswerOrder.Question) throws(ProviderFailure) {
        try apply(items, listedIn: nil, answering: question)
    }
}

/// The parts that make contents local and evict them: the downloader, the enumerator and the content cache.
protocol Materializing: ComponentHost {
    /// Fetches a file or lists a directory.
    ///
    /// - Parameter completion: Called on any thread; must not block.
    func materialize(
        _ number: ItemNumber, isDirectory: Bool,
        completion: @escaping @Sendable (Result<Void, ProviderFailure>) -> Void)
    func evictToLimit()
}

extension DomainEngine: Materializing {
    func materialize(
        _ number: ItemNumber, isDirectory: Bool,
        completion: @escaping @Sendable (Result<Void, ProviderFailure>) -> Void
    ) {
        if isDirectory {
            list(number, needs: .complete, completion: completion)
        } else {
            download(number, EngineCompletion(completion))
        }
    }
}

/// The part that finds items whose identifiers change at the provider.
protocol IdentifierTracking: ComponentHost {
    /// Whether the provider may have moved an item by a request whose reply was lost.
    func mayHaveMoved(_ number: ItemNumber) -> Bool
    func findNewIdentifier(of number: ItemNumber, asked identifier: String) async throws -> StepResult?
    func reidentify(_ row: IndexedItem?, as answer: ProviderItem, asked identifier: String) async throws
}

extension DomainEngine: IdentifierTracking {
    func mayHaveMoved(_ number: ItemNumber) -> Bool { edits.moves[number] != nil }
}

/// The parts that ``UserMetadata`` calls, and its event.
protocol UserMetadataHost: ItemReconciling, IdentifierTracking {
    func isWithin(_ top: ItemNumber, _ number: ItemNumber) throws(IndexFailure) -> Bool

    /// Passes on that no request for an item's user metadata is running any more.
    ///
    /// - Parameter removals: The removals that wait for user metadata.
    func metadataWasSent(of number: ItemNumber, awaitedBy removals: Set<ItemNumber>)
}

extension DomainEngine: UserMetadataHost {
    func metadataWasSent(of number: ItemNumber, awaitedBy removals: Set<ItemNumber>) {
        lookAtOutdated(number)
        for removal in removals { look(at: removal) }
    }
}

/// The events of the change tracker.
extension DomainEngine {
    /// Passes on that the change feed is followed from now on, or was read to its end.
    func changesAreFollowed() { trash.enumeration.beginIfRequested(self) }

    /// Passes on that the provider no longer has some items.
    func itemsWereRemoved(_ removed: [ItemNumber]) { metadata.noteRemoved(removed, self) }

    /// Passes on that the trash may have changed without a report of the change feed.
    func trashMayHaveChanged() { trash.enumeration.request(self) }
}

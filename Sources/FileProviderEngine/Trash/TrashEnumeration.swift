import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Enumerates the provider's trash. The enumeration finds changes that no change feed reports: those before the first
/// sync anchor, those after an anchor has expired, and all changes if the provider has no change feed. If a provider
/// cannot enumerate its trash, or crashes on the request, its other requests work as usual.
///
/// It calls ``ItemReconciler`` and ``ChangeTracker``. Events of ``ChangeTracker`` request the enumeration.
final class TrashEnumeration {
    private let context: EngineContext
    private let reconciler: ItemReconciler
    private let changes: ChangeTracker
    private let support: TrashSupportRecord
    private var listing = TrashListing()
    private static let pauseSetting = "trash.pause"

    init(
        _ context: EngineContext, _ reconciler: ItemReconciler, _ changes: ChangeTracker,
        _ support: TrashSupportRecord
    ) {
        self.context = context
        self.reconciler = reconciler
        self.changes = changes
        self.support = support
    }

    var isRunning: Bool { listing.task != nil }
    /// Whether the trash is being listed, or is about to be.
    var isExpected: Bool { isRunning || listing.isWanted && listing.nextTime <= context.clock.now }
    /// The last failure of an enumeration, and the time before which the trash is not listed again, in seconds since
    /// 1970. `nil` if the last enumeration succeeded.
    var failure: (failure: ProviderError, nextTime: Double)? { listing.failure.map { ($0, listing.nextTime) } }

    /// Reads the state of the backoff that the previous engine stored.
    func recover() throws(IndexError) {
        try support.recover()
        if let words = try context.index.setting(Self.pauseSetting) { listing.read(words, at: context.clock.now) }
    }

    /// Requests a listing of the trash, because the trash may have changed.
    func request(_ engine: isolated any EngineEvents) {
        listing.isWanted = true
        beginIfRequested(engine)
    }

    /// Lists the trash if a listing is requested and none is running. After a failure, the listing starts at the end of
    /// the backoff.
    func beginIfRequested(_ engine: isolated any EngineEvents) {
        guard listing.isWanted, listing.task == nil, !context.isClosed, changes.workingSet.isBegun else { return }
        let pause = listing.nextTime - context.clock.now
        guard pause <= 0 else {
            guard listing.waiting == nil else { return }
            listing.waiting = context.clock.run(after: pause) { [weak engine] in
                engine?.perform { $0.trash.enumeration.backoffEnded($0) }
            }
            return
        }
        listing.isWanted = false
        listing.task = Task {
            let result = await listed(engine)
            listing.task = nil
            guard !context.isClosed else { return }
            ended(result, engine)
        }
    }

    func backoffEnded(_ engine: isolated any EngineEvents) {
        listing.waiting = nil
        beginIfRequested(engine)
    }

    /// Requests a listing of the trash after a client has read it, if no change feed reports changes of the trash and
    /// the last listing is too old.
    func noteLook(_ engine: isolated any EngineEvents) {
        guard changes.workingSet.isMissing, context.clock.now - listing.time >= context.configuration.refreshAge else {
            return
        }
        request(engine)
    }

    /// Ends the backoff after a failure, and requests a listing of the trash at once.
    func retry(_ engine: isolated any EngineEvents) {
        guard listing.failures > 0 else { return }
        listing.waiting?.cancel()
        listing.waiting = nil
        listing.nextTime = -.infinity
        request(engine)
    }

    /// Cancels the enumeration, because the engine is closed.
    func cancel() {
        listing.task?.cancel()
        listing.waiting?.cancel()
    }

    private func ended(_ result: Result<Void, ProviderError>, _ engine: isolated any EngineEvents) {
        support.noteListing(result)
        switch result {
        case .success: listing.succeed(at: context.clock.now)
        case .failure(let failure):
            listing.isWanted = true
            listing.fail(failure, at: context.clock.now)
        }
        // If this cannot be written, the next start lists the trash without a delay.
        let words = listing.words
        _ = try? context.write { writer throws(IndexError) in
            guard try writer.setting(Self.pauseSetting) ?? [] != words else { return }
            try writer.setSetting(Self.pauseSetting, words.isEmpty ? nil : words)
        }
        beginIfRequested(engine)
    }

    private func listed(_ engine: isolated any EngineEvents) async -> Result<Void, ProviderError> {
        do throws(ProviderError) {
            let request = context.replies.beginRequest()
            let listed = try await listPages(engine)
            try await reconcile(listed, answering: request, engine)
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    /// Requests all pages of the trash, and applies their items to the index.
    ///
    /// - Returns: The identifiers of the items in the trash.
    private func listPages(_ engine: isolated any EngineEvents) async throws(ProviderError) -> Set<ExactText> {
        var listed: Set<ExactText> = []
        var after: [UInt8]?
        let configuration = context.configuration
        var guarded = EndlessListing(limit: configuration.pagesWithoutNews, mostItems: configuration.itemsInFolder)
        while true {
            let request = context.replies.beginRequest()
            let page = try await context.provider.page(
                of: ProviderItem.trashIdentifier, after: after, suggestedSize: context.configuration.pageSize)
            guard !context.isClosed else { throw .closed }
            // A provider may return other items than those in its trash.
            let items = page.items.filter(\.isInTrash)
            let before = listed.count
            listed.formUnion(Set(texts: items.lazy.map(\.identifier)))
            if !items.isEmpty { try reconciler.apply(items, answering: request, engine) }
            EngineStep.trashListed.reach()
            guard let next = page.next else { return listed }
            let isEndless = guarded.isEndless(page, news: listed.count - before, known: { listed.count })
            guard next.count <= ProviderWire.longestToken, !isEndless else { break }
            after = next
        }
        throw ProviderError(.badAnswer, message: "The provider's listing of its trash does not end.")
    }

    /// Reconciles the items that the index has in the trash but the listing did not include. Requests each of them from
    /// the provider before it is removed.
    private func reconcile(
        _ listed: Set<ExactText>, answering request: ReplyOrdering.Request, _ engine: isolated any EngineEvents
    ) async throws(ProviderError) {
        let known = try onRecord { () throws(IndexError) in try context.index.trashed().map(\.identifier) }
        let unlisted = known.filter { !listed.contains($0) && !context.replies.isStale(for: $0, since: request) }
        guard !unlisted.isEmpty else { return }
        let asked = context.replies.beginRequest()
        let statuses = try await reconciler.revalidation.statuses(of: unlisted, engine)
        if !statuses.found.isEmpty {
            let found = try await reconciler.withAncestors(statuses.found, engine)
            guard !context.isClosed else { throw .closed }
            try reconciler.apply(found, answering: asked, engine)
        }
        try reconciler.revalidation.schedule(statuses, engine)
        let gone = try reconciler.newest(
            gone: statuses.gone.sorted().map(\.string), answering: asked, engine)
        try reconciler.remove(gone: Set(texts: gone), engine)
    }
}

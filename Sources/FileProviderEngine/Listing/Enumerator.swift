import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Enumerates directories, page by page, and completes the callers that wait for their items.
///
/// It calls ``SignIn``, ``ItemReconciler``, ``IdentifierFinder`` and ``Evictor``, and sends events to other components
/// (``EngineEvents``). Used only on the engine's thread (see ``EngineContext``).
final class Enumerator {
    private struct Waiter {
        let need: ListingNeed
        let answer: EngineCompletion<Void>
    }

    /// A running listing of one directory.
    private struct Listing {
        var waiters: [Int: Waiter] = [:]
        var task: Task<Void, Never>?
        /// Whether the listing began as a refresh, without a caller that waits for it.
        let isRefresh: Bool
        /// Whether the directory may have changed since the listing began, so that another listing follows.
        var isWantedAgain = false
        /// Whether the listing waits for the end of a move, after which the directory's identifier is known.
        var awaitsIdentifier = false
    }

    private let context: EngineContext
    private let signIn: SignIn
    private let reconciler: ItemReconciler
    private let finder: IdentifierFinder
    private let evictor: Evictor
    private var listings: [ItemNumber: Listing] = [:]
    private var lastWaiter = 0
    /// The number of the last listing that began. The index records this number with each item that the listing
    /// includes. At the end of the listing, the items without the number are those that it did not include.
    private var lastMark: Int64 = 0

    init(
        _ context: EngineContext, _ signIn: SignIn, _ reconciler: ItemReconciler, _ finder: IdentifierFinder,
        _ evictor: Evictor
    ) {
        self.context = context
        self.signIn = signIn
        self.reconciler = reconciler
        self.finder = finder
        self.evictor = evictor
    }

    /// The number of directories that are being listed.
    var count: Int { listings.count }
    /// The number of callers that wait for each directory that is being listed.
    var waiterCounts: [ItemNumber: Int] { listings.mapValues(\.waiters.count) }

    /// The directories whose listing waits for the end of a move.
    var foldersAwaitingIdentifiers: [ItemNumber] { listings.filter(\.value.awaitsIdentifier).map(\.key) }

    func isListing(_ folder: ItemNumber) -> Bool { listings[folder] != nil }

    /// Records that a directory may have changed. A running listing may have missed the change, so the directory is
    /// listed once more afterwards.
    ///
    /// - Returns: Whether the directory is being listed.
    func noteChange(in folder: ItemNumber) -> Bool {
        listings[folder]?.isWantedAgain = true
        return listings[folder] != nil
    }

    /// Records that any directory may have changed, so that each directory that is being listed is listed once more
    /// afterwards.
    func noteChangeEverywhere() {
        for folder in Array(listings.keys) { listings[folder]?.isWantedAgain = true }
    }

    /// Cancels all listings and fails the callers that wait for them, because the engine is closed.
    func cancel() {
        for listing in listings.values {
            listing.task?.cancel()
            for waiter in listing.waiters.values { waiter.answer.complete(.failure(.closed)) }
        }
        listings = [:]
    }

    // MARK: Waiting

    /// Calls the completion handler when the index has the needed portion of a directory's listing. Lists the directory
    /// if the index does not have it.
    func wait(
        for folder: ItemNumber, _ need: ListingNeed, _ answer: EngineCompletion<Void>,
        _ engine: isolated any EngineEvents
    ) {
        do throws(ProviderError) {
            guard !context.isClosed else { throw .closed }
            // A page may have arrived meanwhile.
            if try context.index.has(need, of: try context.row(of: folder)) { return answer.complete(.success(())) }
            start(folder, isRefresh: false, engine)
            lastWaiter += 1
            listings[folder]?.waiters[lastWaiter] = Waiter(need: need, answer: answer)
        } catch {
            answer.complete(.failure(error))
        }
    }

    /// Completes the callers whose needed portion of the listing has arrived.
    private func answerWaiters(of folder: ItemNumber) {
        guard let waiters = listings[folder]?.waiters, !waiters.isEmpty else { return }
        for (key, waiter) in waiters {
            do throws(ProviderError) {
                guard try context.index.has(waiter.need, of: try context.row(of: folder)) else { continue }
                waiter.answer.complete(.success(()))
            } catch {
                waiter.answer.complete(.failure(error))
            }
            listings[folder]?.waiters[key] = nil
        }
    }

    // MARK: Listing

    /// Begins to list a directory, unless a listing is in progress.
    func start(_ folder: ItemNumber, isRefresh: Bool, _ engine: isolated any EngineEvents) {
        guard !context.isClosed, listings[folder] == nil else { return }
        listings[folder] = Listing(isRefresh: isRefresh)
        listings[folder]?.task = Task {
            let (result, epoch) = await listed(folder, engine)
            ended(folder, result, sentIn: epoch, engine)
            if folder == .root, case .success = result { await askForRoot() }
        }
    }

    /// Fetches the item of the root, because no listing includes it. For example, only this item contains the root's
    /// date.
    private nonisolated(nonsending) func askForRoot() async {
        // The root exists even if the provider cannot return its item.
        guard let root = try? await context.provider.item(ProviderItem.rootIdentifier), !context.isClosed,
            root.identifier == ProviderItem.rootIdentifier
        else { return }
        _ = try? context.write { writer throws(IndexError) in try writer.apply([root]) }
    }

    private func ended(
        _ folder: ItemNumber, _ result: Result<Void, ProviderError>, sentIn epoch: Int,
        _ engine: isolated any EngineEvents
    ) {
        if case .success = result {
            answerWaiters(of: folder)
            engine.directoryWasListed()
        }
        let listing = listings.removeValue(forKey: folder)
        for waiter in listing?.waiters.values.map(\.answer) ?? [] {
            // A successful listing has completed all waiters, also those for names that do not exist. Waiters are
            // left only after a failure.
            waiter.complete(result)
        }
        var end = ListingEnd(
            folder: folder, isRefresh: listing?.isRefresh == true, isWantedAgain: listing?.isWantedAgain == true)
        if case .failure(let failure) = result {
            signIn.noteFailure(failure, sentIn: epoch)
            // The removal of the directory may not have been reported, for example if the index was lost meanwhile.
            if failure.kind == .noSuchItem { reconciler.markUncertain(folder, engine) }
            end.failure = failure
        }
        engine.listingEnded(end)
    }

    /// The maximum number of attempts to list a directory. The listing is started again if its pages expire, if the
    /// directory's identifier changes, or if it was refused before the user signed in.
    private static let beginnings = 3

    /// Lists a directory, and starts the listing again if necessary.
    ///
    /// - Returns: The result, and the value of ``SignIn/epoch`` when the last attempt began.
    private func listed(
        _ folder: ItemNumber, _ engine: isolated any EngineEvents
    ) async -> (Result<Void, ProviderError>, epoch: Int) {
        for beginning in 1... {
            let epoch = signIn.epoch
            let identifier = (try? context.row(of: folder))?.item.identifier
            do throws(ProviderError) {
                try await enumerate(folder, engine)
                return (.success(()), epoch)
            } catch {
                var isWorthIt = error.kind == .expired || signIn.isOutdated(error, sentIn: epoch)
                if error.kind == .noSuchItem, let identifier {
                    // If the directory has got a new identifier, it is listed again under that identifier.
                    listings[folder]?.awaitsIdentifier = true
                    isWorthIt = await finder.awaitNewIdentifier(of: folder, asked: identifier, engine)
                    listings[folder]?.awaitsIdentifier = false
                }
                guard isWorthIt, beginning < Self.beginnings, !context.isClosed else { return (.failure(error), epoch) }
            }
        }
        return (.success(()), signIn.epoch)
    }

    private func enumerate(
        _ folder: ItemNumber, _ engine: isolated any EngineEvents
    ) async throws(ProviderError) {
        let (resources, configuration) = (context.resources, context.configuration)
        try await finder.awaitCertainIdentifier(of: folder, engine)
        let identifier = try context.row(of: folder).item.identifier
        // The anchor is requested before the first page, so that changes during the enumeration are reported again
        // later.
        let anchor = try await resources.currentAnchor(of: identifier)
        lastMark += 1
        let mark = lastMark
        var guarded = EndlessListing(limit: configuration.pagesWithoutNews, mostItems: configuration.itemsInFolder)
        var pages = PagesAhead { page throws(ProviderError) in
            try await resources.page(of: identifier, after: page)
        }
        defer { pages.cancel() }
        while let answer = try await pages.next() {
            guard !context.isClosed else { throw .closed }
            try checkIsStill(identifier, folder)
            try checkHasIdentifiers(answer, of: folder)
            let news = try place(answer, in: folder, mark, engine)
            let known = { (try? resources.index.childCount(of: folder)) ?? 0 }
            if answer.page.next != nil, guarded.isEndless(answer.page, news: news, known: known) {
                throw ProviderError(.badAnswer, message: "The provider's listing of the folder does not end.")
            }
        }
        try await finish(folder, identifier, mark, anchor, engine)
    }

    /// Checks that the directory still has the given identifier, under which it is being listed.
    ///
    /// - Throws: A failure of kind `expired` if the identifier has changed. The listing is then started again.
    private func checkIsStill(_ identifier: String, _ folder: ItemNumber) throws(ProviderError) {
        guard try context.row(of: folder).item.identifier.hasSameBytes(as: identifier) else {
            throw ProviderError(.expired, message: "The folder has another identifier now.")
        }
    }

    /// Checks that a page can give all items of the directory their new identifiers, if they may have any.
    ///
    /// - Throws: A failure of kind `expired` if the page is a stale reply for an item, which would count as unlisted.
    private func checkHasIdentifiers(_ answer: RequestedPage, of folder: ItemNumber) throws(ProviderError) {
        let renamed = try onRecord { () throws(IndexError) in try context.index.foldersWithNewIdentifier() }
        guard renamed.contains(folder) else { return }
        let identifiers = answer.page.items.lazy.map(\.identifier)
        guard context.replies.staleItems(identifiers, since: answer.request).isEmpty else {
            throw ProviderError(.expired, message: "Items of the folder got other identifiers during the listing.")
        }
    }

    /// Writes one page of a listing to the index.
    ///
    /// - Returns: The number of items of the page that were not in the index before.
    private func place(
        _ answer: RequestedPage, in folder: ItemNumber, _ mark: Int64, _ engine: isolated any EngineEvents
    ) throws(ProviderError) -> Int {
        let isFirst = try context.row(of: folder).listing == .never
        let applied = try reconciler.apply(
            answer.page.items, listedIn: folder, mark: mark, answering: answer.request, engine)
        EngineStep.pageApplied.reach()
        if isFirst {
            try context.write { writer throws(IndexError) in try writer.update(folder) { $0.listing = .partial } }
        }
        answerWaiters(of: folder)
        return applied.added.count
    }

    /// Completes a listing after its last page. Removes those items from the index that no page included and that the
    /// provider reported as not existing.
    private func finish(
        _ folder: ItemNumber, _ identifier: String, _ mark: Int64, _ anchor: [UInt8]?,
        _ engine: isolated any EngineEvents
    ) async throws(ProviderError) {
        try await reconciler.reconcileUnlisted(in: folder, mark, engine)
        guard !context.isClosed else { throw .closed }
        try checkIsStill(identifier, folder)
        let isOutdated = listings[folder]?.isWantedAgain == true
        let removed = try evictor.writeMakingRoom(engine) { writer throws(IndexError) in
            let removed = try writer.removeUnlisted(in: folder, before: mark)
            try writer.update(folder) { $0.listing = .complete }
            // An empty anchor records that the directory was listed and has no anchor.
            try writer.setAnchor(anchor ?? [], of: identifier)
            try writer.setOutdated(isOutdated, identifier)
            return removed
        }
        EngineStep.listingEnded.reach()
        reconciler.handle(removed, engine)
        context.resources.listingAges.note(folder, at: context.clock.now)
    }
}

/// The result of a directory's listing.
struct ListingEnd {
    let folder: ItemNumber
    /// Whether the listing began as a refresh, without a caller that waited for it.
    let isRefresh: Bool
    /// Whether the directory may have changed after the listing began, so that it has to be listed again.
    let isWantedAgain: Bool
    /// The failure that ended the listing; `nil` if it is complete.
    var failure: ProviderError?
}

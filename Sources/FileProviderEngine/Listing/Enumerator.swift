import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// The enumeration of directories, page by page, and the callers that wait for it.
///
/// It calls the sign-in, the reconciler, the finder of identifiers and the evictor, and sends events. Used only on the
/// engine's thread (see ``EngineContext``).
final class Enumerator {
    private struct Waiter {
        let need: ListingNeed
        let answer: EngineCompletion<Void>
    }

    /// The listing of one directory.
    private struct Listing {
        var waiters: [Int: Waiter] = [:]
        var task: Task<Void, Never>?
        /// Whether no caller waited for the listing when it began.
        let isRefresh: Bool
        /// Whether the directory was signalled since the listing began, so that another listing follows.
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
    /// The number of the last listing that began. It identifies the listing to the index, which records the items that
    /// the listing has included, and thereby finds the others at its end.
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

    /// Records that a directory may have changed. A running listing may have missed the change, so another listing
    /// follows it.
    ///
    /// - Returns: whether the directory is being listed.
    func noteChange(in folder: ItemNumber) -> Bool {
        listings[folder]?.isWantedAgain = true
        return listings[folder] != nil
    }

    /// Records that any directory may have changed, so that another listing follows each running one.
    func noteChangeEverywhere() {
        for folder in Array(listings.keys) { listings[folder]?.isWantedAgain = true }
    }

    /// Cancels all listings, because the engine is closed.
    func cancel() {
        for listing in listings.values {
            listing.task?.cancel()
            for waiter in listing.waiters.values { waiter.answer.complete(.failure(.closed)) }
        }
        listings = [:]
    }

    // MARK: Waiting

    /// Waits until the index has the portion of a directory's listing that is needed. Lists the directory if necessary.
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

    /// Completes the waiters whose need is met by the pages that have arrived so far.
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

    /// Fetches the item of the root, because no listing includes it. The item has, for example, the root's date.
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

    /// The maximum number of times that a listing is started. It starts again if its pages expire, or if it was refused
    /// before the user signed in.
    private static let beginnings = 3

    /// Lists a directory, and starts again if the pages expire.
    ///
    /// - Returns: the result, and the value of ``SignIn/epoch`` when the request was sent.
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
            let news = try place(answer, in: folder, mark, engine)
            let known = { (try? resources.index.childCount(of: folder)) ?? 0 }
            if answer.page.next != nil, guarded.isEndless(answer.page, news: news, known: known) {
                throw ProviderError(.badAnswer, message: "The provider's listing of the folder does not end.")
            }
        }
        try await finish(folder, identifier, mark, anchor, engine)
    }

    /// Checks that the directory still has the identifier under which it is listed.
    ///
    /// - Throws: a failure of kind `expired` if the identifier has changed, so that the listing starts again.
    private func checkIsStill(_ identifier: String, _ folder: ItemNumber) throws(ProviderError) {
        guard try context.row(of: folder).item.identifier.hasSameBytes(as: identifier) else {
            throw ProviderError(.expired, message: "The folder has another identifier now.")
        }
    }

    /// Writes one page to the index.
    ///
    /// - Returns: the number of items that were not known.
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

    /// Completes a listing after its last page. Items that no page included are removed after the provider has
    /// reported that they do not exist.
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

/// The end of a directory's listing.
struct ListingEnd {
    let folder: ItemNumber
    /// Whether no caller waited for the listing when it began.
    let isRefresh: Bool
    /// Whether the directory may have changed since the listing began.
    let isWantedAgain: Bool
    /// The reason why the listing is not complete; `nil` after a success.
    var failure: ProviderError?
}

import FileProvider
import LinuxSystem

/// The enumeration of one directory, page by page.
extension DomainEngine {
    /// Begins to list a directory, unless a listing is in progress.
    func startListing(_ folder: ItemNumber, isRefresh: Bool) {
        guard !isClosed, listings.folders[folder] == nil else { return }
        listings.folders[folder] = Listings.Listing(isRefresh: isRefresh)
        listings.folders[folder]?.task = Task {
            let (result, era) = await listed(folder)
            endedListing(folder, result, askedIn: era)
            if folder == .root, case .success = result { await askForRoot() }
        }
    }

    /// Fetches the item of the root, for example for its date, because no listing includes it.
    private func askForRoot() async {
        // The root exists even if the provider cannot return its item.
        guard let root = try? await provider.item(ProviderItem.rootIdentifier), !isClosed,
            root.identifier == ProviderItem.rootIdentifier
        else { return }
        _ = try? write { writer throws(IndexFailure) in try writer.apply([root]) }
    }

    private func endedListing(_ folder: ItemNumber, _ result: Result<Void, ProviderFailure>, askedIn era: Int) {
        if case .success = result {
            answerWaiters(of: folder)
            baseWorkingSet()
        }
        let listing = listings.folders.removeValue(forKey: folder)
        for waiter in listing?.waiters.values.map(\.answer) ?? [] {
            // A successful listing has completed all waiters, also those for names that do not exist. Waiters are
            // left only after a failure.
            waiter.complete(result)
        }
        if case .failure(let failure) = result {
            signIn.noteFailure(failure, askedIn: era)
            // The removal of the directory may not have been reported, for example if the index was lost meanwhile.
            if failure.kind == .noSuchItem { doubt(folder) }
            if failure.kind == .noSpace, listing?.isRefresh == true { refreshOnceThereIsRoom(folder) }
            noteOutdatedFailed(folder, failure)
        }
        refreshed(folder)
        if listing?.isWantedAgain == true { refresh(folder) }
    }

    /// The number of times that a listing is started, if its pages expire or it was refused before the user signed
    /// in.
    private static let beginnings = 3

    /// Lists a directory, and starts again if the pages expire.
    ///
    /// - Returns: the result, and the value of ``SignIn/epoch`` when the request was sent.
    private func listed(_ folder: ItemNumber) async -> (Result<Void, ProviderFailure>, era: Int) {
        for beginning in 1... {
            let era = signIn.epoch
            let identifier = (try? row(folder))?.item.identifier
            do throws(ProviderFailure) {
                try await enumerate(folder)
                return (.success(()), era)
            } catch {
                var isWorthIt = error.kind == .expired || signIn.isOutdated(error, askedIn: era)
                if error.kind == .noSuchItem, let identifier {
                    // The directory has a new identifier, by which it is listed.
                    isWorthIt = await awaitNewIdentifier(of: folder, asked: identifier)
                }
                guard isWorthIt, beginning < Self.beginnings, !isClosed else { return (.failure(error), era) }
            }
        }
        return (.success(()), signIn.epoch)
    }

    private func enumerate(_ folder: ItemNumber) async throws(ProviderFailure) {
        let identifier = try row(folder).item.identifier
        // The anchor is requested before the first page, so that changes during the enumeration are reported again
        // later.
        let anchor = try await resources.currentAnchor(of: identifier)
        listings.lastMark += 1
        let mark = listings.lastMark
        var guarded = EndlessListing(limit: configuration.pagesWithoutNews, mostItems: configuration.itemsInFolder)
        var pages = PagesAhead { [resources] page throws(ProviderFailure) in
            try await resources.page(of: identifier, after: page)
        }
        defer { pages.cancel() }
        while let answer = try await pages.next() {
            guard !isClosed else { throw .closed }
            try checkIsStill(identifier, folder)
            let news = try place(answer, in: folder, mark)
            if answer.page.next != nil,
                guarded.isEndless(answer.page, news: news, known: { (try? index.childCount(of: folder)) ?? 0 })
            {
                throw ProviderFailure(.badAnswer, message: "The provider's listing of the folder does not end.")
            }
        }
        try await finish(folder, identifier, mark, anchor)
    }

    /// Checks that the directory still has the identifier under which it is listed.
    ///
    /// - Throws: a failure of kind `expired` if the identifier has changed, so that the listing starts again.
    private func checkIsStill(_ identifier: String, _ folder: ItemNumber) throws(ProviderFailure) {
        guard try row(folder).item.identifier.hasSameBytes(as: identifier) else {
            throw ProviderFailure(.expired, message: "The folder has another identifier now.")
        }
    }

    /// Writes one page to the index.
    ///
    /// - Returns: the number of items that were not known.
    @discardableResult
    private func place(
        _ answer: RequestedPage, in folder: ItemNumber, _ mark: Int64
    ) throws(ProviderFailure) -> Int {
        let isFirst = try row(folder).listing == .never
        let applied = try apply(answer.page.items, listedIn: folder, mark: mark, answering: answer.question)
        EngineStep.pageApplied.reach()
        if isFirst { try write { writer throws(IndexFailure) in try writer.update(folder) { $0.listing = .partial } } }
        answerWaiters(of: folder)
        return applied.added.count
    }

    /// Completes a listing after its last page. Items that no page included are removed after the provider has
    /// reported that they do not exist.
    private func finish(
        _ folder: ItemNumber, _ identifier: String, _ mark: Int64, _ anchor: [UInt8]?
    ) async throws(ProviderFailure) {
        try await reconciler.settleUnlisted(in: folder, mark, self)
        guard !isClosed else { throw .closed }
        try checkIsStill(identifier, folder)
        let isOutdated = listings.folders[folder]?.isWantedAgain == true
        let removed = try writeMakingRoom { writer throws(IndexFailure) in
            let removed = try writer.removeUnlisted(in: folder, before: mark)
            try writer.update(folder) { $0.listing = .complete }
            // An empty anchor records that the directory was listed and has no anchor.
            try writer.setAnchor(anchor ?? [], of: identifier)
            try writer.setOutdated(isOutdated, identifier)
            return removed
        }
        listings.outdatedFailures = 0
        EngineStep.listingEnded.reach()
        handle(removed)
        listingAges.note(folder, at: clock.now)
    }
}

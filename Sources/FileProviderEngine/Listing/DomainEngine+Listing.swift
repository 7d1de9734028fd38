import FileProvider
import LinuxSystem

/// The enumeration of one folder, page by page.
extension DomainEngine {
    /// Begins to list a folder, unless that is under way.
    func startListing(_ folder: ItemNumber, isRefresh: Bool) {
        guard !isClosed, listings.folders[folder] == nil else { return }
        listings.folders[folder] = Listings.Listing(isRefresh: isRefresh)
        listings.folders[folder]?.task = Task {
            let (result, era) = await listed(folder)
            endedListing(folder, result, askedIn: era)
            if folder == .root, case .success = result { await askForRoot() }
        }
    }

    /// Asks for what the provider says of the root itself, such as its date: it is in nobody's listing.
    private func askForRoot() async {
        // Where it cannot say, there is a root all the same.
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
            // Those whose name did not come are answered by the listing's end; so nobody is left but after a failure.
            waiter.give(result)
        }
        if case .failure(let failure) = result {
            noteFailure(failure, askedIn: era)
            // Nobody may have told that it is gone, as where the index was lost in between.
            if failure.kind == .noSuchItem { doubt(folder) }
            if failure.kind == .noSpace, listing?.isRefresh == true { refreshOnceThereIsRoom(folder) }
            noteOutdatedFailed(folder, failure)
        }
        refreshed(folder)
        if listing?.isWantedAgain == true { refresh(folder) }
    }

    /// Attempts to go on after a failure that may pass, and the pause before the second of them.
    private static let attempts = 3
    private static let firstPause = 1.0
    /// Times that a listing begins anew whose pages expired, or that was refused before somebody signed in.
    private static let beginnings = 3

    /// - Returns: what came of it, and the era of sign-ins in which that was asked.
    private func listed(_ folder: ItemNumber) async -> (Result<Void, ProviderFailure>, era: Int) {
        for beginning in 1... {
            let era = signInEra
            let identifier = (try? row(folder))?.item.identifier
            do throws(ProviderFailure) {
                try await enumerate(folder)
                return (.success(()), era)
            } catch {
                var isWorthIt = error.kind == .expired || isOutdated(error, askedIn: era)
                if error.kind == .noSuchItem, let identifier {
                    // It is listed by its new identifier.
                    isWorthIt = await awaitNewIdentifier(of: folder, asked: identifier)
                }
                guard isWorthIt, beginning < Self.beginnings, !isClosed else { return (.failure(error), era) }
            }
        }
        return (.success(()), signInEra)
    }

    private func enumerate(_ folder: ItemNumber) async throws(ProviderFailure) {
        let identifier = try row(folder).item.identifier
        // Before the first page: what changes while the pages come is told once more afterwards.
        let anchor = try await currentAnchor(of: identifier)
        listings.lastMark += 1
        let mark = listings.lastMark
        var guarded = EndlessListing(limit: configuration.pagesWithoutNews, mostItems: configuration.itemsInFolder)
        var pages = PagesAhead { [self] page throws(ProviderFailure) in
            try await self.page(of: identifier, after: page)
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

    /// Fails with `expired` if the folder has got another identifier, so that its listing begins anew.
    private func checkIsStill(_ identifier: String, _ folder: ItemNumber) throws(ProviderFailure) {
        guard try row(folder).item.identifier.hasSameBytes(as: identifier) else {
            throw ProviderFailure(.expired, message: "The folder has another identifier now.")
        }
    }

    /// Writes one page to the index.
    ///
    /// - Returns: how many items were not known.
    @discardableResult
    private func place(
        _ answer: Page, in folder: ItemNumber, _ mark: Int64
    ) throws(ProviderFailure) -> Int {
        let isFirst = try row(folder).listing == .never
        let applied = try apply(answer.page.items, listedIn: folder, mark: mark, answering: answer.question)
        EngineStep.pageApplied.reach()
        if isFirst { try write { writer throws(IndexFailure) in try writer.update(folder) { $0.listing = .partial } } }
        answerWaiters(of: folder)
        return applied.added.count
    }

    /// The last page is there: what no page told of goes, once the provider says that it is gone.
    private func finish(
        _ folder: ItemNumber, _ identifier: String, _ mark: Int64, _ anchor: [UInt8]?
    ) async throws(ProviderFailure) {
        try await settleUnlisted(in: folder, mark)
        guard !isClosed else { throw .closed }
        try checkIsStill(identifier, folder)
        let isOutdated = listings.folders[folder]?.isWantedAgain == true
        let removed = try writeMakingRoom { writer throws(IndexFailure) in
            let removed = try writer.removeUnlisted(in: folder, before: mark)
            try writer.update(folder) { $0.listing = .complete }
            // An empty one says that the folder was listed, and has none.
            try writer.setAnchor(anchor ?? [], of: identifier)
            try writer.setOutdated(isOutdated, identifier)
            return removed
        }
        listings.outdatedFailures = 0
        EngineStep.listingEnded.reach()
        handle(removed)
        listingAges.note(folder, at: clock.now)
    }

    /// The anchor of a container as it is now; `nil` where it has none, or one of more than 500 bytes.
    func currentAnchor(of container: String) async throws(ProviderFailure) -> [UInt8]? {
        do throws(ProviderFailure) {
            let anchor = try await patiently { [provider] () async throws(ProviderFailure) in
                try await provider.currentAnchor(of: container)
            }
            return anchor.flatMap { $0.count <= 500 ? $0 : nil }
        } catch {
            // Enumerating is another question.
            guard error.kind == .unsupported else { throw error }
            return nil
        }
    }

    /// A page, and when it was asked for.
    struct Page: Sendable {
        let page: ItemPage
        let question: AnswerOrder.Question

        /// Whether the provider can be asked for the page after it, or there is none.
        var hasUsableNext: Bool { (page.next?.count ?? 0) <= 500 }
    }

    nonisolated func page(of container: String, after page: [UInt8]?) async throws(ProviderFailure) -> Page {
        let size = configuration.pageSize
        let question = answers.ask()
        let answer = try await patiently { [provider] () async throws(ProviderFailure) in
            try await provider.page(of: container, after: page, suggestedSize: size)
        }
        return Page(page: answer, question: question)
    }

    /// Asks once more after a failure that may pass, such as the end of the provider's process.
    nonisolated func patiently<Value: Sendable>(
        _ ask: @Sendable () async throws(ProviderFailure) -> Value
    ) async throws(ProviderFailure) -> Value {
        var attempt = 1
        while true {
            do throws(ProviderFailure) {
                return try await ask()
            } catch {
                guard error.isWorthAnotherAttempt, attempt < Self.attempts, !Task.isCancelled, await !isClosed else {
                    throw error
                }
                // A process that ended is started again by asking.
                if error.kind != .processEnded || attempt > 1 {
                    await clock.wait(Self.firstPause * Double(1 << (attempt - 1)))
                }
                attempt += 1
            }
        }
    }
}

/// Recognises a listing that goes on and on and tells of nothing.
private struct EndlessListing {
    let limit: Int
    let mostItems: Int
    private var seen: Set<[UInt8]> = []
    private var items = 0
    private var pagesWithoutNews = 0
    private var emptyPages = 0

    init(limit: Int, mostItems: Int) {
        self.limit = limit
        self.mostItems = mostItems
    }

    /// - Parameters:
    ///   - news: items of the page that were not known.
    ///   - known: how many items the folder has; costly.
    mutating func isEndless(_ page: ItemPage, news: Int, known: () -> Int) -> Bool {
        items += page.items.count
        emptyPages = page.items.isEmpty ? emptyPages + 1 : 0
        pagesWithoutNews = news == 0 ? pagesWithoutNews + 1 : 0
        // The same page once more leads to the same one after it.
        if let next = page.next, !seen.insert(next).inserted { return true }
        if emptyPages >= limit || items > mostItems { return true }
        // A folder that is listed again tells of nothing new, and of each item once.
        return pagesWithoutNews >= limit && pagesWithoutNews % limit == 0 && items > 2 * known() + 1000
    }
}

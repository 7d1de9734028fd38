import FileProvider
import LinuxSystem

/// Enumeration of the provider's trash. It finds changes that no change feed reported: from before the first anchor,
/// after an anchor has expired, or without a change feed. A provider that cannot enumerate its trash, or crashes when
/// asked to, serves all other requests as usual.
extension DomainEngine {
    private static let pauseSetting = "trash.pause"

    func recoverTrashListing() throws(IndexFailure) {
        if let words = try index.setting(Self.pauseSetting) { trashListing.read(words, at: clock.now) }
    }

    /// Requests a listing of the trash, because it may have changed.
    func wantTrashListed() {
        trashListing.isWanted = true
        listTrashIfWanted()
    }

    /// Lists the trash if a listing was requested. After a failure, this waits for the end of the backoff.
    func listTrashIfWanted() {
        guard trashListing.isWanted, trashListing.task == nil, !isClosed, isFeedBegun else { return }
        let pause = trashListing.nextTime - clock.now
        guard pause <= 0 else {
            guard trashListing.waiting == nil else { return }
            trashListing.waiting = clock.run(after: pause) { [weak self] in
                self?.perform { engine in
                    engine.trashListing.waiting = nil
                    engine.listTrashIfWanted()
                }
            }
            return
        }
        trashListing.isWanted = false
        trashListing.task = Task {
            let result = await listedTrash()
            trashListing.task = nil
            guard !isClosed else { return }
            endedListingTrash(result)
        }
    }

    /// Whether the change feed covers everything from now on, if the provider has one. A listing from before that
    /// would have to be repeated.
    private var isFeedBegun: Bool {
        switch changes.workingSet {
        case .available, .missing: true
        case .beginning: false
        case .unknown: (try? anchor(of: ProviderItem.workingSetIdentifier)) ?? nil != nil
        }
    }

    /// Lists the trash in the background if no change feed reports its changes and the last listing is too old.
    func lookedIntoTrash() {
        guard changes.workingSet == .missing, clock.now - trashListing.time >= configuration.refreshAge else { return }
        wantTrashListed()
    }

    /// Ends the backoff after a failure, and lists the trash at once.
    func retryTrashListing() {
        guard trashListing.failures > 0 else { return }
        trashListing.waiting?.cancel()
        trashListing.waiting = nil
        trashListing.nextTime = -.infinity
        wantTrashListed()
    }

    private func endedListingTrash(_ result: Result<Void, ProviderFailure>) {
        switch result {
        case .success: trashListing.succeed(at: clock.now)
        case .failure(let failure):
            trashListing.isWanted = true
            trashListing.fail(failure, at: clock.now)
        }
        // If this cannot be written, the next start lists the trash without a delay.
        let words = trashListing.words
        _ = try? write { writer throws(IndexFailure) in
            guard try writer.setting(Self.pauseSetting) ?? [] != words else { return }
            try writer.setSetting(Self.pauseSetting, words.isEmpty ? nil : words)
        }
        listTrashIfWanted()
    }

    private func listedTrash() async -> Result<Void, ProviderFailure> {
        do throws(ProviderFailure) {
            let question = answers.ask()
            let listed = try await listTrashPages()
            try await settleTrash(listed, answering: question)
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    /// Lists the pages of the trash, and applies their items.
    ///
    /// - Returns: the identifiers of the items in the trash.
    private func listTrashPages() async throws(ProviderFailure) -> Set<String> {
        var listed: Set<String> = []
        var after: [UInt8]?
        var guarded = EndlessListing(limit: configuration.pagesWithoutNews, mostItems: configuration.itemsInFolder)
        while true {
            let question = answers.ask()
            let page = try await provider.page(
                of: ProviderItem.trashIdentifier, after: after, suggestedSize: configuration.pageSize)
            guard !isClosed else { throw .closed }
            // A provider may return other items than those in its trash.
            let items = page.items.filter(\.isInTrash)
            let before = listed.count
            listed.formUnion(items.lazy.map(\.identifier))
            if !items.isEmpty { try apply(items, listedIn: nil, answering: question) }
            EngineStep.trashListed.reach()
            guard let next = page.next else { return listed }
            let isEndless = guarded.isEndless(page, news: listed.count - before, known: { listed.count })
            guard next.count <= 500, !isEndless else { break }
            after = next
        }
        throw ProviderFailure(.badAnswer, message: "The provider's listing of its trash does not end.")
    }

    /// Reconciles the items that were known to be in the trash and were not listed. The provider is asked for each of
    /// them before it is removed.
    private func settleTrash(
        _ listed: Set<String>, answering question: AnswerOrder.Question
    ) async throws(ProviderFailure) {
        let known = try onRecord { () throws(IndexFailure) in try index.trashed().map(\.identifier) }
        let unlisted = known.filter { !listed.contains($0) && !answers.hasNews(of: $0, since: question) }
        guard !unlisted.isEmpty else { return }
        let asked = answers.ask()
        let accounts = try await accounts(of: unlisted)
        if !accounts.found.isEmpty {
            let found = try await withAncestors(accounts.found)
            guard !isClosed else { throw .closed }
            try apply(found, listedIn: nil, answering: asked)
        }
        try askAgain(accounts)
        try remove(gone: Set(try newest(gone: accounts.gone.sorted(), answering: asked)))
    }
}

import FileProvider
import LinuxSystem

/// The provider's trash by its own list: for what happened there while nobody told of it, before the first anchor of all, or since one
/// that expired, or where there is no feed of changes. It serves nothing else: a provider that cannot list its trash, or dies of the
/// question, is asked for everything else as ever.
extension DomainEngine {
    /// As many pages are asked for; what lies in a trash that is longer is known by changes only.
    private static let mostPages = 500

    private static let pauseSetting = "trash.pause"

    func recoverTrashListing() throws(IndexFailure) {
        if let words = try index.setting(Self.pauseSetting) { trashListing.read(words, at: clock.now) }
    }

    /// Something may have happened in the trash: it is listed as soon as may be.
    func wantTrashListed() {
        trashListing.isWanted = true
        listTrashIfWanted()
    }

    /// Lists the trash, if somebody has wanted that and the provider is not to be left alone with it for now.
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

    /// What happens from now on is told, if it is told at all; a list from before that would have to be asked for once more.
    private var isFeedBegun: Bool {
        switch changes.workingSet {
        case .available, .missing: true
        case .beginning: false
        case .unknown: (try? anchor(of: ProviderItem.workingSetIdentifier)) ?? nil != nil
        }
    }

    /// Somebody looks into the trash. Where no feed tells of it, it is listed again behind.
    func lookedIntoTrash() {
        guard changes.workingSet == .missing, clock.now - trashListing.time >= configuration.refreshAge else { return }
        wantTrashListed()
    }

    /// Asks at once for what was put off.
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
        // Where that cannot be written, the next start asks once more.
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

    /// - Returns: the identifiers of what lies in the trash.
    private func listTrashPages() async throws(ProviderFailure) -> Set<String> {
        var listed: Set<String> = []
        var after: [UInt8]?
        var seen: Set<[UInt8]> = []
        for _ in 0..<Self.mostPages {
            let question = answers.ask()
            let page = try await provider.page(
                of: ProviderItem.trashIdentifier, after: after, suggestedSize: configuration.pageSize)
            guard !isClosed else { throw .closed }
            // A provider may list something else, whatever it was asked for.
            let items = page.items.filter(\.isInTrash)
            listed.formUnion(items.lazy.map(\.identifier))
            if !items.isEmpty { try apply(items, listedIn: nil, answering: question) }
            EngineStep.trashListed.reach()
            guard let next = page.next else { return listed }
            guard next.count <= 500, seen.insert(next).inserted else { break }
            after = next
        }
        throw ProviderFailure(.badAnswer, message: "The provider's listing of its trash does not end.")
    }

    /// What was known to lie in the trash and was not listed has left it: where to, the provider is asked before it is forgotten.
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

import FileProvider
import LinuxSystem

/// The changes that the provider reports.
extension DomainEngine {
    /// Handles a signal: requests the changes now. Signals that arrive meanwhile are merged.
    ///
    /// - Parameter container: The identifier of a directory or of the working set; `nil` for everything that is known.
    package nonisolated func signal(container: String?) {
        perform { engine in
            engine.noteSignalSoon()
            engine.signalled(container: container ?? ProviderItem.workingSetIdentifier)
        }
    }

    /// Requests the changes of a container.
    ///
    /// - Parameter isRefresh: The directory that a client looked into, if that is the reason.
    func signalled(container: String, isRefresh folder: ItemNumber? = nil) {
        guard !isClosed else { return }
        if let folder { changes.refreshes[container] = folder }
        changes.waiting.removeValue(forKey: container)?.cancel()
        if changes.running[container] != nil {
            changes.running[container] = true
            return
        }
        changes.running[container] = false
        let era = signIn.epoch
        changes.tasks[container] = Task {
            let result = await askForChanges(in: container)
            endedChanges(in: container, result, askedIn: era)
        }
    }

    /// Requests at once all changes that could not be fetched, such as after the user signed in.
    func retryChanges() {
        changes.failures = [:]
        context.clearRequestFailure()
        context.clearBackgroundFailure()
        for container in Array(changes.waiting.keys) { signalled(container: container) }
        signalled(container: ProviderItem.workingSetIdentifier)
        askForOutdated()
    }

    private static let firstPause = 1.0
    private static let longestPause = 300.0

    private func endedChanges(in container: String, _ result: Result<Void, ProviderFailure>, askedIn era: Int) {
        changes.tasks[container] = nil
        let isWantedAgain = changes.running.removeValue(forKey: container) ?? false
        if let folder = changes.refreshes.removeValue(forKey: container) { refreshed(folder) }
        guard !isClosed else { return }
        switch result {
        case .success:
            changes.failures[container] = nil
            if context.requestFailure != nil { configuration.states?.noteDomain() }
            context.clearRequestFailure()
            // Requests of waiting edits may still be refused.
            if edits.running.isEmpty, edits.queue.nextTime() == nil { signIn.noteSignedIn() }
            changesAreFollowed()
            if isWantedAgain { signalled(container: container) }
        case .failure(let failure):
            signIn.noteFailure(failure, askedIn: era)
            guard !isWantedAgain, !signIn.isOutdated(failure, askedIn: era) else {
                return signalled(container: container)
            }
            // Failures that need the user are retried by ``retry()``; the others by themselves.
            guard failure.isWorthAnotherAttempt || failure.kind == .noSpace else {
                changes.failures[container] = nil
                return
            }
            let count = changes.failures[container, default: 0]
            changes.failures[container] = count + 1
            let longest = failure.kind == .noSpace ? Self.longestWaitForSpace : Self.longestPause
            let pause = min(Self.firstPause * Double(1 << min(count, 16)), longest)
            changes.waiting[container] = clock.run(after: pause) { [weak self] in
                self?.perform { $0.signalled(container: container) }
            }
        }
    }

    private func askForChanges(in container: String) async -> Result<Void, ProviderFailure> {
        do throws(ProviderFailure) {
            if container == ProviderItem.workingSetIdentifier {
                try await askForAllChanges()
                await askForState()
                // The working set is listed after its anchor was taken: changes during the listing are reported since
                // that anchor.
                if changes.workingSet == .available, changes.mayListWorkingSet, try !isWorkingSetListed() {
                    try await enumerateWorkingSet()
                }
            } else {
                try await askForFolder(container)
            }
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    // MARK: The working set

    private func askForAllChanges() async throws(ProviderFailure) {
        let container = ProviderItem.workingSetIdentifier
        if changes.workingSet != .missing, let anchor = try anchor(of: container) {
            do throws(ProviderFailure) {
                try await follow(container, from: anchor)
                changes.workingSet = .available
                return
            } catch {
                guard error.kind == .expired || error.kind == .unsupported || error.kind == .noSuchItem else {
                    throw error
                }
            }
        }
        try await beginWorkingSet()
    }

    /// Takes the first sync anchor of the working set after a first listing. Later changes are reported since that
    /// anchor.
    func baseWorkingSet() {
        guard !isClosed, changes.workingSet == .unknown else { return }
        if (try? anchor(of: ProviderItem.workingSetIdentifier)) ?? nil != nil {
            changes.workingSet = .available
            changesAreFollowed()
        } else {
            changes.workingSet = .beginning
            // Something may have changed between the listing and the anchor: this requests the directories, too.
            signalled(container: ProviderItem.workingSetIdentifier)
        }
    }

    private func beginWorkingSet() async throws(ProviderFailure) {
        let container = ProviderItem.workingSetIdentifier
        let anchor: [UInt8]?
        do throws(ProviderFailure) {
            anchor = try await resources.currentAnchor(of: container)
        } catch {
            guard error.kind == .noSuchItem || error.kind == .notPermitted || error.kind == .cannotSynchronize else {
                if changes.workingSet == .beginning { changes.workingSet = .unknown }
                throw error
            }
            anchor = nil
        }
        guard !isClosed else { throw .closed }
        changes.workingSet = anchor == nil ? .missing : .available
        try write { writer throws(IndexFailure) in
            try writer.setAnchor(anchor, of: container)
            try writer.setSetting(Self.workingSetSetting, nil)
            // Changes before that anchor are unknown.
            try writer.noteAllOutdated()
        }
        for folder in try outdatedFolders() { refreshAnew(folder) }
        // Moves into and out of the trash before that anchor are unknown, too.
        trashMayHaveChanged()
    }

    /// Returns the sync anchor from which a container's changes are unknown; `nil` if the provider has none for it.
    func anchor(of container: String) throws(ProviderFailure) -> [UInt8]? {
        let anchor = try onRecord { () throws(IndexFailure) in try index.anchor(of: container) }
        return anchor?.isEmpty == false ? anchor : nil
    }

    // MARK: One folder

    private func askForFolder(_ identifier: String) async throws(ProviderFailure) {
        // The trash is not listed as a directory, and its failures are not those of this request.
        if identifier == ProviderItem.trashIdentifier { return trashMayHaveChanged() }
        let row = try onRecord { () throws(IndexFailure) in try index.item(identifier: identifier) }
        // No client has looked into a directory that was never listed.
        guard let row, row.item.kind == .folder, row.listing != .never else { return }
        if let anchor = try anchor(of: identifier) {
            do throws(ProviderFailure) {
                return try await follow(identifier, from: anchor)
            } catch {
                guard error.kind == .expired || error.kind == .unsupported else { throw error }
            }
        }
        // A running listing may already have passed the signalled change.
        guard !enumerator.noteChange(in: row.number) else { return }
        startListing(row.number, isRefresh: true)
    }

    // MARK: A feed

    /// Applies the changes since a sync anchor, batch by batch.
    private func follow(_ container: String, from anchor: [UInt8]) async throws(ProviderFailure) {
        var anchor = anchor
        var guarded = EndlessFeed(from: anchor, limit: configuration.pagesWithoutNews)
        while true {
            let (provider, size, since) = (provider, configuration.pageSize, anchor)
            let question = answers.ask()
            let batch = try await resources.patiently { () async throws(ProviderFailure) in
                try await provider.changes(in: container, since: since, suggestedSize: size)
            }
            guard !isClosed else { throw .closed }
            guard batch.anchor.count <= 500 else {
                throw ProviderFailure(.expired, message: "The provider gave an anchor of more than 500 bytes.")
            }
            let changes = try await reconciler.resolved(batch, in: container, self)
            guard !isClosed else { throw .closed }
            let isLast = !batch.moreComing && !isWantedAgain(container)
            let hasNews = try reconciler.apply(changes, of: container, isLast: isLast, answering: question, self)
            guard batch.moreComing else { return }
            if let kind = guarded.fault(of: batch, hasNews: hasNews) {
                throw ProviderFailure(kind, message: "The provider says that more changes come, and none come.")
            }
            anchor = batch.anchor
        }
    }
}

/// Detects a change feed that continues without end and reports nothing new.
private struct EndlessFeed {
    let limit: Int
    private var anchors: Set<[UInt8]>
    /// Hashes of the identifiers that were reported.
    private var told: Set<Int> = []
    private var emptyBatches = 0
    private var batchesWithoutNews = 0
    private var repetitions = 0

    /// The maximum number of identifiers that are remembered. Beyond it, all count as reported before.
    private static let mostTold = 1 << 18
    /// The factor by which the limit is larger for batches that repeat items and change something. Such items may
    /// really be changing continuously.
    private static let patience = 32

    init(from anchor: [UInt8], limit: Int) {
        self.limit = limit
        anchors = [anchor]
    }

    /// Returns the failure with which to stop the feed, if any.
    ///
    /// - Parameter hasNews: Whether the batch changed anything locally.
    /// - Returns: ``ProviderFailure/Kind/badAnswer`` for a feed without end, ``ProviderFailure/Kind/transient`` for
    ///   one that may only be long. The latter is continued after a pause.
    mutating func fault(of batch: ChangeBatch, hasNews: Bool) -> ProviderFailure.Kind? {
        // A repeated anchor leads to the same batches again.
        if !anchors.insert(batch.anchor).inserted { return .badAnswer }
        emptyBatches = batch.updated.isEmpty && batch.deleted.isEmpty ? emptyBatches + 1 : 0
        if emptyBatches >= limit { return .badAnswer }
        // An item that is reported for the first time may already be known, as from a listing, or may have come and
        // gone.
        var isRepetition = true
        for identifier in batch.updated.lazy.map(\.identifier) { if !isTold(identifier) { isRepetition = false } }
        for identifier in batch.deleted where !isTold(identifier) { isRepetition = false }
        if told.count >= Self.mostTold, hasNews { isRepetition = false }
        repetitions = isRepetition ? repetitions + 1 : 0
        batchesWithoutNews = isRepetition && !hasNews ? batchesWithoutNews + 1 : 0
        return batchesWithoutNews >= limit || repetitions >= limit * Self.patience ? .transient : nil
    }

    /// Whether an identifier was reported before. Marks it as reported.
    private mutating func isTold(_ identifier: String) -> Bool {
        told.count >= Self.mostTold || !told.insert(identifier.hashValue).inserted
    }
}

import FileProvider
import LinuxSystem

/// Revalidation: items whose existence at the provider is uncertain. Each is requested again until the provider
/// returns it or reports ``ProviderFailure/Kind/noSuchItem``. An inconclusive reply changes nothing.
extension DomainEngine {
    /// The outcome of a request for one item.
    enum Word {
        case there(ProviderItem)
        case gone
        /// The request failed, or the reply is inconclusive.
        case unsaid(ProviderFailure)
    }

    func word(on identifier: String) async -> Word {
        do throws(ProviderFailure) {
            let item = try await provider.item(identifier)
            guard item.identifier == identifier else {
                throw ProviderFailure(.badAnswer, message: "The provider answered with another item.")
            }
            return .there(item)
        } catch {
            guard error.kind == .noSuchItem else { return .unsaid(error) }
            // While it is moved it may have another identifier already.
            return isMoving(identifier)
                ? .unsaid(ProviderFailure(.transient, message: "The item is being moved.")) : .gone
        }
    }

    // MARK: Several at once

    /// The outcome of revalidating items that a reply left out.
    struct Accounts {
        var found: [ProviderItem] = []
        var gone: Set<String> = []
        /// Items for which the reply was inconclusive.
        var unsaid: Set<String> = []
        /// Items that were not requested.
        var unasked: Set<String> = []

        var isOpen: Bool { !unsaid.isEmpty || !unasked.isEmpty }
    }

    /// The number of inconclusive replies after which the others are postponed, because each may take long to fail.
    private static let mostFailures = 3

    /// Requests items that a reply left out, one after the other. If there are more than ``askLimit`` and all
    /// requested ones are gone, the others count as gone, too.
    func accounts(of identifiers: [String]) async throws(ProviderFailure) -> Accounts {
        var accounts = Accounts()
        var asked = 0
        for identifier in identifiers.prefix(Self.askLimit) where accounts.unsaid.count < Self.mostFailures {
            asked += 1
            switch await word(on: identifier) {
            case .there(let item): accounts.found.append(item)
            case .gone: accounts.gone.insert(identifier)
            case .unsaid(let failure):
                if Task.isCancelled { throw failure }
                accounts.unsaid.insert(identifier)
            }
            guard !isClosed else { throw .closed }
        }
        let others = identifiers.dropFirst(asked)
        if accounts.found.isEmpty, accounts.unsaid.isEmpty {
            accounts.gone.formUnion(others)
        } else {
            accounts.unasked.formUnion(others)
        }
        return accounts
    }

    // MARK: Doubts

    /// Schedules the revalidation of items. The index has recorded it when this returns.
    ///
    /// - Parameter hasFailed: Whether a request for them was just inconclusive.
    func askAgain(_ identifiers: Set<String>, hasFailed: Bool = false) throws(ProviderFailure) {
        let new = identifiers.filter { !changes.doubts.contains($0) }
        guard !new.isEmpty, !isClosed else { return }
        try write { writer throws(IndexFailure) in try writer.noteDoubts(new) }
        add(new, failures: hasFailed ? 1 : 0)
    }

    /// Schedules the revalidation of items with an inconclusive reply or none.
    func askAgain(_ accounts: Accounts) throws(ProviderFailure) {
        try askAgain(accounts.unsaid, hasFailed: true)
        try askAgain(accounts.unasked)
    }

    /// Schedules the revalidation of items as ``askAgain(_:hasFailed:)`` does. If it cannot be recorded now, it does
    /// not survive a restart.
    func askSoon(_ identifiers: Set<String>) {
        do throws(ProviderFailure) {
            try askAgain(identifiers)
        } catch {
            remember(error)
            add(identifiers, failures: 0)
        }
    }

    private func add(_ identifiers: Set<String>, failures: Int) {
        for identifier in identifiers.sorted() {
            changes.doubts.add(
                Doubts.Doubt(identifier: identifier, failures: failures),
                at: failures == 0 ? nil : clock.now + Self.pause(after: failures))
        }
        settleDoubts()
    }

    /// Schedules the revalidations that the last process left over.
    func recoverDoubts() throws(IndexFailure) {
        for identifier in try index.doubts() {
            changes.doubts.add(Doubts.Doubt(identifier: identifier, failures: 0))
        }
        settleDoubts()
    }

    /// Starts all postponed revalidations at once.
    func retryDoubts() {
        changes.doubts.hurry()
        changes.badRounds = 0
        changes.waitingDoubts?.cancel()
        changes.waitingDoubts = nil
        settleDoubts()
    }

    private static let firstPause = 2.0
    private static let longestPause = 3600.0
    /// The maximum delay between two rounds, if other items than the failed ones wait.
    private static let longestPauseOfRounds = 60.0

    /// Returns the delay in seconds until the next attempt.
    private static func pause(after failures: Int) -> Double {
        min(firstPause * Double(1 << min(failures, 16)), longestPause)
    }

    private func settleDoubts() {
        guard !isClosed, changes.doubtTask == nil else { return }
        guard let time = changes.doubts.nextTime else { return }
        // After a round of failures the other items wait, too.
        if changes.badRounds > 0, changes.waitingDoubts != nil { return }
        guard time <= clock.now else {
            let rest = time - clock.now
            // A new item must not wait as long as those that have failed often.
            return settleDoubts(after: changes.badRounds > 0 ? min(rest, Self.longestPauseOfRounds) : rest)
        }
        changes.waitingDoubts?.cancel()
        changes.waitingDoubts = nil
        changes.doubtTask = Task {
            let isBad = await settleSome()
            changes.doubtTask = nil
            guard !isClosed else { return }
            changes.badRounds = isBad ? changes.badRounds + 1 : 0
            guard isBad else { return settleDoubts() }
            settleDoubts(after: min(Self.pause(after: changes.badRounds), Self.longestPauseOfRounds))
        }
    }

    private func settleDoubts(after seconds: Double) {
        changes.waitingDoubts?.cancel()
        changes.waitingDoubts = clock.run(after: max(0, seconds)) { [weak self] in
            self?.perform { engine in
                engine.changes.waitingDoubts = nil
                engine.settleDoubts()
            }
        }
    }

    /// Revalidates one item after the other.
    ///
    /// - Returns: Whether the round was stopped, because too many requests failed and none succeeded.
    private func settleSome() async -> Bool {
        var (failures, successes) = (0, 0)
        while failures < Self.mostFailures, var doubt = changes.doubts.take(at: clock.now), !isClosed {
            let identifier = doubt.identifier
            let question = answers.ask()
            let era = signIn.epoch
            do throws(ProviderFailure) {
                let word = await word(on: identifier)
                guard !isClosed else { return false }
                // A report that arrived meanwhile may be newer than this reply.
                if answers.hasNews(of: identifier, since: question) {
                    changes.doubts.add(doubt)
                    continue
                }
                EngineStep.doubtAnswered.reach()
                switch word {
                case .there(let item): try apply(try await withAncestors([item]), listedIn: nil, answering: question)
                case .gone: try remove(gone: Set(try believed(gone: [identifier])))
                case .unsaid(let failure): throw failure
                }
                guard !isClosed else { return false }
                EngineStep.doubtApplied.reach()
                // The item may have been scheduled anew.
                if !changes.doubts.contains(identifier) {
                    try write { writer throws(IndexFailure) in try writer.forgetDoubt(identifier) }
                }
                answers.note([identifier])
                successes += 1
            } catch {
                if isClosed || Task.isCancelled { return false }
                failures += 1
                doubt.failures += 1
                changes.doubts.add(doubt, at: clock.now + Self.pause(after: doubt.failures))
                if error.kind == .notAuthenticated { signIn.noteNeeded(error, askedIn: era) }
            }
        }
        return failures >= Self.mostFailures && successes == 0
    }

    /// Removes items that the provider no longer has.
    func remove(gone identifiers: Set<String>) throws(ProviderFailure) {
        guard !identifiers.isEmpty else { return }
        try takeOpenFilesAsEdited(in: identifiers)
        let removed = try write { writer throws(IndexFailure) in
            try writer.remove(identifiers: identifiers.sorted())
        }
        answers.note(identifiers)
        handle(removed)
    }
}

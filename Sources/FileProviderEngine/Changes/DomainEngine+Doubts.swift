import FileProvider
import LinuxSystem

/// Items of which something was said that does not settle what became of them: the provider is asked for each of them, until it says
/// that it is there or that it is gone. That it cannot say is no answer, and takes nothing away.
extension DomainEngine {
    /// What the provider says of an item when it is asked.
    enum Word {
        case there(ProviderItem)
        case gone
        /// It could not be asked, or does not say.
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

    /// What became of items that an answer has left out.
    struct Accounts {
        var found: [ProviderItem] = []
        var gone: Set<String> = []
        /// Of which the provider did not say it.
        var unsaid: Set<String> = []
        /// Of which it was not asked.
        var unasked: Set<String> = []

        var isOpen: Bool { !unsaid.isEmpty || !unasked.isEmpty }
    }

    /// After so many answers from which nothing could be learnt, the others are put off: each may take its time to fail.
    private static let mostFailures = 3

    /// Asks the provider for items that an answer has left out, one after the other. Where it left out more than a few, and the few
    /// are gone, it is taken at its word.
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

    /// Has the provider asked what items are now. Written down before this returns.
    ///
    /// - Parameter hasFailed: whether it was just asked, and did not say.
    func askAgain(_ identifiers: Set<String>, hasFailed: Bool = false) throws(ProviderFailure) {
        let new = identifiers.filter { !changes.doubts.contains($0) }
        guard !new.isEmpty, !isClosed else { return }
        try write { writer throws(IndexFailure) in try writer.noteDoubts(new) }
        add(new, failures: hasFailed ? 1 : 0)
    }

    /// Has the provider asked once more, or at all, what it has not said.
    func askAgain(_ accounts: Accounts) throws(ProviderFailure) {
        try askAgain(accounts.unsaid, hasFailed: true)
        try askAgain(accounts.unasked)
    }

    /// As ``askAgain(_:hasFailed:)``; what cannot be written down now is asked in this life only.
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

    /// What the last process did not come to.
    func recoverDoubts() throws(IndexFailure) {
        for identifier in try index.doubts() {
            changes.doubts.add(Doubts.Doubt(identifier: identifier, failures: 0))
        }
        settleDoubts()
    }

    /// Asks at once for what was put off.
    func retryDoubts() {
        changes.doubts.hurry()
        changes.badRounds = 0
        changes.waitingDoubts?.cancel()
        changes.waitingDoubts = nil
        settleDoubts()
    }

    private static let firstPause = 2.0
    private static let longestPause = 3600.0
    /// Between two rounds, when others wait than those that failed.
    private static let longestPauseOfRounds = 60.0

    /// Seconds until the next attempt.
    private static func pause(after failures: Int) -> Double {
        min(firstPause * Double(1 << min(failures, 16)), longestPause)
    }

    private func settleDoubts() {
        guard !isClosed, changes.doubtTask == nil else { return }
        guard let time = changes.doubts.nextTime else { return }
        // After a round of failures the others wait too.
        if changes.badRounds > 0, changes.waitingDoubts != nil { return }
        guard time <= clock.now else {
            let rest = time - clock.now
            // A new one is not to wait as long as old ones do.
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

    /// Asks for one after the other.
    ///
    /// - Returns: whether that was given up for now, because too many failed and none did not.
    private func settleSome() async -> Bool {
        var (failures, successes) = (0, 0)
        while failures < Self.mostFailures, var doubt = changes.doubts.take(at: clock.now), !isClosed {
            let identifier = doubt.identifier
            let question = answers.ask()
            let era = signInEra
            do throws(ProviderFailure) {
                let word = await word(on: identifier)
                guard !isClosed else { return false }
                // What was said of it in the meantime may be newer again.
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
                // It may be doubted anew.
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
                if error.kind == .notAuthenticated { noteSignInNeeded(error, askedIn: era) }
            }
        }
        return failures >= Self.mostFailures && successes == 0
    }

    /// The provider does not have items any more.
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

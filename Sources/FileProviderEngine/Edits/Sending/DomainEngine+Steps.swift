import FileProvider
import LinuxSystem

/// What became of one step towards the provider.
enum StepResult {
    /// Done, or there was nothing to do; what is left is looked at at once.
    case done
    /// Nothing can be done before something becomes of another item.
    case waits(for: ItemNumber)
    /// To be looked at in so many seconds.
    case later(Double)
    /// Somebody will say when.
    case parked
}

/// A failure of this machine's own disk: it is tried again.
struct LocalFailure: Error {
    var errno: Errno
}

/// The engine was closed while the provider was asked: nothing is written any more.
struct EngineClosed: Error {}

/// The synchroniser: looks at the items that differ from what the provider has, and makes the provider equal, a step at a time. Each
/// step may be killed and is done again then.
extension DomainEngine {
    /// Looks at an item soon.
    func look(at number: ItemNumber, after seconds: Double = 0) {
        guard !isClosed else { return }
        if edits.isBusy(number) { edits.again.insert(number) }
        edits.queue.put(number, at: clock.now + seconds)
        pump()
    }

    /// Begins what is due, as much of it as may be under way.
    func pump() {
        guard !isClosed, edits.isReady else { return }
        guard signIn.failure == nil || clock.now >= edits.nextSignInProbe else {
            return wakeUp(at: edits.nextSignInProbe)
        }
        let limit = signIn.failure == nil ? EditState.stepLimit : 1
        while edits.running.count < limit, let number = edits.queue.take(at: clock.now) {
            // It is looked at when its step has ended.
            if edits.isBusy(number) { continue }
            begin(number)
        }
        guard edits.running.count < limit, let time = edits.queue.nextTime() else { return }
        wakeUp(at: time)
    }

    /// Has the queue be looked at again then, or earlier.
    private func wakeUp(at time: Double) {
        if let wake = edits.wake, wake.time <= time { return }
        edits.wake?.waiting.cancel()
        let waiting = clock.run(after: max(0, time - clock.now)) { [weak self] in
            self?.perform { engine in
                engine.edits.wake = nil
                engine.pump()
            }
        }
        edits.wake = (time, waiting)
    }

    private func begin(_ number: ItemNumber) {
        if let other = edits.waitsFor.removeValue(forKey: number) {
            edits.waiters[other]?.remove(number)
            if edits.waiters[other]?.isEmpty == true { edits.waiters[other] = nil }
        }
        edits.questions[number] = answers.ask()
        // Until the step has begun, what it sends is what the journal says now.
        if (try? journal.entry(number))?.changes == .contents { edits.sendsContents.insert(number) }
        edits.running[number] = Task { await self.step(of: number) }
        noteProgress(of: number)
    }

    private func step(of number: ItemNumber) async {
        let era = signInEra
        let result: Result<StepResult, any Error>
        do {
            result = .success(try await send(number))
        } catch {
            result = .failure(error)
        }
        edits.running[number] = nil
        edits.questions[number] = nil
        edits.sendsContents.remove(number)
        guard !isClosed else { return }
        if let successor = edits.successors.removeValue(forKey: number) {
            // What was not sent of it any more is of no use, and what became of the rest the other one finds out.
            removeUploads(of: number)
            forget(number)
            noteProgress(of: successor)
            return look(at: successor, after: configuration.settlingTime)
        }
        defer { noteProgress(of: number) }
        switch result {
        case .success(let result): end(number, result)
        case .failure(let failure as ProviderFailure): fail(number, failure, askedIn: era)
        case .failure(let failure as IndexFailure): fail(number, failure)
        case .failure(let failure as LocalFailure): fail(number, ProviderFailure(failure.errno), askedIn: era)
        case .failure: postpone(number)
        }
        if edits.again.remove(number) != nil { look(at: number, after: configuration.settlingTime) }
        pump()
    }

    private func end(_ number: ItemNumber, _ result: StepResult) {
        switch result {
        case .done:
            edits.attempts[number] = nil
            edits.circles[number] = nil
            uploads.update(number) { $0.failure = nil }
            // It was tried although somebody has to sign in: that was done elsewhere.
            if signIn.failure != nil, clock.now >= edits.nextSignInProbe { retry() }
            noteSignedIn()
            wakeWaiters(of: number)
            do throws(IndexFailure) {
                guard let entry = try journal.entry(number) else { return forget(number) }
                if !entry.changes.isEmpty || !entry.isOpen { edits.queue.put(number, at: clock.now) }
            } catch {
                // What could not be read now is not done with.
                fail(number, error)
            }
        case .waits(let other):
            edits.waitsFor[number] = other
            edits.waiters[other, default: []].insert(number)
            // Should nobody say so, it is looked at again all the same.
            edits.queue.put(number, at: clock.now + edits.pauses.longest)
            // Of two that wait for each other, the one that came first did not know of it, and finds now that it has to go first.
            if waits(other, for: number) {
                let count = edits.circles[other, default: 0] + 1
                edits.circles[other] = count
                edits.queue.put(other, at: clock.now + pause(after: count))
            }
        case .later(let seconds): edits.queue.put(number, at: clock.now + seconds)
        case .parked: break
        }
    }

    private func fail(_ number: ItemNumber, _ failure: ProviderFailure, askedIn era: Int) {
        EngineStep.failed.reach()
        guard !isOutdated(failure, askedIn: era) else { return edits.queue.put(number, at: clock.now) }
        let failure = lasting(failure, of: number)
        uploads.update(number) { $0.failure = failure }
        if failure.kind == .notAuthenticated {
            noteSignInNeeded(failure, askedIn: era)
            // It is sent when somebody has signed in, with everything else.
            return edits.queue.put(number, at: clock.now)
        }
        guard failure.needsPerson else {
            return postpone(number, longest: failure.kind == .noSpace ? Self.longestWaitForSpace : .infinity)
        }
        guard var entry = try? journal.entry(number) else { return }
        // It was refused: an item that is reported at its new place is another one.
        settleMove(of: number)
        entry.failure = failure
        entry.attempts += 1
        // Only what is told of it is lost where this fails.
        try? journal.put(entry)
    }

    /// The index or the journal could not be read or written: nobody but this machine can do something about it, and it is tried again.
    private func fail(_ number: ItemNumber, _ failure: IndexFailure) {
        damage.note(failure)
        uploads.update(number) { $0.failure = ProviderFailure(failure) }
        postpone(number, longest: Self.longestWaitForSpace)
    }

    /// Nobody says when there is room on a disk again: seconds until the next look.
    static let longestWaitForSpace = 10.0

    private func postpone(_ number: ItemNumber, longest: Double = .infinity) {
        let attempt = edits.attempts[number, default: 0] + 1
        edits.attempts[number] = attempt
        let pause = min(pause(after: attempt), longest)
        edits.queue.put(number, at: clock.now + pause)
    }

    /// Seconds until the next attempt.
    func pause(after attempt: Int) -> Double {
        let pauses = edits.pauses
        var generator = edits.generator
        return pauses.seconds(after: attempt, using: &generator)
    }

    /// Looks at those that waited for something to become of an item.
    func wakeWaiters(of number: ItemNumber) {
        guard let waiters = edits.waiters.removeValue(forKey: number) else { return }
        for waiter in waiters {
            edits.waitsFor[waiter] = nil
            edits.queue.put(waiter, at: clock.now)
        }
    }

    /// Forgets an item that has nothing to be sent any more.
    func forget(_ number: ItemNumber) {
        edits.queue.remove(number)
        edits.again.remove(number)
        contents.removals[number] = nil
        edits.sent[number] = nil
        edits.attempts[number] = nil
        edits.circles[number] = nil
        edits.unfit[number] = nil
        uploads.forget(number)
        edits.generations[number] = nil
        settleMove(of: number)
        settleUnanswered(of: number)
        wakeWaiters(of: number)
        lookAtOutdated(number)
        pump()
    }

    /// Whether an item waits for another one, directly or through others.
    func waits(_ number: ItemNumber, for other: ItemNumber) -> Bool {
        var next = edits.waitsFor[number]
        var steps = 0
        while let current = next, steps < 1000 {
            if current == other { return true }
            next = edits.waitsFor[current]
            steps += 1
        }
        return false
    }

    // MARK: One step

    private func send(_ number: ItemNumber) async throws -> StepResult {
        edits.sendsContents.remove(number)
        guard let entry = try journal.entry(number) else { return .done }
        guard let row = try index.itemEvenIfDeleted(number) else {
            // Nothing is here that the entry could be about. What was edited before it was removed goes with it.
            if entry.changes.contains(.deleted) { removeBytes(of: number) }
            try journal.remove(number)
            return .done
        }
        // What became another kind of item at the provider is an item of this machine now.
        if !row.isKnownToProvider, entry.changes.isDisjoint(with: [.created, .deleted]) {
            let parent = try index.item(row.parent) == nil ? ItemNumber.root : row.parent
            try becomeNew(entry, row, in: parent, named: row.name, followedBy: [])
            return .done
        }
        if entry.changes.contains(.deleted) { return try await sendRemoval(entry, row) }
        // A file that is open for writing is sent when it is closed, or some time after it was noted as edited.
        if isOpenForWriting(number), edits.generations[number] == nil, !entry.changes.contains(.place) {
            return .parked
        }
        if entry.changes.contains(.created) { return try await sendNewItem(entry, row) }
        if entry.changes.contains(.place) { return try await sendMove(entry, row) }
        if entry.changes.contains(.contents) {
            edits.sendsContents.insert(number)
            return try await sendContents(entry, row)
        }
        guard entry.isOpen else {
            try confirm([.remove(number)]) { writer throws(IndexFailure) in
                try writer.update(number) { $0.changes = [] }
            }
            return .done
        }
        return .parked
    }

    /// Asks the provider, and goes on only if the engine is still there then.
    func asking<Answer: Sendable>(_ question: () async throws(ProviderFailure) -> Answer) async throws -> Answer {
        let result: Result<Answer, ProviderFailure>
        do throws(ProviderFailure) {
            result = .success(try await question())
        } catch {
            result = .failure(error)
        }
        if isClosed { throw EngineClosed() }
        return try result.get()
    }

    /// Asks the provider to change something. What became of it has to be found out where the answer is lost.
    func askingForChange<Answer: Sendable>(
        _ question: () async throws(ProviderFailure) -> Answer
    ) async throws -> Answer {
        EngineStep.asked.reach()
        let answer = try await asking(question)
        EngineStep.answered.reach()
        return answer
    }

    /// Waits until everything that was written before is on the disk, and goes on only if the engine is still there then.
    func synchronized() async throws {
        let result = await withCheckedContinuation { continuation in
            durable.synchronize { continuation.resume(returning: $0) }
        }
        if isClosed { throw EngineClosed() }
        do throws(Errno) { try result.get() } catch { throw LocalFailure(errno: error) }
    }

    /// Does on another thread what blocks for long, and goes on only if the engine is still there then.
    func blocking<Answer: Sendable>(_ body: @escaping @Sendable () throws -> Answer) async throws -> Answer {
        let result: Result<Answer, any Error> = await withCheckedContinuation { continuation in
            HandlerThreads.shared.run { continuation.resume(returning: Result(catching: body)) }
        }
        if isClosed { throw EngineClosed() }
        return try result.get()
    }

    /// Whether an answer is about an item that was asked for.
    ///
    /// - Parameter identifier: `nil` where the provider may have given the item another one.
    func check(_ answer: ProviderItem, is kind: ProviderItem.Kind, _ identifier: String? = nil) throws(ProviderFailure)
    {
        let isRight =
            !answer.identifier.isEmpty && answer.identifier != ProviderItem.rootIdentifier
            && !answer.identifier.hasPrefix(IndexedItem.localPrefix) && answer.kind == kind
            && (identifier == nil || identifier == answer.identifier)
        guard isRight else {
            throw ProviderFailure(.badAnswer, message: "The provider answered with another item than it was asked for.")
        }
    }
}

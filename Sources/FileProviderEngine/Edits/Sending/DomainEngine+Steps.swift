import FileProvider
import ItemStore
import ItemValues
import LinuxSystem

/// The result of one step. A step consists of an item's next requests to the provider.
enum StepResult {
    /// The step is done, or nothing was to be done. The item's remaining changes are next.
    case done
    /// The step cannot proceed before another item's step has a result.
    case waits(for: ItemNumber)
    /// The step is to be repeated after a number of seconds.
    case later(Double)
    /// The step waits for an event, such as the close of a file.
    case awaitsEvent
}

/// A failure of this machine's own disk. The step is retried.
struct LocalError: Error {
    var errno: Errno
}

/// The engine was closed during a request. Nothing is written any more.
struct EngineClosedError: Error {}

/// The uploader: makes the provider's items equal to the changed local ones, step by step. Each step may be
/// interrupted by a crash, and is then repeated.
extension DomainEngine {
    /// Schedules an item's next step.
    func schedule(_ number: ItemNumber, after seconds: Double = 0) {
        guard !isClosed else { return }
        if edits.table.isBusy(number) { edits.table.wantAgain(number) }
        edits.table.queue(number, at: clock.now + seconds)
        startDueSteps()
    }

    /// Starts due steps up to the concurrency limit.
    func startDueSteps() {
        guard !isClosed, context.isReady, context.resources.gate.isOpen else { return }
        guard !signIn.isNeeded || clock.now >= signIn.nextProbe else {
            return wakeUp(at: signIn.nextProbe)
        }
        let limit = !signIn.isNeeded ? EditState.stepLimit : 1
        while edits.table.running.count < limit, let number = edits.table.firstDue(at: clock.now) {
            startStep(of: number)
        }
        guard edits.table.running.count < limit, let time = edits.table.nextTime() else { return }
        wakeUp(at: time)
    }

    /// Sets the timer that runs the queue, unless it is due earlier already.
    private func wakeUp(at time: Double) {
        if let wake = edits.wake, wake.time <= time { return }
        edits.wake?.waiting.cancel()
        let waiting = clock.run(after: max(0, time - clock.now)) { [weak self] in
            self?.perform { engine in
                engine.edits.wake = nil
                engine.startDueSteps()
            }
        }
        edits.wake = (time, waiting)
    }

    private func startStep(of number: ItemNumber) {
        // The step sends the changes that the journal has now, as long as it has not started.
        let sendsContents = (try? journal.entry(number))?.changes == .contents
        let request = replies.beginRequest()
        let task = Task { await self.step(of: number) }
        edits.table.start(number, UploadStep(task: task, request: request, sendsContents: sendsContents))
        noteProgress(of: number)
    }

    private func step(of number: ItemNumber) async {
        let epoch = signIn.epoch
        let result: Result<StepResult, any Error>
        do {
            result = .success(try await send(number))
        } catch {
            result = .failure(error)
        }
        let step = edits.table.end(number)
        guard !isClosed else { return }
        if let successor = step?.successor {
            // The unsent rest of the replaced item's upload is useless. The successor's step finds out about the sent
            // part.
            removeUploads(of: number)
            forget(number)
            noteProgress(of: successor)
            return schedule(successor, after: configuration.settlingTime)
        }
        defer { noteProgress(of: number) }
        switch result {
        case .success(let result): end(number, result)
        case .failure(let failure as ProviderError): fail(number, failure, sentIn: epoch)
        case .failure(let failure as IndexError): fail(number, failure)
        case .failure(let failure as LocalError): fail(number, ProviderError(failure.errno), sentIn: epoch)
        case .failure: postpone(number)
        }
        if edits.table.takeWantedAgain(number) { schedule(number, after: configuration.settlingTime) }
        startDueSteps()
    }

    private func end(_ number: ItemNumber, _ result: StepResult) {
        switch result {
        case .done:
            edits.table.noteSuccess(number)
            uploads.update(number) { $0.failure = nil }
            // This was the attempt that is made while sign-in is needed. The user has signed in elsewhere.
            if signIn.isNeeded, clock.now >= signIn.nextProbe { retry() }
            signIn.noteSignedIn()
            wakeWaiters(of: number)
            do throws(IndexError) {
                guard let entry = try journal.entry(number) else { return forget(number) }
                // A new item in the place that this one is about to leave has to wait for that.
                if entry.changes.contains(.place), !entry.changes.contains(.deleted) { try noteLeaves(number) }
                if !entry.changes.isEmpty || !entry.isOpen { edits.table.queue(number, at: clock.now) }
            } catch {
                // A journal that cannot be read now may hold more changes.
                fail(number, error)
            }
        case .waits(let other):
            // If no event wakes the item, it is looked at again all the same.
            edits.table.block(number, on: other, until: clock.now + context.backoff.longest)
            // If two items wait for each other, the first one began before it depended on the second. Its next
            // step finds that it has to go first.
            if waits(other, for: number) {
                let count = edits.table.noteCycle(other)
                edits.table.queue(other, at: clock.now + delay(afterAttempt: count))
            }
        case .later(let seconds):
            let time = clock.now + seconds
            if !edits.table.awaitConfirmation(number, until: time) { edits.table.queue(number, at: time) }
        case .awaitsEvent: break
        }
    }

    private func fail(_ number: ItemNumber, _ failure: ProviderError, sentIn epoch: Int) {
        EngineStep.failed.reach()
        guard !signIn.isOutdated(failure, sentIn: epoch) else {
            edits.table.queue(number, at: clock.now)
            return
        }
        let failure = lasting(failure, of: number)
        uploads.update(number) { $0.failure = failure }
        if failure.kind == .notAuthenticated {
            signIn.noteNeeded(failure, sentIn: epoch)
            // The item is sent with all others after the user has signed in.
            edits.table.queue(number, at: clock.now)
            return
        }
        guard failure.needsUser else {
            return postpone(number, longest: failure.kind == .noSpace ? EngineContext.longestWaitForSpace : .infinity)
        }
        guard var entry = try? journal.entry(number) else { return }
        edits.table.park(number)
        // The move was refused: an item that is reported at the new place is another one.
        forgetMove(of: number)
        entry.failure = failure
        entry.attempts += 1
        // If this fails, only the recorded failure is lost.
        try? journal.put(entry)
    }

    /// Handles a failure to read or write the index or the journal. Only this machine can resolve it, so the step is
    /// retried.
    private func fail(_ number: ItemNumber, _ failure: IndexError) {
        damage.note(failure)
        uploads.update(number) { $0.failure = ProviderError(failure) }
        postpone(number, longest: EngineContext.longestWaitForSpace)
    }

    private func postpone(_ number: ItemNumber, longest: Double = .infinity) {
        edits.table.backOff(number) { clock.now + min(delay(afterAttempt: $0), longest) }
    }

    /// Schedules the items that waited for a result of this item.
    func wakeWaiters(of number: ItemNumber) { edits.table.wakeWaiters(of: number, at: clock.now) }

    /// Drops the state of an item that has nothing left to send.
    func forget(_ number: ItemNumber) {
        edits.table.forget(number)
        removalWaits.forget(number)
        uploads.forget(number)
        forgetMove(of: number)
        forgetUnanswered(of: number)
        wakeWaiters(of: number)
        lookAtOutdated(number)
        startDueSteps()
    }

    /// Whether an item waits for another one, directly or indirectly.
    func waits(_ number: ItemNumber, for other: ItemNumber) -> Bool { edits.table.waits(number, for: other) }

    // MARK: One step

    private func send(_ number: ItemNumber) async throws -> StepResult {
        edits.table.setSendsContents(number, false)
        guard let entry = try journal.entry(number) else { return .done }
        guard let row = try index.itemEvenIfDeleted(number) else {
            // No item exists for the entry. Contents that were edited before it was removed are removed with the
            // entry.
            if entry.changes.contains(.deleted) { removeBytes(of: number) }
            try journal.remove(number)
            return .done
        }
        // An item that changed its kind at the provider is a new local item now.
        if !row.isKnownToProvider, entry.changes.isDisjoint(with: [.created, .deleted]) {
            // A file that was only moved locally has no bytes that only this machine has.
            if row.item.kind == .file, !hasOwnContents(row, entry) {
                try drop(number)
                return .done
            }
            let parent = try index.item(row.parent) == nil ? ItemNumber.root : row.parent
            try becomeNew(entry, row, in: parent, named: row.name, followedBy: [])
            return .done
        }
        if row.isKnownToProvider, entry.hasLostIdentifier { return try makeAgain(number) }
        if entry.changes.contains(.deleted) { return try await sendRemoval(entry, row) }
        // A file that is open for writing is sent after it is closed, or some time after it was noted as edited.
        if isOpenForWriting(number), edits.table[number].generation == 0, !entry.changes.contains(.place) {
            return .awaitsEvent
        }
        if entry.changes.contains(.created) { return try await sendNewItem(entry, row) }
        if entry.changes.contains(.place) { return try await sendMove(entry, row) }
        if entry.changes.contains(.contents) {
            edits.table.setSendsContents(number, true)
            return try await sendContents(entry, row)
        }
        guard entry.isOpen else {
            try confirm([.remove(number)]) { writer throws(IndexError) in
                try writer.update(number) { $0.changes = [] }
            }
            return .done
        }
        return .awaitsEvent
    }

    /// Performs a request to the provider.
    ///
    /// - Throws: ``EngineClosedError`` if the engine was closed meanwhile.
    func asking<Answer: Sendable>(_ request: () async throws(ProviderError) -> Answer) async throws -> Answer {
        let result: Result<Answer, ProviderError>
        do throws(ProviderError) {
            result = .success(try await request())
        } catch {
            result = .failure(error)
        }
        if isClosed { throw EngineClosedError() }
        return try result.get()
    }

    /// Performs a request that changes something at the provider. If its reply is lost, a later step finds out the
    /// result.
    func askingForChange<Answer: Sendable>(
        _ request: () async throws(ProviderError) -> Answer
    ) async throws -> Answer {
        EngineStep.asked.reach()
        let answer = try await asking(request)
        EngineStep.answered.reach()
        return answer
    }

    /// Waits until all earlier writes are on disk.
    ///
    /// - Throws: ``EngineClosedError`` if the engine was closed meanwhile.
    func synchronized() async throws {
        let result = await withCheckedContinuation { continuation in
            durable.synchronize { continuation.resume(returning: $0) }
        }
        if isClosed { throw EngineClosedError() }
        do throws(Errno) { try result.get() } catch { throw LocalError(errno: error) }
    }

    /// Performs blocking work on another thread.
    ///
    /// - Throws: ``EngineClosedError`` if the engine was closed meanwhile.
    func blocking<Answer: Sendable>(_ body: @escaping @Sendable () throws -> Answer) async throws -> Answer {
        let result: Result<Answer, any Error> = await withCheckedContinuation { continuation in
            HandlerThreads.shared.run { continuation.resume(returning: Result(catching: body)) }
        }
        if isClosed { throw EngineClosedError() }
        return try result.get()
    }

    /// Checks that a reply is about the item that was requested.
    ///
    /// - Parameter identifier: `nil` if the provider may have given the item another one.
    func check(_ answer: ProviderItem, is kind: ProviderItem.Kind, _ identifier: String? = nil) throws(ProviderError) {
        let isRight =
            !answer.identifier.isEmpty && answer.identifier != ProviderItem.rootIdentifier
            && !answer.identifier.hasPrefix(IndexedItem.localPrefix) && answer.kind == kind
            && (identifier == nil || identifier == answer.identifier)
        guard isRight else {
            throw ProviderError(.badAnswer, message: "The provider answered with another item than it was asked for.")
        }
    }
}

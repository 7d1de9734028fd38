import FileProvider
import FileProviderWire
import ItemStore
import LinuxSystem

/// Schedules the steps that make the provider's items equal to the locally changed ones. A step that a crash interrupts
/// is repeated.
///
/// It calls the sign-in, and sends events, one of which performs a step. Used only on the engine's thread (see
/// ``EngineContext``).
final class UploadScheduler: EngineComponent {
    let context: EngineContext
    let signIn: SignIn
    /// The state of each item's upload.
    var table = UploadTable()
    /// The running steps that send large files, and the items whose steps wait for one of these steps to end.
    var large = LargeUploads()
    /// The timer for the next due step in the table.
    private var wake: (time: Double, waiting: Cancellable)?
    /// Whether a signal arrived and the check of the unconfirmed edits that it caused has not started.
    private var isSignalled = false
    /// The number of times that a signal caused a check of the unconfirmed edits, for tests.
    private(set) var signals = 0

    init(_ context: EngineContext, _ signIn: SignIn) {
        self.context = context
        self.signIn = signIn
    }

    /// Returns the ``ReplyOrdering`` request of the given item's running step, with which stale replies are detected;
    /// `nil` if no step is running.
    func request(of number: ItemNumber) -> ReplyOrdering.Request? { table[number].step?.request }

    /// Schedules the next step of the given item after the given number of seconds, and starts the steps that are due.
    func schedule(
        _ number: ItemNumber, after seconds: Double = 0, _ engine: isolated any EngineEvents
    ) {
        guard !isClosed else { return }
        table.schedule(number, at: clock.now + seconds)
        startDueSteps(engine)
    }

    /// Starts due steps up to the concurrency limit.
    func startDueSteps(_ engine: isolated any EngineEvents) {
        guard !isClosed, context.isReady, context.resources.gate.isOpen else { return }
        guard !signIn.isNeeded || clock.now >= signIn.nextProbe else {
            return wakeUp(at: signIn.nextProbe, engine)
        }
        let limit = !signIn.isNeeded ? configuration.uploadLimit : 1
        while table.running.count < limit, let number = table.firstDue(at: clock.now) {
            guard !isCancelled(number) else {
                table.park(number)
                continue
            }
            startStep(of: number, engine)
        }
        guard table.running.count < limit, let time = table.nextTime() else { return }
        wakeUp(at: time, engine)
    }

    /// Sets the timer that starts due steps to the given time, unless it already fires earlier.
    private func wakeUp(at time: Double, _ engine: isolated any EngineEvents) {
        if let wake, wake.time <= time { return }
        wake?.waiting.cancel()
        wake = (time, later(after: max(0, time - clock.now)) { $0.components.scheduler.timerFired($0) })
    }

    /// Starts the steps that are due when the timer fires.
    func timerFired(_ engine: isolated any EngineEvents) {
        wake = nil
        startDueSteps(engine)
    }

    private func startStep(of number: ItemNumber, _ engine: isolated any EngineEvents) {
        // Until the step runs, the journal shows whether the step will send only new contents. The step then sets this
        // itself.
        let sendsContents = (try? journal.entry(number))?.changes == .contents
        let request = replies.beginRequest()
        let task = Task { await step(of: number, engine) }
        table.start(number, UploadStep(task: task, request: request, sendsContents: sendsContents))
        noteProgress(of: number)
    }

    private func step(of number: ItemNumber, _ engine: isolated any EngineEvents) async {
        let epoch = signIn.epoch
        let result: Result<StepResult, any Error>
        do {
            result = .success(try await engine.sendChanges(of: number))
        } catch {
            result = .failure(error)
        }
        let step = table.end(number)
        guard !isClosed else { return }
        if let next = large.end(number) { table.queue(next, at: clock.now) }
        if let successor = step?.successor {
            // Upload copies that the replaced item still has were not sent. The successor has the copies that may have
            // been sent, and its step finds out whether the provider has their contents.
            folders.removeUploads(of: number)
            forget(number, engine)
            noteProgress(of: successor)
            return schedule(successor, after: configuration.settlingTime, engine)
        }
        defer { noteProgress(of: number) }
        switch result {
        case .success(let result): end(number, result, engine)
        case .failure(let failure as ProviderError): fail(number, failure, sentIn: epoch, engine)
        case .failure(let failure as IndexError): fail(number, failure, engine)
        case .failure(let failure as LocalError): fail(number, ProviderError(failure.errno), sentIn: epoch, engine)
        case .failure: postpone(number)
        }
        if table.takeWantedAgain(number) { schedule(number, after: configuration.settlingTime, engine) }
        startDueSteps(engine)
    }

    private func end(
        _ number: ItemNumber, _ result: StepResult, _ engine: isolated any EngineEvents
    ) {
        switch result {
        case .done:
            table.noteSuccess(number)
            uploads.update(number) { $0.failure = nil }
            // While a sign-in is needed, single steps are attempted. This one succeeded, so the user has signed in with
            // another program.
            if signIn.isNeeded, clock.now >= signIn.nextProbe { engine.retry() }
            signIn.noteSignedIn()
            wakeWaiters(of: number)
            do throws(IndexError) {
                guard let entry = try journal.entry(number) else { return forget(number, engine) }
                // This item is about to leave its place. A new item in the same place must wait until it has left.
                if entry.changes.contains(.place), !entry.changes.contains(.deleted) { try engine.itemWillMove(number) }
                if !entry.changes.isEmpty || !entry.isOpen { table.queue(number, at: clock.now) }
            } catch {
                // The journal may have more changes, but cannot be read now.
                fail(number, error, engine)
            }
        case .waits(let other):
            // If no event wakes the item, its next step starts after this delay.
            table.block(number, on: other, until: clock.now + context.backoff.longest)
            // If the dependency arose while the other item waited, both items wait for each other. The next step of the
            // other item then resolves the cycle.
            if waits(other, for: number) {
                let count = table.noteCycle(other)
                table.queue(other, at: clock.now + delay(afterAttempt: count))
            }
        case .later(let seconds):
            let time = clock.now + seconds
            if !table.awaitConfirmation(number, until: time) { table.queue(number, at: time) }
        case .awaitsEvent: break
        }
    }

    private func fail(
        _ number: ItemNumber, _ failure: ProviderError, sentIn epoch: Int, _ engine: isolated any EngineEvents
    ) {
        EngineStep.failed.reach()
        guard !signIn.isOutdated(failure, sentIn: epoch) else {
            table.queue(number, at: clock.now)
            return
        }
        let failure = lasting(failure, of: number)
        uploads.update(number) { $0.failure = failure }
        if failure.kind == .notAuthenticated {
            signIn.noteNeeded(failure, sentIn: epoch)
            // The item is sent with all others after the user has signed in.
            table.queue(number, at: clock.now)
            return
        }
        guard failure.needsUser else {
            return postpone(number, longest: failure.kind == .noSpace ? EngineContext.longestWaitForSpace : .infinity)
        }
        guard var entry = try? journal.entry(number) else { return }
        table.park(number)
        engine.changeWasRefused(number)
        entry.failure = failure
        entry.attempts += 1
        // If this fails, only the recorded failure is lost.
        try? journal.put(entry)
    }

    /// Handles a step's failure to read or write the index or the journal. The step is retried, because the provider is
    /// not involved in the failure.
    private func fail(
        _ number: ItemNumber, _ failure: IndexError, _ engine: isolated any EngineEvents
    ) {
        damage.note(failure)
        uploads.update(number) { $0.failure = ProviderError(failure) }
        postpone(number, longest: EngineContext.longestWaitForSpace)
    }

    private func postpone(_ number: ItemNumber, longest: Double = .infinity) {
        table.backOff(number) { clock.now + min(delay(afterAttempt: $0), longest) }
    }

    /// Schedules the items that waited for a result of the given item.
    func wakeWaiters(of number: ItemNumber) { table.wakeWaiters(of: number, at: clock.now) }

    /// Drops the upload state of an item that has nothing left to send.
    func forget(_ number: ItemNumber, _ engine: isolated any EngineEvents) {
        table.forget(number)
        uploads.forget(number)
        engine.uploadWasForgotten(number)
        wakeWaiters(of: number)
        engine.uploadIsOver(number)
        startDueSteps(engine)
    }

    /// Makes the given item's next step due now, because another item waits for it. Does nothing if the given item is
    /// blocked.
    func hurry(_ number: ItemNumber) {
        guard table[number].blocker == nil else { return }
        table.queue(number, at: clock.now)
    }

    /// Whether the item `number` waits for the item `other`, directly or indirectly.
    func waits(_ number: ItemNumber, for other: ItemNumber) -> Bool { table.waits(number, for: other) }

    /// The number of consecutive unusable replies after which the edit is parked.
    private static let mostBadAnswers = 5

    /// Returns the given failure of a step, or one that parks the edit if repeating the step is useless.
    func lasting(_ failure: ProviderError, of number: ItemNumber) -> ProviderError {
        guard failure.kind == .badAnswer, table[number].attempts + 1 >= Self.mostBadAnswers else {
            return failure
        }
        return ProviderError(.cannotSynchronize, message: failure.message)
    }

    /// Allows the engine to create the new item once more after an unusable reply, because the user requested a retry.
    func allowMakingAgain(_ entry: JournalEntry) {
        guard entry.failure == .unfitAnswer else { return }
        table.setUnfit(entry.number, .repeatableCreation)
    }

    /// Updates whether the given item is displayed as being sent.
    func noteProgress(of number: ItemNumber) {
        let isUnderWay = table[number].step != nil || table[number].accepted != nil
        uploads.update(number) { state in
            state.isUnderWay = isUnderWay
            if !isUnderWay { (state.sent, state.total) = (0, 0) }
        }
    }

    /// Schedules a check of the edits that await confirmation, because the provider signalled changes. Signals that
    /// arrive before the check cause only one check, because each may concern all of these edits.
    func noteSignalSoon(_ engine: isolated any EngineEvents) {
        guard !isSignalled else { return }
        isSignalled = true
        // Runs behind the signals that are already queued.
        engine.perform { $0.components.scheduler.signalled($0) }
    }

    /// Schedules the steps that ask the provider whether its service has the unconfirmed contents.
    func signalled(_ engine: isolated any EngineEvents) {
        isSignalled = false
        signals += 1
        for number in table.unconfirmed { schedule(number, engine) }
    }

    /// Cancels the running steps and waits until they have ended.
    nonisolated(nonsending) func close() async {
        wake?.waiting.cancel()
        wake = nil
        let tasks = table.running.compactMap { table[$0].step?.task }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}

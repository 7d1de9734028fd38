import DomainMessages
import FileProvider
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Handles the calls from clients that involve several components, or that start outside the engine's thread.
extension DomainEngine {
    // MARK: Sign-in

    /// Sets the function that is called each time a sign-in becomes necessary; `nil` removes it. The function is called
    /// on the engine's thread and must not block.
    package nonisolated func onSignInNeeded(_ receiver: (@Sendable (ProviderError) -> Void)?) {
        resources.signInRequests.function = receiver
    }

    /// Signs in with a password, as ``SignIn/attempt(password:)`` does, and resumes the work that waited for the
    /// sign-in.
    package func signIn(password: String) async throws(ProviderError) {
        try await signIn.attempt(password: password)
        retry()
    }

    // MARK: Listings and changes

    /// Ensures that the index has the portion `need` of a directory's listing. If the index already has it, the
    /// completion handler is called at once, on the calling thread. If the index has the complete listing, but it is
    /// old, the engine then refreshes it in the background.
    ///
    /// - Parameter completion: Called on the calling thread or on the engine's thread; must not block.
    /// - Returns: A handle that cancels the completion handler's wait. The listing itself continues.
    @discardableResult
    package nonisolated func list(
        _ folder: ItemNumber, needs need: ListingNeed,
        completion: @escaping @Sendable (Result<Void, ProviderError>) -> Void
    ) -> Cancellable {
        do throws(ProviderError) {
            let row = try onRecord { () throws(IndexError) in try index.item(folder) }
            guard let row else { throw .noSuchItem }
            if try index.has(need, of: row) {
                completion(.success(()))
                if row.listing == .complete,
                    resources.listingAges.take(folder, now: clock.now, age: configuration.refreshAge)
                {
                    perform { $0.changes.refreshes.refresh(folder, $0) }
                }
                return .over
            }
        } catch {
            completion(.failure(error))
            return .over
        }
        let answer = EngineCompletion<Void>(completion)
        perform { $0.enumerator.wait(for: folder, need, answer, $0) }
        return Cancellable { answer.cancel() }
    }

    /// Waits until the index has the portion `need` of a directory's listing. Cancelling the task ends the wait.
    package nonisolated func wait(for folder: ItemNumber, _ need: ListingNeed) async throws {
        let waiting = Lock<Cancellable?>(nil)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let made = list(folder, needs: need) { continuation.resume(returning: $0) }
                waiting.withLock { $0 = made }
                // If the task was cancelled before `waiting` was set, the cancellation handler could not cancel the
                // wait.
                if Task.isCancelled { made.cancel() }
            }
        } onCancel: {
            waiting.withLock { $0 }?.cancel()
        }
        try result.get()
    }

    // MARK: Changes

    /// Handles the provider's signal that a container has changes: requests the changes now. If a request is already
    /// running, all signals that arrive before its end cause one further request.
    ///
    /// - Parameter container: The identifier of a directory or of the working set; `nil` for all known containers.
    package nonisolated func signal(container: String?) {
        perform { engine in
            engine.scheduler.noteSignalSoon(engine)
            engine.changes.signalled(container: container ?? ProviderItem.workingSetIdentifier, engine)
        }
    }

    /// Returns the items that the index knows to be in the trash, without waiting for the provider. If the change feed
    /// does not include the trash, starts a listing of the trash in the background.
    package nonisolated func trashed() throws(IndexError) -> [ProviderItem] {
        perform { $0.trash.enumeration.noteLook($0) }
        return try index.trashed()
    }

    /// Whether the provider has a trash, or `unknown` if the engine has not found out yet.
    package nonisolated var trashSupport: TrashSupport { resources.trashSupport.withLock { $0 } }

    /// Calls the completion handler when it is known whether the provider has a trash. The engine learns this from the
    /// first listing of the trash. If no listing is expected soon, the handler receives `unknown` at once.
    ///
    /// - Parameters:
    ///   - seconds: The maximum duration of the wait, after which the handler receives `unknown`.
    ///   - completion: Called once, on any thread; must not block.
    package nonisolated func whenTrashSupportIsKnown(
        upTo seconds: Double, _ completion: @escaping @Sendable (TrashSupport) -> Void
    ) {
        let known = trashSupport
        guard known == .unknown else { return completion(known) }
        let answer = OneShotCompletion<TrashSupport>(completion)
        clock.run(after: seconds) { [weak self] in answer.complete(self?.trashSupport ?? .unknown) }
        // The engine lists the trash only after it has listed the root.
        list(.root, needs: .complete) { _ in }
        perform { engine in
            engine.trash.enumeration.beginIfRequested(engine)
            // After a failed listing, the next attempt may be later than the caller's deadline.
            guard engine.trash.enumeration.isExpected else { return answer.complete(engine.trashSupport) }
            engine.trash.support.wait(answer)
        }
    }

    /// Returns up to `limit` most recently used files, latest first, including files that are open. Sends no request to
    /// the provider.
    package nonisolated func recents(limit: Int) throws(IndexError) -> [FoundItem] {
        // Read the uses before the index. A use is dropped from memory only after it was written to the index, so no
        // use is missed.
        let uses = resources.openFiles.withLock { $0.personal.all }
        var items = try index.recents(limit: limit)
        for (number, time) in uses {
            if let place = items.firstIndex(where: { $0.item.number == number }) {
                items[place].metadata.lastUsed = max(items[place].metadata.lastUsed ?? 0, time)
            } else if var item = try index.found(number), item.item.item.kind == .file {
                item.metadata.lastUsed = max(item.metadata.lastUsed ?? 0, time)
                items.append(item)
            }
        }
        items.sort { ($0.metadata.lastUsed ?? 0) > ($1.metadata.lastUsed ?? 0) }
        return Array(items.prefix(limit))
    }

    /// Returns the item with the given identifier from the index. If the index does not have it, requests it from the
    /// provider.
    ///
    /// - Throws: ``ProviderError/Kind/noSuchItem``, also for an item that was removed locally.
    package func learn(of identifier: String) async throws(ProviderError) -> IndexedItem {
        try await reconciler.learn(of: identifier, self)
    }

    // MARK: Edits

    /// Waits until the provider has all local edits, and then until the index has all changes that the provider has
    /// made so far.
    ///
    /// - Parameter waiter: See ``EditProgress/waitForEdits(below:from:)``.
    package func waitForBothSides(from waiter: EditWaiter = .other) async throws(ProviderError) {
        let own = try await progress.waitForEdits(from: waiter)
        guard !context.isClosed else { throw .closed }
        changes.signalled(container: ProviderItem.workingSetIdentifier, self)
        var suspicion = DeadlockSuspicion(of: waiter)
        try await progress.look { () throws(ProviderError) in
            guard changes.running.isEmpty, enumerator.count == 0 else {
                let isStuck = try progress.isStuck(listing: enumerator.foldersAwaitingIdentifiers, inside: own)
                try suspicion.note(isStuck, at: clock.now)
                return false
            }
            if let failure = context.requestFailure { throw failure }
            return true
        }
    }

    /// The number of times that a signal caused a check of the unconfirmed edits, for tests.
    package var signalCount: Int { scheduler.signals }

    /// Records the progress that the provider reports for an upload.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the uploaded item.
    ///   - sent: The number of bytes that were sent.
    ///   - total: The total number of bytes.
    package func noteUpload(of identifier: String, sent: Int64, total: Int64) {
        guard sent >= 0, total >= sent, let row = try? index.item(identifier: identifier), !row.changes.isEmpty else {
            return
        }
        uploads.update(row.number) { ($0.sent, $0.total) = (sent, total) }
        configuration.states?.note(row.number)
    }

    /// Sends the given kinds of an item's user metadata again, as if the user had just set them.
    package func sendMetadataAgain(_ kinds: MetadataKinds, of number: ItemNumber) throws(EditError) {
        guard !kinds.isEmpty else { return }
        let known = try reading { () throws(IndexError) in try index.metadata(of: number) }
        try metadata.set(kinds, [number: known], self)
    }

    /// Retries immediately all edits and requests that wait because of a failure, including edits that wait for the
    /// user. Called when the cause may be gone, for example after the user signed in or freed space. Edits whose upload
    /// was cancelled still wait for ``sendCancelled()``.
    package func retry() {
        signIn.forgetFailedAttempts()
        resolved()
    }

    /// Retries as ``retry()`` does, after the provider reported that an error is resolved. Does not reset the count of
    /// failed sign-in attempts, because the provider does not know about these attempts.
    package func resolved() {
        signIn.resolve()
        changes.retry(self)
        reconciler.revalidation.retry(self)
        trash.enumeration.retry(self)
        metadata.retry(self)
        pinning.retry(self)
        outdated.retryOutdated(self)
        guard let entries = try? context.journal.all() else { return }
        for entry in entries where !entry.isCancelled {
            scheduler.table.forgetFailures(of: entry.number)
            uploads.update(entry.number) { $0.failure = nil }
            if entry.failure != nil {
                scheduler.allowMakingAgain(entry)
                var entry = entry
                entry.failure = nil
                try? context.journal.put(entry)
            }
            scheduler.schedule(entry.number, self)
        }
    }

    // MARK: Pausing

    /// Pauses background transfers, or resumes them.
    package func setPaused(_ isPaused: Bool) {
        context.resources.gate.set(isOpen: !isPaused)
        configuration.states?.noteDomain()
        guard !isPaused, !context.isClosed else { return }
        scheduler.startDueSteps(self)
        metadata.sendDue(self)
        pinning.materializeMissing(self)
    }
}

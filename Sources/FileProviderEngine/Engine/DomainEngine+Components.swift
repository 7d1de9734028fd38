import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// The calls of clients that components serve.
extension DomainEngine {
    // MARK: Sign-in

    package func signInStatus() -> SignInStatus { signIn.status }

    /// Sets the function that is called each time a sign-in becomes necessary. It is called on the engine's thread
    /// and must not block.
    package nonisolated func onSignInNeeded(_ receiver: (@Sendable (ProviderError) -> Void)?) {
        resources.signInRequests.function = receiver
    }

    /// Signs in with a password, as ``SignIn/attempt(password:)`` does, and resumes what waited for the sign-in.
    package func signIn(password: String) async throws(ProviderError) {
        try await signIn.attempt(password: password)
        retry()
    }

    /// Counts a failed attempt to sign in through the provider's own user interface. Ignored if no sign-in is needed.
    package func noteFailedSignIn(_ failure: ProviderError) { signIn.noteFailedAttempt(failure) }

    // MARK: Listings

    /// Ensures that the index has the portion of a directory's listing that a caller needs. If the index has it
    /// already, the completion handler is called at once, on the calling thread. A directory that was listed before
    /// is then refreshed in the background.
    ///
    /// - Parameter completion: Called on the calling thread or on the engine's thread; must not block.
    /// - Returns: An object that cancels the wait. The listing continues.
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

    /// Waits until the index has the portion of a directory's listing that is needed. Cancelling the task cancels the
    /// wait.
    package nonisolated func wait(for folder: ItemNumber, _ need: ListingNeed) async throws {
        let waiting = Lock<Cancellable?>(nil)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let made = list(folder, needs: need) { continuation.resume(returning: $0) }
                waiting.withLock { $0 = made }
                // The task may have been cancelled before there was a wait to cancel.
                if Task.isCancelled { made.cancel() }
            }
        } onCancel: {
            waiting.withLock { $0 }?.cancel()
        }
        try result.get()
    }

    // MARK: Changes

    /// Handles a signal: requests the changes now. Signals that arrive meanwhile are merged.
    ///
    /// - Parameter container: The identifier of a directory or of the working set; `nil` for all known containers.
    package nonisolated func signal(container: String?) {
        perform { engine in
            engine.scheduler.noteSignalSoon(engine)
            engine.changes.signalled(container: container ?? ProviderItem.workingSetIdentifier, engine)
        }
    }

    // MARK: Items by identifier

    /// Returns the item of an identifier from the index. Requests it from the provider if it is not known yet.
    ///
    /// - Throws: ``ProviderError/Kind/noSuchItem``, also for an item that was removed locally.
    package func learn(of identifier: String) async throws(ProviderError) -> IndexedItem {
        try await reconciler.learn(of: identifier, self)
    }

    // MARK: Trash

    /// Returns the items that are known to be in the trash, without waiting for the provider. If no change feed
    /// reports changes of the trash, it is listed in the background.
    package nonisolated func trashed() throws(IndexError) -> [ProviderItem] {
        perform { $0.trash.enumeration.noteLook($0) }
        return try index.trashed()
    }

    /// Restores an item from the trash. Waits for the provider.
    ///
    /// - Parameter folder: The directory to move the item to; `nil` for its former one.
    /// - Throws: A failure of kind `transient` while the local removal is not sent yet. When sent, it would move the
    ///   item to the trash again.
    package func untrash(_ identifier: String, to folder: ItemNumber? = nil) async throws(ProviderError) {
        try await trash.restore(identifier, to: folder, self)
    }

    /// Removes an item from the trash permanently. A directory is removed with everything in it. Waits for the
    /// provider. An item that was restored meanwhile is not removed.
    package func removeFromTrash(_ identifier: String) async throws(ProviderError) {
        try await trash.remove(identifier, self)
    }

    // MARK: Pinning

    /// Pins or unpins an item. Pinning a directory pins everything in it.
    package func pin(_ number: ItemNumber, _ isPinned: Bool) throws(ProviderError) {
        try pinning.pin(openFiles.currentNumber(number), isPinned, self)
    }

    // MARK: User metadata

    /// Replaces an item's tags.
    package func setTags(_ names: [String], of number: ItemNumber) throws(EditError) {
        try metadata.setTags(names, of: number, self)
    }

    /// Adds tags to an item and removes others. The change is atomic on the engine's thread, so that concurrent changes
    /// by other local clients are preserved.
    ///
    /// - Returns: The item's new tags.
    /// - Throws: `EINVAL` for an invalid tag and for more than ``TagList/most``.
    package func changeTags(
        adding added: [String], removing removed: [String], of number: ItemNumber
    ) throws(EditError) -> [String] {
        try metadata.changeTags(adding: added, removing: removed, of: number, self)
    }

    /// Adds an item to the end of the favourites, or removes it from them. An item that is a favourite keeps its rank.
    package func setFavorite(_ isFavorite: Bool, of number: ItemNumber) throws(EditError) {
        try metadata.setFavorite(isFavorite, of: number, self)
    }

    /// Sets an item's last-used date, in seconds since 1970.
    package func setLastUsed(_ time: Double, of number: ItemNumber) throws(EditError) {
        try metadata.setLastUsed(time, of: number, self)
    }
}

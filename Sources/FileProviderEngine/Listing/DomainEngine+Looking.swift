import FileProvider
import LinuxSystem

/// Lookups in directories.
extension DomainEngine {
    /// Ensures that the index has the portion of a directory's listing that a caller needs. If the index has it
    /// already, the completion handler is called at once, on the calling thread. A directory that was listed before
    /// is then refreshed in the background.
    ///
    /// - Parameter completion: called on the calling thread or on the engine's thread; must not block.
    /// - Returns: an object that cancels the wait. The listing continues.
    @discardableResult
    package nonisolated func list(
        _ folder: ItemNumber, needs need: ListingNeed,
        completion: @escaping @Sendable (Result<Void, ProviderFailure>) -> Void
    ) -> Waiting {
        do throws(ProviderFailure) {
            let row = try onRecord { () throws(IndexFailure) in try index.item(folder) }
            guard let row else { throw .noSuchItem }
            if try isAnswered(need, row) {
                completion(.success(()))
                if row.listing == .complete, listingAges.take(folder, now: clock.now, age: configuration.refreshAge) {
                    perform { $0.refresh(folder) }
                }
                return .over
            }
        } catch {
            completion(.failure(error))
            return .over
        }
        let answer = EngineCompletion<Void>(completion)
        perform { $0.wait(for: folder, need, answer) }
        return Waiting { answer.cancel() }
    }

    /// Whether the index has the portion of a directory's listing that a caller needs.
    private nonisolated func isAnswered(_ need: ListingNeed, _ row: IndexedItem) throws(ProviderFailure) -> Bool {
        guard row.item.kind == .folder else {
            throw ProviderFailure(.unsupported, message: "“\(row.name)” is not a folder.")
        }
        if row.listing == .complete || !row.isKnownToProvider { return true }
        return try onRecord { () throws(IndexFailure) in
            switch need {
            case .complete: return false
            case .item(let name): return try index.item(named: name, in: row.number) != nil
            case .more(let number):
                var isThere = false
                try index.children(of: row.number, after: number, limit: 1) { _ in
                    isThere = true
                    return false
                }
                return isThere
            }
        }
    }

    private func wait(for folder: ItemNumber, _ need: ListingNeed, _ answer: EngineCompletion<Void>) {
        do throws(ProviderFailure) {
            guard !isClosed else { throw .closed }
            // A page may have arrived meanwhile.
            if try isAnswered(need, try row(folder)) { return answer.complete(.success(())) }
            startListing(folder, isRefresh: false)
            listings.nextWaiter += 1
            let key = listings.nextWaiter
            listings.folders[folder]?.waiters[key] = .init(need: need, answer: answer)
        } catch {
            answer.complete(.failure(error))
        }
    }

    /// Completes the waiters whose need is met by the pages that have arrived.
    func answerWaiters(of folder: ItemNumber) {
        guard let waiters = listings.folders[folder]?.waiters, !waiters.isEmpty else { return }
        for (key, waiter) in waiters {
            do throws(ProviderFailure) {
                guard try isAnswered(waiter.need, try row(folder)) else { continue }
                waiter.answer.complete(.success(()))
            } catch {
                waiter.answer.complete(.failure(error))
            }
            listings.folders[folder]?.waiters[key] = nil
        }
    }

    // MARK: Asking again

    /// Refreshes a directory that was listed before: by its changes if it has an anchor, otherwise by a complete
    /// listing.
    func refresh(_ folder: ItemNumber) {
        guard !isClosed, listings.folders[folder] == nil, !listings.refreshing.contains(folder),
            listings.queuedForRefresh.insert(folder).inserted
        else { return }
        listings.refreshQueue.append(folder)
        startNextRefreshes()
    }

    /// Refreshes a directory that may have changed. If a refresh is in progress, another one follows, because the
    /// first may have missed the change.
    func refreshAnew(_ folder: ItemNumber) {
        if listings.folders[folder] != nil {
            listings.folders[folder]?.isWantedAgain = true
        } else if listings.refreshing.contains(folder), let row = try? row(folder) {
            signalled(container: row.item.identifier)
        } else {
            refresh(folder)
        }
    }

    /// Refreshes a directory later because the disk was full during its listing. No event reports free space, so this
    /// happens after a fixed delay.
    func refreshOnceThereIsRoom(_ folder: ItemNumber) {
        let isFirst = listings.waitingForRoom.isEmpty
        listings.waitingForRoom.insert(folder)
        guard isFirst else { return }
        clock.run(after: Self.longestWaitForSpace) { [weak self] in
            self?.perform { engine in
                let folders = engine.listings.waitingForRoom
                engine.listings.waitingForRoom = []
                for folder in folders { engine.refresh(folder) }
            }
        }
    }

    private func startNextRefreshes() {
        while listings.refreshing.count < configuration.listingLimit, !listings.refreshQueue.isEmpty, !isClosed {
            let folder = listings.refreshQueue.removeFirst()
            listings.queuedForRefresh.remove(folder)
            guard listings.folders[folder] == nil, let row = try? row(folder), row.isKnownToProvider else { continue }
            listings.refreshing.insert(folder)
            if (try? anchor(of: row.item.identifier)) ?? nil != nil {
                signalled(container: row.item.identifier, isRefresh: folder)
            } else {
                startListing(folder, isRefresh: true)
            }
        }
    }

    /// Ends the refresh of a directory, whether it succeeded or not, and starts the next ones.
    func refreshed(_ folder: ItemNumber) {
        guard listings.refreshing.remove(folder) != nil else { return }
        startNextRefreshes()
    }
}

import FileProvider
import LinuxSystem

/// Refreshes of directories that were listed before.
extension DomainEngine {
    /// Refreshes a directory that was listed before: by its changes if it has an anchor, otherwise by a complete
    /// listing.
    func refresh(_ folder: ItemNumber) {
        guard !isClosed, !enumerator.isListing(folder), !changes.refreshing.contains(folder),
            changes.queuedForRefresh.insert(folder).inserted
        else { return }
        changes.refreshQueue.append(folder)
        startNextRefreshes()
    }

    /// Refreshes a directory that may have changed. If a refresh is in progress, another one follows, because the
    /// first may have missed the change.
    func refreshAnew(_ folder: ItemNumber) {
        if enumerator.noteChange(in: folder) { return }
        if changes.refreshing.contains(folder), let row = try? row(folder) {
            signalled(container: row.item.identifier)
        } else {
            refresh(folder)
        }
    }

    /// Refreshes a directory later because the disk was full during its listing. No event reports free space, so this
    /// happens after a fixed delay.
    private func refreshOnceThereIsRoom(_ folder: ItemNumber) {
        let isFirst = changes.waitingForRoom.isEmpty
        changes.waitingForRoom.insert(folder)
        guard isFirst else { return }
        clock.run(after: Self.longestWaitForSpace) { [weak self] in
            self?.perform { engine in
                let folders = engine.changes.waitingForRoom
                engine.changes.waitingForRoom = []
                for folder in folders { engine.refresh(folder) }
            }
        }
    }

    private func startNextRefreshes() {
        while changes.refreshing.count < configuration.listingLimit, !changes.refreshQueue.isEmpty, !isClosed {
            let folder = changes.refreshQueue.removeFirst()
            changes.queuedForRefresh.remove(folder)
            guard !enumerator.isListing(folder), let row = try? row(folder), row.isKnownToProvider else { continue }
            changes.refreshing.insert(folder)
            if (try? anchor(of: row.item.identifier)) ?? nil != nil {
                signalled(container: row.item.identifier, isRefresh: folder)
            } else {
                startListing(folder, isRefresh: true)
            }
        }
    }

    /// Ends the refresh of a directory, whether it succeeded or not, and starts the next ones.
    func refreshed(_ folder: ItemNumber) {
        guard changes.refreshing.remove(folder) != nil else { return }
        startNextRefreshes()
    }

    /// Ends the refresh of a directory that was listed, and schedules another one after a failure or a change.
    func noteListing(_ end: ListingEnd) {
        if let failure = end.failure {
            if failure.kind == .noSpace, end.isRefresh { refreshOnceThereIsRoom(end.folder) }
            noteOutdatedFailed(end.folder, failure)
        } else {
            changes.outdatedFailures = 0
        }
        refreshed(end.folder)
        if end.isWantedAgain { refresh(end.folder) }
    }
}

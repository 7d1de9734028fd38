import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Refreshes directories that were listed before. For a directory with a sync anchor, a refresh requests the changes
/// since that anchor. Any other directory is listed again.
///
/// A directory is outdated if it may have changed in a way that no change feed reports: before its first sync anchor
/// was obtained, or after its anchor expired. The index records outdated directories, so that they are refreshed even
/// if the engine is restarted or the provider cannot be reached at first.
///
/// It is a part of ``ChangeTracker``.
final class DirectoryRefreshes {
    private let context: EngineContext
    private let enumerator: Enumerator
    /// The directories that wait for a refresh, in order.
    private var queue: [ItemNumber] = []
    /// The same directories as in ``queue``.
    private var queued: Set<ItemNumber> = []
    /// The directories that are being refreshed.
    private var running: Set<ItemNumber> = []
    /// The directories that are to be refreshed later because the disk was full.
    private var waitingForRoom: Set<ItemNumber> = []
    /// The timer for the next refresh of outdated directories.
    private var timer: Cancellable?
    /// The number of consecutive failures to list an outdated directory.
    private var failures = 0

    init(_ context: EngineContext, _ enumerator: Enumerator) {
        self.context = context
        self.enumerator = enumerator
    }

    /// Whether the directory with the given identifier waits for a refresh.
    func isQueued(_ identifier: String) -> Bool {
        guard !queued.isEmpty, let row = try? context.index.item(identifier: identifier) else { return false }
        return queued.contains(row.number)
    }

    /// Drops all refreshes, because the engine is closed.
    func cancel() {
        timer?.cancel()
        (queue, queued, running, waitingForRoom) = ([], [], [], [])
    }

    // MARK: One directory

    /// Refreshes a directory, unless it is already being refreshed or listed.
    func refresh(_ folder: ItemNumber, _ engine: isolated any EngineEvents) {
        guard !context.isClosed, !enumerator.isListing(folder), !running.contains(folder),
            queued.insert(folder).inserted
        else { return }
        queue.append(folder)
        startNext(engine)
    }

    /// Refreshes a directory that may have changed. If a refresh of the directory is in progress, it is refreshed once
    /// more afterwards, because the running refresh may have missed the change.
    func refreshAnew(_ folder: ItemNumber, _ engine: isolated any EngineEvents) {
        if enumerator.noteChange(in: folder) { return }
        if running.contains(folder), let row = try? context.row(of: folder) {
            engine.changesAreWanted(in: row.item.identifier, isRefresh: nil)
        } else {
            refresh(folder, engine)
        }
    }

    private func startNext(_ engine: isolated any EngineEvents) {
        while running.count < context.configuration.listingLimit, !queue.isEmpty, !context.isClosed {
            let folder = queue.removeFirst()
            queued.remove(folder)
            guard !enumerator.isListing(folder), let row = try? context.row(of: folder), row.isKnownToProvider else {
                continue
            }
            running.insert(folder)
            if (try? context.anchor(of: row.item.identifier)) ?? nil != nil {
                engine.changesAreWanted(in: row.item.identifier, isRefresh: folder)
            } else {
                enumerator.start(folder, isRefresh: true, engine)
            }
        }
    }

    /// Records that the refresh of the given directory has ended, successfully or not, and starts the next refreshes.
    func refreshed(_ folder: ItemNumber, _ engine: isolated any EngineEvents) {
        guard running.remove(folder) != nil else { return }
        startNext(engine)
    }

    /// Records that the listing of a directory has ended. Schedules another refresh if the listing failed, or if the
    /// directory changed during the listing.
    func listingEnded(_ end: ListingEnd, _ engine: isolated any EngineEvents) {
        if let failure = end.failure {
            if failure.kind == .noSpace, end.isRefresh { refreshOnceThereIsRoom(end.folder, engine) }
            noteFailure(failure, in: end.folder, engine)
        } else {
            failures = 0
        }
        refreshed(end.folder, engine)
        if end.isWantedAgain { refresh(end.folder, engine) }
    }

    /// Schedules a refresh of a directory whose listing failed because the disk was full. No event reports free space,
    /// so the refresh begins after a fixed delay.
    private func refreshOnceThereIsRoom(_ folder: ItemNumber, _ engine: isolated any EngineEvents) {
        let isFirst = waitingForRoom.isEmpty
        waitingForRoom.insert(folder)
        guard isFirst else { return }
        context.clock.run(after: EngineContext.longestWaitForSpace) { [weak engine] in
            engine?.perform { $0.changes.refreshes.waitForRoomEnded($0) }
        }
    }

    func waitForRoomEnded(_ engine: isolated any EngineEvents) {
        let folders = waitingForRoom
        waitingForRoom = []
        for folder in folders { refresh(folder, engine) }
    }

    // MARK: Outdated directories

    private static let firstPause = 2.0
    private static let longestPause = 300.0

    /// Refreshes the outdated directories, except those with a refresh in progress.
    func refreshOutdated(_ engine: isolated any EngineEvents) {
        timer?.cancel()
        timer = nil
        do throws(ProviderError) {
            for folder in try outdatedFolders() { refresh(folder, engine) }
        } catch {
            context.recordBackgroundError(error)
        }
    }

    /// Refreshes the outdated directories after changes that no change feed reports. A directory with a listing or
    /// refresh in progress is refreshed once more afterwards.
    func refreshOutdatedAnew(_ engine: isolated any EngineEvents) throws(ProviderError) {
        // The index cannot mark a directory as outdated before its first listing is complete. Therefore all running
        // listings are repeated.
        enumerator.noteChangeEverywhere()
        for folder in try outdatedFolders() { refreshAnew(folder, engine) }
    }

    /// Returns the outdated directories. A directory without a complete listing is omitted and no longer recorded as
    /// outdated, unless its items may have new identifiers.
    private func outdatedFolders() throws(ProviderError) -> [ItemNumber] {
        var folders: [ItemNumber] = []
        var others: [String] = []
        try onRecord { () throws(IndexError) in
            let reidentified = try context.index.reidentifiedFolders()
            for identifier in try context.index.outdatedFolders() {
                if let row = try context.index.item(identifier: identifier),
                    row.listing == .complete || reidentified.contains(row.number)
                {
                    folders.append(row.number)
                } else {
                    others.append(identifier)
                }
            }
        }
        if !others.isEmpty {
            try context.write { writer throws(IndexError) in
                for identifier in others { try writer.setOutdated(false, identifier) }
            }
        }
        return folders
    }

    /// Handles a failed listing of a directory. If the directory is outdated, schedules another refresh of all outdated
    /// directories. A failure that only the user can resolve causes no retry before the user has acted.
    private func noteFailure(
        _ failure: ProviderError, in folder: ItemNumber, _ engine: isolated any EngineEvents
    ) {
        guard failure.isWorthAnotherAttempt, timer == nil, !context.isClosed, let folders = try? outdatedFolders(),
            folders.contains(folder)
        else { return }
        let pause = min(Self.firstPause * Double(1 << min(failures, 16)), Self.longestPause)
        failures += 1
        timer = context.clock.run(after: pause) { [weak engine] in
            engine?.perform { $0.changes.refreshes.refreshOutdated($0) }
        }
    }
}

import FileProvider

/// Outdated directories, in which something may have changed that no feed reports: before the first sync anchor, or
/// since one that expired. Each is requested by itself. The remaining ones are recorded in the index, so that neither
/// a restart nor an unreachable provider hides changes in them.
extension DomainEngine {
    private static let firstPause = 2.0
    private static let longestPause = 300.0

    /// Whether something may have changed in a directory since its changes were requested.
    func isWantedAgain(_ container: String) -> Bool {
        if changes.running[container] == true { return true }
        guard !changes.queuedForRefresh.isEmpty, let row = try? index.item(identifier: container) else { return false }
        return changes.queuedForRefresh.contains(row.number)
    }

    /// Refreshes the outdated directories, unless that is in progress.
    func askForOutdated() {
        changes.waitingForOutdated?.cancel()
        changes.waitingForOutdated = nil
        do throws(ProviderFailure) {
            for folder in try outdatedFolders() { refresh(folder) }
        } catch {
            remember(error)
        }
    }

    /// Returns the outdated directories, and drops those that are no longer listed directories.
    func outdatedFolders() throws(ProviderFailure) -> [ItemNumber] {
        var folders: [ItemNumber] = []
        var others: [String] = []
        try onRecord { () throws(IndexFailure) in
            for identifier in try index.outdatedFolders() {
                if let row = try index.item(identifier: identifier), row.listing == .complete {
                    folders.append(row.number)
                } else {
                    others.append(identifier)
                }
            }
        }
        if !others.isEmpty {
            try write { writer throws(IndexFailure) in
                for identifier in others { try writer.setOutdated(false, identifier) }
            }
        }
        return folders
    }

    /// Handles a failure to list a directory anew. If it is outdated, schedules another refresh of all outdated
    /// directories. Failures that need the user are retried after the user has acted.
    func noteOutdatedFailed(_ folder: ItemNumber, _ failure: ProviderFailure) {
        guard failure.isWorthAnotherAttempt, changes.waitingForOutdated == nil, !isClosed,
            let folders = try? outdatedFolders(), folders.contains(folder)
        else { return }
        let pause = min(Self.firstPause * Double(1 << min(changes.outdatedFailures, 16)), Self.longestPause)
        changes.outdatedFailures += 1
        changes.waitingForOutdated = clock.run(after: pause) { [weak self] in
            self?.perform { $0.askForOutdated() }
        }
    }
}

import FileProvider

/// Folders in which something may have happened that no feed tells of: before the first anchor of all, or since one that expired. Each is
/// asked for by itself, and those that are left are written down, so that neither the end of this process nor a provider that cannot be
/// reached hides what happened in them.
extension DomainEngine {
    private static let firstPause = 2.0
    private static let longestPause = 300.0

    /// Whether something may have happened in a folder since its changes were asked for.
    func isWantedAgain(_ container: String) -> Bool {
        if changes.running[container] == true { return true }
        guard !listings.queuedForRefresh.isEmpty, let row = try? index.item(identifier: container) else { return false }
        return listings.queuedForRefresh.contains(row.number)
    }

    /// Asks for those that are left, unless that is under way.
    func askForOutdated() {
        listings.waitingForOutdated?.cancel()
        listings.waitingForOutdated = nil
        do throws(ProviderFailure) {
            for folder in try outdatedFolders() { refresh(folder) }
        } catch {
            remember(error)
        }
    }

    /// What is left; those that are no listed folders any more are forgotten.
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

    /// A folder could not be listed anew. If it is one of these, they are asked for again, later; those that wait for a person, when a
    /// person has seen to it.
    func noteOutdatedFailed(_ folder: ItemNumber, _ failure: ProviderFailure) {
        guard failure.isWorthAnotherAttempt, listings.waitingForOutdated == nil, !isClosed,
            let folders = try? outdatedFolders(), folders.contains(folder)
        else { return }
        let pause = min(Self.firstPause * Double(1 << min(listings.outdatedFailures, 16)), Self.longestPause)
        listings.outdatedFailures += 1
        listings.waitingForOutdated = clock.run(after: pause) { [weak self] in
            self?.perform { $0.askForOutdated() }
        }
    }
}

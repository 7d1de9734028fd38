import DomainMessages
import FileProvider
import LinuxSystem

/// Follows the changes that the daemon reports, across restarts of the daemon.
extension Browser {
    /// Follows the daemon's changes until the task is cancelled. If the connection is lost, connects again and reads
    /// all data again.
    func follow() async {
        while !Task.isCancelled {
            do throws(BrowserError) {
                // The position in the sequence of changes is requested first, so that no later change is missed.
                var position = try await daemon.call(FollowStatesCall(position: 0)).position
                isConnected = true
                try await updateDomains()
                whenChanged(.banner)
                loadAgain()
                while !Task.isCancelled {
                    let news = try await daemon.call(FollowStatesCall(position: position))
                    position = news.position
                    try await take(news)
                }
            } catch {
                if Task.isCancelled { return }
                isConnected = false
                if !areDomainsKnown, error.kind == .disconnected { listingError = error }
                whenChanged(.banner)
                whenChanged(.places)
                await daemon.waitForDaemon()
            }
        }
    }

    /// Reads the state of the domains. If this fails, the last known state stays.
    func readDomains() async { try? await updateDomains() }

    /// Reads the state of the domains. The state is at least as new as this call.
    private func updateDomains() async throws(BrowserError) {
        try await domainReading.read { [daemon, weak self] () throws(BrowserError) in
            let status = try await daemon.call(DomainsStatusCall())
            if !Task.isCancelled { self?.show(status) }
        }
    }

    private func show(_ status: DomainsStatusCall.Reply) {
        // Polling is resumed even if the state has not changed, because it ends when the connection is lost.
        defer { if isTransferring { poll() } }
        let new = status.domains.map { DomainPlace(activity: $0) }.sorted { $0.name < $1.name }
        guard new != domains || !areDomainsKnown else { return }
        let hadMounts = domains.map(\.activity.domain.mount)
        domains = new
        areDomainsKnown = true
        whenChanged(.places)
        whenChanged(.banner)
        whenChanged(.transfers)
        if hadMounts != new.map(\.activity.domain.mount) { loadAgain() }
    }

    /// Whether a transfer is running or waiting. If so, the progress of the transfers is requested every second.
    var isTransferring: Bool {
        domains.contains { place in
            let activity = place.activity
            return activity.uploadsInFlight + activity.downloadsInFlight + activity.uploadsWaiting
                + activity.downloadsWaiting > 0
        }
    }

    /// Reads the activity of the domains once a second while a transfer is running or waiting.
    private func poll() {
        guard polling == nil else { return }
        polling = Task {
            repeat {
                guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
                await readDomains()
            } while isTransferring && isConnected
            polling = nil
        }
    }

    private func take(_ news: FollowStatesCall.Reply) async throws(BrowserError) {
        if news.areDomainsDifferent { try await updateDomains() }
        guard case .folder(let domain, let path) = location else {
            // An item appears in the trash only after its removal was sent to the service. At that time, the daemon
            // reports a change of the domain's status, and no change of an item.
            let isTrashDifferent = location == .trash && news.areDomainsDifferent
            if location != .transfers, isTrashDifferent || !news.standings.isEmpty || !news.folders.isEmpty {
                loadAgain()
            }
            return
        }
        guard let mount = mount(of: domain) else {
            // The paths in the notice lie in mounts. Without a mount, they cannot be compared with the location.
            if news.standings.contains(where: { $0.domain == domain }) || !news.folders.isEmpty { loadAgain() }
            return
        }
        let folder = path.isEmpty ? mount : mount + "/" + path
        if news.folders.contains(where: { folder.pathNames(beneath: $0) != nil }) { return loadAgain() }
        for standing in news.standings {
            guard standing.path.hasPrefix(folder), let names = standing.path.pathNames(beneath: folder) else {
                continue
            }
            guard names.count == 1 else {
                if names.isEmpty, standing.item == nil { loadAgain() }
                continue
            }
            if let item = standing.item {
                listing.set(BrowserItem(domain: domain, folder: path, mount: mount, description: item))
            } else {
                listing.remove(BrowserItem.ID(domain: domain, path: path.isEmpty ? names[0] : path + "/" + names[0]))
            }
        }
    }
}

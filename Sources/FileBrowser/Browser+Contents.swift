import Conduit
import DomainMessages
import FileProvider
import LinuxSystem

/// Work on contents: downloads, pins, evictions, retries.
extension Browser {
    /// Downloads the contents of items.
    package func download(_ items: [BrowserItem]) {
        contents("Downloading", items) { DownloadItemCall(place: $0) }
    }

    /// Pins items, which downloads their contents. If `isWanted` is `false`, unpins the items.
    package func keep(_ items: [BrowserItem], isWanted: Bool) {
        contents(isWanted ? "Keeping" : "No longer keeping", items) { KeepItemCall(place: $0, isWanted: isWanted) }
    }

    /// Evicts the contents of items. The contents stay at the service.
    package func freeUp(_ items: [BrowserItem]) {
        contents("Freeing up the space of", items) { EvictItemCall(place: $0) }
    }

    private func contents<C: Conduit.Call>(
        _ verb: String, _ items: [BrowserItem], _ request: @escaping @Sendable (ItemPlace) -> C
    ) {
        guard !items.isEmpty else { return }
        run(Job("\(verb) \(Self.words(for: items))")) { browser, job throws(BrowserError) in
            var failure: BrowserError?
            for item in items {
                do throws(BrowserError) {
                    _ = try await browser.daemon.call(request(item.place), progress: job.reporter)
                } catch {
                    if Task.isCancelled || error.kind == .disconnected { throw error }
                    failure = error
                }
            }
            if let failure { throw failure }
        }
    }

    /// Retries the failed work of the items' domains.
    package func retry(_ items: [BrowserItem]) {
        for domain in Set(items.map(\.domain)).sorted() { apply(.retry(domain: domain)) }
    }

    /// Pauses or resumes the background transfers of a domain. Transfers that have begun are completed.
    package func setPaused(_ domain: String, _ isPaused: Bool) {
        attempt { browser throws(BrowserError) in
            _ = try await browser.daemon.call(PauseDomainsCall(names: [domain], isPaused: isPaused))
            await browser.readDomains()
        }
    }

    /// Cancels a transfer of the daemon. No edit is lost (see `CancelTransferCall`).
    package func cancel(_ transfer: TransferActivity, of domain: String) {
        attempt { browser throws(BrowserError) in
            let request = CancelTransferCall(domain: domain, file: transfer.file, isUpload: transfer.isUpload)
            let outcome = try await browser.daemon.call(request).outcome
            await browser.readDomains()
            browser.whenDone(Self.words(for: outcome, of: transfer), false)
        }
    }

    private static func words(for outcome: CancelTransferCall.Outcome, of transfer: TransferActivity) -> String {
        let name = "“\(transfer.name)”"
        return switch outcome {
        case .cancelled where transfer.isUpload: "Upload of \(name) cancelled. The change stays on this computer"
        case .cancelled: "Download of \(name) cancelled"
        case .hasBegun: "\(name) is being sent already"
        case .isKept: "\(name) is kept on this computer, so it is downloaded"
        case .isOver: "\(name) is not being transferred any more"
        }
    }

    /// Adds items to the favorites, or removes items from the favorites.
    package func setFavorite(_ items: [BrowserItem], _ isFavorite: Bool) {
        attempt { browser throws(BrowserError) in
            for item in items {
                _ = try await browser.daemon.call(SetFavoriteCall(place: item.place, isFavorite: isFavorite))
            }
            browser.whenDone(
                "\(Self.words(for: items)) \(isFavorite ? "added to" : "removed from") the favorites", false)
            if browser.location == .favorites { browser.loadAgain() }
        }
    }

    /// Signs in to a service with a password.
    ///
    /// - Throws: the reason why the service refuses the password.
    package func signIn(to domain: String, password: String) async throws(BrowserError) {
        _ = try await daemon.call(SignInDomainCall(name: domain, password: password))
        await readDomains()
        loadAgain()
    }

    // MARK: Jobs

    /// The number of ended jobs that stay in the list.
    private static let mostEnded = 20

    /// Runs a job. If the job fails, shows the failure.
    func run(
        _ job: Job, _ work: @escaping @MainActor (Browser, Job) async throws(BrowserError) -> Void
    ) {
        jobs.insert(job, at: 0)
        let ended = jobs.filter { $0.state != .running }
        for old in ended.dropFirst(Self.mostEnded) { jobs.removeAll { $0 === old } }
        job.whenChanged = { [weak self, weak job] in
            guard let self, let job else { return }
            if case .failed(let error) = job.state { report(error) }
            whenChanged(.jobs)
        }
        job.start { [weak self] job throws(BrowserError) in
            if let self { try await work(self, job) }
        }
        whenChanged(.jobs)
    }
}

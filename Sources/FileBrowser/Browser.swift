import DomainMessages
import FileProvider
import FileProviderUI
import ItemValues
import LinuxSystem

/// The model of a window: its contents, and the jobs that the user begins. It does not depend on a user interface
/// toolkit.
///
/// All data comes from the daemon, and no listing fetches contents. Views set the closures and read the properties.
@MainActor package final class Browser {
    let daemon: any DaemonCalling

    /// The parts of the model that views show separately.
    package enum Aspect: Sendable, Hashable {
        case places, location, loading, selection, banner, jobs, transfers, clipboard
    }

    /// Called after a part has changed.
    package var whenChanged: (Aspect) -> Void = { _ in }
    /// Called with a short text about completed work. `canUndo` is whether the work can be undone.
    package var whenDone: (_ text: String, _ canUndo: Bool) -> Void = { _, _ in }
    /// Called with an item that the user's work has created or moved, so that the view selects it.
    package var whenPlaced: (BrowserItem.ID) -> Void = { _ in }
    /// Called with a new item, so that the view starts changing its name.
    package var whenNaming: (BrowserItem.ID) -> Void = { _ in }

    /// Called when an extension of a provider asks the user for input. Returns the answers; `nil` if the user cancels.
    package var whenAsked: (FileProviderPrompt) async -> [String]? = { _ in nil }

    /// Called with the reply of a provider's action, and a title for it.
    package var whenReplied: (_ title: String, _ reply: PerformActionCall.Reply) -> Void = { _, _ in }
    /// Called with an alert that a provider requires before an operation. Returns the user's answer.
    package var whenAlerted: (InteractionAlert) async -> AlertAnswer = { _ in .cancelled }

    package let listing = ItemListing()

    // MARK: Places

    package internal(set) var domains: [DomainPlace] = []
    /// Whether the domains were read at least once.
    package internal(set) var areDomainsKnown = false
    /// Whether the window is connected to the daemon.
    package internal(set) var isConnected = false

    // MARK: Location

    package private(set) var location = Location.recents
    package private(set) var history: [Location] = []
    package private(set) var future: [Location] = []
    /// Whether the listing has the results of the former search, because the current one has none yet.
    package internal(set) var hasFormerResults = false
    /// Whether items of the current location are still arriving.
    package internal(set) var isLoading = false
    /// The reason why the current location cannot be shown; `nil` if it can be shown.
    package internal(set) var listingError: BrowserError?
    var loading: Task<Void, Never>?
    var following: Task<Void, Never>?
    var polling: Task<Void, Never>?
    let domainReading = SerialReading()
    /// Whether the current location must be read again after it has been read.
    var isStale = false

    /// The items that are selected in the view, set by the view.
    package var selection: [BrowserItem] = [] {
        didSet { if selection != oldValue { whenChanged(.selection) } }
    }

    // MARK: Work

    package internal(set) var jobs: [Job] = []
    package internal(set) var clipboard: Clipboard?
    /// The identifiers of the items that operations of the user are removing from the listing.
    var leaving: Set<BrowserItem.ID> = []
    var undoStack: [UndoStep] = []
    /// The last failure of the user's own work, until the user dismisses the failure.
    var workError: BrowserError?
    /// The messages of domains' failures that the user has dismissed.
    var dismissed: Set<String> = []

    package init(daemon: any DaemonCalling) { self.daemon = daemon }

    /// Begins to follow the daemon, until ``stop()``.
    package func start() {
        guard following == nil else { return }
        following = Task { await follow() }
    }

    package func stop() {
        following?.cancel()
        loading?.cancel()
        polling?.cancel()
        domainReading.cancel()
        for job in jobs { job.cancel() }
        following = nil
        polling = nil
    }

    // MARK: Navigation

    /// Shows a location, and adds the present location to the history. A new search replaces an earlier search.
    package func go(to location: Location) {
        guard location != self.location else { return }
        if case .search = self.location, case .search = location {} else { history.append(self.location) }
        future = []
        show(location)
    }

    package func goBack() {
        guard let last = history.popLast() else { return }
        future.append(location)
        show(last)
    }

    package func goForward() {
        guard let next = future.popLast() else { return }
        history.append(location)
        show(next)
    }

    package func goUp() {
        if let parent = location.parent { go(to: parent) }
    }

    private func show(_ location: Location) {
        // While the user types, the former results stay until the next ones replace them.
        hasFormerResults = location.isSameSearch(as: self.location) && listing.count > 0
        if !hasFormerResults { listing.clear() }
        self.location = location
        selection = []
        whenChanged(.location)
        load()
    }

    /// Shows the first location of a window, which has no history.
    package func begin(at location: Location) { show(location) }

    /// Shows a directory, and selects an item in it. Reports a failure if the directory is outside of all mounts.
    package func begin(atDirectory path: String, selecting name: String? = nil) {
        attempt { browser throws(BrowserError) in
            let domains = try await browser.daemon.call(DomainsStatusCall()).domains
            for activity in domains {
                guard let mount = activity.domain.mount, let names = path.pathNames(beneath: mount) else { continue }
                let folder = names.joined(separator: "/")
                browser.go(to: .folder(domain: activity.domain.name, path: folder))
                await browser.loading?.value
                if let name {
                    let id = BrowserItem.ID(
                        domain: activity.domain.name, path: folder.isEmpty ? name : folder + "/" + name)
                    await browser.readItem(id)
                    browser.whenPlaced(id)
                }
                return
            }
            throw BrowserError("“\(path)” is in none of the services' folders")
        }
    }

    /// Shows the first domain. Used when the user must pick a folder, because the recent files are not a folder.
    package func beginAtFirstDomain() {
        attempt { browser throws(BrowserError) in
            let names = try await browser.daemon.call(DomainsStatusCall()).domains.map(\.domain.name)
            if let first = names.min() { browser.go(to: .folder(domain: first, path: "")) }
        }
    }

    /// Searches as the user types. An empty text ends the search.
    package func search(_ text: String) {
        let text = text.trimmed
        if text.isEmpty {
            if case .search = location { goBack() }
            return
        }
        let domain =
            switch location {
            case .search(_, let domain): domain
            default: location.domain
            }
        go(to: .search(text: text, domain: domain))
    }

    // MARK: Failures

    /// A failure to show above the items, with its remedy.
    package var banner: BrowserError? {
        if let workError { return workError }
        if !isConnected, areDomainsKnown {
            return BrowserError(
                "Purvey is not running. What is shown may be outdated", kind: .disconnected, remedy: .reconnect)
        }
        let shown = location.domain.map { name in domains.filter { $0.name == name } } ?? domains
        return shown.compactMap(\.failure).first { !dismissed.contains($0.message) }
    }

    package func dismissBanner() {
        if workError != nil {
            workError = nil
        } else if let banner {
            dismissed.insert(banner.message)
        }
        whenChanged(.banner)
    }

    /// Shows a failure of the user's work.
    package func report(_ error: BrowserError) {
        guard error.kind != .cancelled else { return }
        workError = error
        whenChanged(.banner)
    }

    /// Applies a remedy, except for a sign-in, which needs a view.
    package func apply(_ remedy: Remedy) {
        workError = nil
        whenChanged(.banner)
        switch remedy {
        case .retry(let domain):
            dismissed = []
            attempt { browser throws(BrowserError) in try await browser.retry(domain) }
        case .reload: load()
        case .reconnect:
            following?.cancel()
            domainReading.cancel()
            following = Task { await follow() }
        case .signIn: break
        }
    }

    /// Runs work of the user. If the work fails, shows the failure.
    func attempt(_ work: @escaping @MainActor (Browser) async throws(BrowserError) -> Void) {
        Task {
            do throws(BrowserError) { try await work(self) } catch { report(error) }
        }
    }

    private func retry(_ name: String) async throws(BrowserError) {
        let domain = try await daemon.call(RetryDomainCall(name: name))
        await readDomains()
        if let fault = domain.fault { throw BrowserError("\(name): \(fault)", remedy: .retry(domain: name)) }
    }
}

extension String {
    /// The text without white space at its ends.
    package var trimmed: String {
        var text = self[...]
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}

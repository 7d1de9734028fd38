import DomainMessages
import FileProvider
import LinuxSystem

/// Reads the current location. A folder is read page by page. Other locations are read by one request.
extension Browser {
    /// Reads the current location. Rows that have not changed are not updated.
    package func load() {
        loading?.cancel()
        isStale = false
        isLoading = true
        listingError = nil
        whenChanged(.loading)
        let location = location
        loading = Task {
            do throws(BrowserError) {
                try await read(location)
            } catch {
                if !Task.isCancelled, error.kind != .cancelled { fail(error) }
            }
            guard !Task.isCancelled else { return }
            listing.flush()
            isLoading = false
            whenChanged(.loading)
            if isStale { load() }
        }
    }

    /// Stores the reason why the location cannot be shown. If the folder or the domain no longer exists, also removes
    /// the items from the listing.
    private func fail(_ error: BrowserError) {
        listingError = error
        if hasFormerResults || error.kind == .noSuchItem || error.kind == .noSuchDomain { listing.clear() }
        hasFormerResults = false
    }

    /// Reads the current location again. If it is being read now, reads it again after that.
    func loadAgain() {
        if isLoading { isStale = true } else { load() }
    }

    private func read(_ location: Location) async throws(BrowserError) {
        switch location {
        case .folder(let domain, let path): try await readFolder(domain, path)
        case .recents: show(try await daemon.call(RecentsCall(limit: Self.mostRecents)).items)
        case .favorites: show(try await daemon.call(FavoritesCall()).items)
        case .trash:
            let items = try await daemon.call(TrashedItemsCall()).items.map { BrowserItem($0) }
            if !Task.isCancelled { listing.replace(with: items) }
        case .tag(let tag):
            let search = SearchCall(
                domain: nil, words: [], types: [], tags: [tag], since: nil, before: nil, limit: Self.mostResults)
            show(try await daemon.call(search).items)
        case .search(let text, let domain): try await readSearch(text, domain)
        case .transfers: await readDomains()
        }
    }

    private static let mostRecents = 200
    /// The maximum number of results that are shown before the others are read.
    private static let firstResults = 30
    private static let mostResults = 500
    private static let mostProvided = 100

    private func show(_ found: [FoundItemDescription]) {
        if Task.isCancelled { return }
        let items = found.map { BrowserItem($0) }
        if hasFormerResults { listing.exchange(with: items) } else { listing.replace(with: items) }
        hasFormerResults = false
    }

    private func readFolder(_ domain: String, _ path: String) async throws(BrowserError) {
        let place = ItemPlace(text: domain + ":" + path, path: "")
        let isFirst = listing.count == 0
        var all: [BrowserItem] = []
        let reader = FolderReader(daemon: daemon, place: place)
        while let batch = try await reader.next() {
            if Task.isCancelled { return }
            let mount = mount(of: domain)
            let items = batch.map { BrowserItem(domain: domain, folder: path, mount: mount, description: $0) }
            if isFirst { listing.append(items) } else { all += items }
        }
        if !isFirst { listing.replace(with: all) }
    }

    /// Returns the path at which a domain is mounted, or `nil` if the domain is not mounted.
    package func mount(of domain: String) -> String? {
        domains.first { $0.name == domain }?.activity.domain.mount
    }

    // MARK: Search

    /// The time without a key press after which the search is also sent to the services.
    private static let typingPause: Duration = .milliseconds(400)

    private func readSearch(_ text: String, _ domain: String?) async throws(BrowserError) {
        let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        // The best results are shown first, because they fill the window in a fraction of the time.
        for limit in [Self.firstResults, Self.mostResults] {
            let call = SearchCall(
                domain: domain, words: words, types: [], tags: [], since: nil, before: nil, limit: limit)
            let known = try await daemon.call(call).items
            show(known)
            if known.count < limit { break }
        }
        guard (try? await Task.sleep(for: Self.typingPause)) != nil else { return }
        let call = SearchProvidersCall(domain: domain, query: text, limit: Self.mostProvided)
        // A failure of the service's search is ignored, because the index was already searched.
        guard let provided = try? await daemon.call(call).items, !Task.isCancelled else { return }
        for item in provided.map({ BrowserItem($0) }) where listing.item(item.id) == nil { listing.set(item) }
    }
}

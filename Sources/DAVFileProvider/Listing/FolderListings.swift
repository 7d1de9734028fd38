import FileProvider
import HTTPTransport
import WebDAVClient

/// The listings that the system reads page by page. The first page comes before the server has sent the rest.
actor FolderListings {
    private struct Running {
        let folder: Int64
        let listing: DAVListing
        let round: Int64
        /// The number of the page that comes next.
        var page: Int
    }

    private let account: DAVAccount
    private var running: [UInt64: Running] = [:]
    /// The identifiers of the listings, the least recently used first.
    private var order: [UInt64] = []

    /// The listings that are kept. A listing that is dropped is requested again from its beginning.
    private static let most = 32
    /// The sizes of the first page, which a user waits for, and of the others.
    private static let (firstSize, largestSize) = (200, 5_000)

    init(_ account: DAVAccount) { self.account = account }

    struct Page: Sendable {
        let items: [CataloguedItem]
        /// The token of the next page.
        let next: String?
    }

    /// Lists a folder anew.
    func begin(_ known: DAVKnownItem, size: Int) async throws -> Page {
        let folder = known.item.number
        // Before the request: a change that this process makes meanwhile is newer than the listing.
        let round = try await account.catalogue.perform { try $0.beginRound() }
        let listing = try await account.ask { client throws(DAVError) in try await client.list(known.address) }
        let running = Running(folder: folder, listing: listing, round: round, page: 1)
        return try await page(of: running, .random(in: .min ... .max), size: min(size, Self.firstSize))
    }

    /// Continues a listing.
    ///
    /// - Throws: `pageExpired` if the listing is not running any more.
    func next(_ token: String, size: Int) async throws -> Page {
        let parts = token.split(separator: ".")
        // Removed before the wait, so that no two tasks read one listing.
        guard parts.count == 2, let id = UInt64(parts[0]), let page = Int(parts[1]), let found = running[id],
            found.page == page
        else { throw NSFileProviderError(.pageExpired) }
        forget(id)
        return try await self.page(of: found, id, size: min(max(size, Self.firstSize), Self.largestSize))
    }

    private func page(of start: Running, _ id: UInt64, size: Int) async throws -> Page {
        let (service, folder, round) = (account.service, start.folder, start.round)
        var observed: [ObservedItem] = []
        var isOver = false
        while observed.count < size, !isOver {
            guard let entries = try await start.listing.next() else {
                isOver = true
                break
            }
            observed += entries.filter { !service.hides($0) }.map { ObservedItem($0, service) }
        }
        let (seen, isWhole) = (observed, isOver)
        let directory = isOver ? await start.listing.directory : nil
        let due = ChangeWatch.now + Int64(account.pollInterval)
        let pause = Int64(account.pollInterval)
        let items = try await account.catalogue.perform { catalogue in
            var items: [Int64: CataloguedItem] = [:]
            for entry in seen {
                let item = try catalogue.note(entry, in: folder, round: round).item
                items[item.number] = item
            }
            let sorted = items.values.sorted { $0.number < $1.number }
            try catalogue.note(told: sorted)
            if isWhole {
                for item in try catalogue.unseen(in: folder, round: round) { try catalogue.remove(item) }
                try catalogue.noteListed(folder, tag: directory?.tag?.opaque, due: due, pause: pause)
            }
            return sorted
        }
        guard !isOver else { return Page(items: items, next: nil) }
        var rest = start
        rest.page += 1
        keep(rest, id)
        return Page(items: items, next: "\(id).\(rest.page)")
    }

    private func keep(_ listing: Running, _ id: UInt64) {
        running[id] = listing
        order.append(id)
        if order.count > Self.most, let oldest = order.first { forget(oldest) }
    }

    private func forget(_ id: UInt64) {
        running[id] = nil
        order.removeAll { $0 == id }
    }
}

extension DAVServiceKind {
    /// Whether an entry is not shown: one of the service's own, or the directory of a probe.
    func hides(_ entry: DAVEntry) -> Bool { entry.name.hasPrefix(".purvey-probe-") || isHidden(entry) }
}

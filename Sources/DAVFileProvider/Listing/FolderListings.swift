import FileProvider
import Foundation
import WebDAVClient

/// The listings that the system reads page by page. The first page is returned before the server has sent the other
/// pages.
///
/// Each listing is read to its end, even if the system does not request further pages. Otherwise the listing would
/// occupy a connection. The catalogue contains the items; this object contains only their numbers.
actor FolderListings {
    private struct Running {
        var numbers: [Int64] = []
        /// The outcome of the listing; `nil` while it is being read.
        var end: Result<Void, any Error>?
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let account: DAVAccount
    /// The directory for contents that are fetched only to compare them.
    private let temporary: URL
    private var running: [UInt64: Running] = [:]
    /// The identifiers of the listings, the oldest first.
    private var order: [UInt64] = []

    /// The maximum number of listings whose item numbers are stored. If a listing was dropped, the system requests it
    /// again from the beginning.
    private static let most = 64
    /// The number of items of the first page, which a user waits for, and the maximum number of items of the other
    /// pages.
    private static let (firstSize, largestSize) = (200, 5_000)

    init(_ account: DAVAccount, temporary: URL) { (self.account, self.temporary) = (account, temporary) }

    struct Page: Sendable {
        let items: [CataloguedItem]
        /// The token of the next page.
        let next: String?
    }

    /// Begins a listing of a folder, and returns its first page.
    func begin(_ known: DAVKnownItem, size: Int) async throws -> Page {
        let folder = known.item.number
        account.service.recall(known)
        // The listing would lack a file that an interrupted exchange has renamed temporarily.
        await account.clearExchanges(in: folder, temporary: temporary)
        // The round begins before the request: a change whose reply arrives during the listing is newer than the
        // listing.
        let round = try await account.catalogue.perform { try $0.beginRound() }
        let listing = try await account.ask { client throws(DAVError) in try await client.list(known.address) }
        let id = addListing(Running())
        Task {
            let end: Result<Void, any Error>
            do {
                try await read(listing, id, folder, round: round)
                end = .success(())
            } catch {
                end = .failure(error)
            }
            finish(id, end)
        }
        return try await page(id, from: 0, size: min(size, Self.firstSize))
    }

    /// Begins a listing of a folder that the server lacks because it was restored from a backup, and returns its first
    /// page. The listing contains the folder's items in the catalogue.
    func beginRetained(_ folder: CataloguedItem, size: Int) async throws -> Page {
        let numbers = try await account.catalogue.perform { try $0.children(of: folder.number).map(\.number) }
        let id = addListing(Running(numbers: numbers, end: .success(())))
        return try await page(id, from: 0, size: min(size, Self.firstSize))
    }

    private func addListing(_ listing: Running) -> UInt64 {
        let id = UInt64.random(in: .min ... .max)
        running[id] = listing
        order.append(id)
        if order.count > Self.most, let oldest = order.first(where: { running[$0]?.end != nil }), oldest != id {
            forget(oldest)
        }
        return id
    }

    /// Returns a further page of a listing.
    ///
    /// - Throws: `pageExpired` if the numbers of the listing were dropped.
    func next(_ token: String, size: Int) async throws -> Page {
        let parts = token.split(separator: ".")
        guard parts.count == 2, let id = UInt64(parts[0]), let start = Int(parts[1]), start >= 0 else {
            throw NSFileProviderError(.pageExpired)
        }
        return try await page(id, from: start, size: min(max(size, Self.firstSize), Self.largestSize))
    }

    private func page(_ id: UInt64, from start: Int, size: Int) async throws -> Page {
        while let listing = running[id], listing.end == nil, listing.numbers.count < start + size {
            await withCheckedContinuation { running[id]?.waiting.append($0) }
        }
        guard let listing = running[id], start <= listing.numbers.count else {
            throw NSFileProviderError(.pageExpired)
        }
        let numbers = listing.numbers[start...].prefix(size)
        // The items that were read before a listing failed are valid, so they are returned first.
        if numbers.isEmpty, case .failure(let error) = listing.end {
            forget(id)
            throw error
        }
        let items = try await account.catalogue.perform { catalogue in
            // Leaves out items that were removed since the listing.
            let items = try numbers.compactMap { try catalogue.item($0) }
            try catalogue.note(told: items)
            return items
        }
        let end = start + numbers.count
        let isLast = if case .success = listing.end { end == listing.numbers.count } else { false }
        return Page(items: items, next: isLast ? nil : "\(id).\(end)")
    }

    // MARK: Reading

    private func read(_ listing: DAVListing, _ id: UInt64, _ folder: Int64, round: Int64) async throws {
        let service = account.service
        var uncertain = UncertainEntries(try await account.catalogue.perform { try $0.uncertainNames(in: folder) })
        while let entries = try await listing.next() {
            // A service may need the folder's properties to interpret those of its entries.
            if let own = await listing.directory { _ = service.traits(of: own) }
            let listed = try await account.visible(entries, in: folder).map { ObservedItem($0, service) }
            let observed = try await account.addressed(listed, in: folder, &uncertain)
            try await account.keepNewerContents(than: observed, in: folder, round: round)
            let noted = try await account.catalogue.perform { catalogue in
                try catalogue.note(listed: observed, in: folder, round: round)
            }
            uncertain.add(new: noted.new, repeated: noted.repeated)
            add(noted.numbers, to: id)
        }
        try await account.noteMark(of: await listing.directory, folder, round: round)
        let forbidden = await listing.forbiddenNames
        add(
            try await account.catalogue.perform { try $0.note(forbidden: forbidden, in: folder, round: round) }, to: id)
        add(try await account.noteUnlisted(in: folder, of: listing, &uncertain, round: round).numbers, to: id)
        let aside = account.catalogue.itemsAside
        let hasUnseen = try await account.catalogue.perform { try !$0.unseen(in: folder, round: round).isEmpty }
        if hasUnseen { try await account.checkMark(round: round) }
        add(
            try await account.catalogue.perform { catalogue in
                try catalogue.children(of: folder, seenBefore: round)
                    .filter { try aside.contains($0.number) || catalogue.mayBeAside($0) || catalogue.isKept($0) }
                    .map(\.number)
            }, to: id)
        let tag = await listing.directory?.tag?.opaque
        let pause = Int64(account.pollInterval)
        let due = ChangeWatch.now + pause
        try await account.catalogue.perform { catalogue in
            if hasUnseen {
                for item in try catalogue.unseen(in: folder, round: round) where !aside.contains(item.number) {
                    try catalogue.remove(item)
                }
            }
            let isValid = try !catalogue.isBeforeRestore(round: round)
            try catalogue.noteListed(folder, tag: isValid ? tag : nil, due: due, pause: pause)
        }
    }

    private func add(_ numbers: [Int64], to id: UInt64) {
        running[id]?.numbers += numbers
        wake(id)
    }

    private func finish(_ id: UInt64, _ end: Result<Void, any Error>) {
        running[id]?.end = end
        wake(id)
    }

    private func wake(_ id: UInt64) {
        guard let waiting = running[id]?.waiting else { return }
        running[id]?.waiting = []
        for continuation in waiting { continuation.resume() }
    }

    private func forget(_ id: UInt64) {
        wake(id)
        running[id] = nil
        order.removeAll { $0 == id }
    }
}

import SQLite

/// A page of a directory's items, in the order of their names.
package struct CataloguePage: Sendable {
    package var items: [CatalogueItem]
    /// The name after which the next page begins; `nil` if there is no next page.
    package var next: [UInt8]?
}

/// Returns the items of a directory page by page. The first listing returns pages before the catalogue has all files of
/// the directory.
extension Catalogue {
    /// A reference to the ``FirstListing`` that is in progress, if any.
    final class Listings {
        fileprivate var current: FirstListing?
    }

    /// Returns a page of a directory's items.
    ///
    /// - Parameters:
    ///   - name: the name after which the page begins; empty for the first page. The directory is scanned for the first
    ///     page. Later changes are in the change feed.
    ///   - limit: the maximum number of items of the page.
    package func page(of folder: Int64, after name: [UInt8], limit: Int) throws -> CataloguePage {
        if name.isEmpty {
            // The listing in progress began at an earlier request. Its items are recent enough, so the directory is not
            // scanned again.
            if isListing(folder) { try endListing(of: folder) } else { try lookForPages(of: folder) }
        } else if !isListing(folder), try row(folder)?.isListed == false {
            // The listing that returned the earlier pages was abandoned, or its process has ended.
            try lookAt(folder)
        }
        if let listing = listings.current, listing.folder == folder {
            if listing.last == name {
                let items = try goOn(with: listing, by: limit)
                return CataloguePage(items: items, next: listing.isComplete ? nil : listing.last)
            }
            try endListing(of: folder)
        }
        let items = try children(of: folder, after: name, limit: limit)
        return CataloguePage(items: items, next: items.count < limit ? nil : items.last?.name)
    }

    /// Whether the first listing of a directory is in progress.
    func isListing(_ folder: Int64) -> Bool { listings.current?.folder == folder }

    /// Begins the first listing of a directory. Completes the first listing of another directory, because only one can
    /// be in progress.
    func beginListing(of compared: ComparedFolder) throws {
        if let other = listings.current?.folder { try? endListing(of: other) }
        listings.current = try FirstListing(of: compared, in: self)
    }

    /// Completes the first listing of a directory if the listing is in progress, because another operation needs all of
    /// the directory's items.
    func endListing(of folder: Int64) throws {
        guard let listing = listings.current, listing.folder == folder else { return }
        while !listing.isAdded {
            try add(Self.portion, by: listing)
            _ = listing.take()
        }
        listings.current = nil
    }

    /// Abandons a listing that was not used since the last call of this function. A listing keeps its directory open,
    /// which would prevent the unmounting of the directory's disk.
    package func endUnusedListing() {
        guard let listing = listings.current else { return }
        if listing.isUsed { return listing.isUsed = false }
        listings.current = nil
        watches.forget(listing.folder)
    }

    /// The minimum number of items that one transaction adds when a listing is completed without pages.
    static let portion = 5000

    private func goOn(with listing: FirstListing, by count: Int) throws -> [CatalogueItem] {
        listing.isUsed = true
        if listing.isShort(of: count) { try add(count, by: listing) }
        defer { if listing.isComplete { listings.current = nil } }
        return listing.take(count)
    }

    private func add(_ count: Int, by listing: FirstListing) throws {
        do {
            guard let folder = try row(listing.folder), !folder.isGone else { throw FolderError.noSuchItem }
            try database.transaction {
                try listing.add(count, to: self)
                guard listing.isAdded else { return }
                try noteListed(listing.folder)
                watches.didLook(at: listing.folder)
            }
        } catch {
            listings.current = nil
            noteFailure(of: listing.folder, error)
            throw error
        }
    }
}

import FileProvider

extension DomainEngine {
    /// Rows that are looked at for one page: of a million, few may be on this machine.
    private static let mostRows = 20_000

    /// Items of a set that the provider knows, by number, as they are here. Blocks on the file system.
    ///
    /// - Parameter limit: so many at most; there may be fewer, or none, and more on the next page.
    package nonisolated func items(
        in set: ItemSet, after number: ItemNumber?, limit: Int
    ) throws(IndexFailure) -> ItemSetPage {
        var page = ItemSetPage(items: [], next: nil)
        var rows: [IndexedItem] = []
        let last = try index.items(changedOnly: set == .pending, after: number, most: Self.mostRows) { row in
            if row.isKnownToProvider, row.number != .root, row.isPart(of: set) { rows.append(row) }
            return rows.count < limit
        }
        page.next = last?.rawValue
        page.domainVersion = try index.domainState()?.version
        for row in rows { page.items.append(try described(row)) }
        return page
    }

    /// What the provider's program is told of an item: what the provider says of it, with its place and state here.
    private nonisolated func described(_ row: IndexedItem) throws(IndexFailure) -> ProviderItem {
        var item = row.item
        let upload = uploads[row.number]
        if row.changes.contains(.place) {
            item.filename = row.name
            if let parent = try index.itemEvenIfDeleted(row.parent) { item.parent = parent.item.identifier }
        }
        if row.hasAllBytes {
            item.size = row.localSize
            item.modified = row.localModified ?? item.modified
        }
        // They may be of any size.
        item.extendedAttributes = [:]
        item.flags.set(.uploaded, row.isUploaded)
        item.flags.set(.uploading, row.state(upload) == .uploading)
        item.flags.set(.downloaded, row.hasAllBytes || item.kind != .file)
        item.flags.set(.downloading, false)
        item.flags.set(
            .mostRecentVersionDownloaded,
            row.hasAllBytes && (row.content == .edited || row.localVersion == item.contentVersion))
        item.uploadingError = upload?.failure ?? item.uploadingError
        return item
    }
}

extension ProviderItem.Flags {
    fileprivate mutating func set(_ flag: Self, _ isSet: Bool) { if isSet { insert(flag) } else { remove(flag) } }
}

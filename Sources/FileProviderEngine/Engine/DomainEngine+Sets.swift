import DomainMessages
import FileProviderWire
import ItemStore
import ItemValues

extension DomainEngine {
    /// The maximum number of rows examined for one page. A limit is needed because few items of a large domain may be
    /// local.
    private static let mostRows = 20_000

    /// Returns items of a set in the order of their item numbers, with their local state. Items that the provider does
    /// not know are left out. Blocks on the file system.
    ///
    /// - Parameter limit: The maximum number of items. A page may have fewer items, or none, although further pages
    ///   follow.
    package nonisolated func items(
        in set: ItemSet, after number: ItemNumber?, limit: Int
    ) throws(IndexError) -> ItemSetPage {
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

    /// Returns an item for the provider's process: as the provider reported it, with its local place and state.
    private nonisolated func described(_ row: IndexedItem) throws(IndexError) -> ProviderItem {
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
        // Extended attributes are left out, because they may be of any size.
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

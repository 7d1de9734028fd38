import DomainMessages
import FileProviderWire
import ItemStore
import ItemValues

extension DomainEngine {
    /// The maximum number of rows that are examined for one page. Without a limit, a call could examine all rows of a
    /// large domain, because few of them may belong to the set.
    private static let mostRows = 20_000

    /// Returns a page of the items in `set`, in the order of their item numbers, with their local state. Items that the
    /// provider does not know are left out. Blocks on the file system.
    ///
    /// - Parameters:
    ///   - number: The item number after which the page begins; `nil` for the first page.
    ///   - limit: The maximum number of items. A page may have fewer items, or none, although further pages follow.
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

    /// Returns the given item in the form that the provider's process receives: as the provider reported it, but with
    /// its local place and state.
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

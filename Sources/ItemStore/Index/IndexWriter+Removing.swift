import ItemValues

extension IndexWriter {
    /// Removes the items that the provider removed. A directory is removed with everything in it.
    ///
    /// Items with local changes stay, and so do the directories above them. The engine then decides whether to create
    /// them again. Items that were also removed locally are deleted from the index. An item that was removed locally
    /// from a directory that the provider removed stays hidden until the provider confirms the item's removal.
    package mutating func remove(identifiers: [String]) throws(IndexError) -> RemovedItems {
        var removed = RemovedItems()
        for identifier in identifiers {
            try state.trash.forget(identifier)
            for orphan in try state.orphans(of: identifier) {
                if let item = try item(orphan) { removed.stranded.append(item.item.identifier) }
            }
            guard let number = try state.queries.number(identifier: identifier) else { continue }
            try state.removeTree(number, &removed)
        }
        return removed
    }

    /// Removes the items of the given directory that a complete listing did not report, as ``remove(identifiers:)``
    /// does. Items that were written to the index during the listing count as listed.
    ///
    /// Listings are recorded only in memory. After the index is reopened, a directory is listed from the start.
    ///
    /// - Parameter mark: The number that identifies the listing. If no page was applied under this number, the listing
    ///   was empty, and all items are removed.
    package mutating func removeUnlisted(
        in folder: ItemNumber, before mark: Int64
    ) throws(IndexError) -> RemovedItems {
        var removed = RemovedItems()
        guard let identifier = try item(folder)?.item.identifier else { return removed }
        for number in try unlistedNumbers(in: folder, before: mark) {
            guard let item = try item(number), item.isKnownToProvider else { continue }
            // Items that were moved to this directory locally, or that stay in it until their parent is known, do not
            // belong to this listing. An item that was moved and then removed no longer has the flag of the move, so
            // removed items are examined, too.
            if !item.changes.isDisjoint(with: [.place, .deleted]), !item.item.parent.hasSameBytes(as: identifier) {
                continue
            }
            if try state.isUnlistedOrphan(number) { continue }
            try state.removeTree(number, &removed)
        }
        state.endListing(of: folder, mark)
        try state.reidentified.forget(folder)
        return removed
    }
}

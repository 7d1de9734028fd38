import FileProvider

extension IndexWriter {
    /// Removes items that the provider removed, folders with what is in them.
    ///
    /// Items that something was done to here stay, and so do the folders that lead to them: what becomes of them is the engine's
    /// to say. What was removed here too is gone; what was removed here from a folder that the provider removed is not seen, and its
    /// removal waits for the provider's word still.
    package mutating func remove(identifiers: [String]) throws(IndexFailure) -> RemovedItems {
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

    /// At the end of a complete listing: removes what is in a folder and was not in the listing, as
    /// ``remove(identifiers:)`` does. What was written while the folder was listed counts as listed.
    ///
    /// A listing is one of this object's life: after opening the index anew a folder is listed from its beginning.
    ///
    /// - Parameter mark: the one with which the listing's pages were applied. With a mark that no page had, the folder is empty.
    package mutating func removeUnlisted(
        in folder: ItemNumber, before mark: Int64
    ) throws(IndexFailure) -> RemovedItems {
        var removed = RemovedItems()
        guard let identifier = try item(folder)?.item.identifier else { return removed }
        for number in try unlistedNumbers(in: folder, before: mark) {
            guard let item = try item(number), item.isKnownToProvider else { continue }
            // What was moved here, or waits here for its parent, is no matter of this listing. What was moved and then removed
            // here does not say any more that it was moved.
            if !item.changes.isDisjoint(with: [.place, .deleted]), item.item.parent != identifier { continue }
            if try state.isUnlistedOrphan(number) { continue }
            try state.removeTree(number, &removed)
        }
        state.endListing(of: folder, mark)
        try state.reidentified.forget(folder)
        return removed
    }
}

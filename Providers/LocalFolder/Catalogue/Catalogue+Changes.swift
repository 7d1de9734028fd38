import SQLite

/// The changes since an anchor, the oldest first.
package struct CatalogueChanges: Sendable {
    package var updated: [CatalogueItem] = []
    /// The identifiers of the deleted items.
    package var deleted: [String] = []
    package var anchor: [UInt8]
    package var isComplete = true
}

extension Catalogue {
    /// Returns the anchor of the current state.
    package func anchor() throws -> [UInt8] {
        anchor(try lastRevision())
    }

    private func anchor(_ revision: Int64) -> [UInt8] { Array("\(stamp).\(revision)".utf8) }

    /// Returns the changes since an anchor, of all items or of the direct children of `folder`. Returns `nil` if the
    /// anchor is unknown or too old.
    package func changes(since anchor: [UInt8], in folder: Int64?, limit: Int) throws -> CatalogueChanges? {
        guard let revision = number(of: String(decoding: anchor, as: UTF8.self)),
            try revision >= number("forgotten"), try revision <= lastRevision()
        else { return nil }
        let rows = try database.all(
            "SELECT \(Self.columns), revision FROM item WHERE revision > 0 AND revision > ? ORDER BY revision LIMIT ?",
            .integer(revision), .integer(Int64(limit))
        ) { (Self.read($0), $0.integer(17)) }
        var changes = CatalogueChanges(anchor: anchor)
        for (item, revision) in rows {
            changes.anchor = self.anchor(revision)
            guard item.number > CatalogueItem.root,
                folder == nil || item.parent == folder || item.formerParent == folder
            else { continue }
            // The items in a directory that was removed or is in the trash count as deleted, too.
            if try item.isGone || isBuried(item) {
                changes.deleted.append(identifier(of: item.number))
            } else {
                changes.updated.append(item)
            }
        }
        changes.isComplete = rows.count < limit
        return changes
    }

    /// Whether an item is in a directory that was removed or is in the trash, at any depth. The item's own row does not
    /// record this.
    func isBuried(_ item: CatalogueItem) throws -> Bool {
        var parent = item.parent
        // Rows form no cycle. The loop is bounded nevertheless, in case the database is damaged.
        for depth in 0..<Self.mostFolders where parent != CatalogueItem.root {
            if parent == CatalogueItem.trash { return depth > 0 }
            guard let folder = try row(parent), !folder.isGone else { return true }
            parent = folder.parent
        }
        return parent != CatalogueItem.root
    }

    /// Reports the descendants of a restored directory in the change feed. They were reported as deleted when the
    /// directory was deleted.
    func tellAgain(below folder: Int64) throws {
        var folders = [folder]
        while let next = folders.popLast() {
            for number in try childNumbers(of: next) {
                try database.run(
                    "UPDATE item SET revision = ? WHERE number = ?", .integer(try nextRevision()), .integer(number))
                folders.append(number)
            }
        }
    }
}

import FileProvider

/// How the journal and what is here differ at the start.
struct EditDifferences {
    /// The items that are as the journal says, and whose files nobody may be writing to.
    var settled: Set<ItemNumber> = []
    /// Rows that say that something was done to them, of which the journal knows nothing.
    var rows: [IndexedItem] = []
}

extension DomainEngine {
    /// Compares what the journal says with the index and the files, without a transaction and without opening a file.
    ///
    /// - Parameter entries: the journal's.
    func differences(from entries: [JournalEntry]) throws(IndexFailure) -> EditDifferences {
        let entries = Dictionary(entries.map { ($0.number, $0) }) { $1 }
        var differences = EditDifferences()
        try index.changedItems { row in
            if let entry = entries[row.number] {
                if isSettled(entry, row) { differences.settled.insert(row.number) }
            } else {
                differences.rows.append(row)
            }
        }
        return differences
    }

    /// Whether all that ``recoverEdits(_:)`` does would leave an item as it is.
    private func isSettled(_ entry: JournalEntry, _ row: IndexedItem) -> Bool {
        guard !entry.isOpen, writerMarks.left?.contains(entry.number) == false,
            entry.identifier == row.item.identifier, entry.changes == row.changes
        else { return false }
        if entry.changes.contains(.deleted) { return true }
        if !entry.changes.isDisjoint(with: [.place, .created]) {
            guard entry.parent == row.parent, entry.name.hasSameBytes(as: row.name) else { return false }
        }
        let isEdited = row.item.kind == .file && !entry.changes.isDisjoint(with: [.contents, .created])
        guard isEdited == (row.content == .edited) else { return false }
        return !isEdited || row.localModified != nil && Self.size(of: entry.number, in: folders.edits) == row.localSize
    }
}

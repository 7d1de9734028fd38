import ItemStore
import ItemValues
import LinuxSystem

/// The result of comparing the journal with the index and the files at start.
struct EditDifferences {
    /// The items that agree with the journal and whose files are not open for writing.
    var settled: Set<ItemNumber> = []
    /// The rows of the index that have local changes but no journal entry.
    var rows: [IndexedItem] = []
}

extension EditRecovery {
    /// Compares the journal with the index and the files, without a transaction and without opening a file.
    ///
    /// - Parameter entries: All entries of the journal.
    func differences(from entries: [JournalEntry]) throws(IndexError) -> EditDifferences {
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

    /// Whether ``recoverEdits(_:_:)`` would leave the given item as it is.
    private func isSettled(_ entry: JournalEntry, _ row: IndexedItem) -> Bool {
        guard !entry.isOpen, writing.marks.left?.contains(entry.number) == false,
            entry.identifier.hasSameBytes(as: row.item.identifier), entry.changes == row.changes
        else { return false }
        if entry.changes.contains(.deleted) { return true }
        if !entry.changes.isDisjoint(with: [.place, .created]) {
            guard entry.parent == row.parent, entry.name.hasSameBytes(as: row.name) else { return false }
        }
        let isEdited = row.item.kind == .file && !entry.changes.isDisjoint(with: [.contents, .created])
        guard isEdited == (row.content == .edited) else { return false }
        return !isEdited
            || row.localModified != nil && EditRecorder.size(of: entry.number, in: folders.edits) == row.localSize
    }
}

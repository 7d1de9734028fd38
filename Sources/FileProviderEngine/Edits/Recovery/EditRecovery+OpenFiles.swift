import FileProvider
import ItemStore
import ItemValues
import LinuxSystem

/// Recovers edited files and files with open handles: makes them agree with the journal and the index after a crash.
extension EditRecovery {
    /// Compares files that were open for writing with their state at the opening, because the engine is not notified of
    /// writes by passthrough.
    func reconcileOpenFiles(_ numbers: [ItemNumber]) throws {
        for var entry in try recorder.entries(of: numbers) {
            let status =
                try? resumedWriters.contains(entry.number)
                ? writing.statusOfEdit(entry.number) : partedFromWriters(entry.number)
            guard entry.isOpen, try !staysOpen(entry, status) else { continue }
            entry.isOpen = false
            if let status, entry.statusAtOpen != JournalEntry.Fingerprint(status),
                entry.changes.isDisjoint(with: .deleted)
            {
                if let row = try index.item(entry.number) { entry.baseVersion = row.versionToEdit }
                entry.changes.insert(.contents)
                entry.modified = status.modifiedDate
            } else if status != nil, entry.changes.isDisjoint(with: [.contents, .created]) {
                try folders.move(entry.number, from: folders.edits, to: folders.clean)
            }
            if entry.changes.isEmpty {
                try journal.remove(entry.number)
            } else {
                try journal.put(entry)
            }
        }
    }

    /// Whether the given file stays open for writing after recovery, because processes have it open and have not
    /// written to it. They may write to it at any time without the daemon's knowledge. After the last close, the file
    /// is compared with its state before the first opening.
    private func staysOpen(_ entry: JournalEntry, _ status: FileStatus?) throws(IndexError) -> Bool {
        guard let status, resumedWriters.contains(entry.number), entry.statusAtOpen == FileFingerprint(status) else {
            return false
        }
        guard entry.changes.isDisjoint(with: [.contents, .created, .deleted]) else { return false }
        return try index.item(entry.number)?.content == .current
    }

    /// Removes the persistent marks of files that the previous process had open for writing, except those of files that
    /// are still open. Creates the record of marks if it does not exist.
    ///
    /// - Parameter numbers: The items that recovery has examined; their marks stay.
    func reconcileMarks(besides numbers: [ItemNumber]) {
        let stale = (writing.marks.left ?? []).subtracting(numbers).filter { !resumedWriters.contains($0) }
        for number in stale { writing.marks.unmark(number) }
        // If this fails, as on a full disk, the next start examines all edited files.
        try? writing.marks.begin()
    }

    func imposeContents(_ numbers: [ItemNumber]) throws {
        for var entry in try recorder.entries(of: numbers) where !entry.changes.contains(.deleted) {
            guard let row = try index.item(entry.number) else { continue }
            let isEdited = row.item.kind == .file && !entry.changes.isDisjoint(with: [.contents, .created])
            if isEdited, EditRecorder.size(of: entry.number, in: folders.edits) == nil {
                // A crash interrupted the confirmation of the edit, after the file was moved to the clean contents. The
                // file is sent again and compared with the provider's contents.
                try? folders.move(entry.number, from: folders.clean, to: folders.edits)
            }
            let size = isEdited ? EditRecorder.size(of: entry.number, in: folders.edits) : nil
            if isEdited, size == nil {
                // Another program removed the file.
                entry.changes.subtract([.contents, .created])
                if !row.isKnownToProvider {
                    try writer.confirm([.remove(row.number)]) { writer throws(IndexError) in
                        try writer.delete(row.number)
                    }
                    continue
                }
                try entry.changes.isEmpty ? journal.remove(row.number) : journal.put(entry)
            }
            let changes = entry.changes
            try writer.writeIndex { writer throws(IndexError) in
                try writer.update(row.number) { row in
                    row.changes = changes
                    if let size {
                        row.becomeEdited(size: size)
                        row.localModified = row.localModified ?? entry.modified
                    } else if row.content == .edited {
                        row.loseContents()
                    }
                }
            }
        }
    }

    /// Recovers edited files that are not in the journal. Each becomes an edit of its item, or, if there is no such
    /// item, a new file in the root.
    ///
    /// - Parameter known: The items with a journal entry.
    /// - Returns: The items whose edited files were found without a journal entry.
    func recoverFiles(_ known: Set<ItemNumber>, _ engine: isolated any EngineEvents) throws -> [ItemNumber] {
        var recovered: [ItemNumber] = []
        let folder = try folders.edits.open(".", [.readOnly, .directory])
        for file in try folder.entries() {
            guard let value = Int64(file.name.description), value > ItemNumber.root.rawValue else { continue }
            let number = ItemNumber(rawValue: value)
            guard !known.contains(number), try journal.entry(number) == nil,
                let size = EditRecorder.size(of: number, in: folders.edits)
            else { continue }
            recovered.append(number)
            let row = try index.itemEvenIfDeleted(number)
            if var row, row.isKnownToProvider, row.item.kind == .file, !row.changes.contains(.deleted) {
                row.changes = .contents
                var entry = try recorder.freshEntry(of: row)
                entry.baseVersion = row.localVersion
                try journal.put(entry)
                try writer.writeIndex { writer throws(IndexError) in
                    try writer.update(number) { row in
                        row.changes = .contents
                        row.becomeEdited(size: size)
                    }
                }
                recorder.note(.recovered, of: number, row.name)
            } else if row == nil, size > 0 {
                try recoverFile(number, size)
            } else if row == nil {
                recorder.removeBytes(of: number, engine)
            }
        }
        let uploads = try folders.uploads.open(".", [.readOnly, .directory])
        for file in try uploads.entries() {
            let digits = file.name.description.prefix { $0.isNumber }
            guard let number = Int64(digits).map(ItemNumber.init(rawValue:)),
                !known.contains(number), try journal.entry(number) == nil
            else { continue }
            try? UploadCopy.remove(file.name.description, in: folders.uploads)
        }
        return recovered
    }

    private func recoverFile(_ number: ItemNumber, _ size: Int64) throws {
        let name = try recorder.freeName(in: .root) { ConflictName.recovered("File \(number.rawValue)", number: $0) }
        let item = ProviderItem(
            identifier: recorder.newLocalIdentifier(), parent: ProviderItem.rootIdentifier, filename: name, kind: .file)
        let row = IndexedItem(
            number: number, parent: .root, name: name, item: item, changes: [.created, .contents], content: .edited,
            localSize: size, localVersion: [], localModified: dateNow, mode: nil, listing: .never, isPinned: false)
        try journal.put(try recorder.freshEntry(of: row))
        try writer.writeIndex { writer throws(IndexError) in try writer.insert(row, keepsNumber: true) }
        recorder.note(.recovered, of: number, name)
    }
}

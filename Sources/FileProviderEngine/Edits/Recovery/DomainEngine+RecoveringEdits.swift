import FileProvider
import LinuxSystem

/// What a crash left is put right at the start: the journal, the index and the files of edits are made to agree again.
///
/// The journal says what is to be sent; what an item is, and with that where, the index says where it has the item. Each change is
/// written in an order that makes this right (``record(_:_:)``, ``confirm(_:_:)``).
extension DomainEngine {
    /// Puts right at the start what a crash left: after the index was opened, before anything is asked of the provider.
    ///
    /// However many edits wait, most of them are in the journal, the index and the files alike. Those are compared, and nothing else is
    /// done about them.
    ///
    /// - Parameter entries: the journal's.
    func recoverEdits(_ entries: [JournalEntry]) throws {
        TemporaryName.sweep(folders.uploads)
        var entries = entries
        for entry in entries {
            // The one before it is the journal's no more, or nothing has come of that.
            guard let replaced = entry.replaced, try journal.entry(replaced) == nil else { continue }
            passUploads(of: replaced, to: entry.number)
        }
        var differences = try differences(from: entries)
        if !differences.rows.isEmpty {
            try settleRowsWithoutEntries(differences.rows)
            // What that removed and wrote down may be of any of them.
            entries = try journal.all()
            differences = try self.differences(from: entries)
        }
        EngineStep.recoveredRows.reach()
        let doubtful = entries.map(\.number).filter { !differences.settled.contains($0) }
        try restoreMissingRows(doubtful)
        EngineStep.recoveredMissing.reach()
        try settleOpenFiles(doubtful)
        settleMarks(besides: doubtful)
        EngineStep.recoveredOpenFiles.reach()
        try settleIdentities(doubtful)
        EngineStep.recoveredIdentities.reach()
        try imposeRemovals(doubtful)
        EngineStep.recoveredRemovals.reach()
        try imposePlaces(doubtful)
        EngineStep.recoveredPlaces.reach()
        try imposeContents(doubtful)
        EngineStep.recoveredContents.reach()
        let recovered = try recoverFiles(differences.settled)
        EngineStep.recoveredFiles.reach()
        let others = try self.entries(of: Array(Set(doubtful + recovered)))
        let all = entries.filter { differences.settled.contains($0.number) } + others
        for entry in all.sorted(by: { $0.number.rawValue < $1.number.rawValue }) {
            if let place = entry.sent { edits.unanswered[place, default: []].insert(entry.number) }
            if entry.mayHaveMoved, let place = entry.movedTo { edits.moves[entry.number] = place }
            look(at: entry.number, after: configuration.settlingTime)
        }
        edits.isReady = true
        pump()
    }

    /// Entries as they are now, as far as they are there still.
    func entries(of numbers: [ItemNumber]) throws(IndexFailure) -> [JournalEntry] {
        var entries: [JournalEntry] = []
        for number in numbers { if let entry = try journal.entry(number) { entries.append(entry) } }
        return entries
    }

    /// Edits that were removed or replaced by something that a power failure took back are there again; the others go.
    func recoverRemovedEdits() throws {
        for number in try folders.numbersSetAside() {
            if try journal.entry(number)?.changes.contains(.contents) == true {
                try folders.takeBack(number)
            } else {
                try folders.removeSetAside(number)
            }
        }
    }

    /// Rows that say that something was done to them, of which the journal knows nothing: it was not answered, or it was confirmed
    /// and the index lost that with the power.
    private func settleRowsWithoutEntries(_ rows: [IndexedItem]) throws {
        for row in rows {
            let size = Self.size(of: row.number, in: folders.edits)
            if !row.isKnownToProvider {
                let isWanted = row.item.kind == .folder ? try hasVisibleChildren(row.number) : (size ?? 0) > 0
                guard isWanted, !row.changes.contains(.deleted) else {
                    try writeIndex { writer throws(IndexFailure) in try writer.delete(row.number) }
                    removeBytes(of: row.number)
                    continue
                }
                try journal.put(try freshEntry(of: row))
                continue
            }
            // Files without an entry are looked at last of all.
            let isEdited = row.content == .edited && size == nil
            let said = try index.item(identifier: row.item.parent)?.number
            // The row of a removed item may lie elsewhere until the provider has confirmed the removal.
            let isMoved = !row.changes.isDisjoint(with: [.place, .deleted])
            if said == nil, row.changes.contains(.deleted) {
                try writeIndex { writer throws(IndexFailure) in try writer.delete(row.number) }
                removeBytes(of: row.number)
                continue
            }
            let parent = said ?? row.parent
            try writeIndex { writer throws(IndexFailure) in
                try writer.update(row.number) { row in
                    row.changes = []
                    if isEdited { row.content = .dataless }
                    if isMoved {
                        row.parent = parent
                        row.name = MountName.mended(row.item.filename)
                    }
                }
            }
        }
    }

    // MARK: Rows

    /// An index that was built anew does not know of edits: the journal has what is needed to go on.
    private func restoreMissingRows(_ numbers: [ItemNumber]) throws {
        let entries = try entries(of: numbers)
        var missing: [ItemNumber: JournalEntry] = [:]
        for entry in entries where try index.itemEvenIfDeleted(entry.number) == nil {
            // Another took its place, and its identifier, which a power failure left in the index alone.
            if let holder = try index.item(identifier: entry.identifier), try journal.entry(holder.number) != nil {
                try journal.remove(entry.number)
                passUploads(of: entry.number, to: holder.number)
                removeBytes(of: entry.number)
            } else {
                missing[entry.number] = entry
            }
        }
        for entry in entries { try restoreRow(entry, &missing) }
    }

    private func restoreRow(_ entry: JournalEntry, _ missing: inout [ItemNumber: JournalEntry]) throws {
        guard missing.removeValue(forKey: entry.number) != nil else { return }
        // What was made in a folder that was made here too comes after that.
        if let above = missing[entry.parent] { try restoreRow(above, &missing) }
        let parent = try restoredParent(of: entry)
        let isDeleted = entry.changes.contains(.deleted)
        var name = entry.name
        if !isDeleted, try index.item(named: name, in: parent.number) != nil {
            name = try freeName(in: parent.number) { MountName.numbered(entry.name, $0 + 1) }
        }
        var item = ProviderItem(
            identifier: entry.identifier, parent: parent.item.identifier, filename: entry.name, kind: entry.kind)
        item.contentVersion = entry.baseVersion
        item.linkTarget = entry.linkTarget
        let row = IndexedItem(
            number: entry.number, parent: parent.number, name: name, item: item, changes: entry.changes,
            content: .dataless, localSize: 0, localVersion: entry.baseVersion, localModified: entry.modified,
            mode: entry.mode, listing: entry.changes.contains(.created) ? .complete : .never, isKept: false)
        try writeIndex { writer throws(IndexFailure) in try writer.insert(row, keepsNumber: true) }
    }

    private func restoredParent(of entry: JournalEntry) throws -> IndexedItem {
        if let row = try index.item(entry.parent), row.item.kind == .folder { return row }
        if let row = try index.item(identifier: entry.parentIdentifier), row.item.kind == .folder { return row }
        let isKnown = !entry.parentIdentifier.hasPrefix(IndexedItem.localPrefix) && !entry.parentIdentifier.isEmpty
        guard isKnown, try index.itemEvenIfDeleted(entry.parent) == nil, let root = try index.item(.root) else {
            guard let root = try index.item(.root) else { throw IndexFailure.corrupt("The index has no root.") }
            return root
        }
        // A folder of which nothing is known but that it is the provider's. Its name and place come with the first that is told of it.
        let name = try freeName(in: .root) { "Folder \(entry.parent.rawValue)" + ($0 == 1 ? "" : " \($0)") }
        let item = ProviderItem(
            identifier: entry.parentIdentifier, parent: root.item.identifier, filename: name, kind: .folder)
        var row = root
        row.number = entry.parent
        row.parent = .root
        row.name = name
        row.item = item
        row.changes = []
        row.listing = .never
        let folder = row
        try writeIndex { writer throws(IndexFailure) in try writer.insert(folder, keepsNumber: true) }
        askWhere(folder)
        return folder
    }

    /// Asks the provider for what is not known of a folder that an edit is in.
    private func askWhere(_ folder: IndexedItem) {
        let identifier = folder.item.identifier
        Task {
            for attempt in 1... {
                do {
                    let item = try await asking { () async throws(ProviderFailure) in
                        try await provider.item(identifier)
                    }
                    try writeIndex { writer throws(IndexFailure) in
                        try writer.apply([item])
                    }
                    return
                } catch let failure as ProviderFailure where failure.kind == .noSuchItem {
                    return noteRemovedByProvider([folder.number])
                } catch is EngineClosed {
                    return
                } catch {
                    await clock.wait(pause(after: attempt))
                    if isClosed { return }
                }
            }
        }
    }

    /// Where the journal and the index know an item by different identifiers, the index is right: either the provider answered just
    /// before the crash, or the item became a new one. Unless it took another one's place, which the index does not know yet.
    private func settleIdentities(_ numbers: [ItemNumber]) throws {
        for var entry in try entries(of: numbers) {
            guard let row = try index.itemEvenIfDeleted(entry.number), row.item.identifier != entry.identifier
            else { continue }
            if let replaced = entry.replaced, !row.isKnownToProvider, try journal.entry(replaced) == nil,
                let other = try index.item(replaced), other.item.identifier == entry.identifier
            {
                let imposed = entry
                try writeIndex { writer throws(IndexFailure) in try Self.replace(other, by: imposed, &writer) }
                removeBytes(of: replaced)
                continue
            }
            let wasNew = entry.identifier.hasPrefix(IndexedItem.localPrefix)
            entry.identifier = row.item.identifier
            entry.sent = nil
            entry.parent = row.parent
            entry.name = row.name
            if row.isKnownToProvider {
                entry.changes = entry.changes.subtracting([.created, .place]).union(row.changes.intersection(.place))
                // The answer to a change gave it another identifier: what the edit began with stays.
                if wasNew { entry.baseVersion = row.item.contentVersion }
            } else {
                entry.changes = row.changes.union(entry.changes.intersection(.contents))
            }
            if entry.changes.isEmpty, !entry.isOpen {
                try journal.remove(entry.number)
            } else {
                try journal.put(entry)
            }
        }
    }

    /// What the journal says was removed is removed, and nothing else.
    private func imposeRemovals(_ numbers: [ItemNumber]) throws {
        for entry in try entries(of: numbers) {
            guard entry.changes.contains(.deleted) else {
                guard let row = try index.itemEvenIfDeleted(entry.number), row.changes.contains(.deleted) else {
                    continue
                }
                try writeIndex { writer throws(IndexFailure) in
                    try writer.update(row.number) { $0.changes = entry.changes }
                }
                continue
            }
            guard let row = try index.item(entry.number) else { continue }
            try writeIndex { writer throws(IndexFailure) in
                try writer.update(row.number) { row in
                    row.changes = entry.changes
                    row.content = .dataless
                }
            }
            if !entry.changes.contains(.contents) { discardContents(row.number) }
        }
    }

    /// Puts items where they were moved to here.
    private func imposePlaces(_ numbers: [ItemNumber]) throws {
        var moved: [(entry: JournalEntry, parent: IndexedItem)] = []
        for entry in try entries(of: numbers) where !entry.changes.contains(.deleted) {
            // One that was moved back here is moved as far as the index knows.
            guard let row = try index.item(entry.number),
                !entry.changes.union(row.changes).isDisjoint(with: [.place, .created]),
                row.parent != entry.parent || !row.name.hasSameBytes(as: entry.name),
                let parent = try index.item(entry.parent), parent.item.kind == .folder
            else { continue }
            // Those that change places get out of each other's way.
            try writeIndex { writer throws(IndexFailure) in
                try writer.update(row.number) { $0.name = "purvey-recovery-\(row.number.rawValue)" }
            }
            moved.append((entry, parent))
        }
        for (entry, parent) in moved {
            var name = entry.name
            if try index.item(named: name, in: parent.number) != nil {
                name = try freeName(in: parent.number) { MountName.numbered(entry.name, $0 + 1) }
                var entry = entry
                entry.name = name
                try journal.put(entry)
            }
            let newName = name
            try writeIndex { writer throws(IndexFailure) in
                try writer.update(entry.number) { row in
                    row.parent = parent.number
                    row.name = newName
                    if !row.isKnownToProvider {
                        row.item.parent = parent.item.identifier
                        row.item.filename = newName
                    }
                }
            }
        }
    }
}

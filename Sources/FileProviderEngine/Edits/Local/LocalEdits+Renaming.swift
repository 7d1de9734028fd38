import AppExtension
import ItemStore
import ItemValues
import LinuxSystem

/// Renames and moves items locally, with the semantics of rename(2) and renameat2(2).
extension LocalEdits {
    /// Renames or moves the item with the given name.
    ///
    /// - Returns: The item that was replaced; `nil` if there was none.
    @discardableResult
    package func rename(
        _ name: String, in parent: ItemNumber, to newName: String, in newParent: ItemNumber,
        _ mode: RenameMode = .replacing, _ engine: isolated any EngineEvents
    ) throws(EditError) -> IndexedItem? {
        try checkOpen()
        let row = try child(name, of: parent)
        let folder = try visibleFolder(newParent)
        try Self.checkName(newName)
        let other = try visible(named: newName, in: newParent)
        if mode == .onlyToFreeName, other != nil { throw EditError(.fileExists) }
        if mode == .exchanging, other == nil { throw EditError(.noSuchFile) }
        if other?.number == row.number { return nil }
        try checkNotInside(row, newParent)
        try checkCapabilities(of: row, to: newName, in: folder)
        try checkPermitted(row, to: newName, in: folder)

        guard let other else {
            try move([(row, newName, folder)], engine)
            return nil
        }
        if mode == .exchanging {
            let oldFolder = try visibleFolder(parent)
            try checkNotInside(other, parent)
            try checkCapabilities(of: other, to: name, in: oldFolder)
            try checkPermitted(other, to: name, in: oldFolder)
            try move([(row, newName, folder), (other, name, oldFolder)], engine)
            return nil
        }
        switch (row.item.kind == .folder, other.item.kind == .folder) {
        case (true, false): throw EditError(.notDirectory)
        case (false, true): throw EditError(.isDirectory)
        case (true, true): try checkEmpty(other)
        case (false, false): break
        }
        // Handles of the other item may still need bytes that only the provider has. The other item is then removed
        // after these bytes are fetched.
        let isAwaited = cache.lacksContents(other.number) && other.allows(IndexedItem.Capability.deleting)
        if !isAwaited, try takesPlace(row, of: other) {
            try replaceContents(of: other, with: row, engine)
        } else {
            let removal = try removal(of: other)
            try move([(row, newName, folder)], removing: removal, engine)
        }
        return other
    }

    private func checkNotInside(_ row: IndexedItem, _ folder: ItemNumber) throws(EditError) {
        guard row.item.kind == .folder else { return }
        var number = folder
        while number != .root {
            if number == row.number { throw EditError(.invalidArgument) }
            number = try visible(number).parent
        }
    }

    private func checkCapabilities(
        of row: IndexedItem, to name: String, in folder: IndexedItem
    ) throws(EditError) {
        let isMoved = row.parent != folder.number
        if isMoved, !folder.allows(IndexedItem.Capability.writing) { throw EditError(.permissionDenied) }
        if isMoved, !row.allows(IndexedItem.Capability.reparenting) { throw EditError(.notPermitted) }
        if !row.name.hasSameBytes(as: name), !row.allows(IndexedItem.Capability.renaming) {
            throw EditError(.notPermitted)
        }
    }

    /// Throws `EPERM` if the provider forbids moving the given item, or giving it the new name.
    private func checkPermitted(_ row: IndexedItem, to name: String, in folder: IndexedItem) throws(EditError) {
        if row.parent != folder.number { try checkPermitted(.move, row, to: folder) }
        if !row.name.hasSameBytes(as: name) { try checkPermitted(.rename, row, named: name) }
    }

    // MARK: Moving

    private typealias Move = (row: IndexedItem, name: String, folder: IndexedItem)

    private func move(
        _ moves: [Move], removing removal: Removal? = nil, _ engine: isolated any EngineEvents
    ) throws(EditError) {
        var journal: [JournalChange] = []
        var changes: [LocalChanges] = []
        for move in moves {
            var entry = try recorder.entry(of: move.row)
            let place = entry.place ?? SentLocation(parent: entry.parentIdentifier, name: entry.name)
            entry.parent = move.folder.number
            entry.parentIdentifier = move.folder.item.identifier
            entry.name = move.name
            if move.row.isKnownToProvider {
                entry.place = place == SentLocation(parent: entry.parentIdentifier, name: entry.name) ? nil : place
            }
            entry.changes = changesAfterMove(of: move.row, entry, to: move.name, in: move.folder)
            changes.append(entry.changes)
            journal.append(entry.changes.isEmpty && !entry.isOpen ? .remove(entry.number) : .put(entry))
        }
        // The journal records the moves and the removal in one transaction, so that no crash leaves the item removed
        // without its replacement.
        if let removal { journal.append(removal.journal) }
        let now = dateNow
        try recorder.settingAsideEdit(of: removal?.lostEdit) { () throws(EditError) in
            try recorder.record(journal, engine) { writer throws(IndexError) in
                try removal?.apply(&writer)
                // When two items are exchanged, the first one gets a temporary name.
                if moves.count == 2 { try writer.update(moves[0].row.number) { $0.name = EditRecorder.nameInBetween } }
                for (move, change) in zip(moves, changes).reversed() {
                    try writer.update(move.row.number) { row in
                        row.parent = move.folder.number
                        row.name = move.name
                        row.changes = change
                        row.localChanged = now
                        if !row.isKnownToProvider {
                            row.item.parent = move.folder.item.identifier
                            row.item.filename = move.name
                        }
                    }
                }
                try recorder.dateFolders(Set(moves.flatMap { [$0.row.parent, $0.folder.number] }), &writer)
            }
        }
        if let removal { finish(removal, engine) }
        for move in moves { scheduler.schedule(move.row.number, after: configuration.settlingTime, engine) }
    }

    private func changesAfterMove(
        of row: IndexedItem, _ entry: JournalEntry, to name: String, in folder: IndexedItem
    ) -> LocalChanges {
        guard row.isKnownToProvider else { return entry.changes }
        let isBack = row.item.isAt(name, in: folder.item.identifier)
        // While the provider moves the item, and after a lost reply, its place at the provider is unknown.
        guard isBack, !scheduler.table.isBusy(row.number), !entry.mayHaveMoved else {
            return entry.changes.union(.place)
        }
        return entry.changes.subtracting(.place)
    }

    // MARK: Taking another's place

    /// Whether the new local file `row` becomes the new contents of the file `other`, which it replaces. This happens
    /// when a program saves a document. At the provider, the contents of `other` change, and its identifier stays.
    private func takesPlace(_ row: IndexedItem, of other: IndexedItem) throws(EditError) -> Bool {
        guard row.item.kind == .file, other.item.kind == .file, !row.isKnownToProvider, other.isKnownToProvider,
            other.allows(IndexedItem.Capability.writing), !scheduler.table.isBusy(row.number)
        else { return false }
        if scheduler.table.isBusy(other.number) {
            // If contents of the other item are being sent, the new contents can be sent after them. The outcome of any
            // other running step is not known yet.
            guard scheduler.table.sender(for: other.number) != nil, try recorder.entry(of: other).changes == .contents
            else {
                return false
            }
        }
        return try recorder.entry(of: row).sent == nil
    }

    private func replaceContents(
        of other: IndexedItem, with row: IndexedItem, _ engine: isolated any EngineEvents
    ) throws(EditError) {
        let replaced = try recorder.entry(of: other)
        var entry = try recorder.entry(of: row)
        entry.identifier = other.item.identifier
        entry.lostIdentifier = replaced.lostIdentifier
        entry.parent = other.parent
        entry.parentIdentifier = replaced.parentIdentifier
        entry.name = other.name
        entry.baseVersion = replaced.changes.contains(.contents) ? replaced.baseVersion : other.item.contentVersion
        entry.changes = replaced.changes.intersection(.place).union(.contents)
        entry.mayHaveMoved = replaced.mayHaveMoved
        entry.movedTo = replaced.movedTo
        entry.place = replaced.place
        entry.replaced = other.number
        let changed = entry
        let now = dateNow
        try recorder.settingAsideEdit(of: other.content == .edited ? other.number : nil) { () throws(EditError) in
            // The attributes of the new file were not sent yet. If they cannot be marked to be sent, they stay local.
            let noted = (try? metadata.noteAttributes([.mode, .extendedAttributes], of: row)) ?? []
            try recorder.record([.put(changed), .remove(other.number)], engine) { writer throws(IndexError) in
                try EditRecorder.replace(other, by: changed, &writer)
                try writer.update(row.number) { $0.localChanged = now }
                if !noted.isEmpty { try writer.setMetadata(noted, of: row.number, ItemMetadata()) }
                try recorder.dateFolders([row.parent, other.parent], &writer)
            }
        }
        folders.passUploads(of: other.number, to: row.number)
        tracker.pass(from: other.number, to: row.number)
        scheduler.table.succeed(row.number, other.number)
        cache.discardContents(other.number, engine)
        scheduler.forget(other.number, engine)
        scheduler.schedule(row.number, after: configuration.settlingTime, engine)
    }
}

/// The behaviour of a rename if another item has the new name.
package enum RenameMode: Sendable, Equatable {
    /// The item with the new name is replaced.
    case replacing
    /// The rename fails.
    case onlyToFreeName
    /// The two items are exchanged.
    case exchanging
}

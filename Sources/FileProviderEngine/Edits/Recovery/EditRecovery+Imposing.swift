import FileProvider
import ItemStore
import ItemValues
import LinuxSystem

/// Applies the changes that the journal records to the index: identifiers, removals and places.
extension EditRecovery {
    /// Corrects identifiers in the journal that differ from those in the index. They differ if the provider replied
    /// just before the crash, or if the item became a new item. In both cases the index is correct. The journal is
    /// correct only if the item replaced another one and the index does not record the replacement yet.
    func reconcileIdentities(_ numbers: [ItemNumber], _ engine: isolated any EngineEvents) throws {
        for var entry in try recorder.entries(of: numbers) {
            guard let row = try index.itemEvenIfDeleted(entry.number),
                !row.item.identifier.hasSameBytes(as: entry.identifier)
            else { continue }
            if let replaced = entry.replaced, !row.isKnownToProvider, try journal.entry(replaced) == nil,
                let other = try index.item(replaced), other.item.identifier.hasSameBytes(as: entry.identifier)
            {
                let imposed = entry
                try writer.writeIndex { writer throws(IndexError) in
                    try EditRecorder.replace(other, by: imposed, &writer)
                }
                recorder.removeBytes(of: replaced, engine)
                continue
            }
            let wasNew = entry.identifier.hasPrefix(IndexedItem.localPrefix)
            entry.identifier = row.item.identifier
            entry.sent = nil
            entry.parent = row.parent
            entry.name = row.name
            if row.isKnownToProvider {
                entry.setPlace(of: row.item)
                entry.changes = entry.changes.subtracting([.created, .place]).union(row.changes.intersection(.place))
                // If the item was not new, the reply to a change gave it another identifier, and the edit's base
                // version stays.
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

    /// Applies the removals that the journal records. Undoes removals that are only in the index.
    func imposeRemovals(_ numbers: [ItemNumber], _ engine: isolated any EngineEvents) throws {
        for entry in try recorder.entries(of: numbers) {
            guard entry.changes.contains(.deleted) else {
                guard let row = try index.itemEvenIfDeleted(entry.number), row.changes.contains(.deleted) else {
                    continue
                }
                try writer.writeIndex { writer throws(IndexError) in
                    try writer.update(row.number) { $0.changes = entry.changes }
                }
                continue
            }
            guard let row = try index.item(entry.number) else { continue }
            try writer.writeIndex { writer throws(IndexError) in
                try writer.update(row.number) { row in
                    row.changes = entry.changes
                    row.loseContents()
                }
            }
            if !entry.changes.contains(.contents) { cache.discardContents(row.number, engine) }
        }
    }

    /// Moves the given items to the places that the journal records.
    func imposePlaces(_ numbers: [ItemNumber]) throws {
        var moved: [(entry: JournalEntry, parent: IndexedItem)] = []
        for entry in try recorder.entries(of: numbers) where !entry.changes.contains(.deleted) {
            // An item that was moved back locally still counts as moved in the index.
            guard let row = try index.item(entry.number),
                !entry.changes.union(row.changes).isDisjoint(with: [.place, .created]),
                row.parent != entry.parent || !row.name.hasSameBytes(as: entry.name),
                let parent = try index.item(entry.parent), parent.item.kind == .folder
            else { continue }
            // Each item first gets a temporary name, because two items may have exchanged their places.
            try writer.writeIndex { writer throws(IndexError) in
                try writer.update(row.number) { $0.name = "purvey-recovery-\(row.number.rawValue)" }
            }
            moved.append((entry, parent))
        }
        for (entry, parent) in moved {
            var name = entry.name
            if try index.item(named: name, in: parent.number) != nil {
                name = try recorder.freeName(in: parent.number) { MountName.numbered(entry.name, $0 + 1) }
                var entry = entry
                entry.name = name
                try journal.put(entry)
            }
            let newName = name
            try writer.writeIndex { writer throws(IndexError) in
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

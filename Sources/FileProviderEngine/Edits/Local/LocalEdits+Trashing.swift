import AppExtension
import Glibc
import ItemStore
import ItemValues
import LinuxSystem

extension LocalEdits {
    /// Moves the given item to the provider's trash, with everything in it if it is a directory. The removal is in the
    /// journal when this function returns. It is sent in the background.
    ///
    /// - Throws: `EBUSY` if the item, or something in it, has a local change that the provider has not confirmed.
    package func trash(_ number: ItemNumber, _ engine: isolated any EngineEvents) throws(EditError) {
        try checkOpen()
        let row = try visible(number)
        guard number != .root else { throw EditError(.notPermitted) }
        let isSent = try reading { () throws(IndexError) in
            guard row.isKnownToProvider, try isUnchanged(row) else { return false }
            return try !isLeft(row)
        }
        guard isSent else { throw EditError(Errno(rawValue: EBUSY)) }
        guard row.item.capabilities & IndexedItem.Capability.trashing != 0 else { throw EditError(.notPermitted) }
        try checkPermitted(.trash, row)
        var entry = try recorder.freshEntry(of: row)
        entry.baseVersion = row.item.contentVersion
        entry.changes = .deleted
        entry.goesToTrash = true
        try recorder.record([.put(entry)], engine) { writer throws(IndexError) in
            try writer.update(number) { $0.changes = .deleted }
        }
        scheduler.schedule(number, engine)
    }

    /// Whether the given item and everything in it equal the versions at the provider.
    private func isUnchanged(_ top: IndexedItem) throws(IndexError) -> Bool {
        var items = [top]
        while let item = items.popLast() {
            guard item.changes.isEmpty, item.content != .edited, !isOpenForWriting(item.number) else { return false }
            guard item.item.kind == .folder else { continue }
            try index.children(of: item.number) { child in
                items.append(child)
                return true
            }
        }
        return true
    }

    /// Whether the given directory, at the provider, still contains an item that was moved out of the directory or
    /// removed locally.
    private func isLeft(_ folder: IndexedItem) throws(IndexError) -> Bool {
        guard folder.item.kind == .folder else { return false }
        for entry in try journal.all() {
            var next = try index.itemEvenIfDeleted(entry.number)
            // The parents that a provider reports may form a cycle.
            for _ in 0..<IndexedItem.mostAncestors {
                guard let row = next, row.number != .root else { break }
                if row.item.parent.hasSameBytes(as: folder.item.identifier) { return true }
                next = try index.item(identifier: row.item.parent)
            }
        }
        return false
    }
}

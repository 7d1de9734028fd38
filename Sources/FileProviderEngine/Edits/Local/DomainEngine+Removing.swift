import FileProvider
import ItemStore
import ItemValues
import LinuxSystem

/// The local removal of items.
extension DomainEngine {
    /// Removes a file or a symbolic link. Processes that have it open keep its bytes.
    ///
    /// - Returns: The removed item.
    @discardableResult
    package func remove(_ name: String, in parent: ItemNumber) throws(EditError) -> IndexedItem {
        try checkOpen()
        let row = try child(name, of: parent)
        guard row.item.kind != .folder else { throw EditError(.isDirectory) }
        try remove(row)
        return row
    }

    /// Removes an empty directory.
    ///
    /// - Returns: The removed item.
    /// - Throws: `ENOTEMPTY`, also if the directory was not enumerated completely. The caller enumerates it first; see
    ///   ``EditError/unlistedFolder``.
    @discardableResult
    package func removeFolder(_ name: String, in parent: ItemNumber) throws(EditError) -> IndexedItem {
        try checkOpen()
        let row = try child(name, of: parent)
        guard row.item.kind == .folder else { throw EditError(.notDirectory) }
        try checkEmpty(row)
        try remove(row)
        return row
    }

    /// Removes an empty directory. A directory that was never enumerated is enumerated first.
    ///
    /// - Parameter completion: Called on the engine's thread or the calling one; must not block.
    /// - Returns: A handle that cancels the wait for the enumeration.
    @discardableResult
    package nonisolated func removeFolder(
        _ name: String, in parent: ItemNumber,
        completion: @escaping @Sendable (Result<Void, EditError>) -> Void
    ) -> Cancellable {
        whenListed({ engine throws(EditError) in try engine.removeFolder(name, in: parent) }, completion)
    }

    /// Performs an edit. If the edit fails because a directory must be enumerated completely first, enumerates the
    /// directory and tries once more.
    nonisolated func whenListed(
        _ edit: @escaping @Sendable (isolated DomainEngine) throws(EditError) -> Void,
        _ completion: @escaping @Sendable (Result<Void, EditError>) -> Void
    ) -> Cancellable {
        let answer = OneShotCompletion(completion)
        let waits = CancellableSet()
        perform { engine in
            do throws(EditError) {
                try edit(engine)
                answer.complete(.success(()))
            } catch {
                guard let folder = error.unlistedFolder else { return answer.complete(.failure(error)) }
                let waiting = engine.list(folder, needs: .complete) { result in
                    guard case .success = result else { return answer.complete(.failure(error)) }
                    engine.perform { engine in
                        answer.complete(Result { () throws(EditError) in try edit(engine) })
                    }
                }
                waits.add(waiting)
            }
        }
        return Cancellable {
            answer.complete(.failure(EditError(.interrupted)))
            waits.cancel()
        }
    }

    func child(_ name: String, of parent: ItemNumber) throws(EditError) -> IndexedItem {
        _ = try visibleFolder(parent)
        guard let row = try visible(named: name, in: parent) else { throw EditError(.noSuchFile) }
        return row
    }

    private func remove(_ row: IndexedItem) throws(EditError) {
        let removal = try removal(of: row)
        try settingAsideEdit(of: removal.lostEdit) { () throws(EditError) in
            try record([removal.journal], freesSpace: true) { writer throws(IndexError) in
                try removal.apply(&writer)
                try dateFolders([row.parent], &writer)
            }
        }
        finish(removal)
    }

    /// The changes that remove an item locally.
    struct Removal {
        let number: ItemNumber
        /// Whether the provider never had the item, so that no trace of it stays.
        let isForgotten: Bool
        let hadEdits: Bool
        /// The changes that are still to be made at the provider.
        let changes: LocalChanges
        let journal: JournalChange

        /// The item, if the removal discards bytes that were written locally.
        var lostEdit: ItemNumber? { hadEdits && !changes.contains(.contents) ? number : nil }

        func apply(_ writer: inout IndexWriter) throws(IndexError) {
            if isForgotten {
                try writer.delete(number)
            } else {
                try writer.update(number) { row in
                    row.changes = changes
                    if row.content == .edited { row.loseContents() }
                }
            }
        }
    }

    func removal(of row: IndexedItem) throws(EditError) -> Removal {
        guard row.allows(IndexedItem.Capability.deleting) else { throw EditError(.notPermitted) }
        let hadEdits = row.content == .edited
        var entry = try entry(of: row)
        // While the item is being created at the provider, the reply must be awaited: the item is then removed there.
        if !row.isKnownToProvider, !edits.table.isBusy(row.number), entry.sent == nil {
            return Removal(
                number: row.number, isForgotten: true, hadEdits: hadEdits, changes: [], journal: .remove(row.number))
        }
        // Keeps the version that the provider had at the time of the removal, so that newer contents are not deleted
        // with the item.
        if !entry.changes.contains(.contents) { entry.baseVersion = row.item.contentVersion }
        // Edited contents stay until the provider has removed the item, because it may refuse.
        entry.changes =
            row.isKnownToProvider ? entry.changes.intersection(.contents).union(.deleted) : [.created, .deleted]
        entry.isOpen = false
        return Removal(
            number: row.number, isForgotten: false, hadEdits: hadEdits, changes: entry.changes, journal: .put(entry))
    }

    /// Completes a removal after the removal was written.
    func finish(_ removal: Removal) {
        edits.table.setAccepted(removal.number, nil)
        edits.table.forgetFailures(of: removal.number)
        uploads.update(removal.number) { $0.failure = nil }
        if removal.isForgotten {
            removeBytes(of: removal.number)
            forget(removal.number)
        } else {
            metadata.noteRemoved([removal.number], self)
            // Upload copies stay, so that the contents are recognized at the provider.
            if removal.lostEdit != nil { discardContents(removal.number) }
            _ = awaitContents(beforeRemoving: removal.number)
            schedule(removal.number, after: configuration.settlingTime)
        }
    }
}

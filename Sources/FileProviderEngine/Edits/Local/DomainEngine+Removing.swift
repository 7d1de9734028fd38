import FileProvider
import LinuxSystem

/// Removing items on this machine.
extension DomainEngine {
    /// Removes a file or a link. Who has it open keeps its bytes.
    ///
    /// - Returns: what it was.
    @discardableResult
    package func remove(_ name: String, in parent: ItemNumber) throws(EditFailure) -> IndexedItem {
        try checkOpen()
        let row = try child(name, of: parent)
        guard row.item.kind != .folder else { throw EditFailure(.isDirectory) }
        try remove(row)
        return row
    }

    /// Removes an empty folder.
    ///
    /// - Returns: what it was.
    /// - Throws: `ENOTEMPTY` too of a folder that was not listed completely, which then has to be; see
    ///   ``EditFailure/unlistedFolder``.
    @discardableResult
    package func removeFolder(_ name: String, in parent: ItemNumber) throws(EditFailure) -> IndexedItem {
        try checkOpen()
        let row = try child(name, of: parent)
        guard row.item.kind == .folder else { throw EditFailure(.notDirectory) }
        try checkEmpty(row)
        try remove(row)
        return row
    }

    /// Removes an empty folder, once it is known whether it is one: what was never listed is listed for that.
    ///
    /// - Parameter completion: called on the engine's thread or the calling one; must not block.
    /// - Returns: what gives up the wait for the listing.
    @discardableResult
    package nonisolated func removeFolder(
        _ name: String, in parent: ItemNumber,
        completion: @escaping @Sendable (Result<Void, EditFailure>) -> Void
    ) -> Waiting {
        whenListed({ engine throws(EditFailure) in try engine.removeFolder(name, in: parent) }, completion)
    }

    /// Does something that may have to know all of a folder first.
    nonisolated func whenListed(
        _ edit: @escaping @Sendable (isolated DomainEngine) throws(EditFailure) -> Void,
        _ completion: @escaping @Sendable (Result<Void, EditFailure>) -> Void
    ) -> Waiting {
        let answer = FirstAnswer(completion)
        let waits = Waits()
        perform { engine in
            do throws(EditFailure) {
                try edit(engine)
                answer.give(.success(()))
            } catch {
                guard let folder = error.unlistedFolder else { return answer.give(.failure(error)) }
                let waiting = engine.list(folder, needs: .complete) { result in
                    guard case .success = result else { return answer.give(.failure(error)) }
                    engine.perform { engine in
                        answer.give(Result { () throws(EditFailure) in try edit(engine) })
                    }
                }
                waits.add(waiting)
            }
        }
        return Waiting {
            answer.give(.failure(EditFailure(.interrupted)))
            waits.cancel()
        }
    }

    func child(_ name: String, of parent: ItemNumber) throws(EditFailure) -> IndexedItem {
        _ = try visibleFolder(parent)
        guard let row = try visible(named: name, in: parent) else { throw EditFailure(.noSuchFile) }
        return row
    }

    private func remove(_ row: IndexedItem) throws(EditFailure) {
        let removal = try removal(of: row)
        try settingAsideEdit(of: removal.lostEdit) { () throws(EditFailure) in
            try record([removal.journal], freesSpace: true) { writer throws(IndexFailure) in
                try removal.apply(&writer)
                try dateFolders([row.parent], &writer)
            }
        }
        finish(removal)
    }

    /// What is to be written so that an item is removed here.
    struct Removal {
        let number: ItemNumber
        /// Whether the provider never heard of it, so that nothing of it stays.
        let isForgotten: Bool
        let hadEdits: Bool
        /// What is left to be done at the provider.
        let changes: LocalChanges
        let journal: JournalChange

        /// The item, where bytes that were written here are lost with it.
        var lostEdit: ItemNumber? { hadEdits && !changes.contains(.contents) ? number : nil }

        func apply(_ writer: inout IndexWriter) throws(IndexFailure) {
            if isForgotten {
                try writer.delete(number)
            } else {
                try writer.update(number) { row in
                    row.changes = changes
                    if row.content == .edited { row.content = .dataless }
                }
            }
        }
    }

    func removal(of row: IndexedItem) throws(EditFailure) -> Removal {
        guard row.allows(IndexedItem.Capability.deleting) else { throw EditFailure(.notPermitted) }
        let hadEdits = row.content == .edited
        var entry = try entry(of: row)
        // While it is being made at the provider, the answer has to be waited for: it is removed there then.
        if !row.isKnownToProvider, !edits.isBusy(row.number), entry.sent == nil {
            return Removal(
                number: row.number, isForgotten: true, hadEdits: hadEdits, changes: [], journal: .remove(row.number))
        }
        // Kept is what the provider had when this was removed here: newer contents are not deleted with it.
        if !entry.changes.contains(.contents) { entry.baseVersion = row.item.contentVersion }
        // Contents that were edited stay until the provider has removed the item: it may refuse to.
        entry.changes =
            row.isKnownToProvider ? entry.changes.intersection(.contents).union(.deleted) : [.created, .deleted]
        entry.isOpen = false
        return Removal(
            number: row.number, isForgotten: false, hadEdits: hadEdits, changes: entry.changes, journal: .put(entry))
    }

    /// Does what follows once a removal was written.
    func finish(_ removal: Removal) {
        lookAtFacts(of: [removal.number])
        edits.sent[removal.number] = nil
        edits.attempts[removal.number] = nil
        uploads.update(removal.number) { $0.failure = nil }
        if removal.isForgotten {
            removeBytes(of: removal.number)
            forget(removal.number)
        } else {
            // What was sent stays, so that it is known again at the provider.
            if removal.lostEdit != nil { discardContents(removal.number) }
            _ = awaitContents(beforeRemoving: removal.number)
            look(at: removal.number, after: configuration.settlingTime)
        }
    }
}

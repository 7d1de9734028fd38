import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Sends removals to the provider.
extension Uploader {
    func sendRemoval(
        _ entry: JournalEntry, _ row: IndexedItem, _ engine: isolated any EngineEvents
    ) async throws -> StepResult {
        let number = entry.number
        guard row.isKnownToProvider else {
            // It is unknown whether the provider has the item.
            if let place = entry.sent, let result = try await findRemoved(row, place, engine) { return result }
            try recreation.finishRemoval(number, engine)
            return .done
        }
        if let result = removalWaits.awaitContents(beforeRemoving: number, engine) { return result }
        if entry.goesToTrash, try metadata.isAwaited(beforeTrashing: number, engine) { return .awaitsEvent }
        let identifier = row.item.identifier
        let request = replies.beginRequest()
        let current: ProviderItem
        do {
            current = try await asking { () async throws(ProviderError) in try await provider.item(identifier) }
        } catch let failure as ProviderError where failure.kind == .noSuchItem {
            // The item may have been moved before, by a request whose reply was lost.
            if let place = entry.movedTo, let result = try await finder.findMoved(row, place, engine) { return result }
            if let result = try await finder.findNewIdentifier(of: number, asked: identifier, engine) { return result }
            // After an earlier request moved the item to the trash, another client may have removed the item from the
            // trash.
            if entry.goesToTrash {
                try index.write { writer throws(IndexError) in try writer.forgetTrashed(identifier) }
            }
            try recreation.finishRemoval(number, engine)
            return .done
        }
        // The item was moved before. Another client may have put another item in its former place.
        if let place = entry.movedTo, try !finder.isSame(current, as: row),
            let result = try await finder.findMoved(row, place, engine)
        {
            return result
        }
        if current.isOfAnotherKind(than: row.item) {
            try recreation.finishRemoval(number, engine)
            try reconciler.apply([current], answering: request, engine)
            return .done
        }
        try check(current, is: row.item.kind, identifier)
        if row.item.kind == .file, current.contentVersion != entry.baseVersion,
            try await likeness(of: number, to: current).0 == .other
        {
            if let result = try await settleLost(entry, row, current, engine) { return result }
            // Another client changed the item, so the item comes back, and the change is not lost.
            try await comeBack(number, [current], nil, engine)
            return .done
        }
        if row.item.kind == .folder, !entry.goesToTrash,
            let result = try await reconcileChildren(of: number, current, engine)
        {
            return result
        }
        try await synchronized()
        // If the item was reported after the request, it may have changed or been replaced.
        if replies.isStale(for: identifier, since: request) { return .later(0) }
        if let result = try settleTaken(row, engine) { return result }
        try tracker.noteLeaves(number)
        do {
            if entry.goesToTrash {
                try await sendToTrash(number, identifier, engine)
            } else {
                try await askingForChange { () async throws(ProviderError) in try await provider.delete(identifier) }
            }
        } catch let failure as ProviderError {
            if entry.goesToTrash, failure.kind == .unsupported { engine.trashingWasRefused() }
            switch failure.kind {
            case .noSuchItem:
                if let result = try await finder.findNewIdentifier(of: number, asked: identifier, engine) {
                    return result
                }
            case .deletionRejected, .notPermitted, .unsupported, .directoryNotEmpty:
                try await comeBack(number, [current], failure, engine)
                return .done
            default: throw failure
            }
        }
        try recreation.finishRemoval(number, engine)
        return .done
    }

    /// Sends a removal to the provider as a move to the trash.
    private func sendToTrash(
        _ number: ItemNumber, _ identifier: String, _ engine: isolated any EngineEvents
    ) async throws {
        let request = replies.beginRequest()
        let answer = try await askingForChange { () async throws(ProviderError) in
            try await provider.trash(identifier)
        }
        guard !replies.isStale(for: identifier, since: request) else {
            // The item may have been restored or removed meanwhile, so the reply may be stale.
            return try reconciler.revalidation.schedule(Set(texts: [identifier, answer.identifier]), engine)
        }
        engine.itemWasTrashed(number, as: answer)
        // The local state of the item, and of everything in it, is not needed until the item is restored.
        let applied = try index.write(freesSpace: true) { writer throws(IndexError) in
            var trashed = answer
            trashed.flags.insert(.trashed)
            // The row gets the new identifier, so that the record of the trash takes the item's former directory from
            // it.
            try writer.reidentify(number, as: trashed.identifier)
            return try writer.apply([trashed])
        }
        EngineStep.trashedIndexed.reach()
        replies.noteReport(of: [identifier, answer.identifier])
        reconciler.handle(applied, engine)
    }

    /// Looks for an item that was sent, and was then removed locally before the reply came. If the provider has the
    /// item, removes it at the provider, too.
    ///
    /// - Returns: `nil` if the provider does not have the item.
    private func findRemoved(
        _ row: IndexedItem, _ place: SentLocation, _ engine: isolated any EngineEvents
    ) async throws -> StepResult? {
        let number = row.number
        // Two items that were sent to one place, one after the other, may have the same contents. Therefore the outcome
        // of the other item must be known first.
        if let sender = try tracker.sender(besides: number, to: place) { return .waits(for: sender) }
        let request = replies.beginRequest()
        let found = try await finder.item(at: place)
        if let found, let result = try formerHolder(of: found, besides: number) { return result }
        guard let found, try index.item(identifier: found.identifier) == nil, try await isSent(row, found),
            try index.item(identifier: found.identifier) == nil, var entry = try journal.entry(number)
        else {
            try tracker.noteSent(number, nil, engine)
            // The provider's item in this place was created by another client, so it is shown. If it was reported
            // before a crash, no other report of it follows.
            if let found { try reconciler.apply([found], answering: request, engine) }
            return nil
        }
        entry.identifier = found.identifier
        entry.setPlace(of: found)
        entry.baseVersion = found.contentVersion
        entry.changes = .deleted
        entry.sent = nil
        let changed = entry
        try writer.confirm([.put(changed)]) { writer throws(IndexError) in
            try writer.update(number) { row in
                row.item = found
                row.changes = changed.changes
            }
        }
        tracker.settle(place, of: number, as: found.identifier, engine)
        return .done
    }

    /// Whether the provider's item `found` is the item that the engine sent.
    nonisolated(nonsending) func isSent(_ row: IndexedItem, _ found: ProviderItem) async throws -> Bool {
        guard found.kind == row.item.kind else { return false }
        return switch found.kind {
        case .file: try await likeness(of: row.number, to: found).0 != .other
        case .folder: try await isEmpty(found)
        case .symbolicLink: found.hasTarget(of: row.item)
        }
    }

    /// Whether the given directory is empty at the provider.
    nonisolated(nonsending) func isEmpty(_ folder: ProviderItem) async throws -> Bool {
        let page = try await asking { () async throws(ProviderError) in
            try await provider.page(of: folder.identifier, after: nil, suggestedSize: 1)
        }
        return page.items.isEmpty && page.next == nil
    }

    /// Ensures that the removal of the given directory removes nothing that is still needed. Returns `nil` if the
    /// directory may be removed.
    private func reconcileChildren(
        of folder: ItemNumber, _ current: ProviderItem, _ engine: isolated any EngineEvents
    ) async throws -> StepResult? {
        var page: [UInt8]?
        var guarded = EndlessListing(limit: configuration.pagesWithoutNews, mostItems: configuration.itemsInFolder)
        while true {
            let after = page
            let request = replies.beginRequest()
            let answer = try await asking { () async throws(ProviderError) in
                try await provider.page(of: current.identifier, after: after, suggestedSize: configuration.pageSize)
            }
            for child in answer.items where child.parent.hasSameBytes(as: current.identifier) {
                // The child may have been removed or moved since.
                if replies.isStale(for: child.identifier, since: request) { return .later(0) }
                if let row = try index.item(identifier: child.identifier) {
                    if !row.changes.isDisjoint(with: [.deleted, .place]) { return .waits(for: row.number) }
                } else if let sender = try tracker.sender(
                    besides: folder, to: SentLocation(parent: child.parent, name: child.filename))
                {
                    return .waits(for: sender)
                } else if let mover = tracker.mover(besides: folder, to: SentLocation(child)) {
                    return .waits(for: mover)
                } else if let row = try tracker.rowLeft(at: child), row.number != folder {
                    return .waits(for: row.number)
                }
                // Another client created the child after the directory was seen to be empty.
                try await comeBack(folder, [current, child], nil, engine)
                return .done
            }
            guard let next = answer.next else { return nil }
            // An endless listing must not count as empty, because items on later pages would be removed unseen.
            try guarded.check(answer)
            page = next
        }
    }

    /// Makes the given item visible again, because the provider refused its removal, or because another client has
    /// changed the item.
    private func comeBack(
        _ number: ItemNumber, _ said: [ProviderItem], _ failure: ProviderError?, _ engine: isolated any EngineEvents
    ) async throws {
        // The directory that contained the item locally may be gone.
        let items = try await reconciler.withAncestors(said, engine)
        if isClosed { throw EngineClosedError() }
        guard let row = try index.itemEvenIfDeleted(number), row.changes.contains(.deleted) else { return }
        let entry = try journal.entry(number)
        // The index still has the items of a directory that was to go to the trash. They are visible offline, and are
        // enumerated again in the background.
        let keepsListing = entry?.goesToTrash == true && row.listing == .complete
        // The item may have been moved locally before it was removed.
        let parent = try index.item(identifier: row.item.parent)?.number ?? row.parent
        // The item's contents may also have been edited before the removal.
        var edit = entry.flatMap { $0.changes.contains(.contents) ? $0 : nil }
        let size = edit == nil ? nil : EditRecorder.size(of: number, in: folders.edits)
        if size == nil { edit = nil }
        if edit == nil, let item = said.first, try index.item(identifier: item.parent) == nil,
            !items.contains(where: { $0.identifier.hasSameBytes(as: item.parent) })
        {
            // The item's directory is not known locally, so the item cannot be shown.
            try recreation.finishRemoval(number, engine)
            return recorder.note(.deletionRefused(failure), of: number, row.name)
        }
        edit?.changes = .contents
        edit?.parent = parent
        edit?.parentIdentifier = row.item.parent
        edit?.name = MountName.mended(row.item.filename)
        edit?.failure = nil
        let applied = try writer.confirm([edit.map { .put($0) } ?? .remove(number)]) { writer throws(IndexError) in
            try writer.update(number) { row in
                row.changes = size == nil ? [] : .contents
                if let size {
                    row.becomeEdited(size: size)
                }
                row.parent = parent
                row.name = MountName.mended(row.item.filename)
                if row.item.kind == .folder, !keepsListing { row.listing = .never }
            }
            return try writer.apply(items)
        }
        reconciler.handle(applied, engine)
        recorder.note(.deletionRefused(failure), of: number, row.name)
        scheduler.forget(number, engine)
        if keepsListing { enumerator.start(number, isRefresh: true, engine) }
        if edit != nil { scheduler.schedule(number, after: configuration.settlingTime, engine) }
    }
}

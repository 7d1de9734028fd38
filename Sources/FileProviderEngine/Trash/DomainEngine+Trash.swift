import FileProvider
import Glibc
import LinuxSystem

/// The trash, if the provider has one. A removal in the mount is permanent, as programs expect.
extension DomainEngine {
    /// Moves an item to the provider's trash, a directory with everything in it. The removal is journalled now and
    /// sent in the background.
    ///
    /// - Throws: `EBUSY` if the item, or something in it, has a local change that the provider has not confirmed.
    package func trash(_ number: ItemNumber) throws(EditFailure) {
        try checkOpen()
        let row = try visible(number)
        guard number != .root else { throw EditFailure(.notPermitted) }
        let isSent = try reading { () throws(IndexFailure) in
            guard row.isKnownToProvider, try isUnchanged(row) else { return false }
            return try !isLeft(row)
        }
        guard isSent else { throw EditFailure(Errno(rawValue: EBUSY)) }
        guard row.item.capabilities & IndexedItem.Capability.trashing != 0 else { throw EditFailure(.notPermitted) }
        var entry = try freshEntry(of: row)
        entry.baseVersion = row.item.contentVersion
        entry.changes = .deleted
        entry.goesToTrash = true
        try record([.put(entry)]) { writer throws(IndexFailure) in
            try writer.update(number) { $0.changes = .deleted }
        }
        look(at: number)
    }

    /// Whether an item and everything in it is equal to the version at the provider.
    private func isUnchanged(_ top: IndexedItem) throws(IndexFailure) -> Bool {
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

    /// Whether an item was moved out of a directory or removed from it locally, and is still in it at the provider.
    private func isLeft(_ folder: IndexedItem) throws(IndexFailure) -> Bool {
        guard folder.item.kind == .folder else { return false }
        for entry in try journal.all() {
            var next = try index.itemEvenIfDeleted(entry.number)
            // The parents that a provider reports may form a cycle.
            for _ in 0..<IndexedItem.mostAncestors {
                guard let row = next, row.number != .root else { break }
                if row.item.parent == folder.item.identifier { return true }
                next = try index.item(identifier: row.item.parent)
            }
        }
        return false
    }

    /// Returns the items that are known to be in the trash, without waiting for the provider. If no change feed
    /// reports changes of the trash, it is listed in the background.
    package nonisolated func trashed() throws(IndexFailure) -> [ProviderItem] {
        perform { $0.lookedIntoTrash() }
        return try index.trashed()
    }

    /// Restores an item from the trash. Waits for the provider.
    ///
    /// - Parameter folder: the directory to move the item to; `nil` for its former one.
    /// - Throws: a failure of kind `transient` while the removal is not yet sent, because it would move the item to
    ///   the trash again.
    package func untrash(_ identifier: String, to folder: ItemNumber? = nil) async throws(ProviderFailure) {
        var parent: String?
        if let folder {
            let row = try row(folder)
            guard row.item.kind == .folder, row.isKnownToProvider else { throw .noSuchItem }
            parent = row.item.identifier
        }
        let isUnderWay = try onRecord { () throws(IndexFailure) in
            try journal.all().contains { $0.identifier == identifier && $0.changes.contains(.deleted) }
        }
        if isUnderWay { throw ProviderFailure(.transient, message: "It is still on its way to the trash.") }
        let question = answers.ask()
        let former = try onRecord { () throws(IndexFailure) in
            try index.trashed().first { $0.identifier == identifier }?.parent
        }
        let item: ProviderItem
        do throws(ProviderFailure) {
            EngineStep.untrashAsked.reach()
            item = try await provider.untrash(
                identifier, to: parent, formerlyIn: former == ProviderItem.trashIdentifier ? nil : former)
            EngineStep.untrashAnswered.reach()
        } catch {
            // The provider may have restored the item all the same, or may do so later.
            if error.leavesOpenWhatBecame { askSoon([identifier]) }
            throw error
        }
        guard !isClosed else { throw .closed }
        let items = try await withAncestors([item])
        guard !isClosed else { throw .closed }
        try apply(items, listedIn: nil, answering: question)
        if !item.identifier.hasSameBytes(as: identifier) {
            try write { writer throws(IndexFailure) in try writer.forgetTrashed(identifier) }
        }
        answers.note([identifier, item.identifier])
    }

    /// Removes an item from the trash permanently, a directory with everything in it. Waits for the provider. An item
    /// that was restored meanwhile is not removed.
    package func removeFromTrash(_ identifier: String) async throws(ProviderFailure) {
        guard !isClosed else { throw .closed }
        let question = answers.ask()
        do throws(ProviderFailure) {
            let item = try await provider.item(identifier)
            guard !isClosed else { throw .closed }
            guard item.identifier == identifier, item.isInTrash else {
                let items = try await withAncestors([item])
                guard !isClosed else { throw .closed }
                try apply(items, listedIn: nil, answering: question)
                return
            }
            guard item.capabilities & IndexedItem.Capability.deleting != 0 else {
                throw ProviderFailure(.notPermitted, message: "The provider does not let it be removed.")
            }
            do throws(ProviderFailure) {
                try await provider.delete(identifier)
            } catch {
                if error.leavesOpenWhatBecame { askSoon([identifier]) }
                throw error
            }
        } catch  where error.kind == .noSuchItem {
            // The item does not exist any more, as intended.
        }
        guard !isClosed else { throw .closed }
        EngineStep.removedFromTrash.reach()
        let removed = try write { writer throws(IndexFailure) in try writer.remove(identifiers: [identifier]) }
        answers.note([identifier])
        handle(removed)
    }

    /// Sends a removal to the provider as a move to the trash.
    func sendToTrash(_ number: ItemNumber, _ identifier: String) async throws {
        let question = answers.ask()
        let answer = try await askingForChange { () async throws(ProviderFailure) in
            try await provider.trash(identifier)
        }
        guard !answers.hasNews(of: identifier, since: question) else {
            // The item may have been restored or removed meanwhile, so the reply may be stale.
            return try askAgain([identifier, answer.identifier])
        }
        // The local state of the item, and of everything in it, is not needed until the item is restored.
        let applied = try index.write(freesSpace: true) { writer throws(IndexFailure) in
            var trashed = answer
            trashed.flags.insert(.trashed)
            // The row tells the former place of the item.
            try writer.reidentify(number, as: trashed.identifier)
            return try writer.apply([trashed])
        }
        EngineStep.trashedIndexed.reach()
        answers.note([identifier, answer.identifier])
        handle(applied)
    }
}

extension ProviderFailure {
    /// Whether the request may have taken effect despite the failure.
    var leavesOpenWhatBecame: Bool {
        switch kind {
        case .transient, .serverUnreachable, .processEnded, .badAnswer, .cancelled: true
        default: false
        }
    }
}

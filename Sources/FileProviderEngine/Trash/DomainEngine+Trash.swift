import FileProvider
import Glibc
import LinuxSystem

/// The trash, where a provider has one. A removal in the mount is a removal for good, as programs mean it.
extension DomainEngine {
    /// Puts an item into the provider's trash, a folder with everything in it: journalled here, and done behind.
    ///
    /// - Throws: `EBUSY` where something of it was changed here and the provider does not have that yet.
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

    /// Whether the provider has everything of an item and of what is in it.
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

    /// Whether something was moved out of a folder here, or removed from it, that the provider has in it still.
    private func isLeft(_ folder: IndexedItem) throws(IndexFailure) -> Bool {
        guard folder.item.kind == .folder else { return false }
        for entry in try journal.all() {
            var next = try index.itemEvenIfDeleted(entry.number)
            // What a provider says of parents may be a circle.
            for _ in 0..<1000 {
                guard let row = next, row.number != .root else { break }
                if row.item.parent == folder.item.identifier { return true }
                next = try index.item(identifier: row.item.parent)
            }
        }
        return false
    }

    /// What lies in the trash, as far as it is known here. The provider is not waited for; where it tells of no changes, it is asked
    /// behind.
    package nonisolated func trashed() throws(IndexFailure) -> [ProviderItem] {
        perform { $0.lookedIntoTrash() }
        return try index.trashed()
    }

    /// Takes an item out of the trash, which the provider does at once.
    ///
    /// - Parameter folder: where it goes; `nil` for where it was.
    /// - Throws: of kind `transient` where it is on its way there still: it would go there once more.
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
            // It may have been done all the same, or be done later.
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

    /// Removes an item from the trash for good, a folder with everything in it, which the provider does at once. What somebody has
    /// taken out of the trash meanwhile stays where it is.
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
            // So it is gone.
        }
        guard !isClosed else { throw .closed }
        EngineStep.removedFromTrash.reach()
        let removed = try write { writer throws(IndexFailure) in try writer.remove(identifiers: [identifier]) }
        answers.note([identifier])
        handle(removed)
    }

    /// The last step of a removal, where it is one to the trash.
    func sendToTrash(_ number: ItemNumber, _ identifier: String) async throws {
        let question = answers.ask()
        let answer = try await askingForChange { () async throws(ProviderFailure) in
            try await provider.trash(identifier)
        }
        guard !answers.hasNews(of: identifier, since: question) else {
            // Somebody may have taken it out again, or removed it for good: the answer may be older than that.
            return try askAgain([identifier, answer.identifier])
        }
        // What is here of it, and of what is in it, is of no use until it comes back.
        let applied = try index.write(freesSpace: true) { writer throws(IndexFailure) in
            var trashed = answer
            trashed.flags.insert(.trashed)
            // By the row it is known where it was.
            try writer.reidentify(number, as: trashed.identifier)
            return try writer.apply([trashed])
        }
        EngineStep.trashedIndexed.reach()
        answers.note([identifier, answer.identifier])
        handle(applied)
    }
}

extension ProviderFailure {
    /// Whether what was asked for may have been done all the same.
    var leavesOpenWhatBecame: Bool {
        switch kind {
        case .transient, .serverUnreachable, .processEnded, .badAnswer, .cancelled: true
        default: false
        }
    }
}

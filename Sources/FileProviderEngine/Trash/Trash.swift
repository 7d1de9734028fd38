import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Restores and removes items in the provider's trash, if the provider has one. Moving an item to the trash is a local
/// edit (``LocalEdits/trash(_:_:)``). Removing an item in the mount is permanent, as programs expect, and does not move
/// the item to the trash.
///
/// It calls ``ItemReconciler`` and ``ChangeTracker``. Used only on the engine's thread (see ``EngineContext``).
package final class Trash {
    private let context: EngineContext
    private let reconciler: ItemReconciler
    let enumeration: TrashEnumeration
    let support: TrashSupportRecord

    init(_ context: EngineContext, _ reconciler: ItemReconciler, _ changes: ChangeTracker) {
        self.context = context
        self.reconciler = reconciler
        support = TrashSupportRecord(context)
        enumeration = TrashEnumeration(context, reconciler, changes, support)
    }

    /// Restores an item from the trash. Returns after the provider has moved the item.
    ///
    /// - Parameter folder: The directory to move the item to; `nil` for its former directory.
    /// - Returns: The restored item, as the provider reports it.
    /// - Throws: A failure of kind `transient` while the item's move to the trash is not sent yet. If that move were
    ///   sent after the restoration, it would undo the restoration.
    @discardableResult
    package func restore(
        _ identifier: String, to folder: ItemNumber?, _ engine: isolated any EngineEvents
    ) async throws(ProviderError) -> ProviderItem {
        var parent: String?
        if let folder {
            let row = try context.row(of: folder)
            guard row.item.kind == .folder, row.isKnownToProvider else { throw .noSuchItem }
            parent = row.item.identifier
        }
        let isUnderWay = try onRecord { () throws(IndexError) in
            try context.journal.all().contains { entry in
                entry.identifier.hasSameBytes(as: identifier) && entry.changes.contains(.deleted)
            }
        }
        if isUnderWay { throw ProviderError(.transient, message: "The item is still being moved to the trash.") }
        let request = context.replies.beginRequest()
        let former = try onRecord { () throws(IndexError) in
            try context.index.trashed().first { $0.identifier.hasSameBytes(as: identifier) }?.parent
        }
        let answer: ProviderItem
        do throws(ProviderError) {
            EngineStep.untrashAsked.reach()
            answer = try await context.provider.untrash(
                identifier, to: parent, formerlyIn: former == ProviderItem.trashIdentifier ? nil : former)
            EngineStep.untrashAnswered.reach()
        } catch {
            // The provider may have restored the item nevertheless, or may do so later.
            if error.leavesOpenWhatBecame {
                reconciler.revalidation.scheduleInAnyCase([ExactText(identifier)], engine)
            }
            throw error
        }
        guard !context.isClosed else { throw .closed }
        let item = try await reconciler.applyNewest(answer, answering: request, engine)
        if !item.identifier.hasSameBytes(as: identifier) {
            try context.write { writer throws(IndexError) in try writer.forgetTrashed(identifier) }
        }
        context.replies.noteReport(of: [identifier, item.identifier])
        return item
    }

    /// Removes an item from the trash permanently. A directory is removed with everything in it. Returns after the
    /// provider has removed the item. If the item was restored meanwhile, it is not removed.
    package func remove(
        _ identifier: String, _ engine: isolated any EngineEvents
    ) async throws(ProviderError) {
        guard !context.isClosed else { throw .closed }
        let request = context.replies.beginRequest()
        do throws(ProviderError) {
            let item = try await context.provider.item(identifier)
            guard !context.isClosed else { throw .closed }
            guard item.identifier.hasSameBytes(as: identifier), item.isInTrash else {
                _ = try await reconciler.applyNewest(item, answering: request, engine)
                return
            }
            guard item.capabilities & IndexedItem.Capability.deleting != 0 else {
                throw ProviderError(.notPermitted, message: "The provider does not let it be removed.")
            }
            do throws(ProviderError) {
                try await context.provider.delete(identifier)
            } catch {
                if error.leavesOpenWhatBecame {
                    reconciler.revalidation.scheduleInAnyCase([ExactText(identifier)], engine)
                }
                throw error
            }
        } catch  where error.kind == .noSuchItem {
            // The item does not exist any more, as intended.
        }
        guard !context.isClosed else { throw .closed }
        EngineStep.removedFromTrash.reach()
        let removed = try context.write { writer throws(IndexError) in try writer.remove(identifiers: [identifier]) }
        context.replies.noteReport(of: [identifier])
        reconciler.handle(removed, engine)
    }
}

extension ProviderError {
    /// Whether the request may have taken effect at the provider despite this failure.
    var leavesOpenWhatBecame: Bool {
        switch kind {
        case .transient, .serverUnreachable, .processEnded, .badAnswer, .cancelled: true
        default: false
        }
    }
}

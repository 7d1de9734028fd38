import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// The changes that the provider reports in one batch.
struct ReportedChanges {
    var updated: [ProviderItem]
    var deleted: [String]
    /// The sync anchor after the changes.
    let anchor: [UInt8]
}

/// Applies reports of several items, and examines known items that a report leaves out.
extension ItemReconciler {
    /// Resolves contradictions in a batch of changes. Requests the current state of items that are reported as both
    /// updated and deleted, and of items that are deleted from a directory, because these may have moved to another
    /// directory.
    func resolved(
        _ batch: ChangeBatch, in container: String, _ engine: isolated any EngineEvents
    ) async throws(ProviderError) -> ReportedChanges {
        let both = Set(texts: batch.updated.lazy.map(\.identifier)).intersection(Set(texts: batch.deleted))
        var deleted: [String] = []
        var uncertain: [String] = []
        for identifier in batch.deleted where identifier != ProviderItem.rootIdentifier {
            if both.contains(identifier) {
                uncertain.append(identifier)
            } else if container == ProviderItem.workingSetIdentifier {
                deleted.append(identifier)
            } else {
                let row = try onRecord { () throws(IndexError) in try context.index.item(identifier: identifier) }
                // If the parent differs, another feed has already reported that the item left this directory.
                if row?.item.parent.hasSameBytes(as: container) == true { uncertain.append(identifier) }
            }
        }
        var updated = batch.updated
        if !uncertain.isEmpty {
            let statuses = try await revalidation.statuses(of: uncertain, engine)
            try revalidation.schedule(statuses, engine)
            deleted += uncertain.filter { statuses.gone.contains($0) }
            updated = batch.updated.filter { !both.contains($0.identifier) } + statuses.found
        }
        return ReportedChanges(
            updated: try await withAncestors(updated, engine), deleted: deleted, anchor: batch.anchor)
    }

    /// Applies a batch of changes, and stores the sync anchor of the batch in the same transaction.
    ///
    /// - Parameter isLast: Whether the provider has no further changes, so that the container is not outdated any more.
    /// - Returns: Whether any item changed locally.
    func apply(
        _ changes: ReportedChanges, of container: String, isLast: Bool, answering request: ReplyOrdering.Request,
        _ engine: isolated any EngineEvents
    ) throws(ProviderError) -> Bool {
        tracker.forgetWithheld(changes.deleted)
        let updated = try tracker.withoutUnanswered(try newest(changes.updated, answering: request, engine))
        let deleted = try newest(gone: changes.deleted, answering: request, engine)
        let gone = try tracker.believed(gone: deleted, engine)
        let goneSet = Set(texts: gone)
        try keepLocalItems(in: goneSet, besides: updated, engine)
        let (applied, removed, others) = try evictor.writeMakingRoom(engine) { writer throws(IndexError) in
            let others = try context.reidentify(updated, gone: gone, &writer)
            // Directories that contain a reidentified item are removed last, after that item has moved to its new
            // place.
            let last = try writer.folders(above: others, among: goneSet)
            var removed = try writer.remove(identifiers: gone.filter { !last.contains($0) })
            let applied = try writer.apply(updated)
            if !last.isEmpty { removed.append(try writer.remove(identifiers: gone.filter { last.contains($0) })) }
            // A directory whose items got new identifiers while its changes were requested has to be listed, so it gets
            // no anchor.
            if try !writer.isReidentified(container) {
                try writer.setAnchor(changes.anchor, of: container)
                if isLast { try writer.setOutdated(false, container) }
            }
            return (applied, removed, others)
        }
        EngineStep.changesApplied.reach()
        context.replies.noteReport(of: deleted + updated.map(\.identifier))
        tracker.follow(others, engine)
        handle(removed, engine)
        handle(applied, engine)
        return applied.hasNews || !removed.removed.isEmpty
    }

    /// Revalidates, at the end of a listing, the known items of the directory that the listing did not contain. They
    /// may have moved, or the provider may have omitted them between two pages. Items of uncertain status stay and are
    /// requested again later.
    func reconcileUnlisted(
        in folder: ItemNumber, _ mark: Int64, _ engine: isolated any EngineEvents
    ) async throws(ProviderError) {
        let request = context.replies.beginRequest()
        func unlisted(limit: Int) throws(ProviderError) -> [String] {
            try context.write { writer throws(IndexError) in
                try writer.unlisted(in: folder, before: mark, limit: limit).map(\.item.identifier)
            }
        }
        revalidation.scheduleInAnyCase(
            try context.write { writer throws(IndexError) in
                try writer.waitingForParent(in: folder, before: mark, limit: Revalidation.limit)
            }, engine)
        let some = try unlisted(limit: Revalidation.limit + 1)
        guard !some.isEmpty else { return }
        var statuses = try await revalidation.statuses(of: some, engine)
        if !statuses.found.isEmpty {
            let found = try await withAncestors(statuses.found, engine)
            guard !context.isClosed else { throw .closed }
            _ = try apply(found, listedIn: nil, mark: 0, answering: request, engine)
        }
        var gone = statuses.gone
        if !statuses.isComplete {
            let others = gone.union(Set(texts: statuses.found.lazy.map(\.identifier)))
            statuses.notRequested = try context.write { writer throws(IndexError) in
                try writer.keepUnlisted(in: folder, before: mark, apartFrom: others)
            }.subtracting(statuses.unknown)
            try revalidation.schedule(statuses, engine)
        } else if context.resources.openFiles.hasWritten || reimports.isActive, some.count > Revalidation.limit {
            gone = Set(texts: try unlisted(limit: .max))
        }
        try keepLocalItems(in: gone, engine)
    }
}

extension AppliedItems {
    /// Whether any item was added, changed, moved or removed.
    fileprivate var hasNews: Bool {
        !added.isEmpty || !changed.isEmpty || !moved.isEmpty || !removed.removed.isEmpty
    }
}

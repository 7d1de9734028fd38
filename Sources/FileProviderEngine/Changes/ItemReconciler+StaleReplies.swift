import FileProviderWire
import ItemStore
import ItemValues

/// Handles stale replies: an item that was reported after the request was sent is revalidated.
extension ItemReconciler {
    /// Returns the items of a reply, except those that another reply reported after the request was sent. Revalidates
    /// the excluded items.
    func newest(
        _ items: [ProviderItem], answering request: ReplyOrdering.Request, _ engine: isolated any EngineEvents
    ) throws(ProviderError) -> [ProviderItem] {
        let items = try tracker.withoutNamesInBetween(items)
        let uncertain = context.replies.staleItems(items.lazy.map(\.identifier), since: request)
        guard !uncertain.isEmpty else { return items }
        var isKnown: Set<ExactText> = []
        for item in items where uncertain.contains(item.identifier) {
            // An item that equals its row in the index may be used, regardless of the time of the report.
            if let row = try? context.index.item(identifier: item.identifier), row.item == item {
                isKnown.insert(item.identifier)
            }
        }
        try revalidation.schedule(uncertain.subtracting(isKnown), engine)
        return items.filter { !uncertain.contains($0.identifier) || isKnown.contains($0.identifier) }
    }

    /// Returns the items that a reply reports as removed, except those that another reply reported after the request
    /// was sent. Revalidates the excluded items.
    func newest(
        gone: [String], answering request: ReplyOrdering.Request, _ engine: isolated any EngineEvents
    ) throws(ProviderError) -> [String] {
        let uncertain = context.replies.staleItems(gone, since: request)
        guard !uncertain.isEmpty else { return gone }
        // Items that are not in the index need no revalidation.
        let known = try onRecord { () throws(IndexError) in
            var known: Set<ExactText> = []
            for identifier in uncertain.strings {
                var isKnown = try context.index.item(identifier: identifier) != nil
                if !isKnown { isKnown = try context.index.isTrashed(identifier) }
                if isKnown { known.insert(identifier) }
            }
            return known
        }
        try revalidation.schedule(known, engine)
        return gone.filter { !uncertain.contains($0) }
    }

    /// The maximum number of requests for an item whose replies are stale.
    private static let mostRequests = 3

    /// Writes an item of a reply to the index, preceded by its unknown ancestors. A caller that needs the item in the
    /// index cannot wait for a revalidation. Therefore the item is requested again at once while the reply is stale.
    ///
    /// - Returns: The item in the last reply.
    func applyNewest(
        _ answer: ProviderItem, answering request: ReplyOrdering.Request, _ engine: isolated any EngineEvents
    ) async throws(ProviderError) -> ProviderItem {
        var (item, request) = (answer, request)
        for attempt in 1... {
            let items = try await withAncestors([item], engine)
            guard !context.isClosed else { throw .closed }
            let isStale = context.replies.isStale(for: item.identifier, since: request)
            try apply(items, answering: request, engine)
            guard isStale, attempt < Self.mostRequests else { break }
            request = context.replies.beginRequest()
            // If this fails, the revalidation that the stale reply has scheduled updates the item.
            guard let newer = try? await context.provider.item(item.identifier),
                newer.identifier.hasSameBytes(as: item.identifier)
            else { break }
            item = newer
        }
        return item
    }

    /// Records that the provider has confirmed a local change of the item with the given identifier, so that replies to
    /// earlier requests are stale for this item.
    ///
    /// - Parameters:
    ///   - told: The item as it was in the index when the confirmation arrived. If this item was reported after the
    ///     request was sent and differs from the reply, it is revalidated, because only the provider knows which of the
    ///     two is newer.
    ///   - answer: The item in the provider's reply; `nil` for a removal.
    ///   - request: The context of the confirmed request.
    func confirmed(
        _ identifier: String, told: ProviderItem?, _ answer: ProviderItem?, request: ReplyOrdering.Request?,
        _ engine: isolated any EngineEvents
    ) {
        if let told, let answer, let request, context.replies.isStale(for: identifier, since: request),
            told.contentVersion != answer.contentVersion || !told.parent.hasSameBytes(as: answer.parent)
                || !told.filename.hasSameBytes(as: answer.filename)
        {
            revalidation.scheduleInAnyCase([ExactText(identifier)], engine)
        }
        context.replies.noteReport(of: [identifier])
    }

    /// Revalidates an item that is in the index, after a reply of the provider reported that it does not exist.
    func markUncertain(_ number: ItemNumber, _ engine: isolated any EngineEvents) {
        guard number != .root, let row = try? context.row(of: number), row.isKnownToProvider else { return }
        revalidation.scheduleInAnyCase([ExactText(row.item.identifier)], engine)
    }
}

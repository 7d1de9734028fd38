import FileProvider
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Checks and adopts the identifiers in the provider's replies.
extension IdentifierFinder {
    /// Checks that the identifier in the reply `answer` can belong to the item `number`. Another row of the index may
    /// have this identifier in two cases only. Either the row was added during the request and is a duplicate of the
    /// item, or the item has replaced the row's item at the provider.
    ///
    /// - Parameter identifier: The item's identifier in the request.
    /// - Throws: ``ProviderError`` in any other case, or if the row's item is being moved or removed.
    func checkIdentity(
        _ answer: ProviderItem, of number: ItemNumber, asked identifier: String,
        _ engine: isolated any EngineEvents
    ) async throws {
        guard !answer.identifier.hasSameBytes(as: identifier) else { return }
        try await resolveHolder(of: answer.identifier, besides: number, engine)
        guard let known = try index.item(identifier: answer.identifier), known.number != number
        else { return }
        let isInPlace = known.item.isAt(answer.filename, in: answer.parent)
        // If an item of the same kind in the same place became known only after this item was created, both are the
        // same item.
        let isDouble = isInPlace && known.item.kind == answer.kind && known.number.rawValue > number.rawValue
        if scheduler.table.isBusy(known.number) {
            // The running step may just have removed the other item or moved it away. The further requests of that step
            // must not concern this item, which has the identifier now.
            if isInPlace, !isDouble { _ = try reconcileReplaced(known, engine) }
            throw ProviderError(.transient, message: "“\(known.name)” is being moved or removed.")
        }
        guard isInPlace else {
            throw ProviderError(
                .badAnswer, message: "The provider gave another item the identifier of “\(known.name)”.")
        }
        if !isDouble { _ = try reconcileReplaced(known, engine) }
    }

    /// Handles a known item that another item has replaced at the provider. The other item has the known item's place
    /// and identifier now, and the provider no longer has the known item. If the known item was edited, it becomes a
    /// new local item.
    ///
    /// - Returns: A result that waits for the running step of the known item, if there is one; otherwise `nil`.
    func reconcileReplaced(_ known: IndexedItem, _ engine: isolated any EngineEvents) throws -> StepResult? {
        if scheduler.table.isBusy(known.number) {
            // The running step may end without noticing the replacement, or a crash may interrupt it. The journal keeps
            // the lost identifier for the next step.
            if var entry = try journal.entry(known.number) {
                entry.lostIdentifier = known.item.identifier
                try writer.writeInAnyCase([.put(entry)])
            }
            return .waits(for: known.number)
        }
        _ = try recreation.makeAgain(known.number, engine)
        scheduler.schedule(known.number, after: configuration.settlingTime, engine)
        return nil
    }

    /// Finds the new identifier of the item that has the given identifier in the index, because the provider now uses
    /// this identifier for another item.
    func resolveHolder(
        of identifier: String, besides number: ItemNumber, _ engine: isolated any EngineEvents
    ) async throws {
        guard let known = try index.item(identifier: identifier), known.number != number else { return }
        _ = try await findNewIdentifier(of: known.number, asked: identifier, engine)
    }

    /// Finds the duplicate row of the given item. There is one if the provider reported the item under its new
    /// identifier before the reply came. The caller removes the duplicate row.
    ///
    /// - Returns: The number of the duplicate row; `nil` if there is none. If a step of the duplicate row is running,
    ///   `nil` and a result that waits for that step.
    func double(
        of number: ItemNumber, _ answer: ProviderItem, _ engine: isolated any EngineEvents
    ) throws -> (ItemNumber?, StepResult?) {
        guard let known = try index.item(identifier: answer.identifier), known.number != number else {
            return (nil, nil)
        }
        if let result = try recreation.free(known.number, engine) { return (nil, result) }
        // The call above may have turned that row into a new local item.
        guard let known = try index.item(identifier: answer.identifier), known.number != number else {
            return (nil, nil)
        }
        return (known.number, nil)
    }

    /// Stores the identifier in the reply `answer` as the identifier of the item `row`, if it differs from the
    /// identifier in the request. The reply is to a change that does not move the item.
    func reidentify(
        _ row: IndexedItem?, as answer: ProviderItem, asked identifier: String,
        _ engine: isolated any EngineEvents
    ) async throws {
        guard !answer.identifier.hasSameBytes(as: identifier) else { return }
        guard let row, row.item.identifier.hasSameBytes(as: identifier), answer.kind == row.item.kind else {
            throw ProviderError(.badAnswer, message: "The provider's reply is about another item.")
        }
        try check(answer, is: row.item.kind)
        try await checkIdentity(answer, of: row.number, asked: identifier, engine)
        try take(answer.identifier, for: row, engine)
    }

    /// Replaces the identifier of the given item in the index, in the journal and in queued edits.
    func take(
        _ identifier: String, for row: IndexedItem, _ engine: isolated any EngineEvents
    ) throws {
        try passMetadata(of: row.number, to: identifier)
        try writer.writeIndex { writer throws(IndexError) in try writer.reidentify(row.number, as: identifier) }
        tracker.follow(row.number, from: row.item.identifier, to: identifier, engine)
    }
}

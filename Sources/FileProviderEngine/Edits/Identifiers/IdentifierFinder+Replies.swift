import FileProvider
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// The check and the adoption of identifiers in the provider's replies.
extension IdentifierFinder {
    /// Checks that the identifier in a reply can belong to the item. If another row has the identifier, that row must
    /// represent the same item, reported by the provider during the request.
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
            // The other item may just have been removed or moved away. Its step must not reach this item.
            if isInPlace, !isDouble { _ = try reconcileReplaced(known, engine) }
            throw ProviderError(.transient, message: "“\(known.name)” is being moved or removed.")
        }
        guard isInPlace else {
            throw ProviderError(
                .badAnswer, message: "The provider gave another item the identifier of “\(known.name)”.")
        }
        if !isDouble { _ = try reconcileReplaced(known, engine) }
    }

    /// Handles a known item whose place and identifier now belong to another item at the provider. The provider does
    /// not have the known item any more. If the known item was edited, it becomes a new item.
    ///
    /// - Returns: The item to wait for first, if any.
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

    /// Finds the new identifier of the item that has an identifier in the index, because the provider now uses that
    /// identifier for another item.
    func resolveHolder(
        of identifier: String, besides number: ItemNumber, _ engine: isolated any EngineEvents
    ) async throws {
        guard let known = try index.item(identifier: identifier), known.number != number else { return }
        _ = try await findNewIdentifier(of: known.number, asked: identifier, engine)
    }

    /// Finds the duplicate row of an item that was reported under its new identifier before the reply came. The caller
    /// removes that row.
    ///
    /// - Returns: The row's number, and the item to wait for first if the row has local changes.
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

    /// Adopts the identifier in the reply to a change that does not move the item, if the identifier is new.
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

    /// Replaces the identifier of an item in index, journal and queued edits.
    func take(
        _ identifier: String, for row: IndexedItem, _ engine: isolated any EngineEvents
    ) throws {
        try passMetadata(of: row.number, to: identifier)
        try writer.writeIndex { writer throws(IndexError) in try writer.reidentify(row.number, as: identifier) }
        tracker.follow(row.number, from: row.item.identifier, to: identifier, engine)
    }
}

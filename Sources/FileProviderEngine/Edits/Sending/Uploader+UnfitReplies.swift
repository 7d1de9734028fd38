import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Handles new items for which the provider's reply is unusable. The provider may still have created the item. The
/// engine repeats the request only after it has found out that the item does not exist, and the user has requested a
/// retry.
extension Uploader {
    /// Records that the reply to the creation of an item is unusable. Returns the failure of the step.
    func unfit(_ number: ItemNumber, _ answer: ProviderItem, _ new: NewItem, _ failure: ProviderError)
        -> ProviderError
    {
        guard answer.kind == new.kind else { return .unfitAnswer }
        // The provider may have the item at the place that it was sent to.
        scheduler.table.setUnfit(number, .creation)
        return failure
    }

    /// Looks for a new item in the place to which it was sent, after an unusable reply.
    ///
    /// - Returns: `nil` if the provider may be asked to create the item.
    /// - Throws: ``ProviderError/unfitAnswer`` if only the user can decide whether the engine may ask again.
    func findUnfit(
        _ number: ItemNumber, _ entry: JournalEntry, _ new: NewItem, in parent: ItemNumber, _ upload: Upload?,
        _ engine: isolated any EngineEvents
    ) async throws -> StepResult? {
        let unfit = scheduler.table[number].unfit
        // After a restart, only the journal has the failure.
        guard unfit == .creation || unfit == .repeatableCreation || entry.failure == .unfitAnswer else { return nil }
        let holder: ProviderItem?
        do {
            holder = try await finder.listedItem(named: new.filename, in: new.parent)
        } catch let failure as ProviderError where failure.kind == .noSuchItem {
            // The missing directory is detected when the item is sent.
            return nil
        }
        if let holder {
            if let result = try await adopt(number, new, parent: parent, upload, holder, isFoldersOwn: true, engine) {
                return result
            }
            // Only an unknown item of another kind can be the result of the request. Any other item is an ordinary
            // collision.
            let isKnown = try index.item(identifier: holder.identifier) != nil
            if !isKnown, holder.kind != new.kind { throw ProviderError.unfitAnswer }
        }
        guard unfit == .repeatableCreation else { throw ProviderError.unfitAnswer }
        scheduler.table.setUnfit(number, nil)
        return nil
    }
}

extension ProviderError {
    static let unfitAnswer = ProviderError(
        .cannotSynchronize,
        message: "The provider created an item of another kind; it may not accept items of this kind.")
}

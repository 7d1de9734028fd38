import FileProvider

/// New items whose answer from the provider cannot be used. The provider may have made something all the same, so it is not asked to make
/// the item once more before that is known, or before the user retries.
extension DomainEngine {
    /// Notes that an answer to a new item cannot be used. Returns the failure of the step.
    func unfit(_ number: ItemNumber, _ answer: ProviderItem, _ new: NewItem, _ failure: ProviderFailure)
        -> ProviderFailure
    {
        guard answer.kind == new.kind else { return .unfitAnswer }
        // It may be at the place that it was sent to.
        edits.unfit[number] = .isLookedFor
        return failure
    }

    /// Looks for a new item where it was sent, after an answer that could not be used.
    ///
    /// - Returns: `nil` where the provider may be asked to make it.
    /// - Throws: ``ProviderFailure/unfitAnswer`` where only the user can say whether it may.
    func findUnfit(
        _ number: ItemNumber, _ entry: JournalEntry, _ new: NewItem, in parent: ItemNumber, _ upload: Upload?
    ) async throws -> StepResult? {
        let isHeld = entry.failure == .unfitAnswer
        guard let unfit = edits.unfit[number] ?? (isHeld ? .isLookedFor : nil) else { return nil }
        let holder: ProviderItem?
        do {
            holder = try await listedItem(named: new.filename, in: new.parent)
        } catch let failure as ProviderFailure where failure.kind == .noSuchItem {
            // So it is found out when it is sent.
            return nil
        }
        if let holder {
            if let result = try await adopt(number, new, parent: parent, upload, holder, isFoldersOwn: true) {
                return result
            }
            // Another item of this machine, or one that was there before, is a collision like any other.
            let isKnown = try index.item(identifier: holder.identifier) != nil
            if !isKnown, holder.kind != new.kind { throw ProviderFailure.unfitAnswer }
        }
        guard unfit == .mayBeMadeAgain else { throw ProviderFailure.unfitAnswer }
        edits.unfit[number] = nil
        return nil
    }

    /// Allows a new item to be made once more, because the user retries.
    func allowMakingAgain(_ entry: JournalEntry) {
        guard entry.failure == .unfitAnswer else { return }
        edits.unfit[entry.number] = .mayBeMadeAgain
    }

    /// The number of unusable answers in a row after which the edit waits for the user.
    private static let mostBadAnswers = 5

    /// The failure of a step, as one that waits for the user where repeating it does not mend it.
    func lasting(_ failure: ProviderFailure, of number: ItemNumber) -> ProviderFailure {
        guard failure.kind == .badAnswer, edits.attempts[number, default: 0] + 1 >= Self.mostBadAnswers else {
            return failure
        }
        return ProviderFailure(.cannotSynchronize, message: failure.message)
    }
}

extension EditState {
    /// The next step for a new item whose answer could not be used.
    enum Unfit {
        case isLookedFor
        case mayBeMadeAgain
    }
}

extension ProviderFailure {
    static let unfitAnswer = ProviderFailure(
        .cannotSynchronize,
        message: "The provider made something else of the new item, or said so; it may not take items of this kind.")
}

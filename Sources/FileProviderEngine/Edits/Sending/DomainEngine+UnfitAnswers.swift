import FileProvider

/// New items whose answer from the provider cannot be theirs: it may have made something all the same. It is not asked to make it
/// once more before that is known, or before the user says so.
extension DomainEngine {
    /// The provider answered to a new item with what cannot be that.
    func unfit(_ number: ItemNumber, _ answer: ProviderItem, _ new: NewItem, _ failure: ProviderFailure)
        -> ProviderFailure
    {
        guard answer.kind == new.kind else { return .unfitAnswer }
        // Where it was sent it may be found as what it is.
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
        let none = ProviderFailure(.filenameCollision, message: "")
        var holder: ProviderItem?
        do {
            holder = try await self.holder(of: new.filename, in: new.parent, none)
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

    /// The user wants a new item to be sent again.
    func allowMakingAgain(_ entry: JournalEntry) {
        guard entry.failure == .unfitAnswer else { return }
        edits.unfit[entry.number] = .mayBeMadeAgain
    }

    /// After so many answers in a row that cannot be used, another one is not asked for before the user says so.
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
    /// What is to become of a new item that the provider gave no answer to that could be used.
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

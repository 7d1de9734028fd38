import FileProvider
import ItemStore
import ItemValues
import LinuxSystem

/// Items whose identifier changes when they are changed, as with providers whose identifiers are paths. After the
/// reply, index, journal and queued edits use the new identifier. Locally the item keeps its number and bytes.
extension DomainEngine {
    // MARK: Answers

    /// Checks that the identifier in a reply can belong to the item. No other item may have it, except one that was
    /// reported during the request and is this same item.
    func checkIdentity(_ answer: ProviderItem, of number: ItemNumber, asked identifier: String) async throws {
        guard !answer.identifier.hasSameBytes(as: identifier) else { return }
        try await resolveHolder(of: answer.identifier, besides: number)
        guard let known = try index.item(identifier: answer.identifier), known.number != number
        else { return }
        // The other item may just have been removed or moved away.
        if edits.table.isBusy(known.number) {
            throw ProviderError(.transient, message: "“\(known.name)” is on its way.")
        }
        guard known.item.isAt(answer.filename, in: answer.parent) else {
            throw ProviderError(
                .badAnswer, message: "The provider gave an item the identifier of “\(known.name)”.")
        }
        // An item of the same kind that became known only after this one was sent is this one.
        if known.item.kind == answer.kind, known.number.rawValue > number.rawValue { return }
        _ = try reconcileReplaced(known)
    }

    /// Handles a known item whose place and identifier now belong to another item at the provider. The provider does
    /// not have the known item any more. If the known item was edited, it becomes a new item.
    ///
    /// - Returns: The item to wait for first, if any.
    func reconcileReplaced(_ known: IndexedItem) throws -> StepResult? {
        if edits.table.isBusy(known.number) {
            // The step that is running may end without this, or be cut off by a crash. A later one must know it, too.
            if var entry = try journal.entry(known.number) {
                entry.lostIdentifier = known.item.identifier
                try writeInAnyCase([.put(entry)])
            }
            return .waits(for: known.number)
        }
        _ = try makeAgain(known.number)
        schedule(known.number, after: configuration.settlingTime)
        return nil
    }

    /// Finds the new identifier of the item that has an identifier in the index, because another item is getting that
    /// identifier.
    func resolveHolder(of identifier: String, besides number: ItemNumber) async throws {
        guard let known = try index.item(identifier: identifier), known.number != number else { return }
        _ = try await findNewIdentifier(of: known.number, asked: identifier)
    }

    /// Finds the duplicate row of an item that was reported under its new identifier before the reply came. The caller
    /// removes that row.
    ///
    /// - Returns: The row's number, and the item to wait for first if the row has local changes.
    func double(of number: ItemNumber, _ answer: ProviderItem) throws -> (ItemNumber?, StepResult?) {
        guard let known = try index.item(identifier: answer.identifier), known.number != number else {
            return (nil, nil)
        }
        if let result = try free(known.number) { return (nil, result) }
        // That row may have become a new local item.
        guard let known = try index.item(identifier: answer.identifier), known.number != number else {
            return (nil, nil)
        }
        return (known.number, nil)
    }

    func forgetDouble(_ double: ItemNumber) {
        removeBytes(of: double)
        forget(double)
    }

    /// Passes user metadata on to an item's new identifier, as ``EngineContext/passMetadata(of:to:)`` does.
    func passMetadata(of number: ItemNumber, to identifier: String) throws(IndexError) {
        try context.passMetadata(of: number, to: identifier)
    }

    /// Updates the journal and the queued edits after an item got another identifier in the index.
    func follow(_ number: ItemNumber, from former: String, to identifier: String) {
        guard !former.hasSameBytes(as: identifier), !former.hasPrefix(IndexedItem.localPrefix) else { return }
        // Replies to earlier requests contain the former identifier.
        replies.noteReport(of: [former, identifier])
        follow([Reidentified(number: number, former: former, identifier: identifier)])
    }

    /// Updates the journal and the queued edits for items whose identifiers changed in the index. Enumerates those
    /// items that are directories.
    func follow(_ items: [Reidentified]) {
        guard !items.isEmpty else { return }
        for item in items {
            do throws(IndexError) {
                try passPlaces(from: item.former, to: item.identifier)
                var records: [JournalChange] = []
                if var entry = try journal.entry(item.number), !entry.identifier.hasSameBytes(as: item.identifier) {
                    entry.identifier = item.identifier
                    records.append(.put(entry))
                }
                records += try entries(in: item.number, whichIsNow: item.identifier)
                // If this fails, the next start takes the missing part from the index.
                if !records.isEmpty { try writeInAnyCase(records) }
            } catch {
                damage.note(error)
            }
            schedule(item.number)
        }
        replies.noteReport(of: items.map(\.former))
        listReidentified()
    }

    /// Updates the places of edits that await a reply and whose directory got a new identifier.
    private func passPlaces(from former: String, to identifier: String) throws(IndexError) {
        func moved(_ place: SentLocation) -> SentLocation? {
            place.parent.hasSameBytes(as: former) ? SentLocation(parent: identifier, name: place.name) : nil
        }
        for (place, numbers) in edits.unanswered {
            guard let new = moved(place) else { continue }
            edits.unanswered[place] = nil
            edits.unanswered[new, default: []].formUnion(numbers)
            for number in numbers {
                guard var entry = try journal.entry(number), entry.sent == place else { continue }
                entry.sent = new
                try writeInAnyCase([.put(entry)])
            }
        }
        for (number, place) in edits.moves {
            guard let new = moved(place) else { continue }
            edits.moves[number] = new
            guard var entry = try journal.entry(number), entry.movedTo == place else { continue }
            entry.movedTo = new
            try writeInAnyCase([.put(entry)])
        }
        for (number, place) in edits.leaving {
            if let new = moved(place) { edits.leaving[number] = new }
        }
        for (withheld, told) in edits.withheld {
            if let new = moved(told.place) { edits.withheld[withheld]?.place = new }
        }
    }

    /// Corrects a reply that was sent before the item's directory got a new identifier: the item's parent is that
    /// directory. The item's own new identifier is learnt when the directory is enumerated.
    ///
    /// - Parameter parent: The directory's identifier at the time of the request.
    /// - Returns: Whether the directory got a new identifier.
    func isOutdated(_ answer: inout ProviderItem, in folder: ItemNumber, asked parent: String) throws -> Bool {
        guard let now = try index.item(folder), !now.item.identifier.hasSameBytes(as: parent),
            answer.parent.hasSameBytes(as: parent)
        else { return false }
        answer.parent = now.item.identifier
        return true
    }

    /// Enumerates a directory in which an item has another identifier than its reply says.
    func listForIdentifiers(_ folder: ItemNumber) throws {
        try writeIndex { writer throws(IndexError) in try writer.noteReidentified(folder) }
        listReidentified()
    }

    /// Adopts the identifier in the reply to a change that does not move the item, if the reply has a new one.
    func reidentify(_ row: IndexedItem?, as answer: ProviderItem, asked identifier: String) async throws {
        guard !answer.identifier.hasSameBytes(as: identifier) else { return }
        guard let row, row.item.identifier.hasSameBytes(as: identifier), answer.kind == row.item.kind else {
            throw ProviderError(.badAnswer, message: "The provider answered with another item.")
        }
        try check(answer, is: row.item.kind)
        try await checkIdentity(answer, of: row.number, asked: identifier)
        try take(answer.identifier, for: row)
    }

    /// Gives an item another identifier in index, journal and queued edits.
    func take(_ identifier: String, for row: IndexedItem) throws {
        try passMetadata(of: row.number, to: identifier)
        try writeIndex { writer throws(IndexError) in try writer.reidentify(row.number, as: identifier) }
        follow(row.number, from: row.item.identifier, to: identifier)
    }

    /// Enumerates the directories whose items may have new identifiers.
    func listReidentified() {
        do throws(IndexError) {
            for folder in try index.reidentifiedFolders() where try index.item(folder) != nil {
                refreshAnew(folder)
            }
        } catch {
            damage.note(error)
        }
    }
}

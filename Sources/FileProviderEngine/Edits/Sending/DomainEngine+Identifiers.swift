import FileProvider
import LinuxSystem

/// Items that get another identifier from the provider when they are changed, as where identifiers are paths. From the
/// reply on, index, journal and queued edits use the new identifier. Locally the item stays the same, with its number
/// and bytes.
extension DomainEngine {
    // MARK: Answers

    /// Checks that the identifier in a reply can be the item's own: no other item has it, unless that one was reported
    /// since and is this item.
    func checkIdentity(_ answer: ProviderItem, of number: ItemNumber, asked identifier: String) async throws {
        guard !answer.identifier.hasSameBytes(as: identifier) else { return }
        try await resolveHolder(of: answer.identifier, besides: number)
        guard let known = try index.item(identifier: answer.identifier), known.number != number
        else { return }
        // The other item may just have been removed or moved away.
        if edits.isBusy(known.number) { throw ProviderError(.transient, message: "“\(known.name)” is on its way.") }
        guard known.item.isAt(answer.filename, in: answer.parent) else {
            throw ProviderError(
                .badAnswer, message: "The provider gave an item the identifier of “\(known.name)”.")
        }
        // An item of the same kind that became known only after this one was sent is this one.
        if known.item.kind == answer.kind, known.number.rawValue > number.rawValue { return }
        _ = try reconcileReplaced(known)
    }

    /// Settles a known item whose place and identifier another item has got. The provider does not have the known item
    /// any more. If it was edited, it becomes a new item.
    ///
    /// - Returns: The item to wait for first, if any.
    func reconcileReplaced(_ known: IndexedItem) throws -> StepResult? {
        if edits.isBusy(known.number) {
            edits.replaced.insert(known.number)
            return .waits(for: known.number)
        }
        _ = try makeAgain(known.number)
        schedule(known.number, after: configuration.settlingTime)
        return nil
    }

    /// Looks for the new identifier of the item that is still known by an identifier that another item is getting.
    func resolveHolder(of identifier: String, besides number: ItemNumber) async throws {
        guard let known = try index.item(identifier: identifier), known.number != number else { return }
        _ = try await findNewIdentifier(of: known.number, asked: identifier)
    }

    /// Finds the second row of an item that was reported under its new identifier before the reply came. The caller
    /// removes that row.
    ///
    /// - Returns: The row's number, and the item to wait for first if that row has local changes.
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

    /// Updates the journal and the queued edits for items that got other identifiers in the index, and enumerates the
    /// directories among them.
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

    /// Updates the places of edits that await a reply and whose directory has another identifier now.
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

    /// Corrects a reply that was sent before the directory got another identifier: the item is in that directory. The
    /// item's own new identifier comes with the enumeration of the directory.
    ///
    /// - Parameter parent: The directory's identifier at the time of the request.
    /// - Returns: Whether the directory has another identifier now.
    func isOutdated(_ answer: inout ProviderItem, in folder: ItemNumber, asked parent: String) throws -> Bool {
        guard let now = try index.item(folder), !now.item.identifier.hasSameBytes(as: parent),
            answer.parent.hasSameBytes(as: parent)
        else { return false }
        answer.parent = now.item.identifier
        return true
    }

    /// Enumerates a directory in which an item has another identifier than the one in its reply.
    func listForIdentifiers(_ folder: ItemNumber) throws {
        try writeIndex { writer throws(IndexError) in try writer.noteReidentified(folder) }
        listReidentified()
    }

    /// Adopts the identifier in the reply to a change that moves nothing, if the item got another one.
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

    /// Enumerates the directories whose items may have other identifiers than the known ones.
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

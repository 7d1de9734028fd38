import FileProvider
import ItemStore
import ItemValues
import LinuxSystem

/// The sending of renames and moves.
extension DomainEngine {
    func sendMove(_ entry: JournalEntry, _ row: IndexedItem) async throws -> StepResult {
        let number = entry.number
        guard let parent = try index.item(row.parent) else { return try moveToRoot(entry, row) }
        guard parent.isKnownToProvider else { return .waits(for: parent.number) }
        if row.item.kind == .folder, let above = try firstMoving(above: row) { return .waits(for: above) }
        let name = row.name
        let place = SentLocation(parent: parent.item.identifier, name: name)
        if let removal = try removalWaits.removal(in: place) { return .waits(for: removal) }
        // The reply to an earlier move may have been lost.
        let wasAsked = entry.mayHaveMoved
        if wasAsked, let earlier = entry.movedTo, earlier != place, let result = try await findMoved(row, earlier) {
            return result
        }
        var answer: ProviderItem
        do {
            if let there = try await itemInPlace(entry, row, in: parent) {
                answer = there
            } else {
                if let result = try settleTaken(row) { return result }
                // A request that has to wait is not recorded as sent.
                if let result = try obstacle(for: number, to: place, in: parent.number) { return result }
                try noteMayMove(number, to: place)
                try await synchronized()
                if let result = try obstacle(for: number, to: place, in: parent.number) { return result }
                answer = try await askingForChange { () async throws(ProviderError) in
                    try await provider.move(row.item.identifier, to: parent.item.identifier, named: name)
                }
            }
        } catch let failure as ProviderError where failure.kind == .filenameCollision {
            guard wasAsked, try await isGone(row), let moved = try await moved(row, to: place) else {
                return try await resolveCollision(number, movedTo: name, in: parent.item.identifier, failure)
            }
            answer = moved
        } catch let failure as ProviderError where failure.kind == .noSuchItem {
            guard try await isGone(row) else { return try await reconcileMissingParent(parent, failure) }
            if wasAsked, let moved = try await moved(row, to: place) {
                answer = moved
            } else if let result = try await findNewIdentifier(of: number, asked: row.item.identifier) {
                return result
            } else {
                return try makeAgain(number)
            }
        }
        try check(answer, is: row.item.kind)
        try await checkIdentity(answer, of: number, asked: row.item.identifier)
        return try finishMove(number, to: parent, named: name, answer)
    }

    /// Whether the provider has no item with the row's identifier.
    private func isGone(_ row: IndexedItem) async throws -> Bool {
        do {
            _ = try await asking { () async throws(ProviderError) in
                try await provider.item(row.item.identifier)
            }
            return false
        } catch let failure as ProviderError where failure.kind == .noSuchItem {
            return true
        }
    }

    /// Returns the provider's item if it is in its original place after a move whose reply was lost and that was undone
    /// locally. Some providers would report a collision of the item with itself.
    private func itemInPlace(
        _ entry: JournalEntry, _ row: IndexedItem, in parent: IndexedItem
    ) async throws -> ProviderItem? {
        guard entry.mayHaveMoved, row.item.isAt(row.name, in: parent.item.identifier) else { return nil }
        let item = try await asking { () async throws(ProviderError) in
            try await provider.item(row.item.identifier)
        }
        return item.isAt(row.name, in: parent.item.identifier) ? item : nil
    }

    /// Journals that the provider is about to be asked to move an item. The reply may be lost, and the user may move
    /// the item back locally.
    func noteMayMove(_ number: ItemNumber, to place: SentLocation) throws {
        guard var entry = try journal.entry(number) else { return }
        if !entry.mayHaveMoved || entry.movedTo != place {
            entry.mayHaveMoved = true
            entry.movedTo = place
            try journal.put(entry)
        }
        forgetMove(of: number)
        edits.moves[number] = place
        try noteLeaves(number)
    }

    private func finishMove(
        _ number: ItemNumber, to folder: IndexedItem, named name: String, _ answer: ProviderItem
    ) throws -> StepResult {
        let parent = folder.number
        var answer = answer
        let isOutdated = try isOutdated(&answer, in: parent, asked: folder.item.identifier)
        guard var entry = try journal.entry(number), let row = try index.itemEvenIfDeleted(number) else { return .done }
        let (double, result) = try double(of: number, answer)
        if let result { return result }
        // If the item was moved again meanwhile, it is sent again.
        if row.parent == parent, row.name.hasSameBytes(as: name) { entry.changes.remove(.place) }
        passNameInBetween(from: row.item.identifier, to: answer.identifier)
        answer = leftNameInBetween(answer, movedTo: name, in: parent)
        let moved = answer
        entry.identifier = answer.identifier
        entry.mayHaveMoved = false
        entry.movedTo = nil
        entry.failure = nil
        let changed = entry
        let isInPlace = changed.changes.isDisjoint(with: [.place, .deleted])
        let asSent = isInPlace ? moved.sent(as: name) : moved
        var records: [JournalChange] = [changed.changes.isEmpty && !changed.isOpen ? .remove(number) : .put(changed)]
        if let double { records.append(.remove(double)) }
        try passMetadata(of: number, to: answer.identifier)
        let applied = try confirm(records) { writer throws(IndexError) in
            try writer.update(number) { row in
                // Newer contents are reported by the change feed, which also handles their effects.
                var item = asSent
                item.contentVersion = row.item.contentVersion
                row.item = item
                row.changes = changed.changes
            }
            return try isInPlace ? writer.apply([moved]) : AppliedItems()
        }
        confirmed(number, answer.identifier, told: row.item, answer)
        follow(number, from: row.item.identifier, to: answer.identifier)
        handle(applied)
        if let double { forgetDouble(double) }
        forgetMove(of: number)
        if isOutdated { try listForIdentifiers(parent) }
        return .done
    }

    /// Moves an item to the root because the provider reported that its directory is gone. Otherwise the item would not
    /// be visible.
    func moveToRoot(_ entry: JournalEntry, _ row: IndexedItem) throws -> StepResult {
        var entry = entry
        entry.parent = .root
        entry.parentIdentifier = ProviderItem.rootIdentifier
        if try index.item(named: row.name, in: .root) != nil {
            entry.name = try freeName(in: .root) { MountName.numbered(row.name, $0 + 1) }
        }
        let changed = entry
        try record([.put(changed)]) { writer throws(IndexError) in
            try writer.update(row.number) { row in
                row.parent = .root
                row.name = changed.name
                if !row.isKnownToProvider {
                    row.item.parent = ProviderItem.rootIdentifier
                    row.item.filename = changed.name
                }
            }
        }
        return .done
    }

    /// Returns the nearest directory above an item that is still to be moved or created at the provider. If the item
    /// were sent first, the directory could end up inside itself at the provider.
    private func firstMoving(above row: IndexedItem) throws(IndexError) -> ItemNumber? {
        var number = row.parent
        while number != .root, let folder = try index.item(number) {
            if !folder.changes.isDisjoint(with: [.place, .created]) { return number }
            number = folder.parent
        }
        return nil
    }
}

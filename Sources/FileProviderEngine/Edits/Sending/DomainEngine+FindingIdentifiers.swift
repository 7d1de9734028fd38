import FileProvider
import ItemStore
import ItemValues
import LinuxSystem

/// The search for items that may have a new identifier at the provider. These are items whose move got no reply, and
/// items in directories that got a new identifier.
extension DomainEngine {
    // MARK: Moves

    /// Ends the uncertainty about a move. Revalidates the items that were withheld in the target place, and those whose
    /// removal was held back.
    func forgetMove(of number: ItemNumber) {
        edits.leaving[number] = nil
        guard let place = edits.moves.removeValue(forKey: number) else { return }
        if edits.hasHeldRemovals, edits.moves.isEmpty {
            edits.hasHeldRemovals = false
            askForOutdated()
            reconciler.revalidation.retry(self)
        }
        guard edits.unanswered[place] == nil, !edits.moves.values.contains(place) else { return }
        let others = edits.withheld.filter { $0.value.place == place }
        for identifier in others.keys { edits.withheld[identifier] = nil }
        requestRevalidation(Set(others.keys))
    }

    /// Returns the provider's item at the place of a move whose reply was lost, if it is the moved item under a new
    /// identifier.
    func moved(_ row: IndexedItem, to place: SentLocation) async throws -> ProviderItem? {
        guard let found = try await item(at: place), !found.identifier.hasSameBytes(as: row.item.identifier),
            found.isSame(as: row.item)
        else {
            return nil
        }
        guard let known = try index.item(identifier: found.identifier), known.number != row.number else { return found }
        let isUntouched = known.changes.isEmpty && known.content != .edited && !edits.table.isBusy(known.number)
        return isUntouched && known.number.rawValue > row.number.rawValue ? found : nil
    }

    /// Finds an item whose move got no reply, before the item is moved again.
    ///
    /// - Returns: `nil` if the provider has the item under its known identifier, or does not have it.
    func findMoved(_ row: IndexedItem, _ place: SentLocation) async throws -> StepResult? {
        do {
            _ = try await asking { () async throws(ProviderError) in
                try await provider.item(row.item.identifier)
            }
            return nil
        } catch let failure as ProviderError where failure.kind == .noSuchItem {
            guard let found = try await moved(row, to: place) else { return nil }
            let (double, result) = try double(of: row.number, found)
            if let result { return result }
            guard var entry = try journal.entry(row.number),
                let now = try index.itemEvenIfDeleted(row.number), now.item.identifier == row.item.identifier
            else { return .later(0) }
            entry.identifier = found.identifier
            entry.mayHaveMoved = false
            entry.movedTo = nil
            var records: [JournalChange] = [.put(entry)]
            if let double { records.append(.remove(double)) }
            try passMetadata(of: row.number, to: found.identifier)
            try confirm(records) { writer throws(IndexError) in
                try writer.update(row.number) { row in
                    row.item.identifier = found.identifier
                    row.item.parent = found.parent
                    row.item.filename = found.filename
                }
            }
            follow(row.number, from: row.item.identifier, to: found.identifier)
            if let double { forgetDouble(double) }
            forgetMove(of: row.number)
            return .later(0)
        }
    }

    // MARK: Unknown identifiers

    /// Finds the new identifier of an item whose known identifier the provider does not recognize. An identifier can
    /// change when the identifier of a directory above changes.
    ///
    /// - Returns: The item or delay to wait for; `nil` if the item is gone.
    func findNewIdentifier(of number: ItemNumber, asked identifier: String) async throws -> StepResult? {
        guard var row = try index.itemEvenIfDeleted(number), row.isKnownToProvider else { return nil }
        guard row.item.identifier.hasSameBytes(as: identifier) else { return .later(0) }
        let reidentified = try index.reidentifiedFolders()
        guard !edits.moves.isEmpty || !reidentified.isEmpty else { return nil }
        // The path leads from the item up to the highest directory whose items may have other identifiers.
        var (path, count): ([IndexedItem], Int) = ([], 0)
        for _ in 0..<IndexedItem.mostAncestors {
            guard row.number != .root else { break }
            path.append(row)
            guard let folder = try index.item(identifier: row.item.parent), folder.number != .root else { break }
            if edits.moves[folder.number] != nil { return .waits(for: folder.number) }
            if reidentified.contains(folder.number) { count = path.count }
            row = folder
        }
        for child in path.prefix(count).reversed() {
            guard let now = try index.itemEvenIfDeleted(child.number),
                now.item.identifier.hasSameBytes(as: child.item.identifier)
            else { continue }
            let request = replies.beginRequest()
            let place = SentLocation(parent: now.item.parent, name: now.item.filename)
            guard let found = try await item(at: place), found.kind == now.item.kind else { return nil }
            // A listing may have found the item meanwhile, or it may have moved.
            guard !replies.isStale(for: found.identifier, since: request),
                let row = try index.itemEvenIfDeleted(child.number), row.item.identifier == now.item.identifier
            else { return .later(0) }
            if found.identifier.hasSameBytes(as: row.item.identifier) { continue }
            let (double, result) = try double(of: row.number, found)
            if let result { return result }
            try take(found.identifier, for: row)
            if let double {
                try journal.remove(double)
                forgetDouble(double)
            }
        }
        guard let now = try index.itemEvenIfDeleted(number) else { return nil }
        return now.item.identifier.hasSameBytes(as: identifier) ? nil : .later(0)
    }

    /// In seconds.
    private static let longestWaitForMove = 2.0

    /// Finds the new identifier as ``findNewIdentifier(of:asked:)`` does, and waits until it is known.
    ///
    /// - Returns: Whether the item may be requested again.
    func awaitNewIdentifier(of number: ItemNumber, asked identifier: String) async -> Bool {
        // Several directories above may be moved, one after the other.
        for attempt in 1...8 {
            // The reply to the item's own move may have just arrived, or be about to.
            if edits.moves[number] != nil, let step = edits.table[number].step { await step.task.value }
            guard !isClosed, let result = try? await findNewIdentifier(of: number, asked: identifier) else {
                return false
            }
            guard case .waits(let other) = result else { return true }
            if let step = edits.table[other].step {
                await step.task.value
            } else {
                // The reply was lost, so the move is sent again.
                schedule(other)
                await clock.wait(min(delay(afterAttempt: attempt), Self.longestWaitForMove))
            }
        }
        return false
    }

    /// Returns the row of an item that was moved or removed locally and that the provider reports in its old place
    /// under an unknown identifier.
    func rowLeft(at item: ProviderItem) throws(IndexError) -> IndexedItem? {
        let reidentified = try index.reidentifiedFolders()
        guard !reidentified.isEmpty, let folder = try index.item(identifier: item.parent),
            reidentified.contains(folder.number)
        else { return nil }
        var found: IndexedItem?
        try index.changedItems { row in
            guard row.isKnownToProvider, !row.changes.isDisjoint(with: [.place, .deleted]),
                row.item.isAt(item.filename, in: item.parent)
            else { return }
            found = row
        }
        return found
    }

    // MARK: Removals

    /// Returns the identifiers of removed items, without the items that may only have moved. Their status is known once
    /// the reply to the move has come, or the directory was enumerated.
    func believed(gone identifiers: [String]) throws(ProviderError) -> [String] {
        guard !identifiers.isEmpty, try hasItemsElsewhere() else { return identifiers }
        let moving = Set(edits.moves.keys)
        var (believed, held, uncertain): ([String], [String], Set<String>) = ([], [], [])
        try write { writer throws(IndexError) in
            (believed, held, uncertain) = ([], [], [])
            for identifier in identifiers {
                guard try writer.mayBeElsewhere(identifier, moving: moving) else {
                    believed.append(identifier)
                    continue
                }
                held.append(identifier)
                if let row = try writer.item(identifier: identifier) {
                    try writer.setOutdated(true, row.item.parent)
                    if moving.contains(row.number) { uncertain.insert(identifier) }
                }
            }
        }
        if !held.isEmpty { edits.hasHeldRemovals = true }
        try scheduleRevalidation(uncertain)
        return believed
    }

    /// Whether the provider may have an item under another identifier than the known one.
    private func hasItemsElsewhere() throws(ProviderError) -> Bool {
        if !edits.moves.isEmpty { return true }
        return try onRecord { () throws(IndexError) in try !index.reidentifiedFolders().isEmpty }
    }

    /// Whether an item or a directory above it is being moved, so that its place is unknown.
    func isMoving(_ identifier: String) -> Bool {
        guard !edits.moves.isEmpty else { return false }
        var row = try? index.item(identifier: identifier)
        for _ in 0..<IndexedItem.mostAncestors {
            guard let current = row, current.number != .root else { return false }
            if edits.moves[current.number] != nil { return true }
            row = try? index.item(identifier: current.item.parent)
        }
        return false
    }
}

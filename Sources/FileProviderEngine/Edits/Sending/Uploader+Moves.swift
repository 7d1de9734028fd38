import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Sends renames and moves to the provider.
extension Uploader {
    func sendMove(
        _ entry: JournalEntry, _ row: IndexedItem, _ engine: isolated any EngineEvents
    ) async throws -> StepResult {
        let number = entry.number
        guard let parent = try index.item(row.parent) else { return try moveToRoot(entry, row, engine) }
        guard parent.isKnownToProvider else { return .waits(for: parent.number) }
        if row.item.kind == .folder, let above = try firstMoving(above: row) { return .waits(for: above) }
        let name = row.name
        let place = SentLocation(parent: parent.item.identifier, name: name)
        if let removal = try removalWaits.removal(in: place) { return .waits(for: removal) }
        if let result = try await finder.findMoved(from: place, for: number, engine) { return result }
        // The reply to an earlier move may have been lost.
        let wasAsked = entry.mayHaveMoved
        if wasAsked, let earlier = entry.movedTo, earlier != place,
            let result = try await finder.findMoved(row, earlier, engine)
        {
            return result
        }
        var answer: ProviderItem
        do {
            var there: ProviderItem?
            if wasAsked {
                switch try await stateBeforeRepeating(row, to: place, engine) {
                case .done(let item): there = item
                case .other(let result): return result
                case .notDone: break
                }
            }
            if let there {
                answer = there
            } else {
                if let result = try settleTaken(row, engine) { return result }
                // A request that has to wait is not recorded as sent.
                if let result = try tracker.obstacle(for: number, to: place, in: parent.number) { return result }
                try tracker.noteMayMove(number, to: place, engine)
                try await synchronized()
                if let result = try settleTaken(row, engine) { return result }
                if let result = try tracker.obstacle(for: number, to: place, in: parent.number) { return result }
                scheduler.table.setUnfit(number, nil)
                do {
                    answer = try await askingForChange { () async throws(ProviderError) in
                        try await provider.move(row.item.identifier, to: parent.item.identifier, named: name)
                    }
                } catch let failure as ProviderError where failure.kind == .badAnswer {
                    scheduler.table.setUnfit(number, .move)
                    throw failure
                }
            }
        } catch let failure as ProviderError where failure.kind == .filenameCollision {
            guard wasAsked, let moved = try await finder.movedBefore(row, to: place) else {
                return try await resolveCollision(number, movedTo: name, in: parent.item.identifier, failure, engine)
            }
            answer = moved
        } catch let failure as ProviderError where failure.kind == .noSuchItem {
            guard try await isGone(row) else { return try await reconcileMissingParent(parent, failure, engine) }
            if wasAsked, let moved = try await finder.moved(row, to: place) {
                answer = moved
            } else if wasAsked, let found = try await finder.item(at: place),
                let result = try formerHolder(of: found, besides: number)
            {
                return result
            } else if let result = try await finder.findNewIdentifier(of: number, asked: row.item.identifier, engine) {
                return result
            } else {
                return try recreation.makeAgain(number, engine)
            }
        }
        do {
            try check(answer, is: row.item.kind)
            try await finder.checkIdentity(answer, of: number, asked: row.item.identifier, engine)
        } catch let failure as ProviderError where failure.kind == .badAnswer {
            scheduler.table.setUnfit(number, .move)
            throw failure
        }
        return try finishMove(number, to: parent, named: name, answer, wasRepeated: wasAsked, engine)
    }

    /// Whether the provider has no item with the identifier in the given row.
    nonisolated(nonsending) private func isGone(_ row: IndexedItem) async throws -> Bool {
        do {
            _ = try await asking { () async throws(ProviderError) in
                try await provider.item(row.item.identifier)
            }
            return false
        } catch let failure as ProviderError where failure.kind == .noSuchItem {
            return true
        }
    }

    /// The state of a move that was sent before and has no usable reply.
    private enum RepeatedMove {
        /// The provider has the item in the new place.
        case done(ProviderItem)
        case notDone
        /// Another item has the identifier.
        case other(StepResult)
    }

    /// Requests an item before its move is repeated. With identifiers that are paths, another client may have created
    /// another item in the former place. The repeated move would rename that item, and some providers would replace the
    /// moved item by it.
    private func stateBeforeRepeating(
        _ row: IndexedItem, to place: SentLocation, _ engine: isolated any EngineEvents
    ) async throws -> RepeatedMove {
        let request = replies.beginRequest()
        let current = try await asking { () async throws(ProviderError) in
            try await provider.item(row.item.identifier)
        }
        if let result = try settleTaken(row, engine) { return .other(result) }
        if current.isAt(place.name, in: place.parent) {
            // If the user has moved the item back locally, the provider has it in the right place, and no move is sent.
            // Some providers would report a collision of the item with itself.
            let isUndone = row.item.isAt(place.name, in: place.parent)
            // After an unusable reply, the move is sent again to get another reply. Unusable replies are counted, and
            // the edit is parked after the last attempt.
            if scheduler.table[row.number].unfit == .move, !isUndone { return .notDone }
            if current.kind == row.item.kind { return .done(current) }
        }
        if let moved = try await finder.moved(row, leaving: current, to: place) { return .done(moved) }
        guard current.isOfAnotherKind(than: row.item) else { return .notDone }
        // The row becomes a local item, which the next step creates or drops.
        try reconciler.apply([current], answering: request, engine)
        return .other(.later(0))
    }

    /// Records that the provider has moved an item.
    ///
    /// - Parameter wasRepeated: Whether the provider was asked for the move before, without a usable reply.
    private func finishMove(
        _ number: ItemNumber, to folder: IndexedItem, named name: String, _ answer: ProviderItem, wasRepeated: Bool,
        _ engine: isolated any EngineEvents
    ) throws -> StepResult {
        let parent = folder.number
        var answer = answer
        let isOutdated = try tracker.isOutdated(&answer, in: parent, asked: folder.item.identifier)
        guard var entry = try journal.entry(number), let row = try index.itemEvenIfDeleted(number) else { return .done }
        let (double, result) = try finder.double(of: number, answer, engine)
        if let result { return result }
        // If the item was moved again meanwhile, it is sent again.
        if row.parent == parent, row.name.hasSameBytes(as: name) { entry.changes.remove(.place) }
        tracker.passNameInBetween(from: row.item.identifier, to: answer.identifier)
        answer = tracker.leftNameInBetween(answer, movedTo: name, in: parent)
        let moved = answer
        entry.identifier = answer.identifier
        entry.setPlace(of: answer)
        entry.mayHaveMoved = false
        entry.movedTo = nil
        entry.failure = nil
        let changed = entry
        let isInPlace = changed.changes.isDisjoint(with: [.place, .deleted])
        let asSent = isInPlace ? moved.sent(as: name) : moved
        var records: [JournalChange] = [changed.changes.isEmpty && !changed.isOpen ? .remove(number) : .put(changed)]
        if let double { records.append(.remove(double)) }
        try passMetadata(of: number, to: answer.identifier)
        let applied = try writer.confirm(records) { writer throws(IndexError) in
            try writer.update(number) { row in
                // The content version stays, because newer contents are handled when the change feed reports them.
                var item = asSent
                item.contentVersion = row.item.contentVersion
                row.item = item
                row.changes = changed.changes
            }
            return try isInPlace ? writer.apply([moved]) : AppliedItems()
        }
        reconciler.confirmed(
            answer.identifier, told: row.item, answer, request: scheduler.request(of: number), engine)
        let former = row.item.identifier
        let isReported = scheduler.request(of: number).map { replies.isStale(for: former, since: $0) } ?? false
        tracker.follow(
            number, from: former, to: answer.identifier, mayBeReused: wasRepeated || isReported, engine)
        reconciler.handle(applied, engine)
        if let double { recreation.forgetDouble(double, engine) }
        tracker.forgetMove(of: number, engine)
        if isOutdated { try tracker.listForIdentifiers(parent, engine) }
        return .done
    }

    /// Moves the given item to the root locally, because the provider reported that its directory is gone. Otherwise
    /// the item would not be visible.
    func moveToRoot(
        _ entry: JournalEntry, _ row: IndexedItem, _ engine: isolated any EngineEvents
    ) throws -> StepResult {
        var entry = entry
        entry.parent = .root
        entry.parentIdentifier = ProviderItem.rootIdentifier
        if try index.item(named: row.name, in: .root) != nil {
            entry.name = try recorder.freeName(in: .root) { MountName.numbered(row.name, $0 + 1) }
        }
        let changed = entry
        try recorder.record([.put(changed)], engine) { writer throws(IndexError) in
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

    /// Returns the nearest directory above the given item that is still to be moved or created at the provider; `nil`
    /// if there is none. The item is sent after that directory. Otherwise a directory could end up inside itself at the
    /// provider.
    private func firstMoving(above row: IndexedItem) throws(IndexError) -> ItemNumber? {
        var number = row.parent
        while number != .root, let folder = try index.item(number) {
            if !folder.changes.isDisjoint(with: [.place, .created]) { return number }
            number = folder.parent
        }
        return nil
    }
}

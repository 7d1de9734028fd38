import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Searches for items that may have a new identifier at the provider: items whose move got no reply, and items in
/// directories that got a new identifier. Providers whose identifiers are paths have such items. Once the new
/// identifier is found, the index, the journal and queued edits use it. Locally the item keeps its item number and its
/// contents.
///
/// It calls the tracker of identifiers, the components that the tracker calls, and the recreation of items. Used only
/// on the engine's thread (see ``EngineContext``).
final class IdentifierFinder: EngineComponent {
    let context: EngineContext
    let writer: JournalWriter
    let recorder: EditRecorder
    let scheduler: UploadScheduler
    let tracker: IdentifierTracker
    let recreation: ItemRecreation

    init(
        _ context: EngineContext, _ writer: JournalWriter, _ recorder: EditRecorder, _ scheduler: UploadScheduler,
        _ tracker: IdentifierTracker, _ recreation: ItemRecreation
    ) {
        self.context = context
        self.writer = writer
        self.recorder = recorder
        self.scheduler = scheduler
        self.tracker = tracker
        self.recreation = recreation
    }

    // MARK: Moves

    /// Returns the item that the provider has at `place`, if it is the given item under a new identifier; otherwise
    /// `nil`. The given item was to be moved to this place, and the reply was lost.
    nonisolated(nonsending) func moved(_ row: IndexedItem, to place: SentLocation) async throws -> ProviderItem? {
        guard let found = try await item(at: place), !found.identifier.hasSameBytes(as: row.item.identifier),
            try isSame(found, as: row)
        else {
            return nil
        }
        guard let known = try index.item(identifier: found.identifier), known.number != row.number else { return found }
        let isUntouched = known.changes.isEmpty && known.content != .edited && !scheduler.table.isBusy(known.number)
        return isUntouched && known.number.rawValue > row.number.rawValue ? found : nil
    }

    /// Returns the item that the provider has at `place`, if it is the given item under a new identifier; otherwise
    /// `nil`. The given item was to be moved to this place, and the reply was lost. The provider also has an item under
    /// the former identifier, which may be another item.
    ///
    /// - Parameter current: The item that the provider has under the former identifier.
    nonisolated(nonsending) func moved(
        _ row: IndexedItem, leaving current: ProviderItem, to place: SentLocation
    ) async throws -> ProviderItem? {
        guard try isSame(current, as: row) else { return try await moved(row, to: place) }
        // Directories are distinguished by the items in them.
        guard current.kind == .folder, let found = try await moved(row, to: place), !(try await holds(current, row))
        else { return nil }
        return try await holds(found, row) ? found : nil
    }

    /// Returns the provider's item at the place of a move whose reply was lost, if it is the moved item; otherwise
    /// `nil`. Another client may have created an item with the former identifier since the move.
    nonisolated(nonsending) func movedBefore(_ row: IndexedItem, to place: SentLocation) async throws -> ProviderItem? {
        let current: ProviderItem
        do {
            current = try await asking { () async throws(ProviderError) in
                try await provider.item(row.item.identifier)
            }
        } catch let failure as ProviderError where failure.kind == .noSuchItem {
            return try await moved(row, to: place)
        }
        return try await moved(row, leaving: current, to: place)
    }

    /// Whether a directory at the provider holds any of the items that a known directory has.
    nonisolated(nonsending) private func holds(_ folder: ProviderItem, _ known: IndexedItem) async throws -> Bool {
        var names: Set<ExactText> = []
        try index.children(of: known.number) { child in
            if child.isKnownToProvider, child.item.parent.hasSameBytes(as: known.item.identifier) {
                names.insert(child.item.filename)
            }
            return names.count < configuration.pageSize
        }
        guard !names.isEmpty else { return false }
        return try await firstItem(in: folder.identifier) { names.contains($0.filename) } != nil
    }

    /// Looks for an item whose move to `place` got no reply, before the item is moved again. If the item is found
    /// there, adopts its new identifier.
    ///
    /// - Returns: `nil` if the provider has the item under its known identifier, or does not have it in the new place.
    func findMoved(
        _ row: IndexedItem, _ place: SentLocation, _ engine: isolated any EngineEvents
    ) async throws -> StepResult? {
        guard let found = try await movedBefore(row, to: place) else { return nil }
        let (double, result) = try double(of: row.number, found, engine)
        if let result { return result }
        guard var entry = try journal.entry(row.number),
            let now = try index.itemEvenIfDeleted(row.number),
            now.item.identifier.hasSameBytes(as: row.item.identifier)
        else { return .later(0) }
        entry.identifier = found.identifier
        entry.setPlace(of: found)
        entry.mayHaveMoved = false
        entry.movedTo = nil
        var records: [JournalChange] = [.put(entry)]
        if let double { records.append(.remove(double)) }
        try passMetadata(of: row.number, to: found.identifier)
        try writer.confirm(records) { writer throws(IndexError) in
            try writer.update(row.number) { row in
                row.item.identifier = found.identifier
                row.item.parent = found.parent
                row.item.filename = found.filename
            }
        }
        tracker.follow(row.number, from: row.item.identifier, to: found.identifier, mayBeReused: true, engine)
        if let double { recreation.forgetDouble(double, engine) }
        tracker.forgetMove(of: row.number, engine)
        return .later(0)
    }

    /// Looks for an item that was to leave `place` by a move, before the item `number` is sent to this place. The move
    /// got no reply, and the item waits for the item `number`. If identifiers are paths, the item `number` would get
    /// the identifier of the waiting item, and the waiting item could no longer be found.
    ///
    /// - Returns: `nil` if there is no such item, or the provider still has it in `place`.
    func findMoved(
        from place: SentLocation, for number: ItemNumber, _ engine: isolated any EngineEvents
    ) async throws -> StepResult? {
        guard let waiting = tracker.waitingMover(from: place, for: number), let target = tracker.moves[waiting],
            let row = try index.itemEvenIfDeleted(waiting)
        else { return nil }
        guard scheduler.table.reserve(waiting, by: number) else { return .later(configuration.settlingTime) }
        defer { scheduler.table.endReservation(waiting, at: clock.now) }
        return try await findMoved(row, target, engine)
    }

    /// Whether the provider's item `found` has the same kind and contents as the locally changed item `row`. Files are
    /// compared by the version that the local edit is based on. The version in the index may come from a report about
    /// another item of the same path.
    func isSame(_ found: ProviderItem, as row: IndexedItem) throws(IndexError) -> Bool {
        guard found.kind == .file, row.item.kind == .file,
            let base = try journal.entry(row.number)?.baseVersion, !base.isEmpty
        else { return found.isSame(as: row.item) }
        // Many providers report size 0 for an unknown size.
        let size = found.size ?? 0
        return found.contentVersion == base && (size == 0 || row.content != .current || size == row.localSize)
    }

    // MARK: Unknown identifiers

    /// Finds the new identifier of the given item, whose known identifier the provider does not recognize. An item's
    /// identifier can change when the identifier of a directory above it changes.
    ///
    /// - Returns: The item or the delay to wait for; `nil` if the provider has no such item.
    func findNewIdentifier(
        of number: ItemNumber, asked identifier: String, _ engine: isolated any EngineEvents
    ) async throws -> StepResult? {
        guard let row = try index.itemEvenIfDeleted(number), row.isKnownToProvider else { return nil }
        guard row.item.identifier.hasSameBytes(as: identifier) else { return .later(0) }
        let (path, moving) = try uncertainPath(of: row, beneath: index.reidentifiedFolders())
        if let moving { return .waits(for: moving) }
        for child in path.reversed() {
            guard let now = try index.itemEvenIfDeleted(child.number),
                now.item.identifier.hasSameBytes(as: child.item.identifier)
            else { continue }
            let request = replies.beginRequest()
            let place = SentLocation(parent: now.item.parent, name: now.item.filename)
            guard let found = try await item(at: place), found.kind == now.item.kind else { return nil }
            // A listing may have found the item meanwhile, or it may have moved.
            guard !replies.isStale(for: found.identifier, since: request),
                let row = try index.itemEvenIfDeleted(child.number),
                row.item.identifier.hasSameBytes(as: now.item.identifier)
            else { return .later(0) }
            if found.identifier.hasSameBytes(as: row.item.identifier) { continue }
            // The index may have the found identifier for an item that has another one by now, too.
            let others = try writer.writeIndex { writer throws(IndexError) in try context.reidentify([found], &writer) }
            tracker.follow(others, engine)
            if others.contains(where: { $0.number == row.number }) { continue }
            let (double, result) = try double(of: row.number, found, engine)
            if let result { return result }
            try take(found.identifier, for: row, engine)
            if let double {
                try journal.remove(double)
                recreation.forgetDouble(double, engine)
            }
        }
        guard let now = try index.itemEvenIfDeleted(number) else { return nil }
        return now.item.identifier.hasSameBytes(as: identifier) ? nil : .later(0)
    }

    /// Returns the given item and the directories above it that lie in one of the directories `reidentified`, from the
    /// item upwards, and the nearest directory above the item that is being moved.
    private func uncertainPath(
        of item: IndexedItem, beneath reidentified: Set<ItemNumber>
    ) throws(IndexError) -> (path: [IndexedItem], moving: ItemNumber?) {
        guard !tracker.moves.isEmpty || !reidentified.isEmpty else { return ([], nil) }
        var (row, path, count): (IndexedItem, [IndexedItem], Int) = (item, [], 0)
        for _ in 0..<IndexedItem.mostAncestors {
            guard row.number != .root else { break }
            path.append(row)
            guard let folder = try index.item(identifier: row.item.parent), folder.number != .root else { break }
            if tracker.moves[folder.number] != nil { return (Array(path.prefix(count)), folder.number) }
            if reidentified.contains(folder.number) { count = path.count }
            row = folder
        }
        return (Array(path.prefix(count)), nil)
    }

    /// Finds the new identifier of the given item before a request about it, if a directory above it got a new
    /// identifier and was not enumerated since. With identifiers that are paths, the provider may already use the known
    /// identifier for another item.
    ///
    /// - Returns: The item or the delay to wait for; `nil` if the request can be sent with the known identifier.
    func renewIdentifier(of row: IndexedItem, _ engine: isolated any EngineEvents) async throws -> StepResult? {
        let folders = try index.foldersWithNewIdentifier()
        // An item whose own move is uncertain need not be in its former directory.
        guard !folders.isEmpty, row.isKnownToProvider, tracker.moves[row.number] == nil,
            try !uncertainPath(of: row, beneath: folders).path.isEmpty
        else { return nil }
        return try await findNewIdentifier(of: row.number, asked: row.item.identifier, engine)
    }

    /// Finds the new identifier of the given item as ``renewIdentifier(of:)`` does, and waits for moves that must
    /// complete first.
    ///
    /// - Throws: The provider's failure, or a failure of kind `transient` if a move does not complete.
    func awaitCertainIdentifier(
        of number: ItemNumber, _ engine: isolated any EngineEvents
    ) async throws(ProviderError) {
        do {
            var mayWait = true
            for _ in 1...8 {
                guard let row = try index.item(number), let result = try await renewIdentifier(of: row, engine) else {
                    return
                }
                guard case .waits = result else { continue }
                guard mayWait else { break }
                // If this fails, the move may still have completed and left the item its identifier.
                mayWait = await awaitNewIdentifier(of: number, asked: row.item.identifier, engine)
            }
        } catch {
            throw (error as? ProviderError) ?? ProviderError(.transient, message: "\(error)")
        }
        throw ProviderError(.transient, message: "The identifier of the item is not known yet.")
    }

    /// The maximum delay in seconds between repeating a move and looking up the identifier.
    private static let longestWaitForMove = 2.0

    /// Finds the new identifier as ``findNewIdentifier(of:asked:)`` does, and also waits for moves that must complete
    /// first.
    ///
    /// - Returns: Whether the item may be requested again.
    func awaitNewIdentifier(
        of number: ItemNumber, asked identifier: String, _ engine: isolated any EngineEvents
    ) async -> Bool {
        // Several directories above may be moved, one after the other.
        for attempt in 1...8 {
            // The item's own move may be running, and its reply may have the new identifier.
            if tracker.moves[number] != nil, let step = scheduler.table[number].step { await step.task.value }
            guard !isClosed, let result = try? await findNewIdentifier(of: number, asked: identifier, engine) else {
                return false
            }
            guard case .waits(let other) = result else { return true }
            if let step = scheduler.table[other].step {
                await step.task.value
            } else if !context.resources.gate.isOpen {
                // The reply was lost, and no move is sent during a pause. The provider can still be asked whether the
                // move happened.
                guard await findMoved(other, engine) else { return false }
            } else {
                // The reply was lost, so the move is sent again.
                scheduler.schedule(other, engine)
                await clock.wait(min(delay(afterAttempt: attempt), Self.longestWaitForMove))
            }
        }
        return false
    }

    /// Looks for an item whose move got no reply, without sending the move again.
    ///
    /// - Returns: Whether the item was found under another identifier.
    private func findMoved(_ number: ItemNumber, _ engine: isolated any EngineEvents) async -> Bool {
        guard let place = tracker.moves[number], let row = try? index.itemEvenIfDeleted(number),
            let result = try? await findMoved(row, place, engine)
        else { return false }
        guard case .later = result else { return false }
        return !isClosed
    }

    /// Returns the item that the provider has in the given place; `nil` if the place is empty or its directory does not
    /// exist.
    nonisolated(nonsending) func item(at place: SentLocation) async throws -> ProviderItem? {
        do {
            return try await listedItem(named: place.name, in: place.parent)
        } catch let failure as ProviderError where failure.kind == .noSuchItem {
            return nil
        }
    }

    /// Enumerates a directory at the provider and returns the item with the given name; `nil` if there is none.
    nonisolated(nonsending) func listedItem(named name: String, in parent: String) async throws -> ProviderItem? {
        try await firstItem(in: parent) { $0.isAt(name, in: parent) }
    }

    /// Returns the first item in the enumeration of a directory that meets a condition.
    nonisolated(nonsending) private func firstItem(
        in parent: String, _ isMeant: (ProviderItem) -> Bool
    ) async throws -> ProviderItem? {
        var page: [UInt8]?
        var guarded = EndlessListing(limit: configuration.pagesWithoutNews, mostItems: configuration.itemsInFolder)
        while true {
            let after = page
            let answer = try await asking { () async throws(ProviderError) in
                try await provider.page(of: parent, after: after, suggestedSize: configuration.pageSize)
            }
            if let item = answer.items.first(where: isMeant) { return item }
            guard let next = answer.next else { return nil }
            // A listing without end must not count as complete, because an item on a later page would then be created
            // twice.
            try guarded.check(answer)
            page = next
        }
    }
}

import FileProvider
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Tracks items whose identifier or place at the provider is uncertain, because the reply to their creation or move has
/// not come or was lost. Reported items that may be such items are withheld from clients.
///
/// It calls the journal writer, the recorder and the scheduler of uploads, and sends events. Used only on the engine's
/// thread (see ``EngineContext``).
final class IdentifierTracker: EngineComponent {
    let context: EngineContext
    let writer: JournalWriter
    let recorder: EditRecorder
    let scheduler: UploadScheduler
    /// The temporary names, by item identifier.
    var namesInBetween: [ExactText: NameInBetween] = [:]
    /// The new items whose reply has not come yet or was lost, by the place to which they were sent.
    var unanswered: [SentLocation: Set<ItemNumber>] = [:]
    /// The reported items that are withheld from clients, by identifier. Each may be the item that was sent to the same
    /// place.
    var withheld: [ExactText: WithheldItem] = [:]
    /// The new places of items whose move was sent and not yet replied to, by item. Until the reply, the provider may
    /// report a moved item under another identifier, as if it were a new item.
    var moves: [ItemNumber: SentLocation] = [:]
    /// The present places at the provider of items that the provider was asked to move or remove, by item. The outcome
    /// of these requests is unknown.
    var leaving: [ItemNumber: SentLocation] = [:]
    /// Whether the local removal of an item was postponed. The provider reported the item as removed, but the item may
    /// only have moved.
    private var hasHeldRemovals = false

    init(_ context: EngineContext, _ writer: JournalWriter, _ recorder: EditRecorder, _ scheduler: UploadScheduler) {
        self.context = context
        self.writer = writer
        self.recorder = recorder
        self.scheduler = scheduler
    }

    /// Records in the journal that the provider is about to be asked to move the given item to `place`. The reply may
    /// be lost, and the user may move the item back locally.
    func noteMayMove(
        _ number: ItemNumber, to place: SentLocation, _ engine: isolated any EngineEvents
    ) throws {
        guard var entry = try journal.entry(number) else { return }
        if !entry.mayHaveMoved || entry.movedTo != place {
            // With identifiers that are paths, a later report may be about another item in the former place. The
            // version from before the move distinguishes the two.
            if !entry.mayHaveMoved, !entry.changes.contains(.contents), let row = try index.item(number) {
                entry.baseVersion = row.item.contentVersion
            }
            entry.mayHaveMoved = true
            entry.movedTo = place
            try journal.put(entry)
        }
        forgetMove(of: number, engine)
        moves[number] = place
        try noteLeaves(number)
    }

    /// Restores the uncertain places of an edit from the edit's journal entry after a crash.
    func restore(_ entry: JournalEntry) throws(IndexError) {
        let entry = try withPresentPlaces(entry)
        if let place = entry.sent { unanswered[place, default: []].insert(entry.number) }
        if entry.mayHaveMoved, let place = entry.movedTo {
            moves[entry.number] = place
            try noteLeaves(entry.number)
        }
        // The request to remove the item may have been sent, and another item may be created in its place meanwhile.
        if entry.changes.contains(.deleted) { try noteLeaves(entry.number) }
    }

    /// Transfers the uncertainty about a move from the moved item to the item that replaced it.
    func pass(from number: ItemNumber, to successor: ItemNumber) {
        if let place = moves.removeValue(forKey: number) { moves[successor] = place }
        leaving[successor] = leaving.removeValue(forKey: number)
    }

    /// Records the given item's place at the provider, because the provider is about to be asked to move or remove the
    /// item.
    func noteLeaves(_ number: ItemNumber) throws(IndexError) {
        guard let row = try index.itemEvenIfDeleted(number), row.isKnownToProvider else { return }
        leaving[number] = SentLocation(row.item)
    }

    /// Ends the uncertainty about the move of the given item. Revalidates the items that were withheld in the move's
    /// target place, and the items whose local removal was postponed.
    func forgetMove(of number: ItemNumber, _ engine: isolated any EngineEvents) {
        leaving[number] = nil
        guard let place = moves.removeValue(forKey: number) else { return }
        if hasHeldRemovals, moves.isEmpty {
            hasHeldRemovals = false
            engine.movesAreSettled()
        }
        guard unanswered[place] == nil, !moves.values.contains(place) else { return }
        let others = withheld.filter { $0.value.place == place }
        for identifier in others.keys { withheld[identifier] = nil }
        engine.itemsMayBeShown(Set(others.keys))
    }

    /// Whether the item with the given identifier, or a directory above it, is being moved, so that its place is
    /// unknown.
    func isMoving(_ identifier: String) -> Bool {
        guard !moves.isEmpty else { return false }
        var row = try? index.item(identifier: identifier)
        for _ in 0..<IndexedItem.mostAncestors {
            guard let current = row, current.number != .root else { return false }
            if moves[current.number] != nil { return true }
            row = try? index.item(identifier: current.item.parent)
        }
        return false
    }

    /// Returns those of the given identifiers, reported as removed, whose removal is certain. Items that may only have
    /// moved are left out. Their status is known once the reply to the move has come, or once their directory was
    /// enumerated.
    func believed(
        gone identifiers: [String], _ engine: isolated any EngineEvents
    ) throws(ProviderError) -> [String] {
        guard !identifiers.isEmpty, try hasItemsElsewhere() else { return identifiers }
        let moving = Set(moves.keys)
        var (believed, held, uncertain): ([String], [String], Set<ExactText>) = ([], [], [])
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
        if !held.isEmpty { hasHeldRemovals = true }
        try engine.itemsAreUncertain(uncertain)
        return believed
    }

    /// Whether the provider may have an item under another identifier than the one in the index.
    private func hasItemsElsewhere() throws(ProviderError) -> Bool {
        if !moves.isEmpty { return true }
        return try onRecord { () throws(IndexError) in try index.hasReidentifiedFolders() }
    }

    /// Returns the row of an item that was moved or removed locally, if the given report shows this item in its old
    /// place under an unknown identifier; otherwise `nil`.
    func rowLeft(at item: ProviderItem) throws(IndexError) -> IndexedItem? {
        guard try index.hasReidentifiedFolders(), let folder = try index.item(identifier: item.parent),
            try index.isReidentified(folder.number)
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
}

/// A reported item that is not visible locally, because it may be an item that the engine has sent without getting a
/// reply.
struct WithheldItem {
    var place: SentLocation
    /// If the item is a directory, the identifiers of the items that were reported inside it, at any depth.
    var inside: Set<ExactText> = []
}

import FileProvider
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Items whose identifier or place at the provider is uncertain: new items and moves whose reply has not come or was
/// lost. Reported items that may be such items are withheld.
///
/// It calls the journal writer, the recorder and the scheduler of uploads, and sends events. Used only on the engine's
/// thread (see ``EngineContext``).
final class IdentifierTracker: EngineComponent {
    let context: EngineContext
    let writer: JournalWriter
    let recorder: EditRecorder
    let scheduler: UploadScheduler
    /// The temporary names, by item identifier.
    var namesInBetween: [String: NameInBetween] = [:]
    /// The new items whose reply has not come yet or was lost, by the place that they were sent to.
    var unanswered: [SentLocation: Set<ItemNumber>] = [:]
    /// The reported items that are withheld from clients, by identifier. Each may be the item that was sent to its
    /// place.
    var withheld: [String: WithheldItem] = [:]
    /// The places to which the provider was asked to move items, by item. Each move may have happened. If the provider
    /// changed the items' identifiers, it may report them as new items.
    var moves: [ItemNumber: SentLocation] = [:]
    /// The earlier places of items that the provider was asked to move or remove, by item. The outcome of these
    /// requests is unknown.
    var leaving: [ItemNumber: SentLocation] = [:]
    /// Whether the provider reported an item as removed that may only have moved, so that the local removal is
    /// postponed.
    private var hasHeldRemovals = false

    init(_ context: EngineContext, _ writer: JournalWriter, _ recorder: EditRecorder, _ scheduler: UploadScheduler) {
        self.context = context
        self.writer = writer
        self.recorder = recorder
        self.scheduler = scheduler
    }

    /// Journals that the provider is about to be asked to move an item. The reply may be lost, and the user may move
    /// the item back locally.
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

    /// Restores the uncertain places of an edit from its journal entry after a crash.
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

    /// Transfers the uncertainty about a move to the item that replaced the moved one.
    func pass(from number: ItemNumber, to successor: ItemNumber) {
        if let place = moves.removeValue(forKey: number) { moves[successor] = place }
        leaving[successor] = leaving.removeValue(forKey: number)
    }

    /// Records that the provider is about to be asked to move or remove an item, so that the item may leave its place.
    func noteLeaves(_ number: ItemNumber) throws(IndexError) {
        guard let row = try index.itemEvenIfDeleted(number), row.isKnownToProvider else { return }
        leaving[number] = SentLocation(row.item)
    }

    /// Ends the uncertainty about a move. Revalidates the items that were withheld in the target place, and the items
    /// whose local removal was postponed.
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

    /// Whether an item or a directory above it is being moved, so that its place is unknown.
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

    /// Returns the identifiers of reported removals that are certain. Items that may only have moved are left out.
    /// Their status is known once the reply to the move has come, or the directory was enumerated.
    func believed(
        gone identifiers: [String], _ engine: isolated any EngineEvents
    ) throws(ProviderError) -> [String] {
        guard !identifiers.isEmpty, try hasItemsElsewhere() else { return identifiers }
        let moving = Set(moves.keys)
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
        if !held.isEmpty { hasHeldRemovals = true }
        try engine.itemsAreUncertain(uncertain)
        return believed
    }

    /// Whether the provider may have an item under another identifier than the index.
    private func hasItemsElsewhere() throws(ProviderError) -> Bool {
        if !moves.isEmpty { return true }
        return try onRecord { () throws(IndexError) in try index.hasReidentifiedFolders() }
    }

    /// Returns the row of an item that was moved or removed locally and that the provider reports in its old place
    /// under an unknown identifier.
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

/// A reported item that is not visible locally, because it may be an item that the engine has sent.
struct WithheldItem {
    var place: SentLocation
    /// The identifiers that were reported inside the item, at any depth, if it is a directory.
    var inside: Set<String> = []
}

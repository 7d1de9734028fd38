import FileProvider
import ItemStore
import ItemValues
import LinuxSystem

/// The result of one step. A step is a group of requests to the provider that send one change of an item.
enum StepResult {
    /// The step is complete, or there was nothing to send. The item's remaining changes are sent next.
    case done
    /// The step cannot continue before the given item's step has a result.
    case waits(for: ItemNumber)
    /// The step is to be repeated after the given number of seconds.
    case later(Double)
    /// The step waits for an event, such as the close of a file.
    case awaitsEvent
}

/// A failure of this machine's own disk. The step is retried.
struct LocalError: Error {
    var errno: Errno
}

/// The engine was closed during a request. Nothing is written any more.
struct EngineClosedError: Error {}

/// Performs the requests of one step, which send an item's next change, and handles the provider's replies.
///
/// It calls the journal writer, the recorder, the scheduler, the tracker and the finder of identifiers, the recreation
/// of items, the components of contents, the reconciler, the enumerator, ``RemovalWaits`` and ``UserMetadata``. Used
/// only on the engine's thread (see ``EngineContext``).
final class Uploader: EngineComponent {
    let context: EngineContext
    let writer: JournalWriter
    let recorder: EditRecorder
    let scheduler: UploadScheduler
    let tracker: IdentifierTracker
    let recreation: ItemRecreation
    let finder: IdentifierFinder
    let reconciler: ItemReconciler
    let enumerator: Enumerator
    let evictor: Evictor
    let writing: WrittenFiles
    let removalWaits: RemovalWaits
    let metadata: UserMetadata

    init(
        _ context: EngineContext, _ writer: JournalWriter, _ recorder: EditRecorder, _ scheduler: UploadScheduler,
        _ tracker: IdentifierTracker, _ recreation: ItemRecreation, _ finder: IdentifierFinder,
        _ reconciler: ItemReconciler, _ enumerator: Enumerator, _ evictor: Evictor, _ writing: WrittenFiles,
        _ removalWaits: RemovalWaits, _ metadata: UserMetadata
    ) {
        self.context = context
        self.writer = writer
        self.recorder = recorder
        self.scheduler = scheduler
        self.tracker = tracker
        self.recreation = recreation
        self.finder = finder
        self.reconciler = reconciler
        self.enumerator = enumerator
        self.evictor = evictor
        self.writing = writing
        self.removalWaits = removalWaits
        self.metadata = metadata
    }

    // MARK: One step

    /// Sends the next change of the given item.
    func send(_ number: ItemNumber, _ engine: isolated any EngineEvents) async throws -> StepResult {
        scheduler.table.setSendsContents(number, false)
        guard let entry = try journal.entry(number) else { return .done }
        guard let row = try index.itemEvenIfDeleted(number) else {
            // The item does not exist any more. Contents that were edited before the removal are deleted with the
            // entry.
            if entry.changes.contains(.deleted) { recorder.removeBytes(of: number, engine) }
            try journal.remove(number)
            return .done
        }
        // If an item has another kind at the provider now, the local item becomes a new one.
        if !row.isKnownToProvider, entry.changes.isDisjoint(with: [.created, .deleted]) {
            // A file that was only moved locally has no bytes that only this machine has.
            if row.item.kind == .file, !recreation.hasOwnContents(row, entry) {
                try recreation.drop(number, engine)
                return .done
            }
            let parent = try index.item(row.parent) == nil ? ItemNumber.root : row.parent
            try recreation.becomeNew(entry, row, in: parent, named: row.name, followedBy: [], engine)
            return .done
        }
        if row.isKnownToProvider, entry.hasLostIdentifier { return try recreation.makeAgain(number, engine) }
        if let result = try await finder.renewIdentifier(of: row, engine) { return result }
        if row.isKnownToProvider, let result = try await settleLost(entry, row, nil, engine) { return result }
        if entry.changes.contains(.deleted) { return try await sendRemoval(entry, row, engine) }
        // A file that is open for writing is sent after it is closed, or some time after it was noted as edited.
        if isOpenForWriting(number), scheduler.table[number].generation == 0, !entry.changes.contains(.place) {
            return .awaitsEvent
        }
        if entry.changes.contains(.created) { return try await sendNewItem(entry, row, engine) }
        if entry.changes.contains(.place) { return try await sendMove(entry, row, engine) }
        if entry.changes.contains(.contents) {
            scheduler.table.setSendsContents(number, true)
            return try await sendContents(entry, row, engine)
        }
        guard entry.isOpen else {
            try writer.confirm([.remove(number)]) { writer throws(IndexError) in
                try writer.update(number) { $0.changes = [] }
            }
            return .done
        }
        return .awaitsEvent
    }

    /// Checks that no other item has the identifier of the given item, or may be getting it. Otherwise the step must
    /// not send this identifier to the provider.
    ///
    /// - Parameter row: The item at the beginning of the step.
    /// - Returns: The result of the step if it must not continue; `nil` if it can.
    func settleTaken(_ row: IndexedItem, _ engine: isolated any EngineEvents) throws -> StepResult? {
        // Once a report has removed the item, or given it another identifier, any item can get this one.
        guard let now = try index.itemEvenIfDeleted(row.number),
            now.item.identifier.hasSameBytes(as: row.item.identifier)
        else { return .later(0) }
        // The entry may have changed during the step.
        if let entry = try journal.entry(row.number), entry.hasLostIdentifier {
            return try recreation.makeAgain(row.number, engine)
        }
        return tracker.taker(of: row) == nil ? nil : .later(configuration.settlingTime)
    }
}

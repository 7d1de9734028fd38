import FileProvider
import ItemStore
import LinuxSystem

/// A change of the journal.
enum JournalChange {
    case put(JournalEntry)
    case remove(ItemNumber)

    var number: ItemNumber {
        switch self {
        case .put(let entry): entry.number
        case .remove(let number): number
        }
    }
}

/// Writes local changes to the journal and the index, in the order that recovery depends on.
///
/// It calls no other component. Used only on the engine's thread (see ``EngineContext``).
final class JournalWriter: EngineComponent {
    let context: EngineContext
    /// A closure that is called between the two writes of a change, to the journal and to the index. Either may be the
    /// first. Tests use it to examine the state that a crash would leave.
    var observer: (@Sendable () -> Void)?
    /// Whether another attempt to write the queued journal changes is scheduled, because the disk was full.
    private var hasDeferredFlush = false

    init(_ context: EngineContext) {
        self.context = context
    }

    /// Writes a local change to the journal, and then to the index. If either write fails, nothing was changed.
    ///
    /// - Parameters:
    ///   - changes: The changes of the journal.
    ///   - freesSpace: Whether the change frees disk space. If the disk is full, such a change may use the space that
    ///     is reserved for it.
    ///   - body: Makes the changes of the index.
    func recordOnce<Result>(
        _ changes: [JournalChange], freesSpace: Bool, _ body: (inout IndexWriter) throws(IndexError) -> Result
    ) throws(EditError) -> Result {
        do throws(IndexError) {
            var undoing: [JournalChange] = []
            for change in changes {
                let before = try journal.entry(change.number)
                undoing.append(before.map { .put($0) } ?? .remove(change.number))
            }
            try write(changes, freesSpace: freesSpace)
            observer?()
            EngineStep.editJournalled.reach()
            do throws(IndexError) {
                let result = try index.write(freesSpace: freesSpace, body)
                EngineStep.editIndexed.reach()
                return result
            } catch {
                // If this process ends before the undo is written, the next start makes the change. This is allowed,
                // because the call never returned.
                try? writeInAnyCase(undoing, freesSpace: freesSpace)
                for change in changes { index.skipNumbers(through: change.number) }
                throw error
            }
        } catch {
            throw EditError(error)
        }
    }

    /// Records a change that the provider has confirmed. Writes it first to the index, and then to the journal. After a
    /// crash between the two writes, the engine only repeats the request. After the index was written, the engine
    /// treats the journal as changed, even if the disk is too full to write it.
    @discardableResult
    func confirm<Result>(
        _ changes: [JournalChange], _ body: (inout IndexWriter) throws(IndexError) -> Result
    ) throws(IndexError) -> Result {
        let result = try index.write(freesSpace: true, body)
        observer?()
        EngineStep.confirmedIndexed.reach()
        try writeInAnyCase(changes)
        EngineStep.confirmedJournalled.reach()
        return result
    }

    /// Writes to the index only, for changes that the journal does not record.
    @discardableResult
    func writeIndex<Result>(
        _ body: (inout IndexWriter) throws(IndexError) -> Result
    ) throws(IndexError) -> Result {
        try index.write(body)
    }

    private func write(_ changes: [JournalChange], freesSpace: Bool) throws(IndexError) {
        let (removed, entries) = Self.sorted(changes)
        try journal.replace(removing: removed, putting: entries, freesSpace: freesSpace)
    }

    /// Writes to the journal changes that have already happened. If the disk is full, queues them in memory until the
    /// disk has space.
    func writeInAnyCase(_ changes: [JournalChange], freesSpace: Bool = true) throws(IndexError) {
        let (removed, entries) = Self.sorted(changes)
        try journal.replaceInAnyCase(removing: removed, putting: entries, freesSpace: freesSpace)
        scheduleUnwritten()
    }

    private static func sorted(_ changes: [JournalChange]) -> (removed: [ItemNumber], entries: [JournalEntry]) {
        var removed: [ItemNumber] = []
        var entries: [JournalEntry] = []
        for change in changes {
            switch change {
            case .put(let entry): entries.append(entry)
            case .remove(let number): removed.append(number)
            }
        }
        return (removed, entries)
    }

    /// Schedules a write of the changes that are queued for the journal, if there are any.
    private func scheduleUnwritten() {
        guard journal.hasUnwrittenChanges, !hasDeferredFlush else { return }
        hasDeferredFlush = true
        later(after: Self.retryInterval) { $0.components.writer.writeUnwritten() }
    }

    /// Tries again to write the changes that are queued for the journal.
    func writeUnwritten() {
        hasDeferredFlush = false
        guard !isClosed else { return }
        // While the disk has no space, the next attempt is scheduled again.
        try? journal.writeUnwrittenChanges()
        scheduleUnwritten()
    }

    /// The interval in seconds between two attempts to write the queued changes.
    private static let retryInterval = 2.0
}

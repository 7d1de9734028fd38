import FileProvider
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Records local changes: in the journal, in the index, and in the files of edited contents.
///
/// It calls the journal writer and the evictor, and sends an event. Used only on the engine's thread (see
/// ``EngineContext``).
final class EditRecorder: EngineComponent {
    let context: EngineContext
    let writer: JournalWriter
    private let evictor: Evictor
    /// The events to show to the user: conflicts, and removals that the provider refused, so that the items came back.
    private(set) var events: [EditEvent] = []

    init(_ context: EngineContext, _ writer: JournalWriter, _ evictor: Evictor) {
        self.context = context
        self.writer = writer
        self.evictor = evictor
    }

    /// Writes a local change to the journal, and then to the index. After a crash in between, the next start completes
    /// the index. If either write fails, nothing was changed. If the disk is full, evicts clean contents and tries
    /// again.
    ///
    /// - Parameter freesSpace: Whether the change frees space on a full disk.
    @discardableResult
    func record<Result>(
        _ changes: [JournalChange], freesSpace: Bool = false, _ engine: isolated any EngineEvents,
        _ body: (inout IndexWriter) throws(IndexError) -> Result
    ) throws(EditError) -> Result {
        try evictor.makingRoom(engine) { () throws(EditError) in
            try writer.recordOnce(changes, freesSpace: freesSpace, body)
        }
    }

    /// Sets directories' modification dates to now, because their entries changed locally.
    func dateFolders(_ folders: Set<ItemNumber>, _ writer: inout IndexWriter) throws(IndexError) {
        let now = dateNow
        for folder in folders { try writer.update(folder) { $0.localModified = now } }
    }

    /// Returns the journal's entry of an item, or a new one for an item that is not changed yet.
    func entry(of row: IndexedItem) throws(EditError) -> JournalEntry {
        do throws(IndexError) {
            if let entry = try journal.entry(row.number) { return entry }
        } catch {
            throw EditError(error)
        }
        return try freshEntry(of: row)
    }

    /// Returns a new journal entry of an item.
    func freshEntry(of row: IndexedItem) throws(EditError) -> JournalEntry {
        let parent = try reading { () throws(IndexError) in try identifier(of: row.parent) }
        return JournalEntry(row, parentIdentifier: parent)
    }

    /// Performs a write that removes or replaces an edited file. The file's bytes are deleted once the write is on
    /// disk, and restored if the write fails. The file is renamed before the write. Otherwise a crash could leave an
    /// edit that is not in the journal.
    ///
    /// - Parameter number: The item with the edited file, or `nil` if no edit is lost.
    func settingAsideEdit<Result>(
        of number: ItemNumber?, _ write: () throws(EditError) -> Result
    ) throws(EditError) -> Result {
        let folders = folders
        // If the file cannot be renamed, its bytes are not protected.
        guard let number, let size = try? folders.setAside(number) else { return try write() }
        let result: Result
        do throws(EditError) {
            result = try write()
        } catch {
            // If this fails, too, the next start restores the bytes.
            try? folders.takeBack(number)
            throw error
        }
        durable.afterwards { [openFiles] in
            let isRead = openFiles.entry(number).map { $0.writers == 0 } ?? false
            if isRead, (try? folders.keepSetAside(number)) != nil {
                // The last reader may have closed the file in between.
                if openFiles.entry(number) == nil { try? folders.remove(number, in: folders.removed) }
            } else {
                try? folders.removeSetAside(number)
            }
        }
        // A client that removes a large file expects its space to be free soon.
        if size >= 1 << 20 { durable.synchronize { _ in } }
        return result
    }

    /// Removes the bytes of an item that was removed, and drops its user metadata. Open handles keep the bytes.
    func removeBytes(of number: ItemNumber, _ engine: isolated any EngineEvents) {
        folders.removeUploads(of: number)
        engine.bytesWereRemoved(number)
    }

    /// Returns an identifier for an item that the provider does not have yet.
    func newLocalIdentifier() -> String {
        IndexedItem.localPrefix + String(UInt64.random(in: .min ... .max), radix: 16)
    }

    /// Whether a directory has items that are visible locally.
    func hasVisibleChildren(_ folder: ItemNumber) throws(IndexError) -> Bool {
        var found = false
        try index.children(of: folder, after: nil, limit: 1) { _ in
            found = true
            return false
        }
        return found
    }

    /// Returns the first name that is free in a directory. The closure receives 1, 2 and so on.
    func freeName(in folder: ItemNumber, _ name: (Int) -> String) throws(IndexError) -> String {
        var number = 1
        while true {
            let candidate = name(number)
            if try index.item(named: candidate, in: folder) == nil { return candidate }
            number += 1
        }
    }

    /// Returns the size of an item's file in bytes; `nil` if there is no such file.
    static func size(of number: ItemNumber, in folder: FileDescriptor) -> Int64? {
        (try? folder.status(of: ContentFolders.name(number))).map { Int64($0.size) }
    }

    /// Returns the current entries of items, without the items that have no entry any more.
    func entries(of numbers: [ItemNumber]) throws(IndexError) -> [JournalEntry] {
        var entries: [JournalEntry] = []
        for number in numbers { if let entry = try journal.entry(number) { entries.append(entry) } }
        return entries
    }

    /// Returns the journal entries of the changed items in a directory, with the directory's new identifier.
    func entries(in folder: ItemNumber, whichIsNow identifier: String) throws(IndexError) -> [JournalChange] {
        var changed: [ItemNumber] = []
        try index.children(of: folder) { item in
            if !item.changes.isEmpty { changed.append(item.number) }
            return true
        }
        var entries: [JournalChange] = []
        for number in changed {
            guard var entry = try journal.entry(number) else { continue }
            if let place = entry.place, place.parent.hasSameBytes(as: entry.parentIdentifier) {
                entry.place?.parent = identifier
            }
            entry.parentIdentifier = identifier
            entries.append(.put(entry))
        }
        return entries
    }

    /// Records an event for the user.
    func note(_ kind: EditEvent.Kind, of number: ItemNumber, _ name: String) {
        // A program may try a forbidden change for thousands of items. Only the latest such event is retained.
        if case .forbidden = kind, case .forbidden? = events.last?.kind { events.removeLast() }
        events.append(EditEvent(number: number, name: name, kind: kind, time: clock.now))
        if events.count > 100 { events.removeFirst() }
    }

    /// Deletes an item's row after a new local file has replaced the item. The new file's row gets the item's
    /// identifier, parent and name.
    ///
    /// - Parameter entry: The journal entry of the new file.
    static func replace(
        _ other: IndexedItem, by entry: JournalEntry, _ writer: inout IndexWriter
    ) throws(IndexError) {
        try writer.delete(other.number)
        try writer.update(entry.number) { row in
            row.item = other.item
            row.parent = other.parent
            row.name = other.name
            row.changes = entry.changes
            row.localVersion = entry.baseVersion
            row.isPinned = other.isPinned
        }
    }

    /// A name that exists only within a transaction, so that no client sees it.
    static let nameInBetween = "purvey-exchange-\u{FFFD}"
}

extension JournalEntry {
    /// The failure for which the change was parked.
    package var failure: ProviderError? {
        get { recordedFailure.map { ProviderError($0) } }
        set { recordedFailure = newValue?.recorded }
    }
}

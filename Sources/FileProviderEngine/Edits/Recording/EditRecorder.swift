import FileProvider
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Records local changes in the journal, in the index, and in the files that hold edited contents.
///
/// It calls the journal writer and the evictor, and sends an event. Used only on the engine's thread (see
/// ``EngineContext``).
final class EditRecorder: EngineComponent {
    let context: EngineContext
    let writer: JournalWriter
    private let evictor: Evictor
    /// The latest unexpected outcomes of edits, to show to the user.
    private(set) var events: [EditEvent] = []

    init(_ context: EngineContext, _ writer: JournalWriter, _ evictor: Evictor) {
        self.context = context
        self.writer = writer
        self.evictor = evictor
    }

    /// Writes a local change to the journal, and then to the index. After a crash between the two writes, the next
    /// start updates the index. If either write fails, nothing was changed. If the disk is full, evicts clean contents
    /// and tries again.
    ///
    /// - Parameter freesSpace: Whether the change itself frees disk space. If the disk is full, such a change may use
    ///   the space that is reserved for it.
    @discardableResult
    func record<Result>(
        _ changes: [JournalChange], freesSpace: Bool = false, _ engine: isolated any EngineEvents,
        _ body: (inout IndexWriter) throws(IndexError) -> Result
    ) throws(EditError) -> Result {
        try evictor.makingRoom(engine) { () throws(EditError) in
            try writer.recordOnce(changes, freesSpace: freesSpace, body)
        }
    }

    /// Sets the modification dates of the given directories to now, because items in them were added, removed or
    /// renamed locally.
    func dateFolders(_ folders: Set<ItemNumber>, _ writer: inout IndexWriter) throws(IndexError) {
        let now = dateNow
        for folder in folders { try writer.update(folder) { $0.localModified = now } }
    }

    /// Returns the journal entry of the given item, or a new entry if the item has none.
    func entry(of row: IndexedItem) throws(EditError) -> JournalEntry {
        do throws(IndexError) {
            if let entry = try journal.entry(row.number) { return entry }
        } catch {
            throw EditError(error)
        }
        return try freshEntry(of: row)
    }

    /// Returns a new journal entry for the given item.
    func freshEntry(of row: IndexedItem) throws(EditError) -> JournalEntry {
        let parent = try reading { () throws(IndexError) in try identifier(of: row.parent) }
        return JournalEntry(row, parentIdentifier: parent)
    }

    /// Performs a write that discards a file's edited contents. Before the write, the file is renamed. After the write
    /// is on disk, the file is deleted. If the write fails, the file gets its name back. Without the rename, a crash
    /// could leave an edit that is not in the journal.
    ///
    /// - Parameter number: The item with the edited file; `nil` if no edited contents are discarded.
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

    /// Deletes the local contents and the upload copies of an item that was removed, and drops its user metadata. Open
    /// handles can still read the contents.
    func removeBytes(of number: ItemNumber, _ engine: isolated any EngineEvents) {
        folders.removeUploads(of: number)
        engine.bytesWereRemoved(number)
    }

    /// Returns a new local identifier for an item that the provider does not have yet.
    func newLocalIdentifier() -> String {
        IndexedItem.localPrefix + String(UInt64.random(in: .min ... .max), radix: 16)
    }

    /// Whether the given directory has items that are visible locally.
    func hasVisibleChildren(_ folder: ItemNumber) throws(IndexError) -> Bool {
        var found = false
        try index.children(of: folder, after: nil, limit: 1) { _ in
            found = true
            return false
        }
        return found
    }

    /// Returns the first name that no item in the given directory has. The candidates are `name(1)`, `name(2)` and so
    /// on.
    func freeName(in folder: ItemNumber, _ name: (Int) -> String) throws(IndexError) -> String {
        var number = 1
        while true {
            let candidate = name(number)
            if try index.item(named: candidate, in: folder) == nil { return candidate }
            number += 1
        }
    }

    /// Returns the size in bytes of the given item's file in the given directory; `nil` if there is no such file.
    static func size(of number: ItemNumber, in folder: FileDescriptor) -> Int64? {
        (try? folder.status(of: ContentFolders.name(number))).map { Int64($0.size) }
    }

    /// Returns the present journal entries of the given items. Items without an entry are left out.
    func entries(of numbers: [ItemNumber]) throws(IndexError) -> [JournalEntry] {
        var entries: [JournalEntry] = []
        for number in numbers { if let entry = try journal.entry(number) { entries.append(entry) } }
        return entries
    }

    /// Returns the journal changes after a directory got the given identifier. They store the identifier in the entries
    /// of the changed items in the directory.
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
        // A program may try a forbidden change for thousands of items. Of consecutive events of this kind, only the
        // latest is retained.
        if case .forbidden = kind, case .forbidden? = events.last?.kind { events.removeLast() }
        events.append(EditEvent(number: number, name: name, kind: kind, time: clock.now))
        if events.count > 100 { events.removeFirst() }
    }

    /// Deletes the row of the item `other`, which a new local file has replaced. The new file's row gets the
    /// identifier, the parent and the name of `other`.
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

    /// A temporary name that an item has only within one transaction, so that no client sees it.
    static let nameInBetween = "purvey-exchange-\u{FFFD}"
}

extension JournalEntry {
    /// The failure because of which the change was parked; `nil` if the change is not parked.
    package var failure: ProviderError? {
        get { recordedFailure.map { ProviderError($0) } }
        set { recordedFailure = newValue?.recorded }
    }
}
